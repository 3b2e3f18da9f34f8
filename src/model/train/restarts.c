/* Several starts: the best is kept, and how much they agree is measured. Processes that work
 * together make each start together, or some starts each where they can. */
#include "base/ranks.h"
#include "base/status.h"
#include "data/data.h"
#include "io/file.h"
#include "io/npy.h"
#include "model/options.h"
#include "model/train/fit.h"
#include "model/train/same_fit.h"
#include "model/train/stop.h"
#include "model/use/known.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLE = 4096 };

typedef struct starts {
    size_t count, sampled;
    int64_t *cluster; /* [count][sampled] clusters of the same items by every start */
    scdc_model *best;
} starts;

/* With answers: how well one is foretold by the items and all others. The bound hardly tells which
 * of several starts is good (docs/quality.md). */
static double score_of(const scdc_model *model)
{
    if (!model->epoch) return -INFINITY;
    const scdc_epoch *last = &model->history[model->epoch - 1];
    return model_annotated(model) ? last->foretold : last->bound;
}

/* Mean adjusted Rand index over all pairs of starts. */
static int agreement(double *out, const starts *s)
{
    double sum = 0;
    for (size_t a = 0; a < s->count; a++) {
        for (size_t b = a + 1; b < s->count; b++) {
            scdc_scores scores;
            SCDC_TRY(scdc_score(&scores, s->cluster + a * s->sampled, s->cluster + b * s->sampled,
                                s->sampled));
            sum += scores.ari;
        }
    }
    *out = sum / ((double)s->count * (double)(s->count - 1) / 2);
    return SCDC_OK;
}

/* Fits with the next seed; the better of it and the best so far stays. */
static int try_start(starts *s, size_t r, const scdc_data *data, const scdc_crowd *crowd,
                     const scdc_options *options, const listener *to)
{
    /* Each start has the next seed, so that the best one can be had alone again. */
    scdc_options start = *options;
    scdc_model *model = NULL;
    start.seed += r;
    int status = fit_once(&model, data, crowd, &start, to);
    if (status == SCDC_OK && s->cluster) {
        status = sample_clusters(s->cluster + r * s->sampled, s->sampled, model, data);
    }
    /* A start that was stopped competes as it is: finished ones are not thrown away for it. */
    bool usable = status == SCDC_OK || status == SCDC_ERR_STOPPED;
    bool better = !s->best || (model && score_of(model) > score_of(s->best));
    if (usable && better) {
        scdc_model_free(s->best);
        s->best = model;
    } else {
        scdc_model_free(model);
    }
    return status;
}

/* ---- starts of several processes ---- */

/* Bytes of items up to which every process is taken to have room for all of them. */
#define ROOM_FOR_ALL ((double)((size_t)1 << 28))

static bool starts_are_spread(const starts *s, const scdc_data *data)
{
    size_t processes = scdc_ranks_count();
    double bytes = (double)data->rows * (double)data->cols * (double)dtype_size(data->dtype);
    return processes > 1 && s->count >= processes && bytes <= ROOM_FOR_ALL;
}

/* What a process brings: its best start. */
typedef struct brought {
    double score;
    size_t bytes; /* of its model's file */
    bool any, stopped, known;
} brought;

/* A file that nobody else has; its name is in `path`. */
static int make_file(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/scdc-start-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0) return fail_with(SCDC_ERR_OUTPUT, "%s: %s", path, strerror(errno));
    close(fd);
    return SCDC_OK;
}

/* The bytes of a model's file, or a model from them: *model is loaded when it is NULL. */
static int through_file(scdc_model **model, unsigned char **bytes, size_t *size)
{
    char path[4096];
    file_bytes file;
    SCDC_TRY(make_file(path, sizeof path));
    int status;
    if (*model) {
        status = scdc_model_save(*model, path);
        if (status == SCDC_OK) status = file_open(&file, path);
        if (status == SCDC_OK) {
            *size = file.size;
            status = mem_zeroed(bytes, *size, 1, "a model");
            if (status == SCDC_OK) memcpy(*bytes, file.bytes, *size);
            file_close(&file);
        }
    } else {
        status = scdc_write_file(path, *bytes, *size);
        if (status == SCDC_OK) status = scdc_model_load(model, path);
    }
    unlink(path);
    return status;
}

/* The best start of all processes becomes everybody's, as it comes from a file: they go on in the
 * same state. */
static int take_best(starts *s, bool *stopped, int own_status, const scdc_data *data,
                     const scdc_options *options)
{
    size_t n = scdc_ranks_count(), rank = scdc_ranks_rank(), best = n;
    unsigned char *bytes = NULL;
    brought *all = NULL;
    bool failed = own_status != SCDC_OK && own_status != SCDC_ERR_STOPPED;
    int status = failed ? own_status : mem_zeroed(&all, n, sizeof *all, "starts");
    SCDC_TRY_OR(done, status, ranks_settle(status));
    all[rank] = (brought){.stopped = own_status == SCDC_ERR_STOPPED, .any = s->best != NULL};
    if (s->best) {
        all[rank].score = score_of(s->best);
        all[rank].known = s->best->known != NULL;
        status = through_file(&s->best, &bytes, &all[rank].bytes);
    }
    SCDC_TRY_OR(done, status, ranks_settle(status));
    SCDC_TRY_OR(done, status, ranks_share(all, sizeof *all, n, 1));
    *stopped = false;
    for (size_t r = 0; r < n; r++) {
        *stopped = *stopped || all[r].stopped;
        if (all[r].any && (best == n || all[r].score > all[best].score)) best = r;
    }
    if (best == n) goto done; /* stopped before there was any */
    if (rank != best) {
        mem_free(bytes);
        bytes = NULL;
        status = mem_zeroed(&bytes, all[best].bytes, 1, "a model");
    }
    SCDC_TRY_OR(done, status, ranks_settle(status));
    SCDC_TRY_OR(done, status, ranks_tell(bytes, all[best].bytes, best));
    scdc_model_free(s->best);
    s->best = NULL;
    SCDC_TRY_OR(done, status, ranks_settle(through_file(&s->best, &bytes, &all[best].bytes)));
    s->best->core->spec.options.threads = options->threads;
    s->best->core->spec.options.checkpoint = options->checkpoint;
    if (all[best].known) status = known_prepare(s->best, data);
done:
    mem_free(bytes);
    mem_free(all);
    return status;
}

static int fit_starts(starts *s, size_t begin, size_t end, const scdc_data *data,
                      const scdc_crowd *crowd, const scdc_options *options,
                      scdc_progress_fn progress, void *user)
{
    int status = SCDC_OK;
    for (size_t r = begin; r < end && status == SCDC_OK; r++) {
        listener to = {progress, user, r + 1, options->restarts};
        status = try_start(s, r, data, crowd, options, &to);
    }
    return status;
}

static int fit_spread(starts *s, const scdc_data *data, const scdc_crowd *crowd,
                      const scdc_options *options, scdc_progress_fn progress, void *user)
{
    size_t begin, end;
    bool stopped;
    SCDC_TRY(same_fit(data, crowd, options));
    ranks_own(&begin, &end, s->count);
    scdc_ranks_alone(1);
    int status = fit_starts(s, begin, end, data, crowd, options, progress, user);
    scdc_ranks_alone(0);
    SCDC_TRY(take_best(s, &stopped, status, data, options));
    SCDC_TRY(ranks_share(s->cluster, s->sampled * sizeof *s->cluster, s->count, 1));
    return stopped ? fail_with(SCDC_ERR_STOPPED, "stopped before all starts were done") : SCDC_OK;
}

int scdc_fit(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd,
             const scdc_options *options, scdc_progress_fn progress, void *user)
{
    scdc_options own;
    if (!out || !data || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "out, data and options must not be NULL");
    }
    SCDC_TRY(options_take(&own, options));
    starts s = {.count = own.restarts ? own.restarts : 1,
                .sampled = data->rows < SAMPLE ? data->rows : SAMPLE};
    int status = SCDC_OK;
    if (s.count > 1) {
        SCDC_TRY(mem_zeroed(&s.cluster, s.count, s.sampled * sizeof *s.cluster, "a sample"));
    }
    if (starts_are_spread(&s, data)) status = fit_spread(&s, data, crowd, &own, progress, user);
    else status = fit_starts(&s, 0, s.count, data, crowd, &own, progress, user);
    if (status == SCDC_OK && s.count > 1) status = agreement(&s.best->stability, &s);
    if (status == SCDC_OK || status == SCDC_ERR_STOPPED) {
        *out = s.best;
    } else {
        scdc_model_free(s.best);
    }
    mem_free(s.cluster);
    return status;
}
