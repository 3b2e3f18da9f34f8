/* Items by number and by name, with bounds. */
#include "crowd/resolve.h"

#include "base/status.h"
#include "data/data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Tables with gaps write whole numbers as 17.0. */
static csv_field without_zeros(csv_field text)
{
    const char *point = memchr(text.text, '.', text.length);
    if (!point || point == text.text) return text;
    for (const char *c = point + 1; c < text.text + text.length; c++) {
        if (*c != '0') return text;
    }
    return (csv_field){text.text, (size_t)(point - text.text)};
}

bool item_number(int64_t *out, csv_field text)
{
    text = without_zeros(text);
    if (csv_parse_int64(out, text)) return true;
    bool sign = text.length && (text.text[0] == '-' || text.text[0] == '+');
    if (text.length == sign) return false;
    for (size_t i = sign; i < text.length; i++) {
        if (text.text[i] < '0' || text.text[i] > '9') return false;
    }
    *out = NO_ITEM; /* digits that fit no integer */
    return true;
}

static bool some_name_is_a_number(const scdc_data *items)
{
    for (size_t i = 0; i < items->rows; i++) {
        const char *name = scdc_data_name(items, i);
        int64_t number;
        if (name && item_number(&number, (csv_field){name, strlen(name)})) return true;
    }
    return false;
}

resolver resolver_open(const scdc_data *items, scdc_crowd *crowd, bool named)
{
    resolver r = {.items = items, .by_name = named, .by_number = !named, .crowd = crowd};
    if (items) {
        r.by_name = items->names.count > 0;
        r.by_number = !r.by_name || !some_name_is_a_number(items);
    }
    return r;
}

static int check_number(uint32_t *item, const resolver *r, int64_t number, csv_field text, place at)
{
    size_t count = r->items ? r->items->rows : CROWD_MOST_ITEMS;
    if (number >= 0 && (uint64_t)number < count) {
        *item = (uint32_t)number;
        return SCDC_OK;
    }
    if (!r->items) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: %s %zu: item %.*s does not exist: item numbers are 0 to %zu", at.file,
                         at.unit, at.number, csv_shown(text), text.text, count - 1);
    }
    return fail_with(SCDC_ERR_INPUT,
                     "%s: %s %zu: item %.*s does not exist: there are %zu items, numbered from 0",
                     at.file, at.unit, at.number, csv_shown(text), text.text, count);
}

static int check_name(uint32_t *item, const resolver *r, csv_field text, place at)
{
    size_t number;
    if (!r->items) {
        SCDC_TRY(names_add(&number, NULL, &r->crowd->items, text.text, text.length));
    } else if (!data_find(&number, r->items, text.text, text.length)) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: %s %zu: item \"%.*s\" does not exist: none of the %zu items has this "
                         "name",
                         at.file, at.unit, at.number, csv_shown(text), text.text, r->items->rows);
    }
    r->crowd->named_items = true;
    *item = (uint32_t)number;
    return SCDC_OK;
}

int resolve_text(uint32_t *item, const resolver *r, csv_field text, place at)
{
    int64_t number;
    if (text.length == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: %s %zu: an item is missing", at.file, at.unit,
                         at.number);
    }
    if (r->by_number && item_number(&number, text)) return check_number(item, r, number, text, at);
    if (r->by_name) return check_name(item, r, text, at);
    return fail_with(SCDC_ERR_INPUT,
                     "%s: %s %zu: item \"%.*s\" is not a number, and the items have no names",
                     at.file, at.unit, at.number, csv_shown(text), text.text);
}

int resolve_number(uint32_t *item, const resolver *r, int64_t number, place at)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRId64, number);
    csv_field text = {digits, (size_t)length};
    return r->by_number ? check_number(item, r, number, text, at) : check_name(item, r, text, at);
}
