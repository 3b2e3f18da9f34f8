/* Items and answers that were given take the place of those that the RUN tells of. */
#include "run_inputs.h"

#include "commands.h"
#include "inputs.h"
#include "output.h"
#include "run_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Items given for a RUN must be those it was fitted on. */
static int check_items(const run_inputs *in, const char *run)
{
    const json_t *inputs = json_object_get(in->source.json, "inputs");
    const char *then = json_string_value(json_object_get(json_object_get(inputs, "data"), "crc32"));
    char now[16];
    snprintf(now, sizeof now, "%08x", (unsigned)scdc_data_checksum(in->source.data));
    if (!then || json_array_size(json_object_get(inputs, "more_data")) || strcmp(now, then) == 0)
        return EXIT_GOOD;
    return refuse(EXIT_INPUT, "%s: not the items %s was fitted on (checksum %s, was %s)",
                  in->data_path, run, now, then);
}

static int open_moved(run_inputs *in, const char *run)
{
    run_source *s = &in->source;
    int code = EXIT_GOOD;
    if (run) {
        code = open_model(&s->model, run);
        s->json = run_json_load(run);
    }
    if (code == EXIT_GOOD) code = open_items(&s->data, in->data_path);
    if (code == EXIT_GOOD && run) code = check_items(in, run);
    if (code == EXIT_GOOD && run && !in->annotations.count && run_has_answers(run)) {
        char *path = run_path(run, RUN_ANSWERS);
        code = open_crowd(&s->crowd, (const char *const[]){path}, 1, s->data);
        free(path);
    }
    return code;
}

static int open_all(run_inputs *in, const char *run)
{
    run_source *s = &in->source;
    int code = in->data_path || !run ? open_moved(in, run) : run_source_open(s, run);
    if (code == EXIT_INPUT && run && !in->data_path && s->model && !s->data)
        hint("--data DATA says where the items of %s are now", run);
    if (code != EXIT_GOOD || !in->annotations.count) return code;
    scdc_crowd_free(s->crowd);
    s->crowd = NULL;
    return open_crowd(&s->crowd, in->annotations.values, in->annotations.count, s->data);
}

int run_inputs_open(run_inputs *in, const char *run)
{
    int code = open_all(in, run);
    if (code != EXIT_GOOD || !run || !in->source.crowd) return code;
    char *path = run_path(run, RUN_KNOWN); /* what the fit knew of workers */
    if (access(path, F_OK) == 0) code = know_workers(in->source.crowd, path, true);
    free(path);
    return code;
}

void run_inputs_free(run_inputs *in)
{
    run_source_free(&in->source);
}
