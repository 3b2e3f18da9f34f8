/* Joins by overlap, and how much two divisions of the same items agree. */
#include "model/clusters/overlap.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

typedef struct joining {
    const overlap_options *options;
    size_t n, k, parts;
    double *share;   /* [n][k]: of parts, in the column of their smallest component */
    double *overlap; /* [k][k]: overlap[a][b] share of a assigned to b */
    double *total;   /* [k] */
    uint32_t *part;  /* [k]: smallest component of a component's part */
    arena memory;
} joining;

/* ---- agreement ---- */

static double pairs(double count)
{
    return count * (count - 1) / 2;
}

static double adjusted(double both, double first, double second, double n)
{
    double all = pairs(n), chance = all > 0 ? first * second / all : 0;
    double most = (first + second) / 2;
    return most > chance ? (both - chance) / (most - chance) : 1;
}

static uint32_t greatest(const uint32_t *values, size_t n)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) most = values[i] > most ? values[i] : most;
    return most;
}

int agreement_of(double *out, const uint32_t *a, const uint32_t *b, size_t n)
{
    size_t rows = (size_t)greatest(a, n) + 1, columns = (size_t)greatest(b, n) + 1;
    arena memory = {0};
    double *table = arena_new(&memory, rows, columns * sizeof *table, "a table");
    double *of_a = arena_new(&memory, rows, sizeof *of_a, "a table");
    double *of_b = arena_new(&memory, columns, sizeof *of_b, "a table");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        double both = 0, first = 0, second = 0;
        for (size_t i = 0; i < n; i++) {
            table[a[i] * columns + b[i]]++;
            of_a[a[i]]++;
            of_b[b[i]]++;
        }
        for (size_t i = 0; i < rows * columns; i++) both += pairs(table[i]);
        for (size_t i = 0; i < rows; i++) first += pairs(of_a[i]);
        for (size_t i = 0; i < columns; i++) second += pairs(of_b[i]);
        *out = adjusted(both, first, second, (double)n);
    }
    arena_free(&memory);
    return status;
}

int take_for_parts(uint32_t *out, const uint32_t *component, const uint32_t *part, size_t n)
{
    size_t k = 0, parts = 0;
    double *table;
    for (size_t i = 0; i < n; i++) {
        k = component[i] >= k ? component[i] + 1 : k;
        parts = part[i] >= parts ? part[i] + 1 : parts;
    }
    SCDC_TRY(mem_zeroed(&table, k, parts * sizeof *table, "clusters"));
    for (size_t i = 0; i < n; i++) table[component[i] * parts + part[i]]++;
    for (size_t i = 0; i < n; i++) {
        out[i] = (uint32_t)argmax(table + component[i] * parts, parts);
    }
    mem_free(table);
    return SCDC_OK;
}

/* ---- joining ---- */

static int joining_create(joining *j, const double *share)
{
    size_t n = j->n, k = j->k;
    arena *m = &j->memory;
    j->share = arena_new(m, n, k * sizeof *j->share, "responsibilities");
    j->overlap = arena_new(m, k, k * sizeof *j->overlap, "overlaps");
    j->total = arena_new(m, k, sizeof *j->total, "overlaps");
    j->part = arena_new(m, k, sizeof *j->part, "clusters");
    SCDC_TRY(arena_status(m));
    memcpy(j->share, share, n * k * sizeof *share);
    for (size_t c = 0; c < k; c++) j->part[c] = (uint32_t)c;
    j->parts = k;
    return SCDC_OK;
}

static void tell_overlaps(joining *j)
{
    size_t k = j->k;
    memset(j->overlap, 0, k * k * sizeof *j->overlap);
    memset(j->total, 0, k * sizeof *j->total);
    for (size_t i = 0; i < j->n; i++) {
        const double *share = j->share + i * k;
        size_t of = argmax(share, k);
        for (size_t c = 0; c < k; c++) {
            j->overlap[c * k + of] += share[c];
            j->total[c] += share[c];
        }
    }
    for (size_t c = 0; c < k; c++) {
        for (size_t e = 0; e < k && j->total[c] > 0; e++) j->overlap[c * k + e] /= j->total[c];
    }
}

/* The two parts that overlap most. */
static double closest(uint32_t *a, uint32_t *b, const joining *j)
{
    size_t k = j->k;
    double best = -1;
    for (size_t c = 0; c < k; c++) {
        for (size_t e = c + 1; e < k && j->part[c] == c; e++) {
            if (j->part[e] != e) continue;
            double overlap = fmax(j->overlap[c * k + e], j->overlap[e * k + c]);
            if (!(overlap > best)) continue;
            best = overlap;
            *a = (uint32_t)c;
            *b = (uint32_t)e;
        }
    }
    return best;
}

/* Part b becomes part of a < b. */
static void join(joining *j, uint32_t a, uint32_t b)
{
    size_t k = j->k;
    for (size_t i = 0; i < j->n; i++) {
        j->share[i * k + a] += j->share[i * k + b];
        j->share[i * k + b] = 0;
    }
    for (size_t c = 0; c < k; c++) {
        if (j->part[c] == b) j->part[c] = a;
    }
    j->parts--;
}

static void join_all(joining *j)
{
    const overlap_options *o = j->options;
    size_t least = o->wanted ? o->wanted : 2;
    while (j->parts > least) {
        uint32_t a = 0, b = 0;
        tell_overlaps(j);
        double overlap = closest(&a, &b, j);
        if (o->wanted ? overlap < 0 : overlap < o->least) return;
        join(j, a, b);
    }
}

int overlap_join(uint32_t *part, size_t *parts, const double *share, size_t n, size_t k,
                 const overlap_options *options)
{
    joining j = {.options = options, .n = n, .k = k};
    int status = joining_create(&j, share);
    if (status == SCDC_OK) {
        uint32_t next = 0;
        join_all(&j);
        for (size_t c = 0; c < k; c++) part[c] = j.part[c] == c ? next++ : part[j.part[c]];
        *parts = next;
    }
    arena_free(&j.memory);
    return status;
}
