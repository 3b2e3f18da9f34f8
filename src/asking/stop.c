/* The stop rule: a generalised likelihood ratio between the clusters at hand and the nearest
 * clusterings that differ from them in more than a margin of the items. */
#include "asking/outlook.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a block loses by the cheapest move of its own. */
typedef struct move {
    double cost, mass;
} move;

typedef struct ratio_work {
    const blocks *b;
    const uint16_t *group;
    size_t groups;
    double *odds;    /* [B][B] log odds of two blocks being of one kind */
    double *to;      /* [B][G] of a block and all of a group */
    double *between; /* [G][G] */
    double *size;    /* [G] */
    double *gain;    /* [B] of a split: what joining the part saves; scratch */
    bool *in;        /* [B] of a split; scratch */
    move *moves;     /* [B] */
    arena memory;
} ratio_work;

static int prepare(ratio_work *w, const blocks *b, const uint16_t *group)
{
    size_t B = b->count;
    *w = (ratio_work){.b = b, .group = group};
    for (size_t i = 0; i < B; i++)
        w->groups = group[i] >= w->groups ? group[i] + (size_t)1 : w->groups;
    arena *m = &w->memory;
    w->odds = arena_new(m, B * B, sizeof *w->odds, "evidence");
    w->to = arena_new(m, B * w->groups, sizeof *w->to, "evidence");
    w->between = arena_new(m, w->groups * w->groups, sizeof *w->between, "evidence");
    w->size = arena_new(m, w->groups, sizeof *w->size, "groups");
    w->gain = arena_new(m, B, sizeof *w->gain, "blocks");
    w->in = arena_new(m, B, sizeof *w->in, "blocks");
    w->moves = arena_new(m, B, sizeof *w->moves, "blocks");
    SCDC_TRY(arena_status(m));
    for (size_t i = 0; i < B; i++) {
        w->size[group[i]] += b->mass[i];
        for (size_t j = 0; j < B; j++) {
            if (i == j) continue;
            double odds = b->strength * b->bond[i * B + j] + b->evidence[i * B + j];
            w->odds[i * B + j] = odds;
            w->to[i * w->groups + group[j]] += odds;
            w->between[group[i] * w->groups + group[j]] += odds;
        }
    }
    return SCDC_OK;
}

/* Two groups are one. */
static double cheapest_join(const ratio_work *w, double margin)
{
    double best = DBL_MAX;
    for (size_t g = 0; g < w->groups; g++) {
        for (size_t h = g + 1; h < w->groups; h++) {
            if (fmin(w->size[g], w->size[h]) >= margin)
                best = fmin(best, -w->between[g * w->groups + h]);
        }
    }
    return best;
}

/* A part of a group is a kind of its own: the part grows from one block by the block that hangs on
 * it most and on the rest least. */
static double cheapest_split(ratio_work *w, size_t first, double margin)
{
    size_t B = w->b->count, group = w->group[first], next = first;
    double mass = 0, cut = 0, best = DBL_MAX;
    for (size_t j = 0; j < B; j++) {
        w->in[j] = false;
        w->gain[j] = w->group[j] == group ? -w->to[j * w->groups + group] : -DBL_MAX;
    }
    while (next < B && mass + w->b->mass[next] <= w->size[group] - margin) {
        w->in[next] = true;
        mass += w->b->mass[next];
        cut -= w->gain[next];
        if (mass >= margin) best = fmin(best, cut);
        double most = -DBL_MAX;
        size_t added = next;
        next = B;
        for (size_t j = 0; j < B; j++) {
            if (w->in[j] || w->group[j] != group) continue;
            w->gain[j] += 2 * w->odds[added * B + j];
            if (w->gain[j] > most) most = w->gain[j], next = j;
        }
    }
    return best;
}

static int by_cost_of_mass(const void *a, const void *b)
{
    const move *l = a, *r = b;
    double left = l->cost * r->mass, right = r->cost * l->mass;
    return left < right ? -1 : left > right;
}

/* The cheapest place for a block but its own: another group, or a group of its own. */
static double cost_of_move(const ratio_work *w, size_t block)
{
    size_t own = w->group[block];
    double here = w->to[block * w->groups + own], cost = DBL_MAX;
    if (w->size[own] > w->b->mass[block]) cost = here;
    for (size_t g = 0; g < w->groups; g++) {
        if (g != own) cost = fmin(cost, here - w->to[block * w->groups + g]);
    }
    return fmax(cost, 0);
}

/* Blocks are elsewhere: one that is as large as the margin, or as many small ones as make it up,
 * the cheapest for their size first and the last one in part: no set of small blocks costs less. */
static double cheapest_moves(ratio_work *w, double margin)
{
    size_t small = 0;
    double best = DBL_MAX, sum = 0, left = margin;
    for (size_t i = 0; i < w->b->count; i++) {
        double cost = cost_of_move(w, i), mass = w->b->mass[i];
        if (cost >= DBL_MAX) continue;
        if (mass >= margin) best = fmin(best, cost);
        else if (mass > 0) w->moves[small++] = (move){cost, mass};
    }
    qsort(w->moves, small, sizeof *w->moves, by_cost_of_mass);
    for (size_t i = 0; i < small && left > 0; i++) {
        sum += w->moves[i].cost * fmin(1, left / w->moves[i].mass);
        left -= w->moves[i].mass;
    }
    return left > 0 ? best : fmin(best, sum);
}

int stop_ratio(double *out, const blocks *b, const uint16_t *group, double margin)
{
    ratio_work w;
    int status = prepare(&w, b, group);
    if (status == SCDC_OK) {
        double best = fmin(cheapest_join(&w, margin), cheapest_moves(&w, margin));
        for (size_t i = 0; i < b->count; i++) best = fmin(best, cheapest_split(&w, i, margin));
        *out = best;
    }
    arena_free(&w.memory);
    return status;
}

/* Of a test that is right with the chance 1 - delta whenever it stops: ln of how many alternatives
 * there are and how often one looked, over delta. */
double stop_threshold(size_t alternatives, size_t answers, double delta)
{
    return log((double)(alternatives ? alternatives : 1) * (1 + log(1 + (double)answers)) / delta);
}
