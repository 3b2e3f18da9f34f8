/* Simulated groupings: a task shows some items, and the worker sorts them into groups.
 *
 * A grouping is transitive, so errors cannot be tossed pair by pair. Instead, with
 * f = 1 - specificity:
 *   1. every item leaves its true group with probability p and stands alone, where
 *      (1 - p)^2 = (sensitivity - f) / (1 - f);
 *   2. the groups, in random order, are merged: each joins the company of a random earlier group
 *      with probability q, chosen so that any two groups end together with probability f.
 * A truly different pair is then called same with probability f, and a truly same pair with
 * (1 - p)^2 + (1 - (1 - p)^2) f = sensitivity: both rates are exact. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/simulate.h"

#include <math.h>

/* Expected number of pairs that end together, group by group: a group that joins meets 1 + 2 S / n
 * others on average when n came before it and S pairs of them are together. */
double merge_together(size_t groups, double q)
{
    double pairs = 0;
    if (groups < 2) return 0;
    for (size_t n = 1; n < groups; n++) pairs += q * (1 + 2 * pairs / (double)n);
    return pairs / ((double)groups * (double)(groups - 1) / 2);
}

double merge_chance(size_t groups, double together)
{
    double low = 0, high = 1;
    if (together <= 0) return 0;
    if (together >= 1) return 1;
    for (int i = 0; i < 60; i++) {
        double q = (low + high) / 2;
        if (merge_together(groups, q) < together) low = q;
        else high = q;
    }
    return (low + high) / 2;
}

typedef struct workspace {
    uint32_t *deck;    /* [items] positions; a task draws its own to the front */
    uint32_t *group;   /* [grid] group of each shown item */
    uint32_t *seen;    /* [grid] what the worker takes each shown item for */
    uint32_t *of_kind; /* [2 items] group of such a kind in this task, + 1 */
    uint32_t *order;   /* [grid] groups in the order of merging */
    uint32_t *company; /* [grid] the group whose company a group is in */
} workspace;

/* ---- what the worker sees ---- */

/* A number that belongs to an item, whoever looks at it. */
static uint64_t trait(const simulation *s, uint32_t item)
{
    rng r;
    rng_init(&r, s->options->seed, RNG_SIMULATE_ANSWERS, STREAM_TRAITS, item);
    return rng_below(&r, UINT32_MAX);
}

/* The kind a worker takes the item at a position for; below 2 * items. */
static uint32_t seen_kind(const simulation *s, size_t worker, uint32_t position)
{
    scdc_worker_kinds kinds = s->options->kinds;
    uint32_t kind = s->kind[position];
    if (kinds == SCDC_KINDS_MIXED) kinds = (scdc_worker_kinds)(worker % SCDC_KINDS_MIXED);
    switch (kinds) {
    case SCDC_KINDS_COARSE: return kind / 2;
    case SCDC_KINDS_FINE: return 2 * kind + (uint32_t)(trait(s, s->item[position]) & 1);
    case SCDC_KINDS_OTHER: {
        uint32_t classes = s->kind[s->items - 1] + 1;
        return (uint32_t)(trait(s, s->item[position]) % classes);
    }
    case SCDC_KINDS_TRUE:
    case SCDC_KINDS_MIXED: break;
    }
    return kind;
}

static void see_items(workspace *w, const simulation *s, size_t worker)
{
    for (size_t i = 0; i < s->options->grid; i++) w->seen[i] = seen_kind(s, worker, w->deck[i]);
}

/* ---- slips of single items ---- */

/* Items on the piles of their kinds, some on another one. */
static void place_items(workspace *w, const simulation *s, size_t worker, rng *r)
{
    size_t piles = 0, shown = s->options->grid;
    double stay = simulated_sensitivity(s, worker);
    for (size_t i = 0; i < shown; i++) w->of_kind[w->seen[i]] = 0;
    for (size_t i = 0; i < shown; i++) {
        uint32_t *pile = w->of_kind + w->seen[i];
        if (!*pile) *pile = (uint32_t)++piles;
        w->group[i] = *pile - 1;
    }
    for (size_t i = 0; i < shown; i++) {
        w->company[i] = (uint32_t)i;
        if (rng_uniform(r) < stay || piles < 2) continue;
        w->group[i] = (uint32_t)((w->group[i] + 1 + rng_below(r, piles - 1)) % piles);
    }
}

/* ---- items apart, kinds mixed ---- */

/* Step 1: true groups, from which items are torn. Returns the number of groups. */
static size_t tear_groups(workspace *w, const simulation *s, double stay, rng *r)
{
    size_t groups = 0, shown = s->options->grid;
    for (size_t i = 0; i < shown; i++) w->of_kind[w->seen[i]] = 0;
    for (size_t i = 0; i < shown; i++) {
        uint32_t *group = w->of_kind + w->seen[i];
        if (rng_uniform(r) >= stay) {
            w->group[i] = (uint32_t)groups++;
        } else {
            if (!*group) *group = (uint32_t)++groups;
            w->group[i] = *group - 1;
        }
    }
    return groups;
}

/* Step 2: companies of groups. */
static void merge_groups(workspace *w, size_t groups, double together, rng *r)
{
    double q = merge_chance(groups, together);
    rng_permutation(r, w->order, groups);
    for (size_t n = 0; n < groups; n++) {
        bool joins = n > 0 && rng_uniform(r) < q;
        w->company[w->order[n]] = joins ? w->company[w->order[rng_below(r, n)]] : w->order[n];
    }
}

static void tear_and_merge(workspace *w, const simulation *s, size_t worker, rng *r)
{
    double sensitivity = simulated_sensitivity(s, worker);
    double together = 1 - simulated_specificity(s, worker);
    double kept = together < 1 ? (sensitivity - together) / (1 - together) : 1;
    size_t groups = tear_groups(w, s, sqrt(kept > 0 ? kept : 0), r);
    merge_groups(w, groups, together, r);
}

static int run_task(simulation *s, workspace *w, size_t worker, size_t task)
{
    size_t shown = s->options->grid;
    rng questions, answers;
    rng_init(&questions, s->options->seed, RNG_SIMULATE_ANSWERS, STREAM_QUESTIONS, task);
    rng_init(&answers, s->options->seed, RNG_SIMULATE_ANSWERS, STREAM_ANSWERS, task);
    for (size_t i = 0; i < s->items; i++) w->deck[i] = (uint32_t)i;
    for (size_t i = 0; i < shown; i++) {
        size_t j = i + rng_below(&questions, s->items - i);
        uint32_t swap = w->deck[i];
        w->deck[i] = w->deck[j];
        w->deck[j] = swap;
    }
    see_items(w, s, worker);
    if (s->options->slips == SCDC_SLIPS_PILES) place_items(w, s, worker, &answers);
    else tear_and_merge(w, s, worker, &answers);
    SCDC_TRY(crowd_reserve(s->crowd, shown * (shown - 1) / 2));
    for (size_t i = 0; i < shown; i++) {
        for (size_t j = i + 1; j < shown; j++) {
            s->crowd->answers[s->crowd->count++] =
                (scdc_answer){.left = s->item[w->deck[i]],
                              .right = s->item[w->deck[j]],
                              .worker = (uint32_t)worker,
                              .task = (uint32_t)task,
                              .same = w->company[w->group[i]] == w->company[w->group[j]]};
        }
    }
    return SCDC_OK;
}

static int run_tasks(simulation *s, workspace *w)
{
    for (size_t worker = 0; worker < s->options->workers; worker++) {
        size_t tasks = simulated_share(s, s->options->tasks, worker);
        for (size_t i = 0; i < tasks; i++) SCDC_TRY(run_task(s, w, worker, s->crowd->tasks++));
    }
    return SCDC_OK;
}

int simulate_grid(simulation *s)
{
    workspace w;
    arena memory = {0};
    int status;
    const char *what = "a simulated task";
    size_t shown = s->options->grid;
    w.deck = arena_new(&memory, s->items, sizeof *w.deck, what);
    w.of_kind = arena_new(&memory, 2 * s->items, sizeof *w.deck, what);
    w.seen = arena_new(&memory, shown, sizeof *w.seen, what);
    w.group = arena_new(&memory, shown, sizeof *w.group, what);
    w.order = arena_new(&memory, shown, sizeof *w.order, what);
    w.company = arena_new(&memory, shown, sizeof *w.company, what);
    SCDC_TRY_OR(done, status, arena_status(&memory));
    status = run_tasks(s, &w);
done:
    arena_free(&memory);
    return status;
}
