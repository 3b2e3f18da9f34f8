/* Runs and scores; the time of a run is that of the method alone. */
#include "reproduce/method.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "reproduce/unfinished.h"

#include <math.h>
#include <scdc/baselines.h>
#include <string.h>

enum { LARGE = 5 };            /* items of a cluster that counts as large */
enum { SECONDS_TO_LOSE = 60 }; /* at most, by a power failure */

/* ---- scores --------------------------------------------------------------------------------- */

/* Labels are below `clusters`. */
static int count_large(double *out, const int64_t *labels, size_t n, size_t clusters)
{
    size_t *sizes, large = 0;
    SCDC_TRY(mem_zeroed(&sizes, clusters, sizeof *sizes, "cluster sizes"));
    for (size_t i = 0; i < n; i++) sizes[labels[i]]++;
    for (size_t c = 0; c < clusters; c++) large += sizes[c] >= LARGE;
    mem_free(sizes);
    *out = (double)large;
    return SCDC_OK;
}

static int score(run_row *out, const int64_t *labels, const scdc_labels *truth)
{
    scdc_scores s;
    SCDC_TRY(scdc_score(&s, labels, scdc_labels_values(truth), scdc_labels_count(truth)));
    out->value[RUN_ACC] = s.acc;
    out->value[RUN_NMI] = s.nmi;
    out->value[RUN_AMI] = s.ami;
    out->value[RUN_ARI] = s.ari;
    out->value[RUN_CLUSTERS] = (double)s.clusters;
    return SCDC_OK;
}

/* ---- fits ----------------------------------------------------------------------------------- */

typedef struct fit_state {
    session *session;
    fit_watch watch;
    void *user;
    double kept; /* when the model was last kept, seconds */
    int status;  /* why the fit was stopped */
} fit_state;

static int keep_sometimes(fit_state *f, const scdc_progress *p)
{
    if (!p->model || seconds_now() - f->kept < SECONDS_TO_LOSE) return SCDC_OK;
    SCDC_TRY(unfinished_keep(f->session, p->model));
    f->kept = seconds_now();
    return SCDC_OK;
}

static int on_progress(const scdc_progress *p, void *user)
{
    fit_state *f = user;
    bool fitting = !p->stage || strcmp(p->stage, "fit") == 0;
    double batch = p->batches ? (double)p->batch / (double)p->batches : 0;
    double share = fitting && p->epochs ? ((double)p->epoch - 1 + batch) / (double)p->epochs : 0;
    f->status = session_progress(f->session, share);
    if (f->status == SCDC_OK && p->done && f->watch) f->status = f->watch(p, p->model, f->user);
    if (f->status == SCDC_OK) f->status = keep_sometimes(f, p);
    return f->status != SCDC_OK;
}

static int place(run_row *out, const scdc_model *model, const method_input *in,
                 const char *labels_file)
{
    scdc_model_info info;
    int64_t *labels = NULL;
    scdc_labels *kept = NULL;
    size_t n = scdc_labels_count(in->truth);
    int status = scdc_model_get_info(&info, model);
    SCDC_TRY_OR(done, status, status);
    SCDC_TRY_OR(done, status, mem_zeroed(&labels, n, sizeof *labels, "labels"));
    SCDC_TRY_OR(done, status,
                scdc_model_labels(labels, NULL, NULL, NULL, model, in->items, in->crowd));
    SCDC_TRY_OR(done, status, score(out, labels, in->truth));
    SCDC_TRY_OR(done, status,
                count_large(&out->value[RUN_LARGE_CLUSTERS], labels, n, info.clusters));
    if (labels_file) {
        SCDC_TRY_OR(done, status, scdc_labels_from_memory(&kept, labels, n));
        status = scdc_labels_write_csv(kept, NULL, labels_file);
    }
done:
    scdc_labels_free(kept);
    mem_free(labels);
    return status;
}

static int place_test(run_row *out, const scdc_model *model, const method_input *in)
{
    scdc_scores s;
    int64_t *labels;
    size_t n = scdc_labels_count(in->test_truth);
    SCDC_TRY(mem_zeroed(&labels, n, sizeof *labels, "labels"));
    int status = scdc_predict(labels, NULL, NULL, NULL, model, in->test, NULL);
    if (status == SCDC_OK) status = scdc_score(&s, labels, scdc_labels_values(in->test_truth), n);
    mem_free(labels);
    if (status != SCDC_OK) return status;
    out->value[RUN_HELD_OUT_ACC] = s.acc;
    out->value[RUN_HELD_OUT_NMI] = s.nmi;
    return SCDC_OK;
}

/* Weights of the workers where they are few enough for a table. */
static int keep_weights(run_row *out, const scdc_model *model)
{
    scdc_model_info info;
    scdc_worker workers[RUN_MOST_WEIGHTS];
    SCDC_TRY(scdc_model_get_info(&info, model));
    if (info.workers == 0 || info.workers > RUN_MOST_WEIGHTS) return SCDC_OK;
    SCDC_TRY(scdc_workers(workers, RUN_MOST_WEIGHTS, model));
    out->n_weights = info.workers;
    for (size_t w = 0; w < info.workers; w++) out->weight[w] = workers[w].weight;
    return SCDC_OK;
}

static void keep_epochs(run_row *out, const scdc_model *model)
{
    size_t count;
    stats seconds = {0};
    const scdc_epoch *epochs = scdc_model_epochs(model, &count);
    for (size_t i = 0; i < count; i++) stats_add(&seconds, epochs[i].seconds);
    out->value[RUN_EPOCHS] = (double)count;
    out->value[RUN_SECONDS_PER_EPOCH] = count ? seconds.mean : NAN;
}

/* From the beginning, or from where an earlier call was stopped. */
static int fit_whole(scdc_model **model, bool *resumed, fit_state *f, const method_input *in,
                     const scdc_options *o)
{
    *resumed = false;
    SCDC_TRY(unfinished_load(model, f->session));
    *resumed = *model != NULL;
    if (!*resumed) return scdc_fit(model, in->items, in->crowd, o, on_progress, f);
    return scdc_fit_resume(*model, in->items, in->crowd, scdc_model_options(*model)->epochs,
                           on_progress, f);
}

/* A fit ends early because somebody wants to stop, or because its watcher failed. */
static int stopped(const fit_state *f, const scdc_model *model)
{
    if (f->status == SCDC_ERR_STOPPED && model) SCDC_TRY(unfinished_keep(f->session, model));
    return f->status;
}

int method_fit(run_row *out, session *s, const method_input *in, const scdc_options *options,
               const char *labels_file, fit_watch watch, void *user)
{
    fit_state state = {.session = s, .watch = watch, .user = user, .kept = seconds_now()};
    scdc_options o = *options;
    scdc_model *model = NULL;
    o.seed = s->job.seed;
    o.threads = s->asked->threads;
    bool resumed;
    double begun = seconds_now();
    int status = fit_whole(&model, &resumed, &state, in, &o);
    if (!resumed) out->value[RUN_SECONDS] = seconds_now() - begun; /* else only of a part */
    if (status == SCDC_ERR_STOPPED) status = stopped(&state, model);
    if (status == SCDC_OK) status = place(out, model, in, labels_file);
    if (status == SCDC_OK && in->test) status = place_test(out, model, in);
    if (status == SCDC_OK) status = keep_weights(out, model);
    if (status == SCDC_OK && watch) status = watch(NULL, model, user);
    if (status == SCDC_OK) keep_epochs(out, model);
    scdc_model_free(model);
    return status;
}

/* ---- methods to compare with ---------------------------------------------------------------- */

int method_baseline(run_row *out, session *s, const method_input *in, size_t k)
{
    scdc_baseline_options o;
    scdc_clustering *found = NULL;
    scdc_clustering_info info;
    scdc_baseline_options_init(&o);
    o.k = k;
    o.seed = s->job.seed;
    o.threads = s->asked->threads;
    int status = scdc_baseline(&found, s->job.method, in->items, in->crowd, &o);
    if (status == SCDC_OK) status = scdc_clustering_get_info(&info, found);
    if (status == SCDC_OK) status = score(out, scdc_clustering_labels(found), in->truth);
    if (status == SCDC_OK) out->value[RUN_SECONDS] = info.seconds;
    scdc_clustering_free(found);
    return status;
}
