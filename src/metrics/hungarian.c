/* The dense assignment problem by shortest augmenting paths (Jonker and Volgenant 1987; the
 * rectangular form of Crouse 2016). Not for sparse tables: see match_partitions. */
#include "metrics/matching.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>

/* Duals satisfy cost - u - v >= 0 with equality on matched pairs, v <= 0, v = 0 on free columns. */
typedef struct solver {
    const double *cost; /* rows x cols with rows <= cols */
    size_t rows, cols;
    double *u, *v;
    double *open_v;   /* v, or -inf for a column already reached, which so is never improved */
    double *distance; /* of open columns; +inf once reached */
    double *reached;  /* distance of reached columns */
    uint32_t *from;   /* row before a column on its shortest path */
    uint32_t *col_of, *row_of;
    uint32_t *order; /* columns in the order they were reached */
} solver;

/* u = row minima, v = 0, and every row whose cheapest column is free takes it. */
static void start_greedily(solver *s)
{
    for (size_t c = 0; c < s->cols; c++) s->row_of[c] = UNMATCHED;
    for (size_t r = 0; r < s->rows; r++) {
        const double *row = s->cost + r * s->cols;
        size_t best = 0;
        for (size_t c = 1; c < s->cols; c++) {
            if (row[c] < row[best]) best = c;
        }
        s->u[r] = row[best];
        s->col_of[r] = UNMATCHED;
        if (s->row_of[best] == UNMATCHED) {
            s->row_of[best] = (uint32_t)r;
            s->col_of[r] = (uint32_t)best;
        }
    }
}

/* Improves the distances of open columns by way of row r, itself at distance `base`. */
static void relax(solver *s, uint32_t r, double base)
{
    const double *row = s->cost + r * s->cols, *open_v = s->open_v;
    double *distance = s->distance, offset = base - s->u[r];
    uint32_t *from = s->from;
    for (size_t c = 0; c < s->cols; c++) {
        double through = row[c] - open_v[c] + offset;
        if (through < distance[c]) {
            distance[c] = through;
            from[c] = r;
        }
    }
}

/* The nearest open column; among equals a free one, which ends the search. Four running minima,
 * because one would chain every comparison to the one before. */
static size_t nearest(const solver *s)
{
    const double *d = s->distance;
    double low[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    size_t c = 0, found = s->cols;
    for (; c + 4 <= s->cols; c += 4) {
        for (size_t lane = 0; lane < 4; lane++) {
            low[lane] = d[c + lane] < low[lane] ? d[c + lane] : low[lane];
        }
    }
    for (; c < s->cols; c++) low[0] = d[c] < low[0] ? d[c] : low[0];
    double least = fmin(fmin(low[0], low[1]), fmin(low[2], low[3]));
    for (c = 0; c < s->cols; c++) {
        if (d[c] != least) continue;
        if (s->row_of[c] == UNMATCHED) return c;
        if (found == s->cols) found = c;
    }
    return found;
}

/* Dijkstra from a free row to the nearest free column, then the dual step and the flip. */
static int augment(solver *s, uint32_t start)
{
    size_t n_reached = 0, end;
    for (size_t c = 0; c < s->cols; c++) {
        s->distance[c] = INFINITY;
        s->open_v[c] = s->v[c];
    }
    uint32_t row = start;
    double length = 0;
    for (;;) {
        relax(s, row, length);
        end = nearest(s);
        if (end == s->cols || s->distance[end] == INFINITY) {
            return fail_with(SCDC_ERR_ARGUMENT, "assignment: costs too large to add up");
        }
        length = s->distance[end];
        if (s->row_of[end] == UNMATCHED) break;
        s->reached[end] = length;
        s->distance[end] = INFINITY;
        s->open_v[end] = -INFINITY;
        s->order[n_reached++] = (uint32_t)end;
        row = s->row_of[end];
    }
    s->u[start] += length;
    for (size_t i = 0; i < n_reached; i++) {
        uint32_t c = s->order[i];
        s->u[s->row_of[c]] += length - s->reached[c];
        s->v[c] -= length - s->reached[c];
    }
    for (uint32_t c = (uint32_t)end;;) {
        uint32_t r = s->from[c], next = s->col_of[r];
        s->row_of[c] = r;
        s->col_of[r] = c;
        if (r == start) return SCDC_OK;
        c = next;
    }
}

static int solver_run(uint32_t *match, const double *cost, size_t rows, size_t cols)
{
    solver s = {.cost = cost, .rows = rows, .cols = cols, .col_of = match};
    arena memory = {0};
    int status;
    const char *what = "the assignment problem";
    s.u = arena_new(&memory, rows, sizeof *s.u, what);
    s.v = arena_new(&memory, cols, sizeof *s.v, what);
    s.open_v = arena_new(&memory, cols, sizeof *s.v, what);
    s.distance = arena_new(&memory, cols, sizeof *s.v, what);
    s.reached = arena_new(&memory, cols, sizeof *s.v, what);
    s.from = arena_new(&memory, cols, sizeof *s.from, what);
    s.row_of = arena_new(&memory, cols, sizeof *s.row_of, what);
    s.order = arena_new(&memory, cols, sizeof *s.order, what);
    SCDC_TRY_OR(done, status, arena_status(&memory));
    start_greedily(&s);
    for (size_t r = 0; r < rows; r++) {
        if (match[r] == UNMATCHED) SCDC_TRY_OR(done, status, augment(&s, (uint32_t)r));
    }
done:
    arena_free(&memory);
    return status;
}

/* The same problem with rows and columns exchanged. */
static int solve_transposed(uint32_t *match, const double *cost, size_t rows, size_t cols)
{
    double *turned = NULL;
    uint32_t *row_of = NULL;
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&turned, rows * cols, sizeof *turned, "costs"));
    SCDC_TRY_OR(done, status, mem_zeroed(&row_of, cols, sizeof *row_of, "a matching"));
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++) turned[c * rows + r] = cost[r * cols + c];
    }
    SCDC_TRY_OR(done, status, solver_run(row_of, turned, cols, rows));
    for (size_t r = 0; r < rows; r++) match[r] = UNMATCHED;
    for (size_t c = 0; c < cols; c++) match[row_of[c]] = (uint32_t)c;
done:
    mem_free(turned);
    mem_free(row_of);
    return status;
}

int hungarian(uint32_t *match, const double *cost, size_t rows, size_t cols)
{
    size_t cells;
    if (rows >= UNMATCHED || cols >= UNMATCHED || !size_mul(&cells, rows, cols)) {
        return fail_with(SCDC_ERR_ARGUMENT, "assignment: %zu x %zu is too large", rows, cols);
    }
    if (!all_finite(cost, cells)) {
        return fail_with(SCDC_ERR_ARGUMENT, "assignment: every cost must be finite");
    }
    if (cols == 0) {
        for (size_t r = 0; r < rows; r++) match[r] = UNMATCHED;
        return SCDC_OK;
    }
    return rows <= cols ? solver_run(match, cost, rows, cols)
                        : solve_transposed(match, cost, rows, cols);
}
