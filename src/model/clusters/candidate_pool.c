/* Items and answers that are looked at, and mixtures of several sizes and families. */
#include "model/clusters/candidate_pool.h"
#include "base/rng.h"
#include "base/status.h"
#include "crowd/graph.h"
#include "kmeans/kmeans.h"
#include "model/clusters/kept_items.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_NEIGHBOURS = 10 };

const size_t mixture_sizes[N_SIZES] = {2,  3,  4,  5,  6,  7,  8,  10,  12,
                                       15, 20, 25, 30, 40, 60, 90, 130, 200};

typedef candidate_pool pool;

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

/* Rows of p->x from p->links on: the items of a graph. */
static void take_items(pool *p, const float *x, const crowd_graph *g)
{
    p->asked_items = g->nodes;
    for (size_t i = 0; i < g->nodes; i++) {
        float *out = p->x + (p->links + i) * p->d;
        memcpy(out, x + g->item[i] * p->d, p->d * sizeof *out);
    }
}

/* Evenly chosen answers, and the items they are about. */
static int take_answers(pool *p, const float *x, const scdc_answer *answers, size_t n_answers,
                        size_t workers)
{
    arena scratch = {0};
    crowd_graph graph = {0};
    double *worth = arena_new(&scratch, n_answers, sizeof *worth, "answers");
    scdc_answer *chosen = arena_new(&scratch, p->n_answers, sizeof *chosen, "answers");
    int status;
    SCDC_TRY_OR(done, status, arena_status(&scratch));
    SCDC_TRY_OR(done, status, answers_worth(worth, answers, n_answers));
    for (size_t a = 0; a < p->n_answers; a++) {
        p->number[a] = a * n_answers / p->n_answers;
        chosen[a] = answers[p->number[a]];
    }
    SCDC_TRY_OR(done, status, crowd_graph_build(&graph, chosen, p->n_answers));
    take_items(p, x, &graph);
    for (size_t a = 0; a < p->n_answers; a++) {
        p->answer[a] = (asked){graph.left[a], graph.right[a], chosen[a].worker, chosen[a].same,
                               worth[p->number[a]]};
    }
    memcpy(p->heard, p->answer, p->n_answers * sizeof *p->heard);
    SCDC_TRY_OR(
        done, status,
        answer_set_create(&p->answers, p->heard, p->n_answers, graph.nodes, workers, p->options));
    status = answer_set_let_stray(&p->answers, p->most);
done:
    crowd_graph_free(&graph);
    arena_free(&scratch);
    return status;
}

static int make_room(pool *p, size_t n_answers)
{
    size_t n = p->n, count = n_answers < MOST_ANSWERS ? n_answers : MOST_ANSWERS,
           most = p->options->components;
    arena *m = &p->memory;
    p->links = n < LINK_ITEMS ? n : LINK_ITEMS;
    p->fit = n < FIT_ITEMS ? n : FIT_ITEMS;
    p->n_answers = count;
    p->most = most;
    size_t rows = p->links + 2 * count;
    p->x = arena_new(m, rows, p->d * sizeof *p->x, "latent means");
    p->x_fit = arena_new(m, p->fit, p->d * sizeof *p->x_fit, "latent means");
    p->answer = arena_new(m, count, sizeof *p->answer, "answers");
    p->heard = arena_new(m, count, sizeof *p->heard, "answers");
    p->number = arena_new(m, count, sizeof *p->number, "answers");
    p->share = arena_new(m, p->fit, most * sizeof *p->share, "responsibilities");
    p->component = arena_new(m, rows, sizeof *p->component, "components");
    p->own = arena_new(m, p->fit, sizeof *p->own, "components");
    p->joined = arena_new(m, p->fit, sizeof *p->joined, "clusters");
    p->held = arena_new(m, most, sizeof *p->held, "clusters");
    p->part = arena_new(m, most, sizeof *p->part, "clusters");
    p->work.nats = arena_new(m, most, most * sizeof *p->work.nats, "evidence");
    p->work.part = arena_new(m, most, sizeof *p->work.part, "clusters");
    p->candidates = arena_new(m, MOST_CANDIDATES, sizeof *p->candidates, "candidates");
    p->contenders = arena_new(m, CONTENDERS, sizeof *p->contenders, "candidates");
    p->label = arena_new(m, CONTENDERS, p->fit * sizeof *p->label, "clusters");
    SCDC_TRY(arena_status(m));
    for (size_t i = 0; i < CONTENDERS; i++)
        p->contenders[i].part = arena_new(m, most, sizeof(uint32_t), "clusters");
    return arena_status(m);
}

void candidate_pool_empty(pool *p)
{
    answer_set_free(&p->answers);
    for (size_t i = 0; i < MOST_MIXTURES; i++) mixture_free(&p->all[i].mixture);
    arena_free(&p->memory);
}

/* ---- mixtures ---- */

/* Covariances of so many components are more than so many items can tell. */
static bool too_many(mixture_family family, size_t k, size_t n, size_t d)
{
    return k * ITEMS_PER_COMPONENT > n || (family == MIXTURE_FULL && 2 * k * d > n);
}

/* most: Akaike's criterion, what items kept out can be expected to have if the family suits them.
 * Where that is less than what another mixture has there is no need to look. */
static int foretell_kept(fitted *f, pool *p, double most)
{
    double *nats = &f->score[BY_ITEMS_KEPT];
    *nats = most;
    if (most < p->best_kept) return SCDC_OK;
    SCDC_TRY(kept_items_foretold(nats, &f->mixture, p->x_fit, p->fit, &p->how));
    p->best_kept = *nats > p->best_kept ? *nats : p->best_kept;
    return SCDC_OK;
}

static int fit_mixture(pool *p, mixture_family family, size_t k)
{
    mixture_report report;
    fitted *f = &p->all[p->n_mixtures];
    SCDC_TRY(mixture_create(&f->mixture, family, k, p->d));
    int status = mixture_fit(&f->mixture, p->share, &report, p->x_fit, p->fit, &p->how);
    if (status != SCDC_OK) mixture_free(&f->mixture);
    if (status == SCDC_ERR_NUMERIC) return SCDC_OK; /* this family does not suit the items */
    SCDC_TRY(status);
    double free_ones = mixture_parameters(&f->mixture);
    f->score[BY_INFORMATION] = report.log_likelihood - free_ones / 2 * log((double)p->fit);
    p->n_mixtures++;
    return foretell_kept(f, p, report.log_likelihood - free_ones);
}

/* Mixtures of all families with k components, from the same k-means. The simplest are tried in any
 * case where so many are asked for. */
static int fit_size(pool *p, size_t k, bool asked_for)
{
    kmeans_options first = {.k = k,
                            .starts = KMEANS_STARTS,
                            .max_iterations = KMEANS_ITERATIONS,
                            .tolerance = 1e-4,
                            .seed = p->options->seed};
    SCDC_TRY(kmeans_fit(p->own, NULL, NULL, p->x_fit, p->fit, p->d, &first));
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        bool many = too_many((mixture_family)family, k, p->fit, p->d);
        bool simple = family == MIXTURE_TIED || family == MIXTURE_SPHERICAL;
        if (k == mixture_sizes[0] || !many || (asked_for && simple))
            SCDC_TRY(fit_mixture(p, (mixture_family)family, k));
    }
    return SCDC_OK;
}

static int fit_all(pool *p)
{
    p->how =
        (mixture_options){.iterations = EM_ITERATIONS,
                          .tolerance = 1e-3,
                          .floor = VARIANCE_FLOOR * mixture_mean_variance(p->x_fit, p->fit, p->d),
                          .seed = p->options->seed,
                          .first = p->own};
    size_t wanted = p->options->clusters;
    bool tried = false;
    p->best_kept = -INFINITY;
    if (!(p->how.floor > 0)) p->how.floor = 1e-6;
    for (size_t i = 0; i < N_SIZES && mixture_sizes[i] <= p->most; i++) {
        bool many = too_many(MIXTURE_SPHERICAL, mixture_sizes[i], p->fit, p->d);
        if (many && i > 0) continue;
        SCDC_TRY(fit_size(p, mixture_sizes[i], false));
        tried = tried || mixture_sizes[i] == wanted;
    }
    if (wanted > 1 && !tried && wanted <= p->most) SCDC_TRY(fit_size(p, wanted, true));
    p->how.first = NULL;
    return SCDC_OK;
}

/* ---- all of it ---- */

static int look_at_items(pool *p)
{
    uint32_t *item;
    size_t wanted = p->options->neighbours ? p->options->neighbours : DEFAULT_NEIGHBOURS;
    uint64_t seed = p->options->seed;
    SCDC_TRY(mem_zeroed(&item, p->links + p->fit, sizeof *item, "items"));
    draw_items(item, p->fit, p->n, seed);
    take_rows(p->x_fit, p->items, p->d, item, p->fit);
    draw_items(item, p->links, p->n, seed);
    take_rows(p->x, p->items, p->d, item, p->links);
    mem_free(item);
    return linked_items_create(&p->neighbours, &p->memory, p->x, p->links, p->d, wanted, seed);
}

int candidate_pool_fill(pool *p, const scdc_answer *answers, size_t n_answers, size_t workers)
{
    SCDC_TRY(make_room(p, n_answers));
    SCDC_TRY(look_at_items(p));
    if (n_answers) SCDC_TRY(take_answers(p, p->items, answers, n_answers, workers));
    return fit_all(p);
}
