/* Texts of users in JSON. */
#include "io/json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value ? NULL : strdup(text);
    if (!copy) return value;
    for (char *c = copy; *c; c++) {
        if ((unsigned char)*c >= 0x80) *c = '?';
    }
    value = json_string(copy);
    free(copy);
    return value;
}
