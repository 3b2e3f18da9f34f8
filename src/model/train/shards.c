/* Shards of a minibatch, measured one after the other. */
#include "model/train/shards.h"
#include "base/ranks.h"
#include "base/stages.h"
#include "base/status.h"

#include <string.h>

/* Beside the core's sums: terms of the bound, and whether a shard was not finite. */
enum { RECONSTRUCTION, KL_Z, KL_X, ANSWERS, KL_GLOBAL, SKIPPED, FAILED, TERMS };

int shard_work_create(shard_work *out, const core_spec *spec, core *c)
{
    shard_work w = {0};
    step_sums sums = c->ops->sums(c, false);
    size_t annotated = spec->options.annotated_batch;
    w.doubles = arena_new(&w.memory, TERMS + sums.n_doubles, sizeof *w.doubles, "sums");
    w.z = arena_new(&w.memory, annotated * spec->components, sizeof *w.z, "messages");
    w.item = arena_new(&w.memory, annotated, sizeof *w.item, "a minibatch");
    w.bytes = arena_new(&w.memory, scdc_ranks_count(), sizeof *w.bytes, "messages");
    int status = arena_status(&w.memory);
    if (status == SCDC_OK)
        status = tree_sum_create(&w.sum, spec->options.shards, TERMS + sums.n_doubles, sums.n_reals,
                                 true);
    if (status != SCDC_OK) arena_free(&w.memory);
    else *out = w;
    return status;
}

void shard_work_free(shard_work *w)
{
    tree_sum_free(&w->sum);
    arena_free(&w->memory);
}

/* Terms and sums of a shard in the core. */
static int measure(bound_terms *terms, const shard_step *s, minibatch *m, const step_sums *sums)
{
    const core_ops *ops = s->core->ops;
    *terms = (bound_terms){0};
    if (!m->rows) {
        memset(sums->doubles, 0, sums->n_doubles * sizeof *sums->doubles);
        memset(sums->reals, 0, sums->n_reals * sizeof *sums->reals);
        return SCDC_OK;
    }
    if (s->warm) return ops->warm_measure(terms, s->core, m);
    if (s->clusters) {
        stage before = stage_enter(STAGE_CLUSTERS);
        cluster_level_send(s->clusters, m);
        stage_enter(before);
    }
    return ops->measure(terms, s->z, s->core, m);
}

static void keep_z(shard_work *w, const shard_step *s, const minibatch *m, size_t shard)
{
    size_t K = s->core->spec.components, first;
    size_t count = batcher_annotated(&first, s->batches, shard);
    if (s->warm || !m->rows) return;
    memcpy(w->z + first * K, s->z + m->plain * K, count * K * sizeof *w->z);
}

/* A shard that is not finite takes part in the sum, so that all processes hear of it. */
static int add_shard(shard_work *w, const shard_step *s, const minibatch *b, size_t shard)
{
    step_sums sums = s->core->ops->sums(s->core, s->warm);
    minibatch m = batcher_shard(s->batches, b, shard);
    bound_terms t;
    int status = measure(&t, s, &m, &sums);
    if (status != SCDC_OK && status != SCDC_ERR_NUMERIC) return status;
    w->doubles[RECONSTRUCTION] = t.reconstruction;
    w->doubles[KL_Z] = t.kl_z;
    w->doubles[KL_X] = t.kl_x;
    w->doubles[ANSWERS] = t.answers;
    /* The same in all of them. */
    w->doubles[KL_GLOBAL] = shard == batcher_first_shard(s->batches) ? t.kl_global : 0;
    w->doubles[SKIPPED] = t.skipped * (double)m.rows / (double)b->rows;
    w->doubles[FAILED] = status != SCDC_OK;
    memcpy(w->doubles + TERMS, sums.doubles, sums.n_doubles * sizeof *sums.doubles);
    keep_z(w, s, &m, shard);
    stage before = stage_enter(STAGE_SUMS);
    tree_sum_add(&w->sum, w->doubles, sums.reals);
    stage_enter(before);
    return status;
}

/* q(z) of annotated rows is known to all. */
static int share_z(shard_work *w, const shard_step *s)
{
    size_t K = s->core->spec.components, n = scdc_ranks_count(), before, next;
    if (s->warm || !s->clusters || !s->clusters->has_answers) return SCDC_OK;
    for (size_t r = 0; r < n; r++) {
        batcher_annotated(&before, s->batches, ranks_begin_of(w->sum.shards, r));
        batcher_annotated(&next, s->batches, ranks_begin_of(w->sum.shards, r + 1));
        w->bytes[r] = (next - before) * K * sizeof *w->z;
    }
    SCDC_TRY(ranks_gather(w->z, w->bytes));
    minibatch all = {.item = w->item, .rows = s->batches->spec.annotated_batch};
    batcher_annotated_items(w->item, s->batches);
    cluster_level_remember(s->clusters, &all, w->z);
    return SCDC_OK;
}

int shards_step(bound_terms *terms, shard_work *w, const shard_step *s, const minibatch *b,
                const step_rates *rates)
{
    step_sums sums = s->core->ops->sums(s->core, s->warm);
    int status = SCDC_OK;
    tree_sum_begin(&w->sum, TERMS + sums.n_doubles, sums.n_reals);
    for (size_t shard = w->sum.begin; shard < w->sum.end; shard++) {
        int own = add_shard(w, s, b, shard);
        if (own == SCDC_ERR_NUMERIC && status == SCDC_OK) status = own;
        else if (own != SCDC_ERR_NUMERIC) SCDC_TRY(own);
    }
    stage_enter(STAGE_SUMS);
    SCDC_TRY(tree_sum_finish(w->doubles, sums.reals, &w->sum));
    if (w->doubles[FAILED] > 0) return ranks_settle(status);
    memcpy(sums.doubles, w->doubles + TERMS, sums.n_doubles * sizeof *sums.doubles);
    *terms = (bound_terms){.reconstruction = w->doubles[RECONSTRUCTION],
                           .kl_z = w->doubles[KL_Z],
                           .kl_x = w->doubles[KL_X],
                           .answers = w->doubles[ANSWERS],
                           .kl_global = w->doubles[KL_GLOBAL],
                           .skipped = w->doubles[SKIPPED]};
    SCDC_TRY(share_z(w, s));
    stage_enter(STAGE_BOOKKEEPING);
    return (s->warm ? s->core->ops->warm_improve : s->core->ops->improve)(s->core, b, rates);
}
