/* Opening what a RUN was made from. */
#include "run_source.h"

#include "commands.h"
#include "inputs.h"
#include "output.h"
#include "run_labels.h"
#include "run_report.h"

#include <scdc/update.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *run_recorded_path(const json_t *json, const json_t *path)
{
    const char *text = json_string_value(path);
    const char *directory = json_string_value(json_object_get(json, "directory"));
    if (!text) return NULL;
    return text[0] == '/' || !directory ? strdup(text) : run_path(directory, text);
}

/* One file of items, which must hold what it held then. */
static int open_part(scdc_data **out, const run_source *s, const json_t *then)
{
    char *path = run_recorded_path(s->json, json_object_get(then, "path"));
    const char *crc = json_string_value(json_object_get(then, "crc32"));
    char now[16];
    int code = EXIT_GOOD;
    if (!path || strcmp(path, "-") == 0) {
        code = refuse(EXIT_INPUT,
                      "%s: its items came from standard input: they cannot be read "
                      "again",
                      s->run);
    } else if (scdc_data_open(out, path) != SCDC_OK) {
        code = refuse(EXIT_INPUT, "%s: the items it was fitted on cannot be read: %s", s->run,
                      scdc_last_error());
    }
    if (code != EXIT_GOOD) {
        hint("bring the file back to where run.json says it was");
        free(path);
        return code;
    }
    snprintf(now, sizeof now, "%08x", (unsigned)scdc_data_checksum(*out));
    if (!crc || strcmp(now, crc) != 0) {
        code = refuse(EXIT_INPUT, "%s: is not what %s was fitted on (checksum %s, was %s)", path,
                      s->run, now, crc ? crc : "none");
        hint("bring the file back as it was, or fit again");
        scdc_data_free(*out);
        *out = NULL;
    }
    free(path);
    return code;
}

int run_items_open(scdc_data **out, const run_source *s)
{
    const json_t *inputs = json_object_get(s->json, "inputs"), *then;
    const json_t *more = json_object_get(inputs, "more_data");
    size_t count = 1 + json_array_size(more), opened = 0, i;
    scdc_data **parts = must_resize(NULL, count, sizeof *parts);
    int code = open_part(&parts[opened++], s, json_object_get(inputs, "data"));
    if (code != EXIT_GOOD) opened--;
    json_array_foreach(more, i, then)
    {
        if (code != EXIT_GOOD) break;
        code = open_part(&parts[opened], s, then);
        if (code == EXIT_GOOD) opened++;
    }
    if (code == EXIT_GOOD && count == 1) {
        *out = parts[0];
        opened = 0;
    } else if (code == EXIT_GOOD) {
        int status = scdc_data_join(out, (const scdc_data *const *)parts, count);
        if (status != SCDC_OK) code = report_failure(status);
    }
    for (i = 0; i < opened; i++) scdc_data_free(parts[i]);
    free(parts);
    return code;
}

bool run_has_answers(const char *run)
{
    char *path = run_path(run, RUN_ANSWERS);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* RUN/answers.csv; in a run older than that file, where the fit found them. */
static int open_answers(run_source *s)
{
    const json_t *then = json_object_get(json_object_get(s->json, "inputs"), "annotations");
    const json_t *paths = json_object_get(then, "paths"), *path;
    if (!json_is_object(then)) return EXIT_GOOD;
    size_t count = 0, i;
    char **files = must_resize(NULL, 1 + json_array_size(paths), sizeof *files);
    if (run_has_answers(s->run)) {
        files[count++] = run_path(s->run, RUN_ANSWERS);
    } else {
        json_array_foreach(paths, i, path)
        {
            char *file = run_recorded_path(s->json, path);
            if (file) files[count++] = file;
        }
    }
    int code = count ? open_crowd(&s->crowd, (const char *const *)files, count, s->data)
                     : refuse(EXIT_INPUT, "%s: its answers are nowhere to be found", s->run);
    for (i = 0; i < count; i++) free(files[i]);
    free(files);
    return code;
}

int run_source_open(run_source *out, const char *run)
{
    *out = (run_source){.run = run};
    int code = open_model(&out->model, run);
    if (code != EXIT_GOOD) return code;
    out->json = run_json_load(run);
    if (!out->json) return refuse(EXIT_INPUT, "%s: there is no readable %s in it", run, RUN_JSON);
    int status = scdc_model_get_info(&out->info, out->model);
    if (status != SCDC_OK) return report_failure(status);
    code = run_items_open(&out->data, out);
    return code == EXIT_GOOD ? open_answers(out) : code;
}

int run_source_labels(run_source *s)
{
    int code = fit_outcome_begin(&s->labels, s->model);
    if (code == EXIT_GOOD) code = run_labels_read(&s->table, &s->labels, s->run);
    if (code == EXIT_GOOD && !s->labels.labels) {
        code = refuse(EXIT_INPUT, "%s: there is no %s in it: the fit is not finished", s->run,
                      RUN_LABELS);
        hint("'scdc fit ... --resume' finishes it");
    }
    return code;
}

void run_source_free(run_source *s)
{
    scdc_model_free(s->model);
    scdc_data_free(s->data);
    scdc_crowd_free(s->crowd);
    scdc_data_free(s->table);
    fit_outcome_free(&s->labels);
    json_decref(s->json);
    *s = (run_source){0};
}
