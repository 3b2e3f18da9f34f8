/* The engine of option tables. Whatever its kind, a value is a few numbers: they are read from a
 * text or from the struct, held against the range, and written. Seeds alone need all 64 bits. */
#include "base/option_table.h"

#include "base/status.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 16 };

typedef struct numbers {
    double value[MOST_NUMBERS];
    size_t count;
} numbers;

const char *option_name(const option_table *table, size_t index, const char **help)
{
    if (index >= table->count) return NULL;
    if (help) *help = table->keys[index].help;
    return table->keys[index].name;
}

static int find(const option_key **out, const option_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        *out = &table->keys[i];
        if (strcmp(table->keys[i].name, name) == 0) return SCDC_OK;
    }
    return fail_with(SCDC_ERR_ARGUMENT, "there is no option '%s'%s", name, table->owner);
}

/* ---- the numbers of a field ---- */

static bool is_whole(const option_key *key)
{
    return key->kind != OPTION_REAL && key->kind != OPTION_PAIR;
}

static size_t most_numbers(const option_key *key)
{
    if (key->kind == OPTION_SIZES) return key->most;
    return key->kind == OPTION_PAIR ? 2 : 1;
}

static size_t width_of(const option_key *key)
{
    if (key->kind == OPTION_SIZE || key->kind == OPTION_SIZES) return sizeof(size_t);
    return is_whole(key) ? sizeof(int) : sizeof(double);
}

static int read_field(numbers *out, const option_key *key, const void *object)
{
    const char *field = (const char *)object + key->offset;
    out->count = most_numbers(key);
    if (key->kind == OPTION_SIZES) {
        memcpy(&out->count, (const char *)object + key->count_offset, sizeof out->count);
        if (out->count > key->most) {
            return fail_with(SCDC_ERR_ARGUMENT, "%s holds at most %zu sizes, not %zu", key->name,
                             key->most, out->count);
        }
    }
    size_t width = width_of(key), size;
    int whole;
    for (size_t i = 0; i < out->count; i++, field += width) {
        if (!is_whole(key)) {
            memcpy(&out->value[i], field, sizeof *out->value);
        } else if (width == sizeof whole) {
            memcpy(&whole, field, sizeof whole);
            out->value[i] = whole;
        } else {
            memcpy(&size, field, sizeof size);
            out->value[i] = (double)size;
        }
    }
    return SCDC_OK;
}

static void write_field(void *object, const option_key *key, const numbers *from)
{
    char *field = (char *)object + key->offset;
    size_t width = width_of(key);
    if (key->kind == OPTION_SIZES) {
        memset(field, 0, key->most * width);
        memcpy((char *)object + key->count_offset, &from->count, sizeof from->count);
    }
    for (size_t i = 0; i < from->count; i++, field += width) {
        const void *value = &from->value[i];
        size_t size;
        int whole;
        /* Only to the type it has: the other could not hold it (-3, 10^12). */
        if (is_whole(key) && width == sizeof whole) {
            whole = (int)from->value[i];
            value = &whole;
        } else if (is_whole(key)) {
            size = (size_t)from->value[i];
            value = &size;
        }
        memcpy(field, value, width);
    }
}

/* ---- the domain ---- */

static int check_range(const option_key *key, double value)
{
    bool inside = value <= key->high && (key->open_low ? value > key->low : value >= key->low);
    if (inside) return SCDC_OK; /* NaN is not inside */
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be %s %g and at most %g%s, not %g", key->name,
                     key->open_low ? "greater than" : "at least", key->low, key->high,
                     key->automatic ? " (or auto)" : "", value);
}

static int refuse_word(const option_key *key, const char *value)
{
    char all[200] = "";
    for (size_t i = 0; key->words[i]; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", key->words[i]);
    }
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be one of %s, not '%s'", key->name, all, value);
}

static int check_word(const option_key *key, int word)
{
    int words = 0;
    while (key->words[words]) words++;
    if (word >= 0 && word < words) return SCDC_OK;
    char text[32];
    snprintf(text, sizeof text, "%d", word);
    return refuse_word(key, text);
}

static bool is_auto(const option_key *key, const numbers *n)
{
    if (key->kind == OPTION_SIZES) return key->automatic && n->count == 0;
    return (key->automatic == AUTO_ZERO && n->value[0] == 0) ||
           (key->automatic == AUTO_NEGATIVE && n->value[0] < 0);
}

static int check_field(const option_key *key, const numbers *n)
{
    if (key->kind == OPTION_WORD) return check_word(key, (int)n->value[0]);
    if (is_auto(key, n)) return SCDC_OK;
    for (size_t i = 0; i < n->count; i++) SCDC_TRY(check_range(key, n->value[i]));
    return SCDC_OK;
}

static int check_text(const option_key *key, const char *text)
{
    if (memchr(text, '\0', key->most)) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s holds at most %zu letters", key->name, key->most - 1);
}

int option_check(const option_table *table, const void *object)
{
    for (size_t i = 0; i < table->count; i++) {
        const option_key *key = &table->keys[i];
        if (key->kind == OPTION_SEED) continue;
        if (key->kind == OPTION_TEXT) {
            SCDC_TRY(check_text(key, (const char *)object + key->offset));
            continue;
        }
        numbers n;
        SCDC_TRY(read_field(&n, key, object));
        SCDC_TRY(check_field(key, &n));
    }
    return SCDC_OK;
}

/* ---- from text ---- */

static int parse_word(numbers *out, const option_key *key, const char *value)
{
    for (size_t i = 0; key->words[i]; i++) {
        if (!text_equals(value, strlen(value), key->words[i])) continue;
        *out = (numbers){.value = {(double)i}, .count = 1};
        return SCDC_OK;
    }
    return refuse_word(key, value);
}

static int parse_number(double *out, const option_key *key, const char *text, size_t length)
{
    if (!text_double(out, text, length)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be a number%s, not '%.*s'", key->name,
                         key->automatic ? " or auto" : "", length < 80 ? (int)length : 80, text);
    }
    SCDC_TRY(check_range(key, *out));
    if (!is_whole(key) || *out == floor(*out)) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be a whole number, not '%.*s'", key->name,
                     length < 80 ? (int)length : 80, text);
}

static int parse_numbers(numbers *out, const option_key *key, const char *value)
{
    size_t most = most_numbers(key);
    const char *text = value;
    for (out->count = 0;; text++) {
        size_t length = most > 1 ? strcspn(text, ",") : strlen(text);
        if (out->count == most) {
            return key->kind == OPTION_PAIR
                       ? fail_with(SCDC_ERR_ARGUMENT, "%s must be two numbers a,b, not '%s'",
                                   key->name, value)
                       : fail_with(SCDC_ERR_ARGUMENT, "%s holds at most %zu sizes, not '%s'",
                                   key->name, most, value);
        }
        SCDC_TRY(parse_number(&out->value[out->count++], key, text, length));
        text += length;
        if (*text == '\0') break;
    }
    if (key->kind != OPTION_PAIR || out->count == 2) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be two numbers a,b, not '%s'", key->name, value);
}

static int set_seed(void *object, const option_key *key, const char *value)
{
    uint64_t seed = 0;
    if (!text_uint64(&seed, value, strlen(value))) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be a whole number from 0 to 2^64-1, not '%s'",
                         key->name, value);
    }
    memcpy((char *)object + key->offset, &seed, sizeof seed);
    return SCDC_OK;
}

static int set_text(void *object, const option_key *key, const char *value)
{
    char *field = (char *)object + key->offset;
    size_t length = text_equals(value, strlen(value), "auto") ? 0 : strlen(value);
    if (length >= key->most)
        return fail_with(SCDC_ERR_ARGUMENT, "%s holds at most %zu letters, not '%.40s...'",
                         key->name, key->most - 1, value);
    memset(field, 0, key->most);
    memcpy(field, value, length);
    return SCDC_OK;
}

int option_set(const option_table *table, void *object, const char *name, const char *value)
{
    const option_key *key = NULL;
    numbers n = {0};
    SCDC_TRY(find(&key, table, name));
    if (key->kind == OPTION_SEED) return set_seed(object, key, value);
    if (key->kind == OPTION_TEXT) return set_text(object, key, value);
    if (key->kind == OPTION_WORD) {
        SCDC_TRY(parse_word(&n, key, value));
    } else if (key->automatic && text_equals(value, strlen(value), "auto")) {
        n.value[0] = key->automatic == AUTO_NEGATIVE ? -1 : 0;
        n.count = key->kind == OPTION_SIZES ? 0 : 1;
    } else {
        SCDC_TRY(parse_numbers(&n, key, value));
    }
    write_field(object, key, &n);
    return SCDC_OK;
}

/* ---- as text ---- */

static void print_numbers(char *out, size_t size, const option_key *key, const numbers *n)
{
    size_t used = 0;
    char text[32];
    out[0] = '\0';
    for (size_t i = 0; i < n->count && used < size; i++) {
        if (is_whole(key)) {
            snprintf(text, sizeof text, "%.0f", n->value[i]);
        } else {
            text_of_double(text, sizeof text, n->value[i]);
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "", text);
    }
}

int option_get(char *out, size_t size, const option_table *table, const void *object,
               const char *name)
{
    const option_key *key = NULL;
    numbers n;
    SCDC_TRY(find(&key, table, name));
    if (key->kind == OPTION_SEED) {
        uint64_t seed;
        memcpy(&seed, (const char *)object + key->offset, sizeof seed);
        snprintf(out, size, "%llu", (unsigned long long)seed);
        return SCDC_OK;
    }
    if (key->kind == OPTION_TEXT) {
        const char *text = (const char *)object + key->offset;
        SCDC_TRY(check_text(key, text));
        snprintf(out, size, "%s", *text ? text : "auto");
        return SCDC_OK;
    }
    SCDC_TRY(read_field(&n, key, object));
    if (key->kind == OPTION_WORD) {
        SCDC_TRY(check_word(key, (int)n.value[0]));
        snprintf(out, size, "%s", key->words[(int)n.value[0]]);
    } else if (is_auto(key, &n)) {
        snprintf(out, size, "auto");
    } else {
        print_numbers(out, size, key, &n);
    }
    return SCDC_OK;
}
