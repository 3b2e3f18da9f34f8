/* Clusters keep their numbers: those of an update are matched to the earlier ones by the items they
 * share. */
#include "base/numeric.h"
#include "base/status.h"
#include "metrics/matching.h"
#include "model/update/update.h"
#include "model/use/settled.h"
#include "model/use/walk.h"

#include <scdc/update.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sample of the items ---- */

size_t sampled_item(size_t i, size_t count, size_t n)
{
    return (size_t)((double)i * (double)n / (double)count);
}

typedef struct sample {
    const scdc_model *model;
    double *shares; /* [C] of a row */
    int64_t *cluster;
} sample;

static int note_clusters(void *context, const chunk *c)
{
    const sample *s = context;
    size_t K = s->model->core->spec.components;
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(s->shares, c->z + row * K, s->model);
        s->cluster[c->first + row] = (int64_t)argmax(s->shares, s->model->n_clusters);
    }
    return SCDC_OK;
}

int update_sample(int64_t *cluster, size_t count, scdc_model *model, const scdc_data *data,
                  size_t n)
{
    const settled *all = model->settled;
    for (size_t i = 0; all && i < count; i++) cluster[i] = all->labels[sampled_item(i, count, n)];
    if (all) return SCDC_OK;
    sample s = {.model = model, .cluster = cluster};
    arena memory = {0};
    uint32_t *item = arena_new(&memory, count, sizeof *item, "a sample");
    s.shares = arena_new(&memory, model->n_clusters, sizeof *s.shares, "a sample");
    int status = arena_status(&memory);
    for (size_t i = 0; i < count && status == SCDC_OK; i++)
        item[i] = (uint32_t)sampled_item(i, count, n);
    if (status == SCDC_OK) {
        status = walk_items(&(walk){.model = model,
                                    .data = data,
                                    .count = count,
                                    .items = item,
                                    .take = note_clusters,
                                    .context = &s});
    }
    arena_free(&memory);
    return status;
}

/* ---- matching ---- */

/* shared [C][old]: items in both, from clusters by position and earlier ones by number. */
static void count_shared(double *shared, const scdc_model *from, const int64_t *before,
                         const int64_t *after, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t old = model_cluster_of_number(from, before[i]);
        if (old == SIZE_MAX || after[i] < 0) continue;
        shared[(size_t)after[i] * from->n_clusters + old] += 1;
    }
}

/* Hungarian matching takes costs. A pair that shares nothing is no match. */
static int match(uint32_t *of, const double *shared, double *cost, size_t C, size_t old)
{
    for (size_t i = 0; i < C * old; i++) cost[i] = -shared[i];
    SCDC_TRY(hungarian(of, cost, C, old));
    for (size_t c = 0; c < C; c++) {
        if (of[c] != UNMATCHED && !(shared[c * old + of[c]] > 0)) of[c] = UNMATCHED;
    }
    return SCDC_OK;
}

/* ---- clusters in the order of their numbers ---- */

typedef struct numbered {
    int64_t number;
    size_t cluster;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Columns of a [rows][stride] matrix in another order: column c was from[c]. */
static void reorder(double *m, size_t rows, size_t stride, const numbered *order, size_t count,
                    double *scratch)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < count; c++) scratch[c] = m[r * stride + order[c].cluster];
        memcpy(m + r * stride, scratch, count * sizeof *m);
    }
}

/* The same for labels and probabilities of all items. */
static void reorder_settled(settled *s, const numbered *order, double *scratch)
{
    size_t C = s->clusters;
    for (size_t c = 0; c < C; c++) scratch[order[c].cluster] = (double)c;
    for (size_t i = 0; i < s->n; i++) s->labels[i] = (int64_t)scratch[s->labels[i]];
    for (size_t i = 0; i < s->n; i++) {
        float *p = s->proba + i * C;
        for (size_t c = 0; c < C; c++) scratch[c] = (double)p[order[c].cluster];
        for (size_t c = 0; c < C; c++) p[c] = (float)scratch[c];
    }
}

static void take_order(scdc_model *model, const numbered *order, double *scratch, uint32_t *place)
{
    size_t K = model->core->spec.components, C = model->n_clusters;
    for (size_t c = 0; c < C; c++) model->number[c] = order[c].number;
    reorder(model->clusters->groups.q, K, K, order, C, scratch);
    grouping_restore(&model->clusters->groups);
    model_regroup(model);
    for (size_t c = 0; c < C; c++) place[order[c].cluster] = (uint32_t)c;
    classifier_renumber(&model->classifier, place, C);
    if (model->settled) reorder_settled(model->settled, order, scratch);
}

int update_numbers(scdc_model *model, const scdc_model *from, const int64_t *before,
                   const int64_t *after, size_t count)
{
    size_t C = model->n_clusters, old = from->n_clusters;
    int64_t next = 0;
    arena memory = {0};
    double *shared = arena_new(&memory, C, old * sizeof *shared, "clusters");
    double *cost = arena_new(&memory, C, old * sizeof *cost, "clusters");
    double *scratch = arena_new(&memory, C, sizeof *scratch, "clusters");
    uint32_t *of = arena_new(&memory, C, sizeof *of, "clusters");
    uint32_t *place = arena_new(&memory, C, sizeof *place, "clusters");
    numbered *order = arena_new(&memory, C, sizeof *order, "clusters");
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = scdc_model_clusters(NULL, 0, &next, from);
    if (status == SCDC_OK) {
        count_shared(shared, from, before, after, count);
        status = match(of, shared, cost, C, old);
    }
    if (status == SCDC_OK) {
        for (size_t c = 0; c < C; c++) {
            int64_t number = of[c] == UNMATCHED ? next++ : from->number[of[c]];
            order[c] = (numbered){number, c};
        }
        qsort(order, C, sizeof *order, by_number);
        take_order(model, order, scratch, place);
        model->next_number = next;
        model->updates = from->updates + 1;
    }
    arena_free(&memory);
    return status;
}
