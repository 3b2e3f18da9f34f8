/* Reading JSON with jansson; errors name the line. */
#include "exchange/json.h"

#include "base/status.h"

#include <string.h>

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Where the text begins: behind a byte order mark and blanks. */
static size_t begin_of(const file_bytes *file)
{
    size_t at = file->size >= 3 && memcmp(file->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < file->size && is_blank(file->bytes[at])) at++;
    return at;
}

bool json_begins(const file_bytes *file)
{
    size_t at = begin_of(file);
    return at < file->size && (file->bytes[at] == '{' || file->bytes[at] == '[');
}

static const char *text_of(const file_bytes *file)
{
    return (const char *)file->bytes;
}

static int fail_parse(const file_bytes *file, const json_error_t *error, size_t line)
{
    if (json_error_code(error) == json_error_out_of_memory) return fail_memory(file->size, "JSON");
    return fail_with(SCDC_ERR_INPUT, "%s: line %zu: is not JSON: %.100s", file->path, line,
                     error->text);
}

/* The first value of the file and how far it reaches. */
static json_t *load_first(size_t *end, json_error_t *error, const file_bytes *file)
{
    size_t at = begin_of(file);
    json_t *value = json_loadb(text_of(file) + at, file->size - at, JSON_DISABLE_EOF_CHECK, error);
    *end = at + (value ? (size_t)error->position : 0);
    return value;
}

json_t *json_first_record(const file_bytes *file)
{
    json_error_t error;
    size_t end;
    if (!json_begins(file)) return NULL;
    json_t *value = load_first(&end, &error, file);
    if (!json_is_array(value)) return value;
    json_t *first = json_incref(json_array_get(value, 0));
    json_decref(value);
    return first;
}

static int each_line(const file_bytes *file, json_record_fn each, void *user)
{
    size_t at = begin_of(file), line = 1;
    for (size_t i = 0; i < at; i++) line += file->bytes[i] == '\n';
    for (; at < file->size; line++) {
        const char *begin = text_of(file) + at;
        const char *stop = memchr(begin, '\n', file->size - at);
        size_t length = stop ? (size_t)(stop - begin) : file->size - at;
        size_t blanks = 0;
        at += length + 1;
        while (blanks < length && is_blank((unsigned char)begin[blanks])) blanks++;
        if (blanks == length) continue;
        json_error_t error;
        json_t *value = json_loadb(begin, length, 0, &error);
        if (!value) return fail_parse(file, &error, line);
        int status = each(user, value, "line", line);
        json_decref(value);
        SCDC_TRY(status);
    }
    return SCDC_OK;
}

static int each_element(const json_t *list, json_record_fn each, void *user)
{
    size_t index;
    json_t *value;
    json_array_foreach(list, index, value) SCDC_TRY(each(user, value, "record", index + 1));
    return SCDC_OK;
}

int json_each(const file_bytes *file, json_record_fn each, void *user)
{
    json_error_t error;
    size_t end;
    if (!json_begins(file)) {
        return fail_with(SCDC_ERR_INPUT, "%s: is not JSON: expected { or [ at its beginning",
                         file->path);
    }
    json_t *value = load_first(&end, &error, file);
    if (!value) return fail_parse(file, &error, (size_t)(error.line > 0 ? error.line : 1));
    while (end < file->size && is_blank(file->bytes[end])) end++;
    int status = end < file->size       ? each_line(file, each, user)
                 : json_is_array(value) ? each_element(value, each, user)
                                        : each(user, value, "record", 1);
    json_decref(value);
    return status;
}

const char *json_scalar(char scratch[JSON_SCALAR], const json_t *value)
{
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING: return json_string_value(value);
    case JSON_INTEGER:
        snprintf(scratch, JSON_SCALAR, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return scratch;
    case JSON_REAL: {
        double number = json_real_value(value);
        /* 1700000000.0 is a whole number to everybody else. */
        bool whole = number > -1e15 && number < 1e15 && number == (double)(int64_t)number;
        snprintf(scratch, JSON_SCALAR, whole ? "%.0f" : "%.15g", number);
        return scratch;
    }
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return NULL;
    }
}

int json_flatten(fields *out, const char *prefix, const json_t *object)
{
    const char *name;
    json_t *value;
    char path[256], scratch[JSON_SCALAR];
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        int length = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", name);
        if (length < 0 || (size_t)length >= sizeof path) continue; /* nobody names fields so */
        const char *text = json_scalar(scratch, value);
        if (text) SCDC_TRY(fields_set(out, path, text));
        else if (json_is_object(value)) SCDC_TRY(json_flatten(out, path, value));
    }
    return SCDC_OK;
}
