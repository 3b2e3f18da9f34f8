/* run.json and the files beside it. Each is complete or absent. */
#include "run_record.h"

#include "commands.h"
#include "output.h"
#include "progress.h"
#include "run_source.h"

#include <inttypes.h>
#include <math.h>
#include <scdc/update.h>
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

static json_t *command_json(const char *name, int argc, char **argv)
{
    json_t *words = json_pack("[s,s]", "scdc", name);
    for (int i = 0; i < argc; i++) json_array_append_new(words, json_text(argv[i]));
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

/* run.json; frees the value. */
static int save_json(const run_dir *dir, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(json);
    if (!text) return refuse(EXIT_FAILED, "out of memory");
    size_t length = strlen(text);
    text = must_resize(text, length + 1, 1);
    text[length] = '\n'; /* in place of the NUL */
    int code = save_text(dir, RUN_JSON, text, length + 1);
    free(text);
    return code;
}

int run_record_save(const run_record *r, const char *status, const scdc_options *options,
                    const fit_outcome *outcome, const scdc_model *model)
{
    json_t *json = json_pack("{s:s,s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:O}", "scdc",
                             scdc_version(), "format", RUN_FORMAT, "status", status, "command",
                             command_json(r->command, r->argc, r->argv), "directory",
                             directory_json(), "started", time_json(r->started), "ended",
                             outcome ? time_json(time(NULL)) : json_null(), "seconds",
                             json_number(run_record_seconds(r)), "inputs", fit_inputs_json(r->in),
                             "seed", seed_json(options->seed), "options", options_json(options),
                             "result", outcome ? fit_outcome_json(outcome, model) : json_null(),
                             "restarts", r->restarts ? r->restarts : json_null());
    if (json && r->restarts)
        json_object_set_new(json, "stability",
                            json_number(model ? scdc_model_stability(model) : NAN));
    if (json && r->processes > 1)
        json_object_set_new(
            json, "processes",
            json_pack("{s:I,s:I}", "count", (json_int_t)r->processes, "sent", (json_int_t)r->sent));
    if (json && outcome && r->timings) json_object_set_new(json, "timings", timings_json());
    return save_json(r->dir, json);
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
    int status = scdc_workers(workers, count, model);
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

int run_save_answers(const run_dir *dir, const fit_inputs *in)
{
    if (!in->crowd) return EXIT_GOOD;
    char *path = run_path(dir->path, RUN_ANSWERS);
    int status = scdc_crowd_write_csv(in->crowd, in->data, path);
    free(path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

int run_save_items(const run_dir *dir, const scdc_model *model, const fit_inputs *in)
{
    if (in->items.rows < ITEMS_WORTH_KEEPING) return EXIT_GOOD;
    char *path = run_path(dir->path, RUN_ITEMS);
    int status = scdc_items_save(path, model);
    free(path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* ---- updates -------------------------------------------------------------------------------- */

/* Paths as they are from anywhere: an update may run in another directory than the fit. */
static void settle_path(json_t *object, const char *key, const json_t *run)
{
    const json_t *path = json_object_get(object, key);
    if (!json_is_string(path)) return;
    char *full = run_recorded_path(run, path);
    json_object_set_new(object, key, json_text(full ? full : ""));
    free(full);
}

static void settle_paths(json_t *list, const json_t *run)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        char *full = run_recorded_path(run, json_array_get(list, i));
        if (full) json_array_set_new(list, i, json_text(full));
        free(full);
    }
}

static json_t *one_update(const run_update *u, size_t changed)
{
    size_t fresh = 0;
    scdc_crowd_answers(u->news, &fresh);
    return json_pack("{s:o,s:o,s:I,s:o,s:I,s:I}", "command",
                     command_json("update", u->argc, u->argv), "ended", time_json(time(NULL)),
                     "answers", (json_int_t)fresh, "data",
                     u->more_path ? json_text(u->more_path) : json_null(), "epochs",
                     (json_int_t)u->epochs, "changed", (json_int_t)changed);
}

/* Inputs of the fit, and beside them what was added since. */
static void update_inputs(json_t *json, const run_update *u)
{
    json_t *inputs = json_object_get(json, "inputs"), *paths = NULL;
    settle_path(json_object_get(inputs, "data"), "path", json);
    settle_path(inputs, "truth", json);
    settle_path(inputs, "show", json);
    json_t *answers = json_object_get(inputs, "annotations");
    json_t *prints = json_incref(json_object_get(answers, "fingerprints"));
    if (!prints) prints = json_array();
    json_array_extend(prints, u->fingerprints);
    if (json_is_object(answers)) paths = json_incref(json_object_get(answers, "paths"));
    if (!paths) paths = json_array();
    settle_paths(paths, json);
    json_object_set_new(json, "directory", directory_json());
    for (size_t i = 0; i < u->annotations.count; i++) {
        json_t *path = json_text(u->annotations.values[i]);
        char *full = run_recorded_path(json, path);
        json_array_append_new(paths, json_text(full ? full : ""));
        json_decref(path);
        free(full);
    }
    answers = fit_answers_json(u->in, paths);
    json_object_set_new(answers, "fingerprints", prints);
    json_object_set_new(inputs, "annotations", answers);
    if (!u->more) return;
    json_t *more = json_object_get(inputs, "more_data");
    if (!more) json_object_set_new(inputs, "more_data", more = json_array());
    json_t *part = fit_data_json(u->more, u->more_path);
    settle_path(part, "path", json);
    json_array_append_new(more, part);
}

int run_record_update(const run_dir *dir, const run_update *u, const fit_outcome *outcome,
                      const scdc_model *model, size_t changed)
{
    json_t *json = json_deep_copy(u->from);
    if (!json) return refuse(EXIT_FAILED, "out of memory");
    json_t *updates = json_object_get(json, "updates");
    update_inputs(json, u);
    json_object_set_new(json, "scdc", json_string(scdc_version()));
    json_object_set_new(json, "result", fit_outcome_json(outcome, model));
    json_object_set_new(json, "options", options_json(scdc_model_options(model)));
    if (!updates) json_object_set_new(json, "updates", updates = json_array());
    json_array_append_new(updates, one_update(u, changed));
    return save_json(dir, json);
}
