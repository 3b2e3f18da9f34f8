/* Fitting, joining and comparing candidates. */
#include "model/clusters/candidates.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "model/clusters/grouping.h"
#include "model/clusters/nearest.h"
#include "model/clusters/neighbours.h"
#include "model/clusters/partition.h"

#include <math.h>
#include <string.h>

/* Mixtures are fitted to so many items, links are counted among so many, answers compared up to so
 * many: more would not change the choice. */
enum { FIT_ITEMS = 2500, LINK_ITEMS = 4000, MOST_ANSWERS = 6000 };
enum { EM_ITERATIONS = 60, CELLS = 16 };
static const size_t SIZES[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 60, 90, 130, 200};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

/* Components whose links are at least this share of those between the halves of one are joined. */
static const double CLOSE[] = {0.15, 0.3, 0.5};
enum { N_CLOSE = sizeof CLOSE / sizeof *CLOSE };

/* An islands' partition has no two parts linked more than this share of what joined them. */
#define ISLANDS 0.33
/* One part that holds more says nothing about the items. */
#define HEAP 0.8

/* How much the items' own likelihood counts: nats per hundred items, at most so many in all. */
#define ITEMS_WORTH 100
#define ITEMS_MOST 8
/* What joining by links adds and costs, in nats: clear islands speak for themselves. */
#define ISLANDS_WORTH 4
#define JOIN_COST 1

/* Groupings by links of mixtures this fine and finer; where at least this much of them agrees (mean
 * adjusted Rand index), they are what the items themselves say, and worth so many nats. */
enum { LINKED_LEAST = 15, LINKED_MOST = 6, LINK_ROUNDS = 4, LINK_SWEEPS = 4 };
#define STEADY 0.8
/* No two parts may be linked more closely, of the links between the halves of one. */
#define APART 0.5
#define STEADY_WORTH 2

/* Smallest variance, of the mean variance of a column. */
#define FLOOR 1e-3

typedef struct pool {
    const scdc_options *options;
    size_t d, fit, links, asked_items; /* items: [0, links) sampled, then the annotated ones */
    float *x;                          /* [links + asked_items][d] */
    float *x_fit;                      /* [fit][d] */
    uint32_t *near;                    /* [links][near_count] */
    size_t near_count, most;           /* most components */
    asked *answer;
    answer_set answers;
    double *share;              /* [fit][most] */
    uint32_t *component;        /* [links + asked_items] of the mixture at hand */
    double *ratio;              /* [most][most] links against those of halves */
    uint32_t *part, *best_part; /* [most] */
    uint32_t *joined;           /* [most] */
    double *size;               /* [most] */
    partition_work work;
    /* Groupings by links alone of the finer spherical mixtures. */
    struct linked {
        size_t k, parts;
        uint32_t *part;  /* [k] */
        int64_t *labels; /* [links] */
        double agrees;   /* with the others */
        double closest;  /* links of the two closest parts, against those of halves of one */
    } linked[LINKED_MOST];
    size_t n_linked;
    mixture best;
    double best_score, best_evidence, best_items;
    size_t best_parts;
    arena memory;
} pool;

/* ---- what is looked at ---- */

/* `count` of n items, one from each of equal stretches, in increasing order. */
static void draw_items(uint32_t *item, size_t count, size_t n, uint64_t seed)
{
    rng r;
    rng_init(&r, seed, RNG_CANDIDATES, 0, n);
    for (size_t a = 0; a < count; a++) {
        size_t first = a * n / count, end = (a + 1) * n / count;
        item[a] = (uint32_t)(first + (size_t)rng_below(&r, end - first));
    }
}

static void take_rows(float *out, const float *x, size_t d, const uint32_t *item, size_t count)
{
    for (size_t i = 0; i < count; i++) memcpy(out + i * d, x + item[i] * d, d * sizeof *out);
}

/* Evenly chosen answers; their items are numbered from p->links on, each answer its own two rows.
 */
static int take_answers(pool *p, const float *x, const scdc_answer *answers, size_t n_answers,
                        size_t workers)
{
    size_t count = n_answers < MOST_ANSWERS ? n_answers : MOST_ANSWERS;
    double *worth;
    SCDC_TRY(mem_zeroed(&worth, n_answers, sizeof *worth, "answers"));
    int status = answers_worth(worth, answers, n_answers);
    for (size_t a = 0; a < count && status == SCDC_OK; a++) {
        size_t from = a * n_answers / count;
        uint32_t row = (uint32_t)(p->links + 2 * a);
        p->answer[a] = (asked){row, row + 1, answers[from].worker, answers[from].same, worth[from]};
        memcpy(p->x + row * p->d, x + answers[from].left * p->d, p->d * sizeof *p->x);
        memcpy(p->x + (row + 1) * p->d, x + answers[from].right * p->d, p->d * sizeof *p->x);
    }
    mem_free(worth);
    SCDC_TRY(status);
    return answer_set_create(&p->answers, p->answer, count, workers, p->options);
}

static int pool_create(pool *p, size_t n, size_t n_answers)
{
    size_t count = n_answers < MOST_ANSWERS ? n_answers : MOST_ANSWERS,
           most = p->options->components;
    size_t wanted = p->options->neighbours ? p->options->neighbours : 10;
    arena *m = &p->memory;
    p->links = n < LINK_ITEMS ? n : LINK_ITEMS;
    p->fit = n < FIT_ITEMS ? n : FIT_ITEMS;
    p->asked_items = 2 * count;
    p->near_count = p->links - 1 < wanted ? p->links - 1 : wanted;
    if (p->near_count > NEAREST_MOST) p->near_count = NEAREST_MOST;
    p->most = most;
    p->best_score = -INFINITY;
    size_t rows = p->links + p->asked_items;
    p->x = arena_new(m, rows, p->d * sizeof *p->x, "latent means");
    p->x_fit = arena_new(m, p->fit, p->d * sizeof *p->x_fit, "latent means");
    p->near = arena_new(m, p->links, p->near_count * sizeof *p->near, "neighbours");
    p->answer = arena_new(m, count, sizeof *p->answer, "answers");
    p->share = arena_new(m, p->fit, most * sizeof *p->share, "responsibilities");
    p->component = arena_new(m, rows, sizeof *p->component, "components");
    p->ratio = arena_new(m, most, most * sizeof *p->ratio, "links");
    p->part = arena_new(m, most, sizeof *p->part, "clusters");
    p->best_part = arena_new(m, most, sizeof *p->best_part, "clusters");
    p->joined = arena_new(m, most, sizeof *p->joined, "clusters");
    p->size = arena_new(m, most, sizeof *p->size, "clusters");
    p->work.nats = arena_new(m, most, most * sizeof *p->work.nats, "evidence");
    p->work.part = arena_new(m, most, sizeof *p->work.part, "clusters");
    return arena_status(m);
}

static void pool_free(pool *p)
{
    answer_set_free(&p->answers);
    mixture_free(&p->best);
    arena_free(&p->memory);
}

static int find_links(pool *p)
{
    uint32_t *cell;
    SCDC_TRY(mem_zeroed(&cell, p->links, sizeof *cell, "cells"));
    /* Cells without meaning make the search exact. */
    for (size_t i = 0; i < p->links; i++) cell[i] = (uint32_t)(i * CELLS / p->links);
    int status =
        nearest_items(p->near, p->near_count, p->x, p->links, p->d, cell, CELLS, p->options->seed);
    mem_free(cell);
    return status;
}

/* ---- links between components ---- */

/* Items of component c on either side of the median along its widest column; links across. */
static double links_of_halves(const pool *p, size_t c, double size)
{
    size_t d = p->d, column = 0;
    double widest = -1, centre = 0;
    for (size_t j = 0; j < d; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < p->links; i++) {
            double v = p->component[i] == c ? (double)p->x[i * d + j] : 0;
            sum += v;
            squares += v * v;
        }
        double variance = squares / size - (sum / size) * (sum / size);
        if (variance <= widest) continue;
        widest = variance;
        column = j;
        centre = sum / size;
    }
    double low = 0, across = 0;
    for (size_t i = 0; i < p->links; i++) {
        if (p->component[i] != c) continue;
        bool side = (double)p->x[i * d + column] > centre;
        low += !side;
        for (size_t e = 0; e < p->near_count; e++) {
            size_t j = p->near[i * p->near_count + e];
            across += p->component[j] == c && ((double)p->x[j * d + column] > centre) != side;
        }
    }
    return low > 0 && low < size ? across * size / (low * (size - low)) : 0;
}

/* ratio[k][l]: links between k and l against those between the halves of one of them. */
static void relate_components(pool *p, size_t k)
{
    double *ratio = p->ratio, *size = p->size;
    memset(ratio, 0, k * k * sizeof *ratio);
    memset(size, 0, k * sizeof *size);
    for (size_t i = 0; i < p->links; i++) {
        size_t c = p->component[i];
        size[c]++;
        for (size_t e = 0; e < p->near_count; e++) {
            size_t other = p->component[p->near[i * p->near_count + e]];
            ratio[c * k + other]++;
            if (other != c) ratio[other * k + c]++;
        }
    }
    for (size_t c = 0; c < k; c++) {
        ratio[c * k + c] = size[c] >= 6 ? links_of_halves(p, c, size[c]) : 0;
    }
    for (size_t c = 0; c < k; c++) {
        for (size_t e = 0; e < k; e++) {
            double own = fmin(ratio[c * k + c] > 0 ? ratio[c * k + c] : INFINITY,
                              ratio[e * k + e] > 0 ? ratio[e * k + e] : INFINITY);
            if (c == e) continue;
            double across = ratio[c * k + e] * (size[c] + size[e]);
            ratio[c * k + e] = across > 0 ? across / (size[c] * size[e]) / own : 0;
        }
    }
}

/* joined [k]: the smallest component that links of at least `close` lead to. Returns the parts. */
static size_t join_by_links(uint32_t *joined, const pool *p, size_t k, double close)
{
    size_t parts = 0;
    bool changed = true;
    for (size_t c = 0; c < k; c++) joined[c] = (uint32_t)c;
    while (changed) {
        changed = false;
        for (size_t c = 0; c < k; c++) {
            for (size_t e = 0; e < k; e++) {
                if (c == e || p->ratio[c * k + e] < close || joined[e] <= joined[c]) continue;
                joined[e] = joined[c];
                changed = true;
            }
        }
    }
    for (size_t c = 0; c < k; c++) {
        if (joined[c] == c) joined[c] = (uint32_t)parts++;
        else joined[c] = joined[joined[c]];
    }
    return parts;
}

static bool is_heap(const pool *p, const uint32_t *part, size_t k, size_t parts)
{
    for (size_t q = 0; q < parts; q++) {
        double held = 0;
        for (size_t c = 0; c < k; c++) held += part[c] == q ? p->size[c] : 0;
        if (held > HEAP * (double)p->links) return true;
    }
    return false;
}

static bool are_islands(const pool *p, const uint32_t *part, size_t k, double close)
{
    for (size_t c = 0; c < k; c++) {
        for (size_t e = 0; e < k; e++) {
            if (part[c] != part[e] && p->ratio[c * k + e] > ISLANDS * close) return false;
        }
    }
    return true;
}

/* Joins the closest two parts, by the links between all their components, down to `wanted`. */
static void join_closest(uint32_t *part, size_t *parts, const pool *p, size_t k, size_t wanted)
{
    while (*parts > wanted) {
        double best = -1;
        uint32_t first = 0, second = 1;
        for (size_t c = 0; c < k; c++) {
            for (size_t e = 0; e < k; e++) {
                if (part[c] >= part[e] || !(p->ratio[c * k + e] > best)) continue;
                best = p->ratio[c * k + e];
                first = part[c];
                second = part[e];
            }
        }
        for (size_t c = 0; c < k; c++) {
            if (part[c] == second) part[c] = first;
            else part[c] -= part[c] > second;
        }
        --*parts;
    }
}

/* ---- groupings by links alone ---- */

/* Components [k] of the sample into parts, by the evidence of links as in a fit. */
static int group_by_links(struct linked *out, pool *p, size_t k)
{
    grouping_options how = {
        .concentration = 1, .clusters = p->options->clusters, .sweeps = LINK_SWEEPS};
    double coins[2] = {0.9, 0.9};
    grouping g;
    arena memory = {0};
    double *links = arena_new(&memory, k, k * sizeof *links, "links");
    double *evidence = arena_new(&memory, k, k * sizeof *evidence, "evidence");
    double *share = arena_new(&memory, k, sizeof *share, "shares");
    bool *use = arena_new(&memory, k, sizeof *use, "components");
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = grouping_create(&g, k);
    if (status != SCDC_OK) goto done;
    for (size_t i = 0; i < p->links; i++) share[p->component[i]] += 1 / (double)p->links;
    for (size_t c = 0; c < k; c++) use[c] = share[c] > 0;
    neighbour_links(links, k, p->near, p->links, p->near_count, p->component);
    for (size_t round = 0; round < LINK_ROUNDS; round++) {
        neighbour_evidence(evidence, coins, k, links, share);
        grouping_fit(&g, evidence, use, &how);
        neighbour_coins(coins, k, links, share, g.same);
    }
    out->k = k;
    out->parts = g.clusters;
    for (size_t c = 0; c < k; c++) out->part[c] = g.cluster[c] < 0 ? 0 : (uint32_t)g.cluster[c];
    for (size_t i = 0; i < p->links; i++) out->labels[i] = out->part[p->component[i]];
    grouping_free(&g);
done:
    arena_free(&memory);
    return status;
}

static int note_linked(pool *p, const mixture *m)
{
    struct linked *out = &p->linked[p->n_linked];
    if (m->family != MIXTURE_SPHERICAL || m->k < LINKED_LEAST || p->n_linked == LINKED_MOST) {
        return SCDC_OK;
    }
    out->part = arena_new(&p->memory, m->k, sizeof *out->part, "clusters");
    out->labels = arena_new(&p->memory, p->links, sizeof *out->labels, "clusters");
    SCDC_TRY(arena_status(&p->memory));
    SCDC_TRY(mixture_assign(p->component, m, p->x, p->links));
    SCDC_TRY(group_by_links(out, p, m->k));
    for (size_t i = 0; i < p->links; i++) p->component[i] = (uint32_t)out->labels[i];
    relate_components(p, out->parts);
    for (size_t c = 0; c < out->parts; c++) {
        for (size_t e = 0; e < c; e++) {
            out->closest = fmax(out->closest, p->ratio[c * out->parts + e]);
        }
    }
    if (out->parts > 1) p->n_linked++;
    return SCDC_OK;
}

/* How much each agrees with the others. */
static int compare_linked(pool *p)
{
    for (size_t a = 0; a < p->n_linked; a++) {
        for (size_t b = 0; b < p->n_linked; b++) {
            scdc_scores s;
            if (a == b) continue;
            SCDC_TRY(scdc_score(&s, p->linked[a].labels, p->linked[b].labels, p->links));
            p->linked[a].agrees += s.ari / (double)(p->n_linked - 1);
        }
    }
    return SCDC_OK;
}

static const struct linked *linked_of(const pool *p, const mixture *m)
{
    for (size_t i = 0; i < p->n_linked && m->family == MIXTURE_SPHERICAL; i++) {
        if (p->linked[i].k == m->k) return &p->linked[i];
    }
    return NULL;
}

/* ---- comparing ---- */

/* Keeps a partition when it is allowed and better than all before it. */
static void consider(pool *p, const mixture *m, const uint32_t *part, size_t parts, double score,
                     double evidence, bool *taken)
{
    size_t wanted = p->options->clusters;
    if (parts < 2 && wanted != 1) return;
    if (wanted && parts != wanted) return;
    if (!(score > p->best_score)) return;
    p->best_score = score;
    p->best_evidence = evidence;
    p->best_parts = parts;
    memcpy(p->best_part, part, m->k * sizeof *part);
    *taken = true;
}

/* A partition as it is, and joined further by the answers. */
static void judge(pool *p, const mixture *m, const uint32_t *part, size_t parts, double prior,
                  bool *taken)
{
    size_t wanted = p->options->clusters, count = p->answers.count;
    const uint32_t *component = p->component;
    double evidence = count ? partition_evidence(&p->answers, component, part) : 0;
    consider(p, m, part, parts, prior + evidence, evidence, taken);
    if (wanted && parts <= wanted) return;
    memcpy(p->part, part, m->k * sizeof *part);
    double spent = 0;
    if (count) {
        spent = partition_join(p->part, &parts, &p->answers, component, m->k, wanted, &p->work);
        evidence = partition_evidence(&p->answers, component, p->part);
    } else if (wanted) {
        join_closest(p->part, &parts, p, m->k, wanted);
    }
    consider(p, m, p->part, parts, prior + evidence - spent, evidence, taken);
}

/* All partitions of one mixture; `items` is what the items' likelihood adds. */
static int judge_mixture(pool *p, mixture *m, double items)
{
    bool taken = false;
    size_t k = m->k;
    SCDC_TRY(mixture_assign(p->component, m, p->x, p->links + p->asked_items));
    relate_components(p, k);
    for (size_t c = 0; c < k; c++) p->joined[c] = (uint32_t)c;
    judge(p, m, p->joined, k, items, &taken);
    for (size_t i = 0; i < N_CLOSE; i++) {
        size_t parts = join_by_links(p->joined, p, k, CLOSE[i]);
        if (parts == k || parts < 2 || is_heap(p, p->joined, k, parts)) continue;
        double islands = are_islands(p, p->joined, k, CLOSE[i]) ? ISLANDS_WORTH : 0;
        judge(p, m, p->joined, parts, items - JOIN_COST + islands, &taken);
    }
    const struct linked *l = linked_of(p, m);
    if (l) {
        bool steady = l->agrees >= STEADY && l->closest < APART;
        judge(p, m, l->part, l->parts, steady ? STEADY_WORTH + l->agrees : items - JOIN_COST,
              &taken);
    }
    if (!taken) {
        mixture_free(m);
        return SCDC_OK;
    }
    mixture_free(&p->best);
    p->best = *m;
    *m = (mixture){0};
    return SCDC_OK;
}

typedef struct fitted {
    mixture mixture;
    double score; /* Bayesian information criterion per item, in nats */
} fitted;

/* Covariances of so many components are more than so many items can tell. */
static bool too_many(mixture_family family, size_t k, size_t n, size_t d)
{
    return k * 8 > n || (family == MIXTURE_FULL && 2 * k * d > n);
}

static int fit_all(fitted *all, size_t *count, pool *p)
{
    mixture_options how = {.iterations = EM_ITERATIONS,
                           .tolerance = 1e-3,
                           .floor = FLOOR * mixture_mean_variance(p->x_fit, p->fit, p->d),
                           .seed = p->options->seed};
    if (!(how.floor > 0)) how.floor = 1e-6;
    *count = 0;
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        for (size_t i = 0; i < N_SIZES; i++) {
            size_t k = SIZES[i];
            mixture_report report;
            if (k > p->most || (k > 2 && too_many((mixture_family)family, k, p->fit, p->d))) break;
            fitted *f = &all[*count];
            SCDC_TRY(mixture_create(&f->mixture, (mixture_family)family, k, p->d));
            int status = mixture_fit(&f->mixture, p->share, &report, p->x_fit, p->fit, &how);
            if (status == SCDC_ERR_NUMERIC) { /* this family does not suit the items */
                mixture_free(&f->mixture);
                continue;
            }
            double n = (double)p->fit;
            f->score = (report.log_likelihood - mixture_parameters(&f->mixture) / 2 * log(n)) / n;
            ++*count;
            SCDC_TRY(status);
        }
    }
    return SCDC_OK;
}

static int compare_all(pool *p)
{
    fitted all[MIXTURE_FAMILIES * N_SIZES] = {0};
    size_t count = 0;
    int status = fit_all(all, &count, p);
    double best = -INFINITY;
    for (size_t i = 0; i < count; i++) best = all[i].score > best ? all[i].score : best;
    for (size_t i = 0; i < count && status == SCDC_OK; i++)
        status = note_linked(p, &all[i].mixture);
    if (status == SCDC_OK) status = compare_linked(p);
    for (size_t i = 0; i < count && status == SCDC_OK; i++) {
        double items = ITEMS_WORTH * (all[i].score - best);
        status = judge_mixture(p, &all[i].mixture, items > -ITEMS_MOST ? items : -ITEMS_MOST);
    }
    for (size_t i = 0; i < MIXTURE_FAMILIES * N_SIZES; i++) mixture_free(&all[i].mixture);
    return status;
}

static int take_best(candidate_choice *out, const pool *p, const float *x, size_t n)
{
    candidate_choice c = {.family = p->best.family,
                          .components = p->best.k,
                          .clusters = p->best_parts,
                          .evidence = p->best_evidence};
    c.component = arena_new(&c.memory, n, sizeof *c.component, "components");
    c.cluster = arena_new(&c.memory, c.components, sizeof *c.cluster, "clusters");
    int status = arena_status(&c.memory);
    if (status == SCDC_OK) status = mixture_assign(c.component, &p->best, x, n);
    if (status == SCDC_OK) {
        memcpy(c.cluster, p->best_part, c.components * sizeof *c.cluster);
        *out = c;
    } else {
        arena_free(&c.memory);
    }
    return status;
}

int candidates_choose(candidate_choice *out, const float *x, size_t n, size_t d,
                      const scdc_answer *answers, size_t n_answers, size_t workers,
                      const two_coin_counts *known, const scdc_options *options)
{
    pool p = {.options = options, .d = d};
    uint32_t *item = NULL;
    int status;
    SCDC_TRY_OR(done, status, pool_create(&p, n, n_answers));
    SCDC_TRY_OR(done, status, mem_zeroed(&item, p.links, sizeof *item, "items"));
    draw_items(item, p.fit, n, options->seed);
    take_rows(p.x_fit, x, d, item, p.fit);
    draw_items(item, p.links, n, options->seed);
    take_rows(p.x, x, d, item, p.links);
    SCDC_TRY_OR(done, status, find_links(&p));
    if (n_answers) {
        SCDC_TRY_OR(done, status, take_answers(&p, x, answers, n_answers, workers));
        p.answers.known = known;
    }
    SCDC_TRY_OR(done, status, compare_all(&p));
    if (p.best.k == 0) {
        status = fail_with(SCDC_ERR_ARGUMENT,
                           "%zu items cannot be divided into %zu clusters: ask for fewer, or for "
                           "more components",
                           n, options->clusters);
        goto done;
    }
    status = take_best(out, &p, x, n);
done:
    mem_free(item);
    pool_free(&p);
    return status;
}

void candidate_choice_free(candidate_choice *c)
{
    arena_free(&c->memory);
}
