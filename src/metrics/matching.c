/* The matching of two partitions that keeps most items: maximum-weight bipartite matching over the
 * non-empty cells by shortest augmenting paths, or the dense solver when the table is full. */
#include "metrics/matching.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>

/* Duals are integers with u + v >= count on every cell and equality on matched cells; free columns
 * keep v = 0 and a row left alone ends with u = 0, which together prove the matching best. */
typedef struct entry {
    int64_t distance;
    uint32_t col;
} entry;

typedef struct solver {
    const contingency *table;
    int64_t *u, *v;
    uint32_t *col_of, *row_of;
    int64_t *distance; /* of columns; -1 when not touched in this search */
    uint32_t *from;    /* row before a column */
    uint32_t *touched; /* columns to clean up after the search */
    size_t n_touched;
    uint32_t *ready; /* columns at the distance the search stands at: no heap needed */
    size_t n_ready;
    entry *heap; /* farther columns; outdated entries are skipped when they come up */
    size_t n_heap, heap_capacity;
} solver;

static int heap_push(solver *s, entry e)
{
    SCDC_TRY(mem_reserve(&s->heap, &s->heap_capacity, s->n_heap + 1, sizeof *s->heap,
                         "the queue of a matching"));
    size_t at = s->n_heap++;
    for (; at > 0 && s->heap[(at - 1) / 2].distance > e.distance; at = (at - 1) / 2) {
        s->heap[at] = s->heap[(at - 1) / 2];
    }
    s->heap[at] = e;
    return SCDC_OK;
}

static entry heap_pop(solver *s)
{
    entry top = s->heap[0], last = s->heap[--s->n_heap];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < s->n_heap) {
        if (child + 1 < s->n_heap && s->heap[child + 1].distance < s->heap[child].distance) child++;
        if (s->heap[child].distance >= last.distance) break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    if (s->n_heap) s->heap[at] = last;
    return top;
}

/* How a search may end: at a free column, or at a row that gives its column away. */
typedef struct search_end {
    int64_t length;
    uint32_t row, col; /* one of them UNMATCHED */
} search_end;

/* Improves the columns of row r, itself at `base`; only ends nearer than the best so far matter. */
static int relax(solver *s, search_end *best, uint32_t r, int64_t base)
{
    const contingency *t = s->table;
    if (base + s->u[r] < best->length) *best = (search_end){base + s->u[r], r, UNMATCHED};
    for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
        uint32_t c = t->col[cell];
        int64_t through = base + s->u[r] + s->v[c] - (int64_t)t->count[cell];
        if (through >= best->length) continue;
        if (s->distance[c] < 0) s->touched[s->n_touched++] = c;
        else if (s->distance[c] <= through) continue;
        s->distance[c] = through;
        s->from[c] = r;
        if (s->row_of[c] == UNMATCHED) {
            *best = (search_end){through, UNMATCHED, c};
            if (through == base) return SCDC_OK; /* nothing can be nearer */
        } else if (through == base) {
            s->ready[s->n_ready++] = c;
        } else {
            SCDC_TRY(heap_push(s, (entry){through, c}));
        }
    }
    return SCDC_OK;
}

/* The next column in order of distance, or false when none lies before `limit`. */
static bool next_column(uint32_t *col, solver *s, int64_t limit, int64_t at)
{
    if (at >= limit) return false;
    if (s->n_ready) {
        *col = s->ready[--s->n_ready];
        return true;
    }
    while (s->n_heap) {
        entry e = heap_pop(s);
        if (e.distance >= limit) return false;
        if (e.distance != s->distance[e.col]) continue; /* outdated */
        *col = e.col;
        return true;
    }
    return false;
}

/* The dual step that makes the best path tight, and the flip along it. */
static void take_path(solver *s, uint32_t start, search_end best)
{
    s->u[start] -= best.length;
    for (size_t i = 0; i < s->n_touched; i++) {
        uint32_t c = s->touched[i];
        if (s->distance[c] >= best.length) continue;
        s->v[c] += best.length - s->distance[c];
        s->u[s->row_of[c]] -= best.length - s->distance[c];
    }
    if (best.row == start) return;
    uint32_t c = best.col;
    if (best.row != UNMATCHED) {
        c = s->col_of[best.row];
        s->col_of[best.row] = UNMATCHED;
    }
    for (;;) {
        uint32_t r = s->from[c], next = s->col_of[r];
        s->row_of[c] = r;
        s->col_of[r] = c;
        if (r == start) return;
        c = next;
    }
}

static int augment(solver *s, uint32_t start)
{
    search_end best = {s->u[start], start, UNMATCHED};
    s->n_touched = s->n_ready = s->n_heap = 0;
    int64_t at = 0;
    SCDC_TRY(relax(s, &best, start, at));
    for (uint32_t c; next_column(&c, s, best.length, at);) {
        at = s->distance[c];
        SCDC_TRY(relax(s, &best, s->row_of[c], at));
    }
    take_path(s, start, best);
    for (size_t i = 0; i < s->n_touched; i++) s->distance[s->touched[i]] = -1;
    return SCDC_OK;
}

/* u = the row's largest cell, v = 0, and every row that finds such a column free takes it. */
static void start_greedily(solver *s)
{
    const contingency *t = s->table;
    for (size_t c = 0; c < t->cols; c++) {
        s->row_of[c] = UNMATCHED;
        s->distance[c] = -1;
    }
    for (size_t r = 0; r < t->rows; r++) {
        uint32_t largest = 0;
        s->col_of[r] = UNMATCHED;
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            if (t->count[cell] > largest) largest = t->count[cell];
        }
        s->u[r] = largest;
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            uint32_t c = t->col[cell];
            if (t->count[cell] < largest || s->row_of[c] != UNMATCHED) continue;
            s->row_of[c] = (uint32_t)r;
            s->col_of[r] = c;
            break;
        }
    }
}

int match_sparse(uint32_t *match, const contingency *table)
{
    solver s = {.table = table, .col_of = match};
    arena memory = {0};
    int status;
    const char *what = "the matching of clusters";
    size_t rows = table->rows, cols = table->cols;
    SCDC_TRY_OR(done, status, arena_zeroed(&s.u, &memory, rows, sizeof *s.u, what));
    SCDC_TRY_OR(done, status, arena_zeroed(&s.v, &memory, cols, sizeof *s.v, what));
    SCDC_TRY_OR(done, status, arena_zeroed(&s.distance, &memory, cols, sizeof *s.v, what));
    SCDC_TRY_OR(done, status, arena_zeroed(&s.row_of, &memory, cols, sizeof *s.row_of, what));
    SCDC_TRY_OR(done, status, arena_zeroed(&s.from, &memory, cols, sizeof *s.from, what));
    SCDC_TRY_OR(done, status, arena_zeroed(&s.touched, &memory, cols, sizeof *s.touched, what));
    SCDC_TRY_OR(done, status, arena_zeroed(&s.ready, &memory, cols, sizeof *s.ready, what));
    start_greedily(&s);
    for (size_t r = 0; r < rows; r++) {
        if (match[r] == UNMATCHED) SCDC_TRY_OR(done, status, augment(&s, (uint32_t)r));
    }
done:
    arena_free(&memory);
    mem_free(s.heap);
    return status;
}

int match_dense(uint32_t *match, const contingency *table)
{
    double *cost = NULL;
    size_t cells;
    if (!size_mul(&cells, table->rows, table->cols)) cells = SIZE_MAX;
    SCDC_TRY(mem_zeroed(&cost, cells, sizeof *cost, "the matching of clusters"));
    for (size_t r = 0; r < table->rows; r++) {
        for (size_t cell = table->row_start[r]; cell < table->row_start[r + 1]; cell++) {
            cost[r * table->cols + table->col[cell]] = -(double)table->count[cell];
        }
    }
    int status = hungarian(match, cost, table->rows, table->cols);
    mem_free(cost);
    return status;
}

int match_partitions(uint32_t *match, uint64_t *agree, const contingency *table)
{
    size_t all, few;
    bool full =
        size_mul(&all, table->rows, table->cols) && size_mul(&few, table->cells, 4) && all <= few;
    SCDC_TRY(full ? match_dense(match, table) : match_sparse(match, table));
    uint64_t sum = 0;
    for (size_t r = 0; r < table->rows; r++) {
        for (size_t cell = table->row_start[r]; cell < table->row_start[r + 1]; cell++) {
            if (table->col[cell] == match[r]) sum += table->count[cell];
        }
    }
    if (agree) *agree = sum;
    return SCDC_OK;
}
