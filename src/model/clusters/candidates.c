/* Fitting, ordering and comparing candidates. */
#include "model/clusters/candidates.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "crowd/graph.h"
#include "kmeans/kmeans.h"
#include "model/clusters/again.h"
#include "model/clusters/consensus.h"
#include "model/clusters/islands.h"
#include "model/clusters/linked.h"
#include "model/clusters/overlap.h"
#include "model/clusters/partition.h"
#include "model/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWER = 3, DEFAULT_NEIGHBOURS = 10 };
/* Partitions of which the one is taken that agrees best with all of them. */
enum { CONTENDERS = 60 };
static const size_t SIZES[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 60, 90, 130, 200};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES, MOST_MIXTURES = MIXTURE_FAMILIES * N_SIZES };
/* Of each mixture: as it is, and joined; of the best of each family also found again or not; by
 * links. */
enum { MOST_CANDIDATES = 2 * MOST_MIXTURES + 2 * MIXTURE_FAMILIES + LINKED_MOST };

typedef struct fitted {
    mixture mixture;
    double score; /* Bayesian information criterion in nats */
    bool best;    /* of its family */
} fitted;

/* How far a candidate is to be believed before any answer was heard; first come first, and among
 * its like the better mixture. */
typedef enum standing {
    ARE_CLUSTERS, /* halves of the items show the same components */
    ARE_BRICKS,   /* nearly so; or the same parts; or clear islands; or sizes agree */
    WERE_SOUGHT,  /* neither */
    NOT_SOUGHT
} standing;

typedef struct candidate {
    size_t mixture; /* of all */
    uint32_t *part; /* [components] */
    size_t parts;
    standing standing;
    bool shown;    /* halves of the items show the same components, or they are clear islands */
    double score;  /* of its mixture */
    size_t number; /* of proposal */
} candidate;

/* A partition that may be taken. */
typedef struct contender {
    size_t mixture, parts;
    uint32_t *part; /* [most] */
    double score, evidence;
    bool trusted;
} contender;

typedef struct candidate_pool {
    const scdc_options *options;
    const float *items;                   /* [n][d] all, borrowed */
    size_t n, d, fit, links, asked_items; /* items: [0, links) sampled, then the annotated ones */
    size_t n_answers;                     /* chosen */
    float *x;                             /* [links + asked_items][d] */
    float *x_fit;                         /* [fit][d] */
    size_t most;                          /* components */
    linked_items neighbours;
    asked *answer;  /* [n_answers] */
    size_t *number; /* [n_answers] of each among all answers */
    asked *heard;   /* those that are not left out */
    answer_set answers;
    whereabouts *asked_about[MOST_MIXTURES]; /* [asked_items], numbered as in answers; or NULL */
    mixture_options how;
    double *share;          /* [fit][most] */
    uint32_t *component;    /* [links + asked_items] of the mixture at hand */
    uint32_t *part;         /* [most] */
    uint32_t *own, *joined; /* [fit] components and parts */
    partition_work work;
    linked linked[LINKED_MOST];
    size_t linked_mixture[LINKED_MOST], n_linked;
    fitted all[MOST_MIXTURES];
    size_t n_mixtures;
    candidate *candidates; /* [MOST_CANDIDATES] */
    size_t n_candidates;
    uint32_t *fit_component[MOST_MIXTURES]; /* [fit] of the items mixtures are fitted to; or NULL */
    contender *contenders;                  /* [CONTENDERS] the likeliest */
    size_t n_contenders, best;              /* of them */
    double likely, agreed;                  /* all of them; the best with all of them */
    uint32_t *label;                        /* [CONTENDERS][fit] */
    arena memory;
} candidate_pool;

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

static int pool_create(pool *p, size_t n, size_t n_answers)
{
    size_t count = n_answers < MOST_ANSWERS ? n_answers : MOST_ANSWERS,
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

static void pool_free(pool *p)
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

static int fit_mixture(pool *p, mixture_family family, size_t k)
{
    mixture_report report;
    fitted *f = &p->all[p->n_mixtures];
    SCDC_TRY(mixture_create(&f->mixture, family, k, p->d));
    int status = mixture_fit(&f->mixture, p->share, &report, p->x_fit, p->fit, &p->how);
    if (status != SCDC_OK) mixture_free(&f->mixture);
    if (status == SCDC_ERR_NUMERIC) return SCDC_OK; /* this family does not suit the items */
    SCDC_TRY(status);
    f->score = report.log_likelihood - mixture_parameters(&f->mixture) / 2 * log((double)p->fit);
    p->n_mixtures++;
    return SCDC_OK;
}

/* Mixtures of all families with k components, from the same k-means. */
static int fit_size(pool *p, size_t k)
{
    kmeans_options first = {.k = k,
                            .starts = KMEANS_STARTS,
                            .max_iterations = KMEANS_ITERATIONS,
                            .tolerance = 1e-4,
                            .seed = p->options->seed};
    SCDC_TRY(kmeans_fit(p->own, NULL, NULL, p->x_fit, p->fit, p->d, &first));
    for (int family = 0; family < MIXTURE_FAMILIES; family++) {
        bool many = too_many((mixture_family)family, k, p->fit, p->d);
        if (k == SIZES[0] || !many) SCDC_TRY(fit_mixture(p, (mixture_family)family, k));
    }
    return SCDC_OK;
}

static void mark_best(pool *p)
{
    fitted *best[MIXTURE_FAMILIES] = {NULL};
    for (size_t i = 0; i < p->n_mixtures; i++) {
        fitted *f = &p->all[i], **of = &best[f->mixture.family];
        if (!*of || f->score > (*of)->score) *of = f;
    }
    for (size_t family = 0; family < MIXTURE_FAMILIES; family++) {
        if (best[family]) best[family]->best = true;
    }
}

static int fit_all(pool *p)
{
    p->how =
        (mixture_options){.iterations = EM_ITERATIONS,
                          .tolerance = 1e-3,
                          .floor = VARIANCE_FLOOR * mixture_mean_variance(p->x_fit, p->fit, p->d),
                          .seed = p->options->seed,
                          .first = p->own};
    if (!(p->how.floor > 0)) p->how.floor = 1e-6;
    for (size_t i = 0; i < N_SIZES && SIZES[i] <= p->most; i++) {
        bool many = too_many(MIXTURE_SPHERICAL, SIZES[i], p->fit, p->d);
        if (!many || i == 0) SCDC_TRY(fit_size(p, SIZES[i]));
    }
    p->how.first = NULL;
    mark_best(p);
    return SCDC_OK;
}

/* ---- candidates ---- */

/* NULL part: every component is a cluster. */
static int propose(pool *p, size_t from, const uint32_t *part, size_t parts, standing stands)
{
    size_t k = p->all[from].mixture.k, wanted = p->options->clusters;
    if (wanted && parts < wanted) return SCDC_OK;
    candidate *c = &p->candidates[p->n_candidates];
    *c =
        (candidate){.mixture = from, .parts = parts, .standing = stands, .number = p->n_candidates};
    c->score = p->all[from].score;
    c->shown = stands == ARE_CLUSTERS;
    c->part = arena_new(&p->memory, k, sizeof *c->part, "clusters");
    SCDC_TRY(arena_status(&p->memory));
    for (size_t i = 0; i < k; i++) c->part[i] = part ? part[i] : (uint32_t)i;
    p->n_candidates++;
    return SCDC_OK;
}

/* Sizes that half the items may call for, when all call for k: some smaller, one greater. */
static size_t sizes_near(const size_t **sizes, size_t k)
{
    size_t i = 0;
    while (SIZES[i] < k) i++;
    size_t first = i > FEWER ? i - FEWER : 0, end = i + 2 < N_SIZES ? i + 2 : N_SIZES;
    *sizes = SIZES + first;
    return end - first;
}

/* Components and parts of the items that mixtures are fitted to. */
static int join_overlapping(pool *p, const mixture *m, const overlap_options *how, size_t *parts)
{
    SCDC_TRY(mixture_shares(p->share, m, p->x_fit, p->fit));
    SCDC_TRY(overlap_join(p->part, parts, p->share, p->fit, m->k, how));
    for (size_t i = 0; i < p->fit; i++) {
        p->own[i] = (uint32_t)argmax(p->share + i * m->k, m->k);
        p->joined[i] = p->part[p->own[i]];
    }
    return SCDC_OK;
}

/* The best mixture of a family: as it is where halves of the items show the same components, or
 * nearly so and parts not much better; with all components joined that overlap where halves show
 * these parts; else as it is, which is what the items themselves call for. */
static int propose_best(bool *done, pool *p, size_t i)
{
    const fitted *f = &p->all[i];
    const mixture *m = &f->mixture;
    size_t parts;
    found_again again;
    overlap_options how = {.least = OVERLAP_LEAST};
    SCDC_TRY(join_overlapping(p, m, &how, &parts));
    again_question question = {.x = p->x_fit,
                               .n = p->fit,
                               .d = p->d,
                               .family = m->family,
                               .component = p->own,
                               .part = p->joined,
                               .how = p->how};
    question.n_sizes = sizes_near(&question.sizes, m->k);
    SCDC_TRY(found_again_ask(&again, &question));
    /* Where nothing overlaps, parts are components, and halves may show more of them than there
     * are.
     */
    bool plain = again.plain >= FOUND_AGAIN || (parts == m->k && again.joined >= FOUND_AGAIN);
    bool about = p->n_candidates == 0 && again.plain >= ABOUT_AGAIN &&
                 again.plain >= again.joined - (FOUND_AGAIN - ABOUT_AGAIN);
    bool bricks = !plain && !about && again.joined >= FOUND_AGAIN;
    found_again_free(&again);
    *done = plain;
    standing stands = plain ? ARE_CLUSTERS : about || bricks ? ARE_BRICKS : WERE_SOUGHT;
    int status = bricks ? propose(p, i, p->part, parts, stands) : propose(p, i, NULL, m->k, stands);
    if (status == SCDC_OK) status = mixture_assign(p->component, m, p->x, p->links);
    if (status == SCDC_OK) {
        status = islands_find(p->part, &parts, &p->neighbours, p->component, m->k);
    }
    size_t islands = p->n_candidates;
    if (status == SCDC_OK && parts) status = propose(p, i, p->part, parts, ARE_BRICKS);
    if (p->n_candidates > islands) p->candidates[islands].shown = true;
    return status;
}

/* Any mixture, as it is and with overlapping components joined (to as many as are wanted). */
static int propose_plain(pool *p, size_t i)
{
    const fitted *f = &p->all[i];
    size_t k = f->mixture.k, parts;
    overlap_options how = {.least = OVERLAP_LEAST, .wanted = p->options->clusters};
    SCDC_TRY(propose(p, i, NULL, k, NOT_SOUGHT));
    if (how.wanted && how.wanted >= k) return SCDC_OK;
    SCDC_TRY(join_overlapping(p, &f->mixture, &how, &parts));
    return parts < k ? propose(p, i, p->part, parts, NOT_SOUGHT) : SCDC_OK;
}

/* The finer spherical mixtures, grouped by links. */
static int propose_linked(pool *p)
{
    for (size_t i = 0; i < p->n_mixtures && p->n_linked < LINKED_MOST; i++) {
        const mixture *m = &p->all[i].mixture;
        if (m->family != MIXTURE_SPHERICAL || m->k < LINKED_LEAST) continue;
        linked *l = &p->linked[p->n_linked];
        SCDC_TRY(mixture_assign(p->component, m, p->x, p->links));
        SCDC_TRY(
            linked_group(l, &p->memory, &p->neighbours, p->component, m->k, p->options->clusters));
        if (l->parts > 1) p->linked_mixture[p->n_linked++] = i;
    }
    SCDC_TRY(linked_compare(p->linked, p->n_linked, p->links));
    for (size_t l = 0; l < p->n_linked; l++) {
        const linked *g = &p->linked[l];
        size_t i = p->linked_mixture[l];
        bool again = g->agrees >= FOUND_AGAIN;
        SCDC_TRY(propose(p, i, g->part, g->parts, again ? ARE_BRICKS : WERE_SOUGHT));
    }
    return SCDC_OK;
}

static int by_standing(const void *first, const void *second)
{
    const candidate *a = first, *b = second;
    if (a->standing != b->standing) return a->standing < b->standing ? -1 : 1;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The best mixture of a family that was not asked about yet; false when there is none. */
static bool next_best(size_t *out, const pool *p, const bool *asked_about)
{
    bool found = false;
    for (size_t i = 0; i < p->n_mixtures; i++) {
        if (!p->all[i].best || asked_about[i]) continue;
        if (!found || p->all[i].score > p->all[*out].score) *out = i;
        found = true;
    }
    return found;
}

/* All candidates, those first that the items themselves speak for. Families are asked about in the
 * order of their best mixtures, until one is found again: the others could only come after it. */
static int order_candidates(pool *p)
{
    bool asked_about[MOST_MIXTURES] = {false}, done = false;
    size_t i = 0;
    while (!done && next_best(&i, p, asked_about)) {
        asked_about[i] = true;
        SCDC_TRY(propose_best(&done, p, i));
    }
    for (i = 0; i < p->n_mixtures; i++) SCDC_TRY(propose_plain(p, i));
    SCDC_TRY(propose_linked(p));
    qsort(p->candidates, p->n_candidates, sizeof *p->candidates, by_standing);
    return SCDC_OK;
}

/* ---- comparing ---- */

static whereabouts likeliest_two(const double *share, size_t k)
{
    size_t first = argmax(share, k), second = first;
    for (size_t c = 0; c < k; c++) {
        if (c != first && (second == first || share[c] > share[second])) second = c;
    }
    double sum = share[first] + share[second];
    bool alone = second == first || !(sum > 0);
    return (whereabouts){(uint32_t)first, (uint32_t)second,
                         alone ? 1 : (float)(share[first] / sum)};
}

/* Where the items asked about lie by a mixture. */
static int place_asked(whereabouts **out, pool *p, size_t i)
{
    const mixture *m = &p->all[i].mixture;
    if (!p->asked_about[i]) {
        whereabouts *item = arena_new(&p->memory, p->asked_items, sizeof *item, "components");
        SCDC_TRY(arena_status(&p->memory));
        for (size_t first = 0; first < p->asked_items; first += p->fit) {
            size_t left = p->asked_items - first, rows = left < p->fit ? left : p->fit;
            SCDC_TRY(mixture_shares(p->share, m, p->x + (p->links + first) * p->d, rows));
            for (size_t a = 0; a < rows; a++)
                item[first + a] = likeliest_two(p->share + a * m->k, m->k);
        }
        p->asked_about[i] = item;
    }
    *out = p->asked_about[i];
    return SCDC_OK;
}

/* Where the next contender goes: behind the others, or in the place of the least likely one. */
static contender *worst_place(pool *p, double score)
{
    contender *worst = &p->contenders[0];
    if (p->n_contenders < CONTENDERS) return &p->contenders[p->n_contenders++];
    for (size_t i = 1; i < CONTENDERS; i++) {
        if (p->contenders[i].score < worst->score) worst = &p->contenders[i];
    }
    return score > worst->score ? worst : NULL;
}

/* Keeps a partition when it is allowed and among the likeliest. */
static void consider(pool *p, const candidate *c, const uint32_t *part, size_t parts, double score,
                     double evidence)
{
    size_t wanted = p->options->clusters;
    if (parts < 2 && wanted != 1) return;
    if (wanted && parts != wanted) return;
    contender *to = worst_place(p, score);
    if (!to) return;
    to->score = score;
    to->evidence = evidence;
    to->mixture = c->mixture;
    to->parts = parts;
    to->trusted = c->standing == ARE_CLUSTERS;
    memcpy(to->part, part, p->all[c->mixture].mixture.k * sizeof *part);
}

/* Nats against fewer parts than the first candidate has, where halves of the items show it again.
 */
static double against_fewer(const pool *p, size_t parts)
{
    const candidate *first = &p->candidates[0];
    if (first->standing != ARE_CLUSTERS || parts >= first->parts) return 0;
    return JOIN_CLUSTERS * (double)(first->parts - parts);
}

/* What names the rank-th in order, up to a constant: ln rank nats, and more where the items show
 * the first clearly but not this one. */
static double prior_of(const pool *p, size_t rank)
{
    bool behind = p->candidates[0].shown && !p->candidates[rank - 1].shown;
    return -log((double)rank) - (behind ? NOT_SHOWN_AGAIN : 0);
}

/* A candidate as it is, and joined further by the answers. */
static int judge(pool *p, size_t rank)
{
    const candidate *c = &p->candidates[rank - 1];
    const mixture *m = &p->all[c->mixture].mixture;
    size_t wanted = p->options->clusters, parts = c->parts;
    double prior = prior_of(p, rank), evidence = 0;
    whereabouts *asked_about = NULL;
    if (p->answers.count) {
        SCDC_TRY(place_asked(&asked_about, p, c->mixture));
        evidence = partition_evidence(&p->answers, asked_about, c->part);
    }
    consider(p, c, c->part, parts, prior + evidence - against_fewer(p, parts), evidence);
    if (!p->answers.count || (wanted && parts <= wanted)) return SCDC_OK;
    memcpy(p->part, c->part, m->k * sizeof *p->part);
    double spent = partition_join(p->part, &parts, &p->answers, asked_about, m->k, wanted,
                                  JOIN_UNUSUAL, &p->work);
    if (parts == c->parts) return SCDC_OK;
    evidence = partition_evidence(&p->answers, asked_about, p->part);
    consider(p, c, p->part, parts, prior + evidence - spent - against_fewer(p, parts), evidence);
    return SCDC_OK;
}

/* label [fit]: clusters of the items that mixtures are fitted to. */
static int label_items(uint32_t *label, pool *p, const contender *c)
{
    uint32_t **component = &p->fit_component[c->mixture];
    if (!*component) {
        *component = arena_new(&p->memory, p->fit, sizeof **component, "components");
        SCDC_TRY(arena_status(&p->memory));
        SCDC_TRY(mixture_assign(*component, &p->all[c->mixture].mixture, p->x_fit, p->fit));
    }
    for (size_t i = 0; i < p->fit; i++) label[i] = c->part[(*component)[i]];
    return SCDC_OK;
}

static int choose_contender(pool *p)
{
    double score[CONTENDERS];
    for (size_t i = 0; i < p->n_contenders; i++) {
        score[i] = p->contenders[i].score;
        SCDC_TRY(label_items(p->label + i * p->fit, p, &p->contenders[i]));
    }
    p->likely = log_sum_exp(score, p->n_contenders);
    return consensus_pick(&p->best, &p->agreed, p->label, score, p->n_contenders, p->fit);
}

static int take_best(candidate_choice *out, const pool *p)
{
    const contender *best = &p->contenders[p->best];
    const mixture *m = &p->all[best->mixture].mixture;
    candidate_choice c = {.family = m->family,
                          .components = m->k,
                          .clusters = best->parts,
                          .trusted = best->trusted,
                          .evidence = best->evidence,
                          .likely = p->likely,
                          .agreed = p->answers.count ? p->agreed : 1};
    c.component = arena_new(&c.memory, p->n, sizeof *c.component, "components");
    c.cluster = arena_new(&c.memory, c.components, sizeof *c.cluster, "clusters");
    int status = arena_status(&c.memory);
    if (status == SCDC_OK) status = mixture_assign(c.component, m, p->items, p->n);
    if (status == SCDC_OK) {
        memcpy(c.cluster, best->part, c.components * sizeof *c.cluster);
        *out = c;
    } else {
        arena_free(&c.memory);
    }
    return status;
}

static int look_at_items(pool *p, const float *x, size_t n)
{
    uint32_t *item;
    size_t wanted = p->options->neighbours ? p->options->neighbours : DEFAULT_NEIGHBOURS;
    uint64_t seed = p->options->seed;
    SCDC_TRY(mem_zeroed(&item, p->links + p->fit, sizeof *item, "items"));
    draw_items(item, p->fit, n, seed);
    take_rows(p->x_fit, x, p->d, item, p->fit);
    draw_items(item, p->links, n, seed);
    take_rows(p->x, x, p->d, item, p->links);
    mem_free(item);
    return linked_items_create(&p->neighbours, &p->memory, p->x, p->links, p->d, wanted, seed);
}

int candidates_open(candidate_pool **out, const float *x, size_t n, size_t d,
                    const scdc_answer *answers, size_t n_answers, size_t workers,
                    const two_coin_counts *known, const scdc_options *options)
{
    pool *p;
    SCDC_TRY(mem_zeroed(&p, 1, sizeof *p, "candidates"));
    *p = (pool){.options = options, .items = x, .n = n, .d = d};
    int status = pool_create(p, n, n_answers);
    if (status == SCDC_OK) status = look_at_items(p, x, n);
    if (status == SCDC_OK && n_answers) {
        status = take_answers(p, x, answers, n_answers, workers);
        p->answers.known = known;
    }
    if (status == SCDC_OK) status = fit_all(p);
    if (status == SCDC_OK) status = order_candidates(p);
    if (status == SCDC_OK) *out = p;
    else candidates_close(p);
    return status;
}

int candidates_pick(candidate_choice *out, candidate_pool *p, const bool *left_out)
{
    p->answers.count = 0;
    for (size_t a = 0; a < p->n_answers; a++) {
        if (!left_out || !left_out[p->number[a]]) p->heard[p->answers.count++] = p->answer[a];
    }
    if (p->answers.count) answer_set_list(&p->answers);
    p->n_contenders = 0;
    for (size_t rank = 1; rank <= p->n_candidates; rank++) SCDC_TRY(judge(p, rank));
    if (p->n_contenders) {
        SCDC_TRY(choose_contender(p));
        return take_best(out, p);
    }
    return fail_with(SCDC_ERR_ARGUMENT,
                     "%zu items cannot be divided into %zu clusters: ask for fewer, or for "
                     "more components",
                     p->n, p->options->clusters);
}

int candidates_look_again(candidate_choice *c, candidate_pool *p)
{
    const contender *best = &p->contenders[p->best];
    const mixture *m = &p->all[best->mixture].mixture;
    found_again again;
    SCDC_TRY(mixture_assign(p->own, m, p->x_fit, p->fit));
    for (size_t i = 0; i < p->fit; i++) p->joined[i] = best->part[p->own[i]];
    again_question question = {.x = p->x_fit,
                               .n = p->fit,
                               .d = p->d,
                               .family = m->family,
                               .sizes = &m->k,
                               .n_sizes = 1,
                               .component = p->own,
                               .part = p->joined,
                               .how = p->how};
    SCDC_TRY(found_again_ask(&again, &question));
    int status = found_again_division(&c->steady, &again, p->joined, p->fit);
    found_again_free(&again);
    if (!(c->steady > 0)) c->steady = 0;
    return status;
}

void candidates_close(candidate_pool *p)
{
    if (!p) return;
    pool_free(p);
    mem_free(p);
}

void candidate_choice_free(candidate_choice *c)
{
    arena_free(&c->memory);
}
