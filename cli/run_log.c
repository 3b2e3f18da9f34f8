/* The log of epochs. While a fit goes on, lines are appended, so that it can be watched; at its end
 * the file is written once more as a whole, which also leaves out starts that were not kept. */
#include "run_log.h"

#include "commands.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a line --------------------------------------------------------------------------------- */

static json_t *epoch_json(const scdc_epoch *e, double seconds)
{
    return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o}", "epoch",
                     (json_int_t)e->epoch, "bound", json_number(e->bound), "reconstruction",
                     json_number(e->reconstruction), "kl_z", json_number(e->kl_z), "kl_x",
                     json_number(e->kl_x), "answers", json_number(e->answers), "kl_global",
                     json_number(e->kl_global), "live_components", (json_int_t)e->live_components,
                     "clusters", (json_int_t)e->clusters, "shortened_steps",
                     (json_int_t)e->shortened_steps, "skipped", json_number(e->skipped),
                     "learning_rate", json_number(e->learning_rate), "moved", json_number(e->moved),
                     "foretold", json_number(e->foretold), "seconds", json_number(seconds));
}

/* Proportions of all components, to four places. */
static void add_proportions(json_t *line, const scdc_model *model, size_t epoch)
{
    scdc_model_info info;
    const double *share = scdc_model_epoch_proportions(model, epoch);
    if (!line || !share || scdc_model_get_info(&info, model) != SCDC_OK) return;
    json_t *list = json_array();
    for (size_t k = 0; k < info.components; k++) {
        json_array_append_new(list, json_real(round(share[k] * 1e4) / 1e4));
    }
    json_object_set_new(line, "proportions", list);
}

/* Writes the line of epoch number `index` + 1. False when there is no room. */
static bool put_epoch(FILE *out, const run_log *log, const scdc_model *model, size_t index)
{
    size_t count;
    const scdc_epoch *e = scdc_model_epochs(model, &count) + index;
    /* A loaded model does not know. */
    bool known = isfinite(e->seconds) || index >= log->earlier;
    json_t *line = epoch_json(e, known ? e->seconds : log->seconds[index]);
    add_proportions(line, model, index);
    bool good = line && json_dumpf(line, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0;
    json_decref(line);
    return fputc('\n', out) != EOF && good;
}

static int write_whole(const run_log *log, const scdc_model *model)
{
    char *text = NULL, *path = run_path(log->run, RUN_LOG);
    size_t size = 0, count;
    FILE *stream = open_memstream(&text, &size);
    bool good = stream != NULL;
    scdc_model_epochs(model, &count);
    for (size_t i = 0; i < count && good; i++) good = put_epoch(stream, log, model, i);
    good = stream && fclose(stream) == 0 && good;
    int status = good ? scdc_write_file(path, text, size) : SCDC_OK;
    free(path);
    free(text);
    if (!good) return refuse(EXIT_FAILED, "out of memory");
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* ---- reading -------------------------------------------------------------------------------- */

double *run_log_seconds(const char *run, size_t epochs)
{
    double *seconds = must_resize(NULL, epochs, sizeof *seconds);
    for (size_t i = 0; i < epochs; i++) seconds[i] = NAN;
    char *line = NULL;
    size_t room = 0;
    FILE *stream = run_open(run, RUN_LOG);
    while (stream && getline(&line, &room, stream) > 0) {
        json_t *json = json_loads(line, 0, NULL);
        json_int_t epoch = json_integer_value(json_object_get(json, "epoch"));
        const json_t *took = json_object_get(json, "seconds");
        if (epoch >= 1 && epoch <= (json_int_t)epochs && json_is_number(took)) {
            seconds[epoch - 1] = json_number_value(took);
        }
        json_decref(json);
    }
    if (stream) fclose(stream);
    free(line);
    return seconds;
}

/* ---- while a fit goes on -------------------------------------------------------------------- */

static bool open_log(run_log *log, const char *mode)
{
    char *path = run_path(log->run, RUN_LOG);
    if (log->stream) fclose(log->stream);
    log->stream = fopen(path, mode);
    free(path);
    return log->stream != NULL;
}

static void remove_log(const run_log *log)
{
    char *path = run_path(log->run, RUN_LOG);
    unlink(path);
    free(path);
}

int run_log_begin(run_log *log, const char *run, const scdc_model *model)
{
    *log = (run_log){.run = run};
    if (!model) {
        remove_log(log); /* of a fit that was killed before it left a model */
        return EXIT_GOOD;
    }
    scdc_model_epochs(model, &log->earlier);
    log->seconds = run_log_seconds(run, log->earlier);
    log->restart = 1;
    int code = write_whole(log, model);
    if (code != EXIT_GOOD) return code;
    if (!open_log(log, "a")) return refuse(EXIT_FAILED, "%s/%s: %s", run, RUN_LOG, strerror(errno));
    fseek(log->stream, 0, SEEK_END);
    log->begun = ftell(log->stream);
    return EXIT_GOOD;
}

bool run_log_epoch(run_log *log, const scdc_progress *p)
{
    if (log->failed) return true;
    bool same_start = log->stream && log->restart == p->restart;
    log->restart = p->restart;
    bool good = same_start || open_log(log, "w");
    if (good) good = put_epoch(log->stream, log, p->model, p->done->epoch - 1);
    if (good) good = fflush(log->stream) == 0;
    log->failed = !good;
    return good;
}

int run_log_end(run_log *log, const scdc_model *model)
{
    return write_whole(log, model);
}

void run_log_undo(run_log *log)
{
    if (!log->run) return;
    if (!log->earlier) {
        remove_log(log);
    } else if (log->stream) {
        fflush(log->stream);
        if (ftruncate(fileno(log->stream), log->begun) != 0) log->failed = true;
    }
}

void run_log_free(run_log *log)
{
    if (log->stream) fclose(log->stream);
    free(log->seconds);
    *log = (run_log){0};
}
