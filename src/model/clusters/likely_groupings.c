/* Gibbs sampling of groupings, and what the draws have in common. */
#include "model/clusters/likely_groupings.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "metrics/matching.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

/* Sweeps before the first draw, and between two; rounds of matching; clusters that may be opened
 * beyond those found; components beyond which nothing is drawn (sweeps take their square). */
enum { BURN_IN = 50, BETWEEN = 5, MATCHINGS = 4, MORE_CLUSTERS = 4, MOST_COMPONENTS = 1024 };

typedef struct drawing {
    grouping *g;
    const double *evidence, *share; /* [K][K], [K] */
    size_t n, C;                    /* components that are used; clusters that may be */
    uint32_t *component;            /* [n] */
    uint32_t *now;                  /* [n] cluster of each */
    uint32_t *draw;                 /* [GROUPING_DRAWS][n] */
    uint32_t *order;                /* [n] */
    double *counts, *weight;        /* [C] */
    double *cost, *votes;           /* [C][C], [n][C] */
    uint32_t *match;                /* [C] */
    rng r;
    arena memory;
} drawing;

static int drawing_create(drawing *d, const bool *use, uint64_t seed)
{
    const grouping *g = d->g;
    size_t K = g->components;
    arena *m = &d->memory;
    d->C = g->clusters + MORE_CLUSTERS < K ? g->clusters + MORE_CLUSTERS : K;
    d->component = arena_new(m, K, sizeof *d->component, "clusters of components");
    SCDC_TRY(arena_status(m));
    for (size_t k = 0; k < K; k++) {
        if (use[k] && g->cluster[k] >= 0) d->component[d->n++] = (uint32_t)k;
    }
    d->now = arena_new(m, d->n, sizeof *d->now, "clusters of components");
    d->order = arena_new(m, d->n, sizeof *d->order, "clusters of components");
    d->draw = arena_new(m, GROUPING_DRAWS, d->n * sizeof *d->draw, "clusters of components");
    d->counts = arena_new(m, d->C, sizeof *d->counts, "clusters");
    d->weight = arena_new(m, d->C, sizeof *d->weight, "clusters");
    d->cost = arena_new(m, d->C, d->C * sizeof *d->cost, "clusters");
    d->votes = arena_new(m, d->n, d->C * sizeof *d->votes, "clusters of components");
    d->match = arena_new(m, d->C, sizeof *d->match, "clusters");
    SCDC_TRY(arena_status(m));
    for (size_t i = 0; i < d->n; i++) d->now[i] = (uint32_t)g->cluster[d->component[i]];
    rng_init(&d->r, seed, RNG_GROUPINGS, 0, 0);
    return SCDC_OK;
}

/* Component i given all others. */
static void draw_component(drawing *d, size_t i, double each)
{
    const double *row = d->evidence + d->component[i] * d->g->components;
    d->counts[d->now[i]]--;
    memset(d->weight, 0, d->C * sizeof *d->weight);
    for (size_t j = 0; j < d->n; j++) {
        if (j != i) d->weight[d->now[j]] += row[d->component[j]];
    }
    for (size_t c = 0; c < d->C; c++) d->weight[c] += log(d->counts[c] + each);
    softmax(d->weight, d->weight, d->C);
    d->now[i] = (uint32_t)rng_categorical(&d->r, d->weight, d->C);
    d->counts[d->now[i]]++;
}

static void sweep(drawing *d, double each)
{
    memset(d->counts, 0, d->C * sizeof *d->counts);
    for (size_t i = 0; i < d->n; i++) d->counts[d->now[i]]++;
    rng_permutation(&d->r, d->order, d->n);
    for (size_t i = 0; i < d->n; i++) draw_component(d, d->order[i], each);
}

/* Votes of a draw, its clusters matched to those of `now` so that as many items as possible agree.
 */
static int vote(drawing *d, const uint32_t *draw)
{
    size_t C = d->C;
    memset(d->cost, 0, C * C * sizeof *d->cost);
    for (size_t i = 0; i < d->n; i++) d->cost[draw[i] * C + d->now[i]] -= d->share[d->component[i]];
    SCDC_TRY(hungarian(d->match, d->cost, C, C));
    for (size_t i = 0; i < d->n; i++) d->votes[i * C + d->match[draw[i]]]++;
    return SCDC_OK;
}

static int agree(drawing *d)
{
    for (size_t round = 0; round < MATCHINGS; round++) {
        memset(d->votes, 0, d->n * d->C * sizeof *d->votes);
        for (size_t s = 0; s < GROUPING_DRAWS; s++) SCDC_TRY(vote(d, d->draw + s * d->n));
        for (size_t i = 0; i < d->n; i++) d->now[i] = (uint32_t)argmax(d->votes + i * d->C, d->C);
    }
    return SCDC_OK;
}

/* Clusters in the order of their smallest component, those of none last. Components are put wholly
 * where most draws have them: workers who are judged by what is only likely look careless, their
 * answers say less, more groupings are likely, and in the end all are one cluster. */
static void tell(drawing *d)
{
    grouping *g = d->g;
    size_t K = g->components, C = d->C, next = 0;
    uint32_t *number = d->match;
    for (size_t c = 0; c < C; c++) number[c] = UINT32_MAX;
    for (size_t i = 0; i < d->n; i++) {
        if (number[d->now[i]] == UINT32_MAX) number[d->now[i]] = (uint32_t)next++;
    }
    for (size_t c = 0; c < C; c++) {
        if (number[c] == UINT32_MAX) number[c] = (uint32_t)next++;
    }
    for (size_t i = 0; i < d->n; i++) {
        double *q = g->q + d->component[i] * K;
        memset(q, 0, K * sizeof *q);
        q[number[d->now[i]]] = 1;
    }
    g->clusters = C;
}

int grouping_draw(grouping *g, const double *evidence, const bool *use, const double *share,
                  double concentration, uint64_t seed)
{
    drawing d = {.g = g, .evidence = evidence, .share = share};
    int status = drawing_create(&d, use, seed);
    double each = concentration / (double)d.C;
    if (status != SCDC_OK || d.n < 3 || d.n > MOST_COMPONENTS) goto done;
    for (size_t s = 0; s < BURN_IN; s++) sweep(&d, each);
    for (size_t s = 0; s < GROUPING_DRAWS; s++) {
        for (size_t i = 0; i < BETWEEN; i++) sweep(&d, each);
        memcpy(d.draw + s * d.n, d.now, d.n * sizeof *d.now);
    }
    SCDC_TRY_OR(done, status, agree(&d));
    tell(&d);
    grouping_settle(g, use, concentration);
done:
    arena_free(&d.memory);
    return status;
}
