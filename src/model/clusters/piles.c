/* Tables of items on piles, kept up to date item by item, and what follows from them. */
#include "model/clusters/piles.h"

#include "base/status.h"
#include "model/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Nobody is without fault, and nobody is worth nothing: keeps all logarithms finite. */
#define LEAST_RATE 0.02
#define MOST_RATE 0.999
/* The most likely that two strays lie together by chance. */
#define MOST_CHANCE 0.9
/* The most sure that an item is of a cluster, where it counts whether anybody else is. */
#define MOST_SURE (1 - 1e-9)

int piles_create(piles *out, const scdc_answer *answers, const crowd_graph *graph, size_t most)
{
    piles p = {.nodes = graph->nodes, .alone = 0.5};
    arena *m = &p.memory;
    const char *what = "groupings";
    size_t cells;
    int status;
    SCDC_TRY_OR(error, status, placements_build(&p.tasks, answers, graph));
    size_t tasks = p.tasks.tasks, nodes = tasks ? p.nodes : 0;
    p.row = arena_new(m, tasks + 1, sizeof *p.row, what);
    SCDC_TRY_OR(error, status, arena_status(m));
    for (size_t t = 0; t < tasks; t++) p.row[t + 1] = p.row[t] + p.tasks.piles[t];
    if (!size_mul(&cells, p.row[tasks] + nodes + 2 * tasks, most + 1)) {
        status = fail_memory(SIZE_MAX, what);
        goto error;
    }
    p.height = arena_new(m, p.row[tasks], sizeof *p.height, what);
    p.filled = arena_new(m, tasks, sizeof *p.filled, what);
    p.items = arena_new(m, tasks, sizeof *p.items, what);
    p.stay = arena_new(m, tasks, sizeof *p.stay, what);
    p.apart = arena_new(m, tasks, sizeof *p.apart, what);
    p.same = arena_new(m, tasks, sizeof *p.same, what);
    p.different = arena_new(m, tasks, sizeof *p.same, what);
    p.c = arena_new(m, nodes * most, sizeof *p.c, what);
    p.on = arena_new(m, p.row[tasks] * most, sizeof *p.on, what);
    p.of = arena_new(m, tasks * most, sizeof *p.of, what);
    p.absent = arena_new(m, tasks * most, sizeof *p.absent, what);
    for (size_t t = 0; t < tasks; t++) {
        if (p.tasks.worker[t] >= p.workers) p.workers = (size_t)p.tasks.worker[t] + 1;
    }
    p.counts = arena_new(m, p.workers, sizeof *p.counts, what);
    p.message = arena_new(m, most + 1, sizeof *p.message, what);
    SCDC_TRY_OR(error, status, arena_status(m));
    for (size_t t = 0; t < tasks; t++) p.stay[t] = p.apart[t] = 0.9; /* until they are weighed */
    piles_leave_out(&p, NULL);
    *out = p;
    return SCDC_OK;
error:
    piles_free(&p);
    return status;
}

void piles_free(piles *p)
{
    placements_free(&p->tasks);
    arena_free(&p->memory);
    *p = (piles){0};
}

/* ---- tables ---- */

static bool is_left_out(const piles *p, size_t placement)
{
    return p->left_out && p->left_out[placement];
}

void piles_leave_out(piles *p, const bool *left_out)
{
    size_t tasks = p->tasks.tasks;
    p->left_out = left_out;
    if (!tasks) return;
    memset(p->height, 0, p->row[tasks] * sizeof *p->height);
    memset(p->filled, 0, tasks * sizeof *p->filled);
    memset(p->items, 0, tasks * sizeof *p->items);
    for (size_t i = 0; i < p->tasks.count; i++) {
        size_t t = p->tasks.task[i], pile = p->row[t] + p->tasks.pile[i];
        if (is_left_out(p, i)) continue;
        p->items[t]++;
        p->filled[t] += p->height[pile]++ == 0;
    }
    piles_reset(p, p->clusters);
}

void piles_reset(piles *p, size_t clusters)
{
    size_t tasks = p->tasks.tasks;
    if (!tasks) return;
    p->clusters = clusters;
    memset(p->c, 0, p->nodes * clusters * sizeof *p->c);
    memset(p->on, 0, p->row[tasks] * clusters * sizeof *p->on);
    memset(p->of, 0, tasks * clusters * sizeof *p->of);
    memset(p->absent, 0, tasks * clusters * sizeof *p->absent);
}

static double ln_not(double c)
{
    return log1p(-(c < MOST_SURE ? c : MOST_SURE));
}

void piles_set(piles *p, size_t node, const double *c)
{
    size_t C = p->clusters, begin = p->tasks.node_start[node], end = p->tasks.node_start[node + 1];
    double *before = p->c + node * C;
    if (begin == end) return;
    for (size_t k = 0; k < C; k++) {
        double more = c[k] - before[k];
        if (more == 0) continue;
        double not_more = ln_not(c[k]) - ln_not(before[k]);
        before[k] = c[k];
        for (size_t i = begin; i < end; i++) {
            size_t placement = p->tasks.of_node[i], t = p->tasks.task[placement];
            if (is_left_out(p, placement)) continue;
            p->on[(p->row[t] + p->tasks.pile[placement]) * C + k] += more;
            p->of[t * C + k] += more;
            p->absent[t * C + k] += not_more;
        }
    }
}

/* ---- messages ---- */

/* A placement as its message sees it: all but the item itself. */
typedef struct view {
    size_t task, pile;    /* the pile among all */
    const double *own;    /* [C] of the item; NULL: it is left out anyhow */
    double opens, joins;  /* where a cluster goes of which no other item is there: m */
    double strays, slips; /* where an item goes that does not stay with its cluster: s */
    bool alone;
} view;

static view view_of(const piles *p, size_t placement)
{
    size_t t = p->tasks.task[placement], pile = p->row[t] + p->tasks.pile[placement];
    bool counted = !is_left_out(p, placement);
    view v = {.task = t, .pile = pile, .alone = p->height[pile] == (uint32_t)counted};
    if (counted) v.own = p->c + p->tasks.node[placement] * p->clusters;
    double among = (double)(p->filled[t] - (counted && v.alone));
    v.opens = pow(p->apart[t], among);
    v.joins = among > 0 ? (1 - v.opens) / among : 0;
    v.strays = among > 0 ? p->alone : 1;
    v.slips = among > 0 ? (1 - p->alone) / among : 0;
    return v;
}

/* Of n items of a cluster on a pile, how many went there with it: an item that lies where hardly
 * any of the others are has rather slipped. Of any pile that is there a cluster may have been the
 * first.
 */
static double meant(double n, double all, double stay, double chance)
{
    double a = 1 - stay;
    double with = stay * (fmax(n - 1, 0) + a * chance) / (fmax(all - 1, 0) + a);
    return n * with / (with + (1 - stay) * chance);
}

/* Items that are meant: on the placement's pile, and on all piles of the task. */
static void count_meant(double *here, double *all, const piles *p, const view *v, size_t k,
                        double n)
{
    size_t C = p->clusters;
    double own = v->own ? v->own[k] : 0, chance = v->slips / (1 - p->alone);
    *here = *all = 0;
    for (size_t g = p->row[v->task]; g < p->row[v->task + 1]; g++) {
        double on = p->on[g * C + k] - (g == v->pile ? own : 0);
        if (on <= 0) continue; /* differences of sums may be a little below 0 */
        double some = meant(on, n, p->stay[v->task], chance);
        *all += some;
        if (g == v->pile) *here = some;
    }
}

void piles_message(double *out, const piles *p, size_t placement)
{
    view v = view_of(p, placement);
    size_t C = p->clusters, t = v.task;
    const double *of = p->of + t * C, *absent = p->absent + t * C;
    double m = v.alone ? v.opens : v.joins, s = v.alone ? v.strays : v.slips;
    double stay = p->stay[t];
    for (size_t k = 0; k < C; k++) {
        double own = v.own ? v.own[k] : 0, here, all;
        double present = -expm1(fmin(absent[k] - ln_not(own), 0));
        double doubt = present * (1 - stay), row = m;
        count_meant(&here, &all, p, &v, k, fmax(of[k] - own, 0));
        if (all + doubt > 0) {
            row = present * (here + doubt * m) / (all + doubt) + (1 - present) * m;
        }
        out[k] = log(stay * row + (1 - stay) * s);
    }
    out[C] = log(stay * m + (1 - stay) * s);
}

/* ---- sums over tasks ---- */

/* Expected pairs of a task: of one cluster, and of these on one pile. */
static void count_pairs(double *same, double *together, const piles *p, size_t t)
{
    size_t C = p->clusters;
    double all = 0, here = 0, self = 0;
    for (size_t k = 0; k < C; k++) all += p->of[t * C + k] * p->of[t * C + k];
    for (size_t i = p->row[t] * C; i < p->row[t + 1] * C; i++) here += p->on[i] * p->on[i];
    for (size_t i = p->tasks.start[t]; i < p->tasks.start[t + 1]; i++) {
        const double *c = p->c + p->tasks.node[i] * C;
        if (is_left_out(p, i)) continue;
        for (size_t k = 0; k < C; k++) self += c[k] * c[k];
    }
    *same = fmax((all - self) / 2, 0);
    *together = fmin(fmax((here - self) / 2, 0), *same);
}

/* What the placements of a task are worth, as tosses of the coins: so many give an estimate the
 * same variance. Every item may have slipped, and each pair tells of the slips of two; the first of
 * a cluster only says where it is. And clusters are told apart as wholes: as many tosses as there
 * are pairs of clusters, fewer where these are of unlike sizes, but not more than clusters. */
static void worth_of_task(double *sensitivity, double *specificity, const piles *p, size_t t)
{
    size_t C = p->clusters;
    double n = (double)p->items[t];
    double present = 0, first = 0, second = 0, fourth = 0;
    for (size_t k = 0; k < C; k++) {
        double of = p->of[t * C + k], square = of * of;
        present -= expm1(p->absent[t * C + k]);
        first += of;
        second += square;
        fourth += square * square;
    }
    double pairs = (first * first - second) / 2, squares = (second * second - fourth) / 2;
    *sensitivity = fmax((n - FIRST_OF_CLUSTER * present) / 2, 0);
    *specificity = squares > 0 ? fmin(PAIRS_IN_COMPANY * pairs * pairs / squares, present) : 0;
}

void piles_count(two_coin_counts *workers, const piles *p)
{
    for (size_t t = 0; t < p->tasks.tasks; t++) {
        two_coin_counts *counts = &workers[p->tasks.worker[t]];
        double n = (double)p->items[t], all = n * (n - 1) / 2;
        double same, together, piled = 0, sensitivity, specificity;
        for (size_t i = p->row[t]; i < p->row[t + 1]; i++) {
            piled += (double)p->height[i] * ((double)p->height[i] - 1) / 2;
        }
        count_pairs(&same, &together, p, t);
        worth_of_task(&sensitivity, &specificity, p, t);
        double different = all - same, mixed = fmin(fmax(piled - together, 0), different);
        if (same > 0) {
            sensitivity = fmin(sensitivity, same);
            counts->alpha[0] += sensitivity * together / same;
            counts->alpha[1] += sensitivity * (1 - together / same);
        }
        if (different > 0) {
            specificity = fmin(specificity, different);
            counts->beta[0] += specificity * (1 - mixed / different);
            counts->beta[1] += specificity * mixed / different;
        }
    }
}

/* ---- how good workers are ---- */

static double within(double rate)
{
    return rate > LEAST_RATE ? rate < MOST_RATE ? rate : MOST_RATE : LEAST_RATE;
}

/* A rate from the (expected) logs of it and its complement. */
static double rate_of(double ln, double ln_not_it)
{
    return 1 / (1 + exp(ln_not_it - ln));
}

/* Share of the first side, with some tosses that come out as they do for the crowd. */
static double drawn_to(const double own[2], const double crowd[2], bool shared)
{
    double all = (crowd[0] + 1) / (crowd[0] + crowd[1] + 2);
    if (shared) return all;
    return (own[0] + CROWD_TOSSES * all) / (own[0] + own[1] + CROWD_TOSSES);
}

/* The share of strays that lie by themselves, among items most of whose cluster is elsewhere in the
 * task; half a stray of each kind on top. */
static double count_strays(const piles *p)
{
    size_t C = p->clusters;
    double alone = 0.5, all = 1;
    for (size_t i = 0; i < p->tasks.count; i++) {
        size_t t = p->tasks.task[i], pile = p->row[t] + p->tasks.pile[i];
        const double *c = p->c + p->tasks.node[i] * C;
        if (is_left_out(p, i)) continue;
        for (size_t k = 0; k < C; k++) {
            double others = p->of[t * C + k] - c[k], here = fmax(p->on[pile * C + k] - c[k], 0);
            if (others < 1 || here > others / 2) continue;
            double stray = c[k] * (1 - here / others);
            all += stray;
            if (p->height[pile] == 1) alone += stray;
        }
    }
    return alone / all;
}

/* Two items of one cluster are together when both stay with it, or else by chance; two of two
 * clusters when both stay and the clusters lie together, or else by chance. */
static void set_rates(piles *p, size_t t, double alpha, double beta)
{
    double chance = fmin((1 - p->alone) / (double)(p->filled[t] ? p->filled[t] : 1), MOST_CHANCE);
    alpha = within(alpha);
    beta = within(beta);
    double both = fmax((alpha - chance) / (1 - chance), LEAST_RATE * LEAST_RATE);
    p->stay[t] = within(sqrt(both));
    p->apart[t] = within(1 - fmax((1 - beta - (1 - both) * chance) / both, 0));
    /* No partition is worse than chance: coins that say so say nothing. */
    p->same[t] = fmax(log(alpha / (1 - beta)), 0);
    p->different[t] = fmin(log((1 - alpha) / beta), 0);
}

void piles_weigh(piles *p, const two_coin *workers)
{
    two_coin_counts crowd = {0};
    if (!p->tasks.tasks) return;
    memset(p->counts, 0, p->workers * sizeof *p->counts);
    if (p->clusters) {
        piles_count(p->counts, p);
        p->alone = count_strays(p);
    }
    for (size_t m = 0; m < p->workers; m++) {
        for (size_t side = 0; side < 2; side++) {
            crowd.alpha[side] += p->counts[m].alpha[side];
            crowd.beta[side] += p->counts[m].beta[side];
        }
    }
    bool known = crowd.alpha[0] + crowd.alpha[1] > 0;
    for (size_t t = 0; t < p->tasks.tasks; t++) {
        const two_coin_counts *own = &p->counts[p->tasks.worker[t]];
        const two_coin *w = &workers[p->tasks.worker[t]];
        if (known) {
            set_rates(p, t, drawn_to(own->alpha, crowd.alpha, p->shared),
                      drawn_to(own->beta, crowd.beta, p->shared));
        } else {
            set_rates(p, t, rate_of(w->ln_alpha, w->ln_not_alpha),
                      rate_of(w->ln_beta, w->ln_not_beta));
        }
    }
}

/* ---- sums over placements ---- */

double piles_term(const piles *p)
{
    size_t C = p->clusters;
    double sum = 0;
    for (size_t i = 0; i < p->tasks.count; i++) {
        const double *c = p->c + p->tasks.node[i] * C;
        double rest = 1;
        if (is_left_out(p, i)) continue;
        piles_message(p->message, p, i);
        for (size_t k = 0; k < C; k++) {
            sum += c[k] * p->message[k];
            rest -= c[k];
        }
        if (rest > 0) sum += rest * p->message[C];
    }
    return sum;
}

/* With c ~ c' exp(message), ln sum c' exp(message) is -ln sum c exp(-message). A placement that is
 * left out was never told to its item. */
double piles_held_out(const piles *p)
{
    size_t C = p->clusters;
    double sum = 0;
    for (size_t i = 0; i < p->tasks.count; i++) {
        const double *c = p->c + p->tasks.node[i] * C;
        double likely = 0, rest = 1, told = is_left_out(p, i) ? 1 : -1;
        piles_message(p->message, p, i);
        for (size_t k = 0; k < C; k++) {
            likely += c[k] * exp(told * p->message[k]);
            rest -= c[k];
        }
        if (rest > 0) likely += rest * exp(told * p->message[C]);
        sum += told * log(likely + DBL_MIN);
    }
    return sum;
}

void piles_foretold(double *sums, const piles *p, const double *c, const double *slips,
                    size_t count)
{
    size_t C = p->clusters;
    for (size_t i = 0; i < p->tasks.count; i++) {
        const double *own = c + p->tasks.node[i] * C;
        double likely = DBL_MIN;
        if (!is_left_out(p, i)) continue;
        piles_message(p->message, p, i);
        for (size_t k = 0; k < C; k++) likely += own[k] * exp(p->message[k]);
        double anyhow = exp(p->message[C]);
        for (size_t s = 0; s < count; s++) {
            sums[s] += log((1 - slips[s]) * likely + slips[s] * anyhow);
        }
    }
}
