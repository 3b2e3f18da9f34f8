/* Several starts: the best is kept, and how much they agree is measured. */
#include "base/status.h"
#include "model/options.h"
#include "model/train/fit.h"
#include "model/train/stop.h"

#include <math.h>

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
    for (size_t r = 0; r < s.count && status == SCDC_OK; r++) {
        listener to = {progress, user, r + 1, own.restarts};
        status = try_start(&s, r, data, crowd, &own, &to);
    }
    if (status == SCDC_OK && s.count > 1) status = agreement(&s.best->stability, &s);
    if (status == SCDC_OK || status == SCDC_ERR_STOPPED) {
        *out = s.best;
    } else {
        scdc_model_free(s.best);
    }
    mem_free(s.cluster);
    return status;
}
