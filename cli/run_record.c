/* run.json and the files beside it. Each is complete or absent. */
#include "run_record.h"

#include "commands.h"
#include "output.h"
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_FORMAT = 1 }; /* of run.json: raised when an older program would misread it */

/* 2024-05-17T09:30:00Z */
static json_t *time_json(time_t time)
{
    char text[40];
    struct tm parts;
    if (!gmtime_r(&time, &parts) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts))
        return json_null();
    return json_string(text);
}

static time_t time_from_json(const json_t *value)
{
    struct tm parts = {0};
    const char *text = json_string_value(value);
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts) : NULL;
    return end && *end == '\0' ? timegm(&parts) : time(NULL);
}

/* Text when it is too large for a JSON integer. */
static json_t *seed_json(uint64_t seed)
{
    if (seed <= INT64_MAX) return json_integer((json_int_t)seed);
    return json_sprintf("%" PRIu64, seed);
}

void run_record_begin(run_record *r, const run_dir *dir, const fit_inputs *in, const char *name,
                      int argc, char **argv)
{
    *r = (run_record){.dir = dir,
                      .in = in,
                      .command = name,
                      .argc = argc,
                      .argv = argv,
                      .started = time(NULL),
                      .begun = seconds_now()};
    /* A fit that left no model begins anew. */
    if (!dir->has_model) return;
    r->started = time_from_json(json_object_get(dir->earlier, "started"));
    r->earlier = json_number_value(json_object_get(dir->earlier, "seconds"));
    r->restarts = json_incref(json_object_get(dir->earlier, "restarts"));
    if (!json_is_array(r->restarts)) run_record_free(r);
}

void run_record_free(run_record *r)
{
    json_decref(r->restarts);
    r->restarts = NULL;
}

void run_record_epoch(run_record *r, const scdc_progress *p)
{
    if (!p->done || p->restarts < 2) return;
    json_t *one =
        json_pack("{s:o,s:o,s:o,s:I}", "seed", seed_json(scdc_model_options(p->model)->seed),
                  "bound", json_number(p->done->bound), "foretold", json_number(p->done->foretold),
                  "clusters", (json_int_t)p->done->clusters);
    if (!r->restarts) r->restarts = json_array();
    if (json_array_size(r->restarts) < p->restart) {
        json_array_append_new(r->restarts, one);
    } else {
        json_array_set_new(r->restarts, p->restart - 1, one);
    }
}

double run_record_seconds(const run_record *r)
{
    return r->earlier + seconds_now() - r->begun;
}

/* ---- run.json ------------------------------------------------------------------------------- */

/* Numbers as numbers, everything else ("auto", "500,500") as text. */
static json_t *options_json(const scdc_options *options)
{
    json_t *out = json_object();
    const char *key;
    for (size_t i = 0; (key = scdc_options_key(i, NULL)); i++) {
        char text[256];
        if (scdc_options_get(text, sizeof text, options, key) != SCDC_OK) continue;
        json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
        if (!json_is_number(value)) {
            json_decref(value);
            value = json_text(text);
        }
        json_object_set_new(out, key, value);
    }
    return out;
}

static json_t *command_json(const run_record *r)
{
    json_t *words = json_pack("[s,s]", "scdc", r->command);
    for (int i = 0; i < r->argc; i++) json_array_append_new(words, json_text(r->argv[i]));
    return words;
}

static json_t *directory_json(void)
{
    char *directory = getcwd(NULL, 0);
    json_t *value = directory ? json_text(directory) : json_null();
    free(directory);
    return value;
}

/* Seconds of training by stage. */
static json_t *timings_json(void)
{
    json_t *out = json_object();
    const char *name;
    double seconds;
    for (size_t i = 0; (name = scdc_timings_stage(i, &seconds)); i++)
        json_object_set_new(out, name, json_number(seconds));
    return out;
}

static int save_text(const run_dir *dir, const char *name, const char *text, size_t size)
{
    char *path = run_path(dir->path, name);
    int status = scdc_write_file(path, text, size);
    free(path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

int run_record_save(const run_record *r, const char *status, const scdc_options *options,
                    const fit_outcome *outcome, const scdc_model *model)
{
    json_t *json = json_pack(
        "{s:s,s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:O}", "scdc", scdc_version(), "format",
        RUN_FORMAT, "status", status, "command", command_json(r), "directory", directory_json(),
        "started", time_json(r->started), "ended", outcome ? time_json(time(NULL)) : json_null(),
        "seconds", json_number(run_record_seconds(r)), "inputs", fit_inputs_json(r->in), "seed",
        seed_json(options->seed), "options", options_json(options), "result",
        outcome ? fit_outcome_json(outcome, model) : json_null(), "restarts",
        r->restarts ? r->restarts : json_null());
    if (json && r->restarts)
        json_object_set_new(json, "stability",
                            json_number(model ? scdc_model_stability(model) : NAN));
    if (json && outcome && r->timings) json_object_set_new(json, "timings", timings_json());
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(json);
    if (!text) return refuse(EXIT_FAILED, "out of memory");
    size_t length = strlen(text);
    text = must_resize(text, length + 1, 1);
    text[length] = '\n'; /* in place of the NUL */
    int code = save_text(r->dir, RUN_JSON, text, length + 1);
    free(text);
    return code;
}

/* ---- model ---------------------------------------------------------------------------------- */

/* A place for the model when RUN cannot take it: hours of work are not thrown away. */
static void rescue_model(const scdc_model *model)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/scdc-%ld.safetensors", folder && *folder ? folder : P_tmpdir,
             (long)getpid());
    if (scdc_model_save(model, path) == SCDC_OK) {
        hint("the model is in %s instead: commands take it in place of RUN", path);
    } else {
        hint("make room and run it again; nothing older was lost");
    }
}

int run_save_model(const run_dir *dir, const scdc_model *model)
{
    char *path = run_path(dir->path, RUN_MODEL);
    int status = scdc_model_save(model, path);
    free(path);
    if (status == SCDC_OK) return EXIT_GOOD;
    int code = report_failure(status);
    rescue_model(model);
    return code;
}

/* ---- labels and workers --------------------------------------------------------------------- */

int run_save_workers(const run_dir *dir, const scdc_model *model, size_t count)
{
    scdc_worker *workers = must_resize(NULL, count, sizeof *workers);
    char *path = run_path(dir->path, RUN_WORKERS);
    int status = scdc_workers(workers, model);
    if (status == SCDC_OK) status = scdc_write_workers(path, workers, count);
    free(path);
    free(workers);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

int run_save_labels(fit_outcome *outcome, const run_dir *dir, const scdc_model *model,
                    const fit_inputs *in)
{
    char *path = run_path(dir->path, RUN_LABELS);
    int code = fit_outcome_place(outcome, model, in);
    if (code == EXIT_GOOD) {
        int status = scdc_write_predictions(path, in->data, outcome->labels, outcome->probability,
                                            outcome->component, in->items.rows);
        if (status != SCDC_OK) code = report_failure(status);
    }
    free(path);
    return code;
}
