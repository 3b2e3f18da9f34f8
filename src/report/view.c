/* Counting: clusters, uncertain items, workers, disputed answers. */
#include "report/view.h"

#include "base/status.h"
#include "data/data.h"
#include "report/cluster_numbers.h"

#include <string.h>

#define DOUBTFUL 0.6 /* probability below which a label is a guess */

/* Keeps `item` in a list of the `most` with the smallest key, in increasing order. */
static void keep_smallest(uint32_t *list, size_t *count, size_t most, uint32_t item,
                          const double *key)
{
    size_t at = *count;
    if (at == most) {
        if (!(key[item] < key[list[most - 1]])) return;
        at--;
    } else {
        ++*count;
    }
    for (; at > 0 && key[item] < key[list[at - 1]]; at--) list[at] = list[at - 1];
    list[at] = item;
}

/* Labels by position in place of numbers, in a report of our own. */
static int place_labels(report_view *v)
{
    scdc_report *own = arena_new(&v->memory, 1, sizeof *own, "a report");
    int64_t *labels = arena_new(&v->memory, v->info.items, sizeof *labels, "labels");
    SCDC_TRY(arena_status(&v->memory));
    *own = *v->in;
    for (size_t i = 0; i < v->info.items; i++)
        labels[i] = (int64_t)cluster_position(v->number, v->clusters, own->labels[i]);
    own->labels = labels;
    v->in = own;
    return SCDC_OK;
}

static int check_labels(const report_view *v)
{
    const scdc_report *in = v->in;
    for (size_t i = 0; i < v->info.items; i++) {
        int64_t label = in->labels[i], component = in->component[i];
        if (cluster_position(v->number, v->clusters, label) == v->clusters || component < 0 ||
            (uint64_t)component >= v->info.components)
            return fail_with(SCDC_ERR_ARGUMENT,
                             "item %zu is in cluster %lld by component %lld, but the model has %zu "
                             "clusters and %zu components",
                             i, (long long)label, (long long)component, v->clusters,
                             v->info.components);
        if (!(in->probability[i] >= 0 && in->probability[i] <= 1 + 1e-6))
            return fail_with(SCDC_ERR_ARGUMENT, "item %zu has the probability %g", i,
                             in->probability[i]);
    }
    return SCDC_OK;
}

static void count_items(report_view *v)
{
    const double *p = v->in->probability;
    for (size_t i = 0; i < v->info.items; i++) {
        view_cluster *c = &v->cluster[v->in->labels[i]];
        c->items++;
        c->confidence += p[i];
        v->confidence += p[i];
        v->doubtful += p[i] < DOUBTFUL;
        keep_smallest(c->unsure, &c->n_unsure, VIEW_STRIP, (uint32_t)i, p);
        keep_smallest(v->unsure, &v->n_unsure, VIEW_UNSURE, (uint32_t)i, p);
    }
    v->confidence /= (double)(v->info.items ? v->info.items : 1);
    for (size_t c = 0; c < v->clusters; c++) {
        view_cluster *one = &v->cluster[c];
        if (one->items) one->confidence /= (double)one->items;
        one->share = (double)one->items / (double)v->info.items;
    }
}

static int count_components(report_view *v)
{
    SCDC_TRY(
        scdc_model_components(v->proportions, v->cluster_of, v->info.components, v->in->model));
    SCDC_TRY(scdc_model_clusters(v->number, v->clusters, NULL, v->in->model));
    for (size_t k = 0; k < v->info.components; k++) {
        if (v->cluster_of[k] < 0) continue;
        v->cluster_of[k] = (int64_t)cluster_position(v->number, v->clusters, v->cluster_of[k]);
        v->cluster[v->cluster_of[k]].modes++;
        v->cluster[v->cluster_of[k]].share += v->proportions[k];
    }
    return SCDC_OK;
}

/* The largest first; by insertion, for there are a few hundred at most. */
static void sort_clusters(report_view *v)
{
    for (size_t c = 0; c < v->clusters; c++) {
        size_t at = c;
        for (; at > 0 && v->cluster[v->order[at - 1]].share < v->cluster[c].share; at--)
            v->order[at] = v->order[at - 1];
        v->order[at] = c;
    }
    v->cards = v->clusters < VIEW_CARDS ? v->clusters : VIEW_CARDS;
}

/* ---- answers -------------------------------------------------------------------------------- */

static void keep_dispute(report_view *v, uint32_t answer, double certainty)
{
    size_t at = v->n_disputes;
    if (at == VIEW_CANDIDATES) {
        if (!(certainty > v->dispute[at - 1].certainty)) return;
        at--;
    } else {
        v->n_disputes++;
    }
    for (; at > 0 && certainty > v->dispute[at - 1].certainty; at--)
        v->dispute[at] = v->dispute[at - 1];
    v->dispute[at] = (view_dispute){answer, certainty};
}

/* One worker or one item would fill the list by itself: each gets so many places. */
static void vary_disputes(report_view *v, const scdc_answer *answers)
{
    enum { OF_WORKER = 4, OF_ITEM = 2 };
    size_t shown = 0;
    for (size_t i = 0; i < v->n_disputes && shown < VIEW_DISPUTES; i++) {
        const scdc_answer *a = &answers[v->dispute[i].answer];
        size_t worker = 0, item = 0;
        for (size_t j = 0; j < shown; j++) {
            const scdc_answer *b = &answers[v->dispute[j].answer];
            worker += a->worker == b->worker;
            item += a->left == b->left || a->left == b->right || a->right == b->left ||
                    a->right == b->right;
        }
        if (worker < OF_WORKER && item < OF_ITEM) v->dispute[shown++] = v->dispute[i];
    }
    v->n_disputes = shown;
}

static int look_at_answers(report_view *v)
{
    const scdc_report *in = v->in;
    if (!in->crowd) return SCDC_OK;
    const scdc_answer *list = scdc_crowd_answers(in->crowd, &v->answers);
    v->annotated = arena_new(&v->memory, v->info.items, sizeof *v->annotated, "annotated items");
    SCDC_TRY(arena_status(&v->memory));
    for (size_t i = 0; i < v->answers; i++) {
        const scdc_answer *a = &list[i];
        if (a->left >= v->info.items || a->right >= v->info.items || a->worker >= v->info.workers)
            return fail_with(SCDC_ERR_ARGUMENT,
                             "answer %zu is about items %u and %u of worker %u, but the model has "
                             "%zu items and %zu workers",
                             i, a->left, a->right, a->worker, v->info.items, v->info.workers);
        v->n_annotated += !v->annotated[a->left];
        v->annotated[a->left] = true;
        v->n_annotated += !v->annotated[a->right];
        v->annotated[a->right] = true;
        if (!in->labels) continue;
        bool together = in->labels[a->left] == in->labels[a->right];
        v->asked[together]++;
        if (together == (a->same == 1)) {
            v->agreed[together]++;
            continue;
        }
        v->contradicted++;
        keep_dispute(v, (uint32_t)i, in->probability[a->left] * in->probability[a->right]);
    }
    vary_disputes(v, list);
    return SCDC_OK;
}

static int judge_workers(report_view *v)
{
    size_t count = v->info.workers;
    v->workers = arena_new(&v->memory, count, sizeof *v->workers, "workers");
    v->flags = arena_new(&v->memory, count, sizeof *v->flags, "workers");
    SCDC_TRY(arena_status(&v->memory));
    if (count) SCDC_TRY(scdc_workers(v->workers, count, v->in->model));
    for (size_t m = 0; m < count; m++) v->flags[m] = worker_judge(&v->workers[m]);
    return SCDC_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int check(const scdc_report *in)
{
    if (!in->model) return fail_with(SCDC_ERR_ARGUMENT, "the report's model must not be NULL");
    if (!in->labels != !in->probability || !in->labels != !in->component)
        return fail_with(SCDC_ERR_ARGUMENT,
                         "labels, probability and component: give all three or none");
    return SCDC_OK;
}

static int check_items(const report_view *v)
{
    const scdc_report *in = v->in;
    if (in->truth && scdc_labels_count(in->truth) != v->info.items)
        return fail_with(SCDC_ERR_ARGUMENT, "truth has %zu labels, the model %zu items",
                         scdc_labels_count(in->truth), v->info.items);
    if (in->data && (in->data->rows != v->info.items || in->data->cols != v->info.cols))
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the model was fitted on %zu items of %zu values, these are %zu of %zu",
                         v->info.items, v->info.cols, in->data->rows, in->data->cols);
    return SCDC_OK;
}

static int gather(report_view *v)
{
    size_t K = v->info.components, C = v->clusters;
    v->cluster = arena_new(&v->memory, C, sizeof *v->cluster, "clusters");
    v->order = arena_new(&v->memory, C, sizeof *v->order, "clusters");
    v->proportions = arena_new(&v->memory, K, sizeof *v->proportions, "components");
    v->cluster_of = arena_new(&v->memory, K, sizeof *v->cluster_of, "components");
    v->number = arena_new(&v->memory, C, sizeof *v->number, "clusters");
    SCDC_TRY(arena_status(&v->memory));
    SCDC_TRY(check_items(v));
    SCDC_TRY(count_components(v));
    if (v->in->labels) {
        SCDC_TRY(check_labels(v));
        SCDC_TRY(place_labels(v));
        count_items(v);
    }
    sort_clusters(v);
    SCDC_TRY(judge_workers(v));
    SCDC_TRY(look_at_answers(v));
    return v->in->data && v->in->labels ? view_pick(v) : SCDC_OK;
}

int view_create(report_view *out, const scdc_report *report)
{
    SCDC_TRY(check(report));
    report_view v = {.in = report};
    SCDC_TRY(scdc_model_get_info(&v.info, report->model));
    v.clusters = v.info.clusters;
    v.channels = v.info.channels, v.height = v.info.height, v.width = v.info.width;
    v.images =
        (v.info.height > 1 || v.info.width > 1) && (v.info.channels == 1 || v.info.channels == 3);
    v.apart = report->show && report->data && report->labels;
    if (v.apart) {
        v.images = true;
        v.channels = 3, v.height = v.width = VIEW_SIDE;
    }
    int status = gather(&v);
    if (status != SCDC_OK) {
        arena_free(&v.memory);
        return status;
    }
    *out = v;
    return SCDC_OK;
}

void view_free(report_view *view)
{
    arena_free(&view->memory);
}
