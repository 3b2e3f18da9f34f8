/* Reading labels.csv, workers.csv, the questions and the outlook. */
#include "findings.h"

#include "csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CLUSTERS = 4096, MOST_FILES = 16 };

void findings_free(findings *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->n_workers; i++) free(f->workers[i].name);
    free(f->workers);
    free(f->cluster);
    free(f->probability);
    free(f->sizes);
    free(f->by_cluster);
    free(f->starts);
    questions_free(&f->questions);
    json_decref(f->plan);
    free(f);
}

/* ---- labels --------------------------------------------------------------------------------- */

static int take_labels(findings *f, const csv_table *t, const char *path)
{
    int cluster = csv_column(t, "cluster"), probability = csv_column(t, "probability");
    if (cluster < 0 || probability < 0 || csv_count(t) != f->items)
        return server_fail(SCDC_ERR_INPUT, "%s: not the labels of %zu items", path, f->items);
    f->cluster = need_resize(NULL, f->items, sizeof *f->cluster);
    f->probability = need_resize(NULL, f->items, sizeof *f->probability);
    for (size_t i = 0; i < f->items; i++) {
        unsigned long label = strtoul(csv_cell(t, i, cluster), NULL, 10);
        if (label >= MOST_CLUSTERS)
            return server_fail(SCDC_ERR_INPUT, "%s: cluster %lu", path, label);
        f->cluster[i] = (uint32_t)label;
        f->probability[i] = strtof(csv_cell(t, i, probability), NULL);
        if (!(f->probability[i] >= 0 && f->probability[i] <= 1)) f->probability[i] = 0;
        if (label >= f->clusters) f->clusters = label + 1;
        f->certainty += f->probability[i] / (double)f->items;
    }
    return SCDC_OK;
}

/* qsort has no room for the probabilities; they come along. */
typedef struct placed {
    uint32_t item, cluster;
    float probability;
} placed;

static int surest_first(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->cluster != y->cluster) return x->cluster < y->cluster ? -1 : 1;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static void sort_by_cluster(findings *f)
{
    placed *list = need_resize(NULL, f->items, sizeof *list);
    f->sizes = need_zeroed(f->clusters, sizeof *f->sizes);
    f->starts = need_zeroed(f->clusters, sizeof *f->starts);
    f->by_cluster = need_resize(NULL, f->items, sizeof *f->by_cluster);
    for (size_t i = 0; i < f->items; i++) {
        list[i] = (placed){(uint32_t)i, f->cluster[i], f->probability[i]};
        f->sizes[f->cluster[i]]++;
    }
    for (size_t k = 1; k < f->clusters; k++) f->starts[k] = f->starts[k - 1] + f->sizes[k - 1];
    qsort(list, f->items, sizeof *list, surest_first);
    for (size_t i = 0; i < f->items; i++) f->by_cluster[i] = list[i].item;
    free(list);
}

/* ---- workers -------------------------------------------------------------------------------- */

static double cell_number(const csv_table *t, size_t row, const char *column)
{
    int at = csv_column(t, column);
    return at < 0 ? NAN : strtod(csv_cell(t, row, at), NULL);
}

static void take_workers(findings *f, const char *path)
{
    csv_table t = {0};
    if (csv_open(&t, path) != SCDC_OK) return;
    int name = csv_column(&t, "worker");
    if (name >= 0) {
        f->n_workers = csv_count(&t);
        f->workers = need_zeroed(f->n_workers, sizeof *f->workers);
    }
    for (size_t i = 0; i < f->n_workers; i++) {
        found_worker *w = &f->workers[i];
        w->name = text_copy(csv_cell(&t, i, name));
        w->sensitivity = cell_number(&t, i, "sensitivity");
        w->sensitivity_low = cell_number(&t, i, "sensitivity_low");
        w->sensitivity_high = cell_number(&t, i, "sensitivity_high");
        w->specificity = cell_number(&t, i, "specificity");
        w->specificity_low = cell_number(&t, i, "specificity_low");
        w->specificity_high = cell_number(&t, i, "specificity_high");
        w->weight = cell_number(&t, i, "weight");
    }
    csv_free(&t);
}

const found_worker *findings_worker(const findings *f, const char *name)
{
    for (size_t i = 0; f && i < f->n_workers; i++) {
        if (strcmp(f->workers[i].name, name) == 0) return &f->workers[i];
    }
    return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Neither is there when the child that makes it failed. */
static void take_extras(findings *f, const item_set *it, const char *run)
{
    for (size_t i = 0; i < MOST_FILES; i++) {
        char *path = text_format("%s/" QUESTIONS_FILE, run, i);
        if (access(path, R_OK) == 0) questions_read(&f->questions, it, path);
        free(path);
    }
    questions_mix(&f->questions);
    char *path = text_format("%s/" PLAN_FILE, run);
    f->plan = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(f->plan)) {
        json_decref(f->plan);
        f->plan = NULL;
    }
    free(path);
}

int findings_read(findings **out, const item_set *it, const char *run)
{
    findings *f = need_zeroed(1, sizeof *f);
    char *labels = text_format("%s/labels.csv", run), *workers = text_format("%s/workers.csv", run);
    csv_table t = {0};
    f->items = items_count(it);
    f->time = clock_wall();
    f->moved = -1;
    int status = csv_open(&t, labels);
    if (status == SCDC_OK) status = take_labels(f, &t, labels);
    csv_free(&t);
    if (status == SCDC_OK) {
        sort_by_cluster(f);
        take_workers(f, workers);
        take_extras(f, it, run);
    }
    free(labels);
    free(workers);
    if (status != SCDC_OK) {
        findings_free(f);
        return status;
    }
    *out = f;
    return SCDC_OK;
}

double findings_moved(const findings *now, const findings *before)
{
    if (now->items != before->items) return -1;
    size_t stayed = 0;
    size_t *overlap = need_resize(NULL, before->clusters, sizeof *overlap);
    for (size_t k = 0; k < now->clusters; k++) {
        size_t most = 0;
        memset(overlap, 0, before->clusters * sizeof *overlap);
        for (size_t i = 0; i < now->sizes[k]; i++) {
            size_t count = ++overlap[before->cluster[now->by_cluster[now->starts[k] + i]]];
            if (count > most) most = count;
        }
        stayed += most;
    }
    free(overlap);
    return 1 - (double)stayed / (double)now->items;
}
