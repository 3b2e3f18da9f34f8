/* Partitions of the blocks, drawn from their posterior in two steps, by chains of their own.
 *
 * Pieces are what hangs together by neighbours and answers:
 *
 *     ln p(pieces) = sum over pairs of blocks in one piece of (strength * bond + evidence) +
 * constant.
 *
 * Kinds are pieces put together. That two pieces lie apart says little about whether people take
 * them for one kind, so that only the answers count here, and a prior that joins few. Each chain
 * puts things down in an order of its own, every one by its conditional probability, and then moves
 * them, one at a time (Gibbs sampling). */
#include "asking/asking.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 6, NOT_YET = UINT16_MAX };
/* Chance, before any answer, that a piece is of a kind with one of the others. */
#define JOINED .3

typedef struct drawing {
    const blocks *b;
    const double *log_odds; /* [blocks][blocks] strength * bond + evidence */
    partitions *out;
    uint64_t seed;
    uint32_t round;
    double *score;   /* [blocks] per thread */
    double *between; /* [blocks][blocks] per thread: evidence between pieces */
    uint32_t *order; /* 3 [blocks] per thread */
} drawing;

/* Puts thing j into a group by its conditional probability: log odds with what is in the groups,
 * and `joined` for joining any of them. `size` counts things of groups; those from `top` on are
 * empty. Returns the new top. */
static size_t place(uint16_t *group, uint32_t *size, size_t top, size_t j, size_t count,
                    const double *log_odds, double joined, double *score, rng *r)
{
    size_t fresh = top, groups = 0;
    if (group[j] != NOT_YET) size[group[j]]--;
    group[j] = NOT_YET;
    memset(score, 0, top * sizeof *score);
    const double *row = log_odds + j * count;
    for (size_t i = 0; i < count; i++) {
        if (group[i] != NOT_YET) score[group[i]] += row[i];
    }
    for (size_t g = 0; g < top; g++) groups += size[g] > 0;
    double prior = joined > 0 && groups ? log(joined / (1 - joined) / (double)groups) : 0, most = 0;
    for (size_t g = 0; g < top; g++) {
        if (size[g] && score[g] + prior > most) most = score[g] + prior;
        if (!size[g] && fresh == top) fresh = g;
    }
    if (fresh == top && top < count) size[top++] = 0;
    for (size_t g = 0; g < top; g++) {
        if (size[g]) score[g] = exp(score[g] + prior - most);
        else score[g] = g == fresh ? exp(-most) : 0;
    }
    size_t chosen = rng_categorical(r, score, top);
    group[j] = (uint16_t)chosen;
    size[chosen]++;
    return size[top - 1] ? top : top - 1;
}

static void sample_groups(uint16_t *group, size_t count, const double *log_odds, double joined,
                          double *score, uint32_t *order, rng *r)
{
    uint32_t *size = order + count;
    size_t top = 0;
    for (size_t j = 0; j < count; j++) group[j] = NOT_YET;
    for (size_t sweep = 0; sweep <= SWEEPS; sweep++) {
        rng_permutation(r, order, count);
        for (size_t j = 0; j < count; j++)
            top = place(group, size, top, order[j], count, log_odds, joined, score, r);
    }
}

/* Groups numbered in the order of their first block. */
static void renumber(uint16_t *group, size_t count, uint32_t *number)
{
    uint16_t next = 0;
    memset(number, 0xff, count * sizeof *number);
    for (size_t i = 0; i < count; i++) {
        if (number[group[i]] == UINT32_MAX) number[group[i]] = next++;
        group[i] = (uint16_t)number[group[i]];
    }
}

/* Puts pieces together to kinds. */
static void join_pieces(uint16_t *group, const drawing *d, double *between, double *score,
                        uint32_t *order, rng *r)
{
    size_t B = d->b->count, pieces = 0;
    for (size_t j = 0; j < B; j++) pieces = group[j] >= pieces ? group[j] + (size_t)1 : pieces;
    uint16_t *kind = (uint16_t *)(order + 2 * B);
    memset(between, 0, pieces * pieces * sizeof *between);
    for (size_t i = 0; i < B; i++) {
        for (size_t j = 0; j < B; j++)
            between[group[i] * pieces + group[j]] += d->b->evidence[i * B + j];
    }
    sample_groups(kind, pieces, between, JOINED, score, order, r);
    for (size_t j = 0; j < B; j++) group[j] = kind[group[j]];
}

static void draw_chains(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const drawing *d = context;
    size_t B = d->b->count, slot = parallel_slot();
    double *score = d->score + slot * B, *between = d->between + slot * B * B;
    uint32_t *order = d->order + slot * 3 * B;
    for (size_t s = begin; s < end; s++) {
        uint16_t *group = d->out->group + s * B;
        rng r;
        rng_init(&r, d->seed, RNG_ASKING, 1 + d->round, s);
        sample_groups(group, B, d->log_odds, 0, score, order, &r);
        renumber(group, B, order);
        join_pieces(group, d, between, score, order, &r);
        renumber(group, B, order);
    }
}

double partitions_apart(const uint16_t *left, const uint16_t *right, const double *mass,
                        size_t count, double *table)
{
    size_t n = 0, m = 0;
    for (size_t j = 0; j < count; j++) {
        if (left[j] >= n) n = left[j] + (size_t)1;
        if (right[j] >= m) m = right[j] + (size_t)1;
    }
    memset(table, 0, n * m * sizeof *table);
    for (size_t j = 0; j < count; j++) table[left[j] * m + right[j]] += mass[j];
    double kept = 0;
    for (size_t g = 0; g < n; g++) {
        double most = 0;
        for (size_t h = 0; h < m; h++) most = fmax(most, table[g * m + h]);
        kept += most / 2;
    }
    for (size_t h = 0; h < m; h++) {
        double most = 0;
        for (size_t g = 0; g < n; g++) most = fmax(most, table[g * m + h]);
        kept += most / 2;
    }
    return fmax(0, 1 - kept);
}

typedef struct comparing {
    partitions *p;
    const double *mass;
    double *table; /* [blocks][blocks] per thread */
} comparing;

static void compare_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const comparing *c = context;
    size_t B = c->p->blocks;
    double *table = c->table + parallel_slot() * B * B;
    for (size_t s = begin; s < end; s++) {
        for (size_t t = 0; t < SAMPLES; t++) {
            if (t == s) continue;
            c->p->apart[s * SAMPLES + t] =
                partitions_apart(c->p->group + s * B, c->p->group + t * B, c->mass, B, table);
        }
    }
}

int partitions_draw(partitions *out, const blocks *b, uint64_t seed, uint32_t round)
{
    size_t B = b->count, slots = parallel_slots();
    arena scratch = {0};
    *out = (partitions){.blocks = B};
    out->group = arena_new(&out->memory, SAMPLES * B, sizeof *out->group, "partitions");
    out->apart =
        arena_new(&out->memory, (size_t)SAMPLES * SAMPLES, sizeof *out->apart, "partitions");
    double *odds = arena_new(&scratch, B * B, sizeof *odds, "log odds");
    drawing d = {.b = b, .log_odds = odds, .out = out, .seed = seed, .round = round};
    d.score = arena_new(&scratch, slots * B, sizeof *d.score, "probabilities");
    d.order = arena_new(&scratch, slots * 3 * B, sizeof *d.order, "an order of blocks");
    d.between = arena_new(&scratch, slots * B * B, sizeof *d.between, "a table");
    comparing c = {out, b->mass, d.between};
    int status = arena_status(&out->memory);
    if (status == SCDC_OK) status = arena_status(&scratch);
    if (status == SCDC_OK) {
        for (size_t i = 0; i < B * B; i++) odds[i] = b->strength * b->bond[i] + b->evidence[i];
        for (size_t j = 0; j < B; j++) odds[j * B + j] = 0;
        parallel_for(SAMPLES, 1, draw_chains, &d);
        parallel_for(SAMPLES, 4, compare_rows, &c);
    }
    arena_free(&scratch);
    if (status != SCDC_OK) partitions_free(out);
    return status;
}
