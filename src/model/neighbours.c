/* Exact nearest neighbours of a sample of items, and the evidence of their links. */
#include "model/neighbours.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/blas.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* A block of distances lives on the stack: 128 KB. */
enum { QUERY_BLOCK = 32, ITEM_BLOCK = 1024, MOST_NEIGHBOURS = 32, MOST_DIMS = 256, SCAN = 32 };

struct search {
    const float *x;
    const float *norm; /* [N] squared lengths */
    size_t n, d, k;
    const uint32_t *query;
    uint32_t *found; /* [queries][k] */
};

/* The k nearest so far, the farthest first in `worst`. */
struct nearest {
    float distance[MOST_NEIGHBOURS];
    uint32_t item[MOST_NEIGHBOURS];
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

/* Whether any of SCAN items is nearer than the farthest of the nearest. Nearly never: most items
 * are passed over by this loop, which is vector code. */
static bool any_nearer(const struct nearest *best, size_t k, const float *product,
                       const float *norm)
{
    if (best->count < k) return true;
    float limit = best->distance[best->worst];
    int nearer = 0;
    for (size_t i = 0; i < SCAN; i++) nearer |= product[i] + norm[i] < limit;
    return nearer;
}

/* A query against the items [first, first + count); product: -2 <query, item>. */
static void scan_items(struct nearest *best, const struct search *s, uint32_t self,
                       const float *product, size_t first, size_t count)
{
    for (size_t begin = 0; begin < count; begin += SCAN) {
        size_t end = begin + SCAN < count ? begin + SCAN : count;
        if (end - begin == SCAN &&
            !any_nearer(best, s->k, product + begin, s->norm + first + begin)) {
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            float distance = product[i] + s->norm[first + i];
            if (best->count == s->k && !(distance < best->distance[best->worst])) continue;
            if (first + i != self) consider(best, s->k, distance, (uint32_t)(first + i));
        }
    }
}

/* One block of queries against all items, a block of items at a time. */
static void search_block(void *context, size_t begin, size_t end, size_t piece)
{
    struct search *s = context;
    size_t rows = end - begin;
    float queries[QUERY_BLOCK * MOST_DIMS], product[QUERY_BLOCK * ITEM_BLOCK];
    struct nearest best[QUERY_BLOCK];
    (void)piece;
    for (size_t q = 0; q < rows; q++) {
        memcpy(queries + q * s->d, s->x + s->query[begin + q] * s->d, s->d * sizeof *queries);
        best[q].count = best[q].worst = 0;
    }
    for (size_t first = 0; first < s->n; first += ITEM_BLOCK) {
        size_t count = s->n - first < ITEM_BLOCK ? s->n - first : ITEM_BLOCK;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)s->d, -2,
                    queries, (int)s->d, s->x + first * s->d, (int)s->d, 0, product, (int)count);
        for (size_t q = 0; q < rows; q++) {
            scan_items(&best[q], s, s->query[begin + q], product + q * count, first, count);
        }
    }
    for (size_t q = 0; q < rows; q++) {
        memcpy(s->found + (begin + q) * s->k, best[q].item, s->k * sizeof *s->found);
    }
}

static void squared_lengths(float *norm, const float *x, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (size_t j = 0; j < d; j++) sum += x[i * d + j] * x[i * d + j];
        norm[i] = sum;
    }
}

int neighbour_links(double *links, size_t K, const float *x, size_t n, size_t d,
                    const uint32_t *component, const neighbour_options *options)
{
    size_t queries = options->queries < n ? options->queries : n;
    size_t k = options->neighbours < n - 1 ? options->neighbours : n - 1;
    if (k > MOST_NEIGHBOURS) k = MOST_NEIGHBOURS;
    memset(links, 0, K * K * sizeof *links);
    if (!queries || !k) return SCDC_OK;
    if (d > MOST_DIMS)
        return fail_with(SCDC_ERR_ARGUMENT, "neighbours need at most %d dimensions, not %zu",
                         MOST_DIMS, d);
    arena memory = {0};
    uint32_t *order;
    float *norm;
    struct search s = {.x = x, .n = n, .d = d, .k = k};
    int status;
    SCDC_TRY_OR(done, status, arena_zeroed(&order, &memory, n, sizeof *order, "neighbours"));
    SCDC_TRY_OR(done, status, arena_zeroed(&norm, &memory, n, sizeof *norm, "neighbours"));
    SCDC_TRY_OR(done, status,
                arena_zeroed(&s.found, &memory, queries * k, sizeof *s.found, "neighbours"));
    rng r;
    rng_init(&r, options->seed, RNG_NEIGHBOURS, 0, 0);
    rng_permutation(&r, order, n);
    squared_lengths(norm, x, n, d);
    s.query = order;
    s.norm = norm;
    blas_serial_begin();
    parallel_for(queries, QUERY_BLOCK, search_block, &s);
    blas_serial_end();
    for (size_t q = 0; q < queries; q++) {
        for (size_t i = 0; i < k; i++) {
            size_t a = component[order[q]], b = component[s.found[q * k + i]];
            links[a * K + b] += 0.5;
            links[b * K + a] += 0.5;
        }
    }
done:
    arena_free(&memory);
    return status;
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum;
}

void neighbour_coins(double coins[2], size_t K, const double *links, const double *share,
                     const double *same)
{
    double inside = 0, chance = 0, total = sum_of(links, K * K);
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++) {
            inside += same[k * K + l] * links[k * K + l];
            chance += same[k * K + l] * share[k] * share[l];
        }
    }
    chance *= total;
    /* One imaginary answer of each kind keeps the coins off 0 and 1. */
    coins[0] = (inside + 1) / (inside + chance + 2);
    coins[1] = (total - chance + 1) / (2 * total - inside - chance + 2);
}

void neighbour_evidence(double *evidence, const double coins[2], size_t K, const double *links,
                        const double *share)
{
    double total = sum_of(links, K * K);
    double link = log(coins[0] / (1 - coins[1])), random = log((1 - coins[0]) / coins[1]);
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++) {
            evidence[k * K + l] =
                2 * (link * links[k * K + l] + random * total * share[k] * share[l]);
        }
    }
}
