/* Entropies, mutual information and its exact expectation under random relabelling. */
#include "metrics/information.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

double entropy_of_sizes(const uint32_t *sizes, size_t count, size_t items)
{
    double sum = 0, n = (double)items;
    for (size_t i = 0; i < count; i++) sum -= sizes[i] / n * log(sizes[i] / n);
    return sum > 0 ? sum : 0;
}

double mutual_information(const contingency *t)
{
    double sum = 0, n = (double)t->items;
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            double expected = (double)t->row_sum[r] * t->col_sum[t->col[cell]] / n;
            sum += t->count[cell] / n * log(t->count[cell] / expected);
        }
    }
    return sum > 0 ? sum : 0;
}

/* ---- expectation ---------------------------------------------------------------------------- */

/* A term depends on the two sizes only, so clusters of equal size are done once. */
typedef struct size_groups {
    uint32_t *size, *times;
    size_t count;
} size_groups;

static int compare_sizes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int group_sizes(size_groups *g, const uint32_t *sizes, size_t count)
{
    SCDC_TRY(mem_zeroed(&g->size, count, sizeof *g->size, "cluster sizes"));
    SCDC_TRY(mem_zeroed(&g->times, count, sizeof *g->times, "cluster sizes"));
    for (size_t i = 0; i < count; i++) g->size[i] = sizes[i];
    qsort(g->size, count, sizeof *g->size, compare_sizes);
    for (size_t i = 0; i < count; i++) {
        if (g->count == 0 || g->size[g->count - 1] != g->size[i]) {
            g->size[g->count++] = g->size[i];
        }
        g->times[g->count - 1]++;
    }
    return SCDC_OK;
}

enum { LOG_TABLE = 1 << 14 };
typedef struct expectation {
    size_groups rows, cols;
    double n;
    double *log_of; /* ln k for k < LOG_TABLE: most overlaps are small */
} expectation;

static double log_count(const expectation *e, double k)
{
    return k < LOG_TABLE ? e->log_of[(size_t)k] : log(k);
}

/* E[k ln k] of the overlap k of random sets of a and b among n items. The hypergeometric weights
 * are walked outwards from the mode by their ratios and normalised by their own sum, which is
 * more exact than differences of log-gamma and ends after a few standard deviations. */
static double mean_k_log_k(const expectation *e, double a, double b)
{
    const double negligible = 1e-19;
    double n = e->n, rest = n - a - b;
    double first = rest < 0 ? -rest : 0, last = a < b ? a : b;
    double mode = floor((a + 1) * (b + 1) / (n + 2));
    if (mode < first) mode = first;
    if (mode > last) mode = last;
    double weights = 1, sum = mode > 0 ? mode * log_count(e, mode) : 0, weight = 1;
    for (double k = mode; k < last; k++) {
        weight *= (a - k) * (b - k) / ((k + 1) * (rest + k + 1));
        if (weight < negligible) break;
        weights += weight;
        sum += weight * (k + 1) * log_count(e, k + 1);
    }
    weight = 1;
    for (double k = mode; k > first; k--) {
        weight *= k * (rest + k) / ((a - k + 1) * (b - k + 1));
        if (weight < negligible) break;
        weights += weight;
        if (k > 1) sum += weight * (k - 1) * log_count(e, k - 1);
    }
    return sum / weights;
}

/* n E[MI] of the row groups: the sum over cells of E[k ln(n k / (a b))], where E[k] = ab/n. */
static double expectation_of_rows(void *context, size_t begin, size_t end)
{
    const expectation *e = context;
    double sum = 0;
    for (size_t r = begin; r < end; r++) {
        double a = e->rows.size[r], row = 0;
        for (size_t c = 0; c < e->cols.count; c++) {
            double b = e->cols.size[c], expected = a * b / e->n;
            row += e->cols.times[c] * (mean_k_log_k(e, a, b) - expected * log(expected));
        }
        sum += e->rows.times[r] * row;
    }
    return sum;
}

int expected_mutual_information(double *out, const contingency *t)
{
    expectation e = {.n = (double)t->items};
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&e.log_of, LOG_TABLE, sizeof *e.log_of, "logarithms"));
    for (size_t k = 1; k < LOG_TABLE; k++) e.log_of[k] = log((double)k);
    SCDC_TRY_OR(done, status, group_sizes(&e.rows, t->row_sum, t->rows));
    SCDC_TRY_OR(done, status, group_sizes(&e.cols, t->col_sum, t->cols));
    *out = parallel_sum(e.rows.count, 4, expectation_of_rows, &e) / e.n;
done:
    mem_free(e.rows.size);
    mem_free(e.rows.times);
    mem_free(e.cols.size);
    mem_free(e.cols.times);
    mem_free(e.log_of);
    return status;
}
