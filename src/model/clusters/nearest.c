/* A search by cells: blocks of queries against blocks of candidates, each a matrix product. */
#include "model/clusters/nearest.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/watch.h"
#include "kernels/blas.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A block of distances lives on the stack: 128 KB. */
enum { QUERY_BLOCK = 32, CANDIDATES = 1024, CELLS_SEARCHED = 12, SCAN = 32, BLOCKS_AT_ONCE = 256 };

/* Items sorted by cell, in random order inside a cell. */
struct cells {
    const float *x;       /* [n][d] as sorted */
    const float *length;  /* [n] squared */
    const uint32_t *item; /* [n] number of a sorted item */
    const size_t *start;  /* [cells + 1] */
    const float *centre;  /* [cells][d] */
    size_t count, n, d;
};

struct query_block {
    size_t cell, begin, end; /* sorted items */
};

struct search {
    struct cells cells;
    const struct query_block *block;
    size_t k;
    uint32_t *found;
};

/* The k nearest so far; the farthest of them is at `worst`. */
struct nearest {
    float distance[NEAREST_MOST];
    uint32_t item[NEAREST_MOST];
    size_t count, worst;
};

static void consider(struct nearest *best, size_t k, float distance, uint32_t item)
{
    size_t place = best->count < k ? best->count++ : best->worst;
    best->distance[place] = distance;
    best->item[place] = item;
    if (best->count < k) return;
    best->worst = 0;
    for (size_t i = 1; i < k; i++) {
        if (best->distance[i] > best->distance[best->worst]) best->worst = i;
    }
}

/* Whether any of SCAN candidates is nearer than the farthest of the nearest. Nearly never: most are
 * passed over by this loop, which is vector code. */
static bool any_nearer(const struct nearest *best, size_t k, const float *product,
                       const float *length)
{
    if (best->count < k) return true;
    float limit = best->distance[best->worst];
    int nearer = 0;
    for (size_t i = 0; i < SCAN; i++) nearer |= product[i] + length[i] < limit;
    return nearer;
}

/* One query, the sorted item `self`, against the candidates [first, first + count); product:
 * -2 <query, candidate>. */
static void scan(struct nearest *best, const struct search *s, size_t self, const float *product,
                 size_t first, size_t count)
{
    const float *length = s->cells.length + first;
    for (size_t begin = 0; begin < count; begin += SCAN) {
        size_t end = begin + SCAN < count ? begin + SCAN : count;
        if (end - begin == SCAN && !any_nearer(best, s->k, product + begin, length + begin)) {
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            float distance = product[i] + length[i];
            if (best->count == s->k && !(distance < best->distance[best->worst])) continue;
            if (first + i != self) consider(best, s->k, distance, s->cells.item[first + i]);
        }
    }
}

/* Sorted items [first, first + count) as candidates of a block of queries. */
static void search_range(struct nearest *best, const struct search *s, const struct query_block *b,
                         size_t first, size_t count)
{
    const struct cells *c = &s->cells;
    float product[QUERY_BLOCK * CANDIDATES];
    size_t rows = b->end - b->begin;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)c->d, -2,
                c->x + b->begin * c->d, (int)c->d, c->x + first * c->d, (int)c->d, 0, product,
                (int)count);
    for (size_t q = 0; q < rows; q++) {
        scan(&best[q], s, b->begin + q, product + q * count, first, count);
    }
}

/* The cells nearest to one, itself first; empty ones are left out. Returns their number. */
static size_t cells_around(size_t out[CELLS_SEARCHED], const struct cells *c, size_t cell)
{
    float distance[CELLS_SEARCHED];
    size_t used = 0;
    for (size_t other = 0; other < c->count; other++) {
        float sum = other == cell ? -1 : 0;
        if (c->start[other] == c->start[other + 1]) continue;
        for (size_t j = 0; j < c->d && other != cell; j++) {
            float gap = c->centre[other * c->d + j] - c->centre[cell * c->d + j];
            sum += gap * gap;
        }
        if (used == CELLS_SEARCHED && !(sum < distance[used - 1])) continue;
        size_t place = used < CELLS_SEARCHED ? used++ : used - 1;
        for (; place > 0 && sum < distance[place - 1]; place--) {
            distance[place] = distance[place - 1];
            out[place] = out[place - 1];
        }
        distance[place] = sum;
        out[place] = other;
    }
    return used;
}

static void search_block(void *context, size_t begin, size_t end, size_t piece)
{
    struct search *s = context;
    const struct query_block *b = &s->block[begin];
    const struct cells *c = &s->cells;
    struct nearest best[QUERY_BLOCK];
    size_t around[CELLS_SEARCHED], used = cells_around(around, c, b->cell), candidates = 0;
    (void)end;
    (void)piece;
    for (size_t q = 0; q < QUERY_BLOCK; q++) best[q].count = best[q].worst = 0;
    for (size_t i = 0; i < used; i++) {
        size_t first = c->start[around[i]], count = c->start[around[i] + 1] - first;
        if (count > CANDIDATES) count = CANDIDATES; /* in random order: any part will do */
        candidates += count;
        search_range(best, s, b, first, count);
    }
    if (candidates <= s->k) { /* many tiny cells: all items then */
        for (size_t q = 0; q < QUERY_BLOCK; q++) best[q].count = best[q].worst = 0;
        for (size_t first = 0; first < c->n; first += CANDIDATES) {
            search_range(best, s, b, first, c->n - first < CANDIDATES ? c->n - first : CANDIDATES);
        }
    }
    for (size_t q = 0; q < b->end - b->begin; q++) {
        memcpy(s->found + c->item[b->begin + q] * s->k, best[q].item, s->k * sizeof *s->found);
    }
}

/* Sorted items, their lengths and the centres of cells. */
static void describe_cells(struct cells *c, float *x, float *length, float *centre,
                           const float *from)
{
    memset(centre, 0, c->count * c->d * sizeof *centre);
    for (size_t cell = 0; cell < c->count; cell++) {
        size_t first = c->start[cell], last = c->start[cell + 1];
        float *mean = centre + cell * c->d;
        for (size_t i = first; i < last; i++) {
            const float *row = from + c->item[i] * c->d;
            length[i] = 0;
            for (size_t j = 0; j < c->d; j++) {
                x[i * c->d + j] = row[j];
                length[i] += row[j] * row[j];
                mean[j] += row[j] / (float)(last - first);
            }
        }
    }
    c->x = x;
    c->length = length;
    c->centre = centre;
}

/* A counting sort of items in random order. */
static void sort_by_cell(uint32_t *item, size_t *start, const uint32_t *order, size_t n,
                         const uint32_t *cell, size_t cells)
{
    for (size_t i = 0; i < n; i++) start[cell[i] + 1]++;
    for (size_t c = 0; c < cells; c++) start[c + 1] += start[c];
    for (size_t i = 0; i < n; i++) item[start[cell[order[i]]]++] = order[i];
    for (size_t c = cells; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
}

static size_t cut_blocks(struct query_block *out, const struct cells *c)
{
    size_t count = 0;
    for (size_t cell = 0; cell < c->count; cell++) {
        for (size_t i = c->start[cell]; i < c->start[cell + 1]; i += QUERY_BLOCK) {
            size_t left = c->start[cell + 1] - i;
            out[count++] =
                (struct query_block){cell, i, i + (left < QUERY_BLOCK ? left : QUERY_BLOCK)};
        }
    }
    return count;
}

static int search_blocks(struct search *s, size_t blocks)
{
    int status = SCDC_OK;
    blas_serial_begin();
    for (size_t first = 0; first < blocks && status == SCDC_OK; first += BLOCKS_AT_ONCE) {
        struct search part = *s;
        part.block += first;
        status = watch_tick("looking for neighbours", first, blocks);
        if (status != SCDC_OK) break;
        size_t left = blocks - first;
        parallel_for(left < BLOCKS_AT_ONCE ? left : BLOCKS_AT_ONCE, 1, search_block, &part);
    }
    blas_serial_end();
    return status;
}

int nearest_items(uint32_t *found, size_t k, const float *x, size_t n, size_t d,
                  const uint32_t *cell, size_t cells, uint64_t seed)
{
    if (k == 0) return SCDC_OK;
    if (k >= n || k > NEAREST_MOST) {
        return fail_with(SCDC_ERR_INTERNAL, "%zu neighbours of %zu items are too many", k, n);
    }
    arena memory = {0};
    uint32_t *order, *item;
    size_t *start;
    float *sorted, *length, *centre;
    struct query_block *block;
    int status;
    order = arena_new(&memory, n, sizeof *order, "neighbours");
    item = arena_new(&memory, n, sizeof *item, "neighbours");
    start = arena_new(&memory, cells + 1, sizeof *start, "cells");
    sorted = arena_new(&memory, n, d * sizeof *sorted, "neighbours");
    length = arena_new(&memory, n, sizeof *length, "neighbours");
    centre = arena_new(&memory, cells, d * sizeof *centre, "cells");
    block = arena_new(&memory, n / QUERY_BLOCK + cells, sizeof *block, "cells");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    rng r;
    rng_init(&r, seed, RNG_NEIGHBOURS, 0, 0);
    rng_permutation(&r, order, n);
    sort_by_cell(item, start, order, n, cell, cells);
    struct search s = {.cells = {.item = item, .start = start, .count = cells, .n = n, .d = d},
                       .block = block,
                       .k = k,
                       .found = found};
    describe_cells(&s.cells, sorted, length, centre, x);
    status = search_blocks(&s, cut_blocks(block, &s.cells));
done:
    arena_free(&memory);
    return status;
}
