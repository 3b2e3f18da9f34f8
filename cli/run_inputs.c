/* From run.json to the files it names. */
#include "run_inputs.h"

#include "commands.h"
#include "inputs.h"
#include "output.h"
#include "run_dir.h"
#include "run_report.h"

#include <stdlib.h>
#include <string.h>

/* A recorded path, from the directory the fit ran in. */
static const char *recorded_path(run_inputs *in, const json_t *json, const json_t *value)
{
    const char *path = json_string_value(value);
    const char *directory = json_string_value(json_object_get(json, "directory"));
    if (!path || strcmp(path, "-") == 0) return NULL;
    in->owned = must_resize(in->owned, in->n_owned + 1, sizeof *in->owned);
    char *whole = path[0] == '/' || !directory ? strdup(path) : run_path(directory, path);
    in->owned[in->n_owned++] = whole;
    return whole;
}

static int open_recorded_items(run_inputs *in, const json_t *json, const char *run)
{
    const json_t *data = json_object_get(json_object_get(json, "inputs"), "data");
    const char *path = in->data_path;
    if (!path) path = recorded_path(in, json, json_object_get(data, "path"));
    if (!path) {
        int code = refuse(EXIT_INPUT, "%s: it is not recorded where its items are", run);
        hint("--data DATA says where they are");
        return code;
    }
    int code = open_items(&in->data, path);
    if (code != EXIT_GOOD) {
        if (!in->data_path) hint("--data DATA says where the items of %s are now", run);
        return code;
    }
    const char *then = json_string_value(json_object_get(data, "crc32"));
    char now[16];
    snprintf(now, sizeof now, "%08x", (unsigned)scdc_data_checksum(in->data));
    if (!then || strcmp(now, then) == 0) return EXIT_GOOD;
    return refuse(EXIT_INPUT, "%s: not the items %s was fitted on (checksum %s, was %s)", path, run,
                  now, then);
}

static int open_answers(run_inputs *in, const json_t *json)
{
    const json_t *answers = json_object_get(json_object_get(json, "inputs"), "annotations");
    const json_t *paths = json_object_get(answers, "paths"), *path;
    if (in->annotations.count)
        return open_crowd(&in->crowd, in->annotations.values, in->annotations.count, in->data);
    const char **files = must_resize(NULL, json_array_size(paths), sizeof *files);
    size_t i, count = 0;
    json_array_foreach(paths, i, path)
    {
        const char *file = recorded_path(in, json, path);
        if (file) files[count++] = file;
    }
    int code = count ? open_crowd(&in->crowd, files, count, in->data) : EXIT_GOOD;
    if (code != EXIT_GOOD) hint("--annotations FILE says where the answers are now");
    free(files);
    return code;
}

int run_inputs_open(run_inputs *in, const char *run)
{
    json_t *json = NULL;
    int code = EXIT_GOOD;
    if (run) {
        code = open_model(&in->model, run);
        json = run_json_load(run);
        if (code == EXIT_GOOD && !json && !in->data_path) {
            code = refuse(EXIT_INPUT, "%s: there is no readable %s in it", run, RUN_JSON);
            hint("--data DATA says which items it was fitted on");
        }
        if (code == EXIT_GOOD) code = open_recorded_items(in, json, run);
    } else {
        code = open_items(&in->data, in->data_path);
    }
    if (code == EXIT_GOOD) code = open_answers(in, json);
    json_decref(json);
    return code;
}

void run_inputs_free(run_inputs *in)
{
    for (size_t i = 0; i < in->n_owned; i++) free(in->owned[i]);
    free(in->owned);
    scdc_crowd_free(in->crowd);
    scdc_data_free(in->data);
    scdc_model_free(in->model);
    *in = (run_inputs){0};
}
