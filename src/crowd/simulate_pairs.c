/* Simulated single questions: distinct pairs per worker, of all kinds or as many same as different
 * ones, each answered by the toss of one of two coins. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/simulate.h"

/* A set of unordered pairs of annotated items, numbered 0 .. count-1 without being listed. Position
 * p of the items sorted by class owns the pairs (p, first partner + 0, 1, ...). */
typedef struct pair_space {
    uint64_t *before; /* [items + 1] pairs owned by earlier positions */
    uint64_t count;
    const uint32_t *after; /* different pairs: partners begin behind the class; else NULL */
} pair_space;

typedef enum pair_kind { PAIRS_ALL, PAIRS_SAME, PAIRS_DIFFERENT } pair_kind;

static int pair_space_open(pair_space *out, const simulation *s, pair_kind kind)
{
    pair_space space = {.after = kind == PAIRS_DIFFERENT ? s->after : NULL};
    SCDC_TRY(mem_zeroed(&space.before, s->items + 1, sizeof *space.before, "pairs of items"));
    for (size_t p = 0; p < s->items; p++) {
        size_t end = kind == PAIRS_SAME ? s->after[p] : s->items;
        size_t first = kind == PAIRS_DIFFERENT ? s->after[p] : p + 1;
        space.before[p + 1] = space.before[p] + (end - first);
    }
    space.count = space.before[s->items];
    *out = space;
    return SCDC_OK;
}

/* Positions of a pair: the last p with before[p] <= number owns it. */
static void pair_at(uint32_t *left, uint32_t *right, const pair_space *space, size_t items,
                    uint64_t number)
{
    size_t low = 0, high = items;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (space->before[middle] <= number) low = middle;
        else high = middle;
    }
    size_t first = space->after ? space->after[low] : low + 1;
    *left = (uint32_t)low;
    *right = (uint32_t)(first + (number - space->before[low]));
}

/* ---- distinct numbers ----------------------------------------------------------------------- */

typedef struct number_set {
    uint64_t *slots; /* number + 1, or 0 */
    size_t mask;
} number_set;

/* False when it was there already. */
static bool number_set_add(number_set *set, uint64_t number)
{
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask) {
        if (set->slots[at] == number + 1) return false;
    }
    set->slots[at] = number + 1;
    return true;
}

/* n distinct numbers below `range`, every set equally likely (Floyd's method: n draws, whatever
 * part of the range is wanted). */
static int draw_distinct(uint64_t *out, size_t n, uint64_t range, rng *r)
{
    number_set set = {.mask = 15};
    while (set.mask < 2 * n) set.mask = 2 * set.mask + 1;
    SCDC_TRY(mem_zeroed(&set.slots, set.mask + 1, sizeof *set.slots, "drawn pairs"));
    for (size_t i = 0; i < n; i++) {
        uint64_t last = range - n + i, number = rng_below(r, last + 1);
        if (!number_set_add(&set, number)) {
            number = last;
            number_set_add(&set, number);
        }
        out[i] = number;
    }
    mem_free(set.slots);
    return SCDC_OK;
}

/* ---- the scheme ----------------------------------------------------------------------------- */

static void shuffle_answers(scdc_answer *answers, size_t n, rng *r)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(r, i);
        scdc_answer swap = answers[i - 1];
        answers[i - 1] = answers[j];
        answers[j] = swap;
    }
}

static int ask_pairs(simulation *s, const pair_space *space, size_t worker, size_t n, rng *r)
{
    uint64_t *number;
    SCDC_TRY(crowd_reserve(s->crowd, n));
    SCDC_TRY(mem_zeroed(&number, n, sizeof *number, "drawn pairs"));
    int status = draw_distinct(number, n, space->count, r);
    for (size_t i = 0; i < n && status == SCDC_OK; i++) {
        uint32_t p, q;
        pair_at(&p, &q, space, s->items, number[i]);
        bool swap = rng_below(r, 2);
        s->crowd->answers[s->crowd->count++] = (scdc_answer){.left = s->item[swap ? q : p],
                                                             .right = s->item[swap ? p : q],
                                                             .worker = (uint32_t)worker,
                                                             .task = SCDC_NO_TASK,
                                                             .same = s->kind[p] == s->kind[q]};
    }
    mem_free(number);
    return status;
}

/* The true answers become what the worker says. */
static void toss_coins(const simulation *s, size_t worker, scdc_answer *answers, size_t n)
{
    double sensitivity = simulated_sensitivity(s, worker);
    double specificity = simulated_specificity(s, worker);
    rng r;
    rng_init(&r, s->options->seed, RNG_SIMULATE_ANSWERS, STREAM_ANSWERS, worker);
    for (size_t i = 0; i < n; i++) {
        bool right = rng_uniform(&r) < (answers[i].same ? sensitivity : specificity);
        if (!right) answers[i].same = !answers[i].same;
    }
}

/* Questions of the spaces in turn; with two spaces they come in equal numbers, and a coin gives
 * away the odd one. */
static int ask_worker(simulation *s, const pair_space *spaces, size_t n_spaces, size_t worker)
{
    size_t n = simulated_share(s, s->options->pairs, worker), first = s->crowd->count;
    rng r;
    rng_init(&r, s->options->seed, RNG_SIMULATE_ANSWERS, STREAM_QUESTIONS, worker);
    if (n_spaces == 1) {
        SCDC_TRY(ask_pairs(s, spaces, worker, n, &r));
    } else {
        size_t same = n / 2 + (n % 2 ? rng_below(&r, 2) : 0);
        SCDC_TRY(ask_pairs(s, spaces, worker, same, &r));
        SCDC_TRY(ask_pairs(s, spaces + 1, worker, n - same, &r));
    }
    shuffle_answers(s->crowd->answers + first, n, &r);
    toss_coins(s, worker, s->crowd->answers + first, n);
    return SCDC_OK;
}

static int check_room(const simulation *s, const pair_space *spaces, size_t n_spaces)
{
    size_t most = simulated_share(s, s->options->pairs, 0);
    if (n_spaces == 1 && spaces[0].count < most) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "a worker would answer %zu pairs, but %zu items have only %llu: annotate "
                         "more items or ask for fewer pairs",
                         most, s->items, (unsigned long long)spaces[0].count);
    }
    for (size_t i = 0; n_spaces == 2 && i < 2; i++) {
        if (spaces[i].count >= most / 2 + most % 2) continue;
        return fail_with(SCDC_ERR_ARGUMENT,
                         "a worker would answer %zu %s pairs, but the %zu items have only %llu: "
                         "annotate more items or ask for fewer pairs",
                         most / 2 + most % 2, i ? "different" : "same", s->items,
                         (unsigned long long)spaces[i].count);
    }
    return SCDC_OK;
}

int simulate_pairs(simulation *s)
{
    bool balanced = s->options->scheme == SCDC_SCHEME_BALANCED;
    pair_space spaces[2] = {{0}, {0}};
    size_t n_spaces = balanced ? 2 : 1;
    int status;
    SCDC_TRY_OR(done, status, pair_space_open(spaces, s, balanced ? PAIRS_SAME : PAIRS_ALL));
    if (balanced) SCDC_TRY_OR(done, status, pair_space_open(spaces + 1, s, PAIRS_DIFFERENT));
    SCDC_TRY_OR(done, status, check_room(s, spaces, n_spaces));
    for (size_t w = 0; w < s->options->workers; w++) {
        SCDC_TRY_OR(done, status, ask_worker(s, spaces, n_spaces, w));
    }
done:
    mem_free(spaces[0].before);
    mem_free(spaces[1].before);
    return status;
}
