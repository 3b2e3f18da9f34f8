/* Partitions of the blocks, drawn from their posterior
 *
 *     ln p(partition) = sum over pairs of blocks in one group of (bond + evidence) + constant
 *
 * by chains of their own: each puts the blocks down in an order of its own, every one by its
 * conditional probability, and then moves them, one at a time (Gibbs sampling). */
#include "asking/asking.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 12, NOT_YET = UINT16_MAX };

typedef struct drawing {
    const blocks *b;
    const double *log_odds; /* [blocks][blocks] bond + evidence */
    partitions *out;
    uint64_t seed;
    uint32_t round;
    double *score;   /* [blocks + 1] per thread */
    uint32_t *order; /* [blocks] per thread */
} drawing;

/* Puts block j into a group by its conditional probability; `size` counts blocks of groups. */
static void place_block(uint16_t *group, uint32_t *size, size_t j, const drawing *d, double *score,
                        rng *r)
{
    size_t B = d->b->count, fresh = B;
    if (group[j] != NOT_YET) size[group[j]]--;
    group[j] = NOT_YET;
    memset(score, 0, B * sizeof *score);
    const double *row = d->log_odds + j * B;
    for (size_t i = 0; i < B; i++) {
        if (group[i] != NOT_YET) score[group[i]] += row[i];
    }
    double most = 0;
    for (size_t g = 0; g < B; g++) {
        if (size[g] && score[g] > most) most = score[g];
        if (!size[g] && fresh == B) fresh = g;
    }
    for (size_t g = 0; g < B; g++) {
        if (size[g]) score[g] = exp(score[g] - most);
        else score[g] = g == fresh ? exp(-most) : 0;
    }
    size_t chosen = rng_categorical(r, score, B);
    group[j] = (uint16_t)chosen;
    size[chosen]++;
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

static void draw_chains(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const drawing *d = context;
    size_t B = d->b->count, slot = parallel_slot();
    double *score = d->score + slot * B;
    uint32_t *order = d->order + slot * 2 * B, *size = order + B;
    for (size_t s = begin; s < end; s++) {
        uint16_t *group = d->out->group + s * B;
        rng r;
        rng_init(&r, d->seed, RNG_ASKING, 1 + d->round, s);
        memset(size, 0, B * sizeof *size);
        for (size_t j = 0; j < B; j++) group[j] = NOT_YET;
        for (size_t sweep = 0; sweep <= SWEEPS; sweep++) {
            rng_permutation(&r, order, B);
            for (size_t j = 0; j < B; j++) place_block(group, size, order[j], d, score, &r);
        }
        renumber(group, B, size);
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
    d.order = arena_new(&scratch, slots * 2 * B, sizeof *d.order, "an order of blocks");
    comparing c = {out, b->mass, arena_new(&scratch, slots * B * B, sizeof *c.table, "a table")};
    int status = arena_status(&out->memory);
    if (status == SCDC_OK) status = arena_status(&scratch);
    if (status == SCDC_OK) {
        for (size_t i = 0; i < B * B; i++) odds[i] = b->bond[i] + b->evidence[i];
        for (size_t j = 0; j < B; j++) odds[j * B + j] = 0;
        parallel_for(SAMPLES, 1, draw_chains, &d);
        parallel_for(SAMPLES, 4, compare_rows, &c);
    }
    arena_free(&scratch);
    if (status != SCDC_OK) partitions_free(out);
    return status;
}
