/* What a csv field says: a word or a number. */
#include "io/csv.h"

#include "base/text.h"

int csv_shown(csv_field field)
{
    return field.length > 40 ? 40 : (int)field.length;
}

bool csv_equals(csv_field field, const char *text)
{
    return text_equals(field.text, field.length, text);
}

bool csv_parse_double(double *out, csv_field field)
{
    return text_double(out, field.text, field.length);
}

bool csv_parse_int64(int64_t *out, csv_field field)
{
    return text_int64(out, field.text, field.length);
}
