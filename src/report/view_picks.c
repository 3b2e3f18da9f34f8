/* Which items are read: a random sample for the scatter plot, annotated items, some of each cluster
 * to find typical ones among, and the uncertain. They are read once and placed once. */
#include "data/shown.h"
#include "report/view.h"

#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_CLUSTER = 60,      /* candidates for typical items */
    MOST_VALUES = 20000000 /* values read: 80 MB */
};

/* ---- choosing ------------------------------------------------------------------------------- */

/* Picks are sorted with the drawn ones first, so that removing doubles keeps that mark. */
typedef struct choice {
    uint32_t item;
    bool drawn;
} choice;

static int by_item(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    if (x->item != y->item) return x->item < y->item ? -1 : 1;
    return (int)y->drawn - (int)x->drawn;
}

/* One item of each of `most` stretches of equal length: spread evenly, yet free of periods. */
static size_t choose_random(choice *out, size_t items, size_t most)
{
    if (most > items) most = items;
    for (size_t k = 0; k < most; k++) {
        rng r;
        rng_init(&r, 1, RNG_REPORT, 0, k);
        double at = ((double)k + rng_uniform(&r)) * (double)items / (double)most;
        size_t item = (size_t)at < items ? (size_t)at : items - 1;
        if (most == items) item = k;
        out[k] = (choice){(uint32_t)item, true};
    }
    return most;
}

static size_t choose_annotated(choice *out, const report_view *v, size_t most)
{
    size_t seen = 0, count = 0;
    for (size_t i = 0; v->annotated && i < v->info.items; i++) {
        if (!v->annotated[i]) continue;
        /* Every so many-th, when there are too many. */
        if (seen * most / v->n_annotated != (seen + 1) * most / v->n_annotated ||
            v->n_annotated <= most)
            out[count++] = (choice){(uint32_t)i, true};
        seen++;
    }
    return count;
}

/* Candidates of the clusters that get a card. */
static int choose_members(choice *out, size_t *count, report_view *v, size_t per_cluster)
{
    size_t *seen;
    bool *card;
    seen = arena_new(&v->memory, v->clusters, sizeof *seen, "clusters");
    card = arena_new(&v->memory, v->clusters, sizeof *card, "clusters");
    SCDC_TRY(arena_status(&v->memory));
    for (size_t c = 0; c < v->cards; c++) card[v->order[c]] = true;
    for (size_t i = 0; i < v->info.items; i++) {
        size_t c = (size_t)v->in->labels[i];
        size_t every = (v->cluster[c].items + per_cluster - 1) / per_cluster;
        if (card[c] && seen[c]++ % every == 0) out[(*count)++] = (choice){(uint32_t)i, false};
    }
    return SCDC_OK;
}

static size_t choose_named(choice *out, const report_view *v)
{
    size_t count = 0, ignored;
    for (size_t i = 0; i < v->n_unsure; i++) out[count++] = (choice){v->unsure[i], false};
    for (size_t c = 0; c < v->cards; c++) {
        const view_cluster *one = &v->cluster[v->order[c]];
        for (size_t i = 0; i < one->n_unsure; i++) out[count++] = (choice){one->unsure[i], false};
    }
    const scdc_answer *answers = v->in->crowd ? scdc_crowd_answers(v->in->crowd, &ignored) : NULL;
    for (size_t i = 0; i < v->n_disputes; i++) {
        const scdc_answer *a = &answers[v->dispute[i].answer];
        out[count++] = (choice){a->left, false};
        out[count++] = (choice){a->right, false};
    }
    return count;
}

static int choose(report_view *v)
{
    /* Wide items: fewer of them. What is shown by name is always read. */
    size_t room = MOST_VALUES / v->info.cols;
    size_t drawn = room / 2 < VIEW_DRAWN ? room / 2 : VIEW_DRAWN;
    size_t annotated = room / 4 < VIEW_ANNOTATED ? room / 4 : VIEW_ANNOTATED;
    size_t members = room / 4 / (v->cards ? v->cards : 1);
    if (members > PER_CLUSTER) members = PER_CLUSTER;
    if (members < VIEW_STRIP) members = VIEW_STRIP;
    if (drawn < 100) drawn = 100;
    choice *all;
    size_t most = drawn + annotated + v->cards * (members + VIEW_STRIP) + VIEW_UNSURE +
                  2 * VIEW_DISPUTES,
           count = 0, kept = 0;
    all = arena_new(&v->memory, most, sizeof *all, "chosen items");
    SCDC_TRY(arena_status(&v->memory));
    count += choose_random(all, v->info.items, drawn);
    if (annotated) count += choose_annotated(all + count, v, annotated);
    SCDC_TRY(choose_members(all, &count, v, members));
    count += choose_named(all + count, v);
    qsort(all, count, sizeof *all, by_item);
    view_picks *p = &v->picks;
    p->item = arena_new(&v->memory, count, sizeof *p->item, "chosen items");
    p->drawn = arena_new(&v->memory, count, sizeof *p->drawn, "chosen items");
    SCDC_TRY(arena_status(&v->memory));
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && all[i].item == all[i - 1].item) continue;
        p->item[kept] = all[i].item;
        p->drawn[kept++] = all[i].drawn;
    }
    p->count = kept;
    return SCDC_OK;
}

bool view_find(size_t *pick, const report_view *v, uint32_t item)
{
    size_t low = 0, high = v->picks.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (v->picks.item[middle] < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *pick = low;
    return low < v->picks.count && v->picks.item[low] == item;
}

/* ---- reading and placing -------------------------------------------------------------------- */

static int place(report_view *v)
{
    view_picks *p = &v->picks;
    size_t D = v->info.cols, d = v->info.latent;
    scdc_data *chosen = NULL;
    p->values = arena_new(&v->memory, p->count * D, sizeof *p->values, "items");
    p->latent = arena_new(&v->memory, p->count * d, sizeof *p->latent, "latents");
    SCDC_TRY(arena_status(&v->memory));
    for (size_t i = 0; i < p->count; i++)
        SCDC_TRY(scdc_data_rows(p->values + i * D, v->in->data, p->item[i], 1));
    SCDC_TRY(scdc_data_from_memory(&chosen, p->values, SCDC_F32, p->count, D, 0));
    int status = scdc_embed(p->latent, v->in->model, chosen);
    scdc_data_free(chosen);
    return status;
}

/* The latent plane: two dimensions as they are, more by their principal directions. */
static int project(report_view *v)
{
    view_picks *p = &v->picks;
    size_t d = v->info.latent;
    p->plane = arena_new(&v->memory, p->count * 2, sizeof *p->plane, "latents");
    SCDC_TRY(arena_status(&v->memory));
    if (d <= 2 || p->count < 3) {
        for (size_t i = 0; i < p->count; i++) {
            for (size_t a = 0; a < (d < 2 ? d : 2); a++)
                p->plane[2 * i + a] = (double)p->latent[i * d + a];
        }
        return SCDC_OK;
    }
    scdc_data *latent = NULL, *plane = NULL;
    SCDC_TRY(scdc_data_from_memory(&latent, p->latent, SCDC_F32, p->count, d, 0));
    int status = scdc_data_pca(&plane, latent, 2);
    for (size_t i = 0; i < p->count && status == SCDC_OK; i++) {
        float xy[2];
        status = scdc_data_rows(xy, plane, i, 1);
        if (status != SCDC_OK) break;
        p->plane[2 * i] = (double)xy[0];
        p->plane[2 * i + 1] = (double)xy[1];
    }
    scdc_data_free(plane);
    scdc_data_free(latent);
    return status;
}

/* ---- typical items -------------------------------------------------------------------------- */

/* Means and variances of the latents of each component's picks: [K][d] each. */
static void component_moments(double *mean, double *variance, size_t *count, const report_view *v)
{
    const view_picks *p = &v->picks;
    size_t d = v->info.latent;
    for (size_t i = 0; i < p->count; i++) {
        size_t k = (size_t)v->in->component[p->item[i]];
        count[k]++;
        for (size_t a = 0; a < d; a++) mean[k * d + a] += (double)p->latent[i * d + a];
    }
    for (size_t k = 0; k < v->info.components; k++) {
        for (size_t a = 0; a < d && count[k]; a++) mean[k * d + a] /= (double)count[k];
    }
    for (size_t i = 0; i < p->count; i++) {
        size_t k = (size_t)v->in->component[p->item[i]];
        for (size_t a = 0; a < d; a++) {
            double away = (double)p->latent[i * d + a] - mean[k * d + a];
            variance[k * d + a] += away * away / (double)count[k];
        }
    }
}

/* Near the middle of their component and surely of their cluster: the smaller the better. */
static void score_picks(double *score, const report_view *v, const double *mean,
                        const double *variance)
{
    size_t d = v->info.latent;
    for (size_t i = 0; i < v->picks.count; i++) {
        uint32_t item = v->picks.item[i];
        size_t k = (size_t)v->in->component[item];
        double sum = 0;
        for (size_t a = 0; a < d; a++) {
            double away = (double)v->picks.latent[i * d + a] - mean[k * d + a];
            sum += away * away / (variance[k * d + a] + 1e-12);
        }
        /* A cluster's label beats a fine place in a component of another cluster. */
        bool astray = v->cluster_of[k] != v->in->labels[item];
        score[i] = sum - 2 * log(v->in->probability[item] + 1e-12) + (astray ? 1e6 : 0);
    }
}

static void keep_typical(view_cluster *c, double *best, uint32_t item, double score)
{
    size_t at = c->n_typical;
    if (at == VIEW_STRIP) {
        if (!(score < best[at - 1])) return;
        at--;
    } else {
        c->n_typical++;
    }
    for (; at > 0 && score < best[at - 1]; at--) {
        best[at] = best[at - 1];
        c->typical[at] = c->typical[at - 1];
    }
    best[at] = score;
    c->typical[at] = item;
}

static int find_typical(report_view *v)
{
    size_t K = v->info.components, d = v->info.latent, *count;
    double *mean, *variance, *score, *best;
    mean = arena_new(&v->memory, K * d, sizeof *mean, "components");
    variance = arena_new(&v->memory, K * d, sizeof *variance, "components");
    count = arena_new(&v->memory, K, sizeof *count, "components");
    score = arena_new(&v->memory, v->picks.count, sizeof *score, "chosen items");
    best = arena_new(&v->memory, v->clusters * VIEW_STRIP, sizeof *best, "clusters");
    SCDC_TRY(arena_status(&v->memory));
    component_moments(mean, variance, count, v);
    score_picks(score, v, mean, variance);
    for (size_t i = 0; i < v->picks.count; i++) {
        size_t c = (size_t)v->in->labels[v->picks.item[i]];
        keep_typical(&v->cluster[c], best + c * VIEW_STRIP, v->picks.item[i], score[i]);
    }
    return SCDC_OK;
}

const float *view_picture(const report_view *v, size_t pick)
{
    size_t values = v->channels * v->height * v->width;
    if (!v->apart) return v->picks.values + pick * values;
    return v->picks.shown + v->picks.shown_at[pick] * values;
}

/* Is it one of those that a strip shows? Thousands more are only dots of the scatter plot. */
static bool is_in_a_strip(const report_view *v, uint32_t item)
{
    size_t answers;
    const scdc_answer *list = v->in->crowd ? scdc_crowd_answers(v->in->crowd, &answers) : NULL;
    for (size_t i = 0; i < v->n_unsure; i++) {
        if (v->unsure[i] == item) return true;
    }
    for (size_t i = 0; i < v->n_disputes; i++) {
        const scdc_answer *a = &list[v->dispute[i].answer];
        if (a->left == item || a->right == item) return true;
    }
    const view_cluster *c = &v->cluster[v->in->labels[item]];
    for (size_t i = 0; i < c->n_typical; i++) {
        if (c->typical[i] == item) return true;
    }
    for (size_t i = 0; i < c->n_unsure; i++) {
        if (c->unsure[i] == item) return true;
    }
    return false;
}

/* Files of the folder, for the picks that are shown. */
static int read_pictures(report_view *v)
{
    view_picks *p = &v->picks;
    size_t values = v->channels * v->height * v->width, count = 0;
    shown pictures;
    if (!v->apart) return SCDC_OK;
    p->shown_at = arena_new(&v->memory, p->count, sizeof *p->shown_at, "pictures");
    SCDC_TRY(arena_status(&v->memory));
    for (size_t i = 0; i < p->count; i++) {
        p->shown_at[i] = is_in_a_strip(v, p->item[i]) ? count++ : SIZE_MAX;
    }
    p->shown = arena_new(&v->memory, count, values * sizeof *p->shown, "pictures");
    SCDC_TRY(arena_status(&v->memory));
    SCDC_TRY(shown_open(&pictures, v->in->show, v->in->names ? v->in->names : v->in->data));
    int status = SCDC_OK;
    for (size_t i = 0; i < p->count && status == SCDC_OK; i++) {
        float *to = p->shown + (p->shown_at[i] == SIZE_MAX ? 0 : p->shown_at[i]) * values;
        if (p->shown_at[i] != SIZE_MAX)
            status = shown_picture(to, &pictures, p->item[i], VIEW_SIDE);
    }
    shown_close(&pictures);
    return status;
}

int view_pick(report_view *v)
{
    SCDC_TRY(choose(v));
    SCDC_TRY(place(v));
    SCDC_TRY(project(v));
    SCDC_TRY(find_typical(v));
    return read_pictures(v);
}

int scdc_pictures_check(const char *folder, const scdc_data *items)
{
    shown pictures;
    if (!folder || !items) return fail_with(SCDC_ERR_ARGUMENT, "folder and items must not be NULL");
    SCDC_TRY(shown_open(&pictures, folder, items));
    shown_close(&pictures);
    return SCDC_OK;
}
