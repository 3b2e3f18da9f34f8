/* Classes learned from answers beside the clusters that the fit's components end in, compared by
 * how likely the answers are when each item is what its values and the other items say. */
#include "model/update/rivals.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/tuning.h"
#include "model/use/weigh_alone.h"

#include <math.h>

/* How far the words are doubted, and shares of answers that tell a worker's habit alone: as much as
 * explains the answers best. */
static const double DOUBTS[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5};
static const double SLIPS[] = {0, 0.1, 0.3};
enum { N_DOUBTS = sizeof DOUBTS / sizeof *DOUBTS, N_SLIPS = sizeof SLIPS / sizeof *SLIPS };

typedef struct rival {
    scdc_model *model;
    double *word; /* [nodes][C] of annotated items, by their values and the others */
    two_coin *coins;
    double *likely; /* [answers] */
    double sum, doubt;
    arena memory;
} rival;

static int hear_rival(rival *r, const scdc_data *data)
{
    scdc_model *m = r->model;
    const crowd_graph *g = &m->clusters->graph;
    arena *a = &r->memory;
    r->word = arena_new(a, g->nodes, m->n_clusters * sizeof *r->word, "clusters of items");
    r->coins = arena_new(a, m->core->spec.workers, sizeof *r->coins, "workers");
    r->likely = arena_new(a, g->answers, sizeof *r->likely, "answers");
    SCDC_TRY(arena_status(a));
    SCDC_TRY(m->core->ops->coins(r->coins, m->core));
    return words_alone(r->word, m, data, g, false);
}

/* Share of "same" among all answers. */
static double habit_of(const remembered *all)
{
    double times[2] = {1, 1};
    for (size_t a = 0; a < all->n_answers; a++)
        times[all->answers[a].same ? 1 : 0] += placements_worth(&all->piles.tasks, a);
    return times[1] / (times[0] + times[1]);
}

/* ln of an answer's likelihood when its items are of one cluster with probability `same`. */
static double log_chance(const rival *r, size_t answer, double same, double slips, double habit)
{
    const scdc_answer *q = &r->model->clusters->remembered.answers[answer];
    double likely = two_coin_chance(two_coin_chances_of(&r->coins[q->worker], q->same), same);
    return log((1 - slips) * likely + slips * (q->same ? habit : 1 - habit) + 1e-9);
}

/* likely [answers] and their sum. */
static double explain(rival *r, double doubt, double slips, double habit)
{
    const cluster_level *t = r->model->clusters;
    size_t C = r->model->n_clusters;
    double sure = (1 - doubt) * (1 - doubt), sum = 0;
    for (size_t a = 0; a < t->remembered.n_answers; a++) {
        const double *left = r->word + t->graph.left[a] * C;
        const double *right = r->word + t->graph.right[a] * C;
        double same = 0;
        for (size_t c = 0; c < C; c++) same += left[c] * right[c];
        same = sure * same + (1 - sure) / (double)C;
        r->likely[a] =
            placements_worth(&t->remembered.piles.tasks, a) * log_chance(r, a, same, slips, habit);
        sum += r->likely[a];
    }
    return sum;
}

static void explain_best(rival *r)
{
    double habit = habit_of(&r->model->clusters->remembered), slips = 0;
    r->sum = -INFINITY;
    for (size_t i = 0; i < N_DOUBTS * N_SLIPS; i++) {
        double sum = explain(r, DOUBTS[i / N_SLIPS], SLIPS[i % N_SLIPS], habit);
        if (!(sum > r->sum)) continue;
        r->sum = sum;
        r->doubt = DOUBTS[i / N_SLIPS];
        slips = SLIPS[i % N_SLIPS];
    }
    explain(r, r->doubt, slips, habit);
}

/* Whether classes are better by more than chance: a likelihood ratio of two that are not nested,
 * beside the spread of its terms. */
static bool clearly_better(const rival *classes_of, const rival *components)
{
    double gain = classes_of->sum - components->sum, squares = 0;
    size_t count = components->model->clusters->remembered.n_answers;
    for (size_t a = 0; a < count; a++) {
        double d = classes_of->likely[a] - components->likely[a];
        squares += d * d;
    }
    return gain > EXPERT_MUST_GAIN && gain > UPDATE_SURE * sqrt(squares);
}

int rivals_compare(bool *better, double *doubt, scdc_model *by_classes, scdc_model *by_components,
                   const scdc_data *data)
{
    rival c = {.model = by_classes}, k = {.model = by_components};
    int status = hear_rival(&c, data);
    if (status == SCDC_OK) status = hear_rival(&k, data);
    if (status == SCDC_OK) {
        explain_best(&c);
        explain_best(&k);
        *better = clearly_better(&c, &k);
        *doubt = c.doubt;
    }
    arena_free(&c.memory);
    arena_free(&k.memory);
    return status;
}
