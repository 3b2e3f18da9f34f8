/* From run.json to the facts of a report. */
#include "run_facts.h"

#include "output.h"
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_word(run_facts *f, char *word)
{
    f->words = must_resize(f->words, f->count + 1, sizeof *f->words);
    f->words[f->count++] = word;
}

__attribute__((format(printf, 3, 4))) static void add_fact(run_facts *f, const char *name,
                                                           const char *format, ...)
{
    va_list values;
    char *text = NULL;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0) text = must_resize(NULL, 1, 1), *text = '\0';
    char *copy = strdup(name);
    add_word(f, copy ? copy : must_resize(NULL, 1, 1));
    add_word(f, text);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

static json_int_t count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void add_inputs(run_facts *f, const json_t *inputs)
{
    const json_t *data = json_object_get(inputs, "data");
    const json_t *answers = json_object_get(inputs, "annotations"), *path;
    size_t i;
    add_fact(f, "items", "%s, %" JSON_INTEGER_FORMAT " items, CRC-32 %s", text_of(data, "path"),
             count_of(data, "items"), text_of(data, "crc32"));
    json_array_foreach(json_object_get(answers, "paths"), i, path)
    {
        const char *name = json_string_value(path);
        add_fact(f, "answers", "%s", name ? name : "?");
    }
    if (json_is_object(answers))
        add_fact(f, "all answers",
                 "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " workers, CRC-32 %s",
                 count_of(answers, "answers"), count_of(answers, "workers"),
                 text_of(answers, "crc32"));
}

static void add_run(run_facts *f, const json_t *json, const char *run)
{
    char took[40];
    format_duration(took, sizeof took, json_number_value(json_object_get(json, "seconds")));
    add_fact(f, "fitted by", "scdc %s", text_of(json, "scdc"));
    add_fact(f, "run", "%s (%s)", run, text_of(json, "status"));
    add_fact(f, "started", "%s", text_of(json, "started"));
    add_fact(f, "took", "%s", took);
    add_fact(f, "directory", "%s", text_of(json, "directory"));
    add_inputs(f, json_object_get(json, "inputs"));
    const json_t *seed = json_object_get(json, "seed");
    if (json_is_string(seed)) {
        add_fact(f, "seed", "%s", json_string_value(seed));
    } else {
        add_fact(f, "seed", "%" JSON_INTEGER_FORMAT, json_integer_value(seed));
    }
}

/* ---- the command ---------------------------------------------------------------------------- */

static char *command_text(const json_t *json)
{
    char *text = NULL;
    size_t size = 0, i;
    const json_t *word;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    json_array_foreach(json_object_get(json, "command"), i, word)
    {
        if (i) putc(' ', out);
        put_shell_word(out, json_is_string(word) ? json_string_value(word) : "?");
    }
    fclose(out);
    return text;
}

/* ---- restarts ------------------------------------------------------------------------------- */

static void read_starts(run_facts *f, const json_t *json, uint64_t kept)
{
    const json_t *list = json_object_get(json, "restarts"), *one;
    size_t i;
    f->n_starts = json_array_size(list);
    f->starts = must_resize(NULL, f->n_starts, sizeof *f->starts);
    json_array_foreach(list, i, one)
    {
        uint64_t seed = (uint64_t)count_of(one, "seed");
        f->starts[i] =
            (scdc_report_start){.seed = seed,
                                .bound = json_number_value(json_object_get(one, "bound")),
                                .foretold = json_number_value(json_object_get(one, "foretold")),
                                .clusters = (size_t)count_of(one, "clusters"),
                                .kept = seed == kept};
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void run_facts_read(run_facts *out, const json_t *json, const char *run, uint64_t kept)
{
    const json_t *data = json_object_get(json_object_get(json, "inputs"), "data");
    const json_t *stability = json_object_get(json, "stability");
    const char *path = json_string_value(json_object_get(data, "path"));
    *out = (run_facts){.source = base_name(path ? path : run), .stability = NAN};
    if (json) add_run(out, json, run);
    out->command = command_text(json);
    read_starts(out, json, kept);
    if (json_is_number(stability)) out->stability = json_number_value(stability);
    out->updates = json_array_size(json_object_get(json, "updates"));
}

void run_facts_free(run_facts *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->words[i]);
    free(f->words);
    free(f->command);
    free(f->starts);
    *f = (run_facts){0};
}
