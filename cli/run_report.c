/* From run.json to the facts of a report. */
#include "run_report.h"

#include "commands.h"
#include "output.h"
#include "progress.h"
#include "run_changes.h"
#include "run_log.h"

#include <errno.h>
#include <scdc/report.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Texts that live as long as the report is written. */
typedef struct facts {
    char **words; /* name, value, name, value, ... */
    size_t count; /* words */
} facts;

static void add_word(facts *f, char *word)
{
    f->words = must_resize(f->words, f->count + 1, sizeof *f->words);
    f->words[f->count++] = word;
}

__attribute__((format(printf, 3, 4))) static void add_fact(facts *f, const char *name,
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

static void free_facts(facts *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->words[i]);
    free(f->words);
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

static void add_inputs(facts *f, const json_t *inputs)
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

static void add_run(facts *f, const json_t *json, const char *run)
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

static scdc_report_start *read_starts(size_t *count, const json_t *json, const scdc_model *model)
{
    const json_t *list = json_object_get(json, "restarts"), *one;
    uint64_t kept = scdc_model_options(model)->seed;
    size_t i;
    *count = json_array_size(list);
    scdc_report_start *starts = must_resize(NULL, *count, sizeof *starts);
    json_array_foreach(list, i, one)
    {
        uint64_t seed = (uint64_t)count_of(one, "seed");
        starts[i] =
            (scdc_report_start){.seed = seed,
                                .bound = json_number_value(json_object_get(one, "bound")),
                                .foretold = json_number_value(json_object_get(one, "foretold")),
                                .clusters = (size_t)count_of(one, "clusters"),
                                .kept = seed == kept};
    }
    return starts;
}

/* ---- writing -------------------------------------------------------------------------------- */

json_t *run_json_load(const char *run)
{
    char *path = run_path(run, RUN_JSON);
    json_t *json = json_load_file(path, 0, NULL);
    free(path);
    return json;
}

int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return EXIT_GOOD;
    return refuse(EXIT_FAILED, "%s: cannot make the directory: %s", path, strerror(errno));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int write_all(const run_report *r, const scdc_report *report)
{
    char *path = r->output ? NULL : run_path(r->run, RUN_REPORT);
    int code = EXIT_GOOD, status = scdc_report_write(r->output ? r->output : path, report);
    free(path);
    if (status == SCDC_OK && r->figures) {
        code = make_folder(r->figures);
        if (code == EXIT_GOOD) status = scdc_report_figures(r->figures, report);
    }
    return status == SCDC_OK ? code : report_failure(status);
}

int run_report_write(const run_report *r)
{
    facts f = {0};
    scdc_report report;
    json_t *json = run_json_load(r->run);
    char *words = command_text(json);
    size_t starts;
    scdc_report_start *list = read_starts(&starts, json, r->model);
    const json_t *data = json_object_get(json_object_get(json, "inputs"), "data");
    if (json) add_run(&f, json, r->run);
    scdc_report_init(&report);
    report.model = r->model;
    report.labels = r->outcome->labels;
    report.probability = r->outcome->probability;
    report.component = r->outcome->component;
    report.data = r->in->data;
    report.crowd = r->in->crowd;
    report.truth = r->in->truth;
    report.names = r->names;
    report.source = json_is_string(json_object_get(data, "path")) ? base_name(text_of(data, "path"))
                                                                  : base_name(r->run);
    report.command = words && *words ? words : NULL;
    report.facts = (const char *const *)f.words;
    report.n_facts = f.count / 2;
    report.notes = r->notes.values;
    report.n_notes = r->notes.count;
    report.starts = list;
    report.n_starts = starts;
    const json_t *stability = json_object_get(json, "stability");
    if (json_is_number(stability)) report.stability = json_number_value(stability);
    size_t epochs;
    scdc_model_epochs(r->model, &epochs);
    double *seconds = run_log_seconds(r->run, epochs);
    report.seconds = seconds;
    run_changes changes;
    run_changes_read(&changes, r->run);
    report.updates = json_array_size(json_object_get(json, "updates"));
    report.changes = (const char *const *)changes.rows;
    report.n_changes = changes.count;
    int code = write_all(r, &report);
    run_changes_free(&changes);
    free(seconds);
    free(list);
    free(words);
    free_facts(&f);
    json_decref(json);
    return code;
}
