/* The matching of two partitions that keeps most items: maximum-weight bipartite matching over the
 * non-empty cells. Many rows at once while counts tie (tight_phases.c), the rest one by one along
 * shortest paths. Not for dense costs: see hungarian. */
#include "metrics/matching.h"

#include "base/memory.h"
#include "base/status.h"
#include "metrics/sparse_matching.h"

#include <stdbool.h>

typedef struct entry {
    int64_t distance;
    uint32_t col;
} entry;

typedef struct search {
    sparse_matching *m;
    size_t n_touched; /* columns in m->list, to clean up after the search */
    size_t n_ready;   /* columns in m->stack, at the distance the search stands at */
    entry *heap;      /* farther columns; outdated entries are skipped when they come up */
    size_t n_heap, heap_capacity;
} search;

static int heap_push(search *s, entry e)
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

static entry heap_pop(search *s)
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
static int relax(search *s, search_end *best, uint32_t r, int64_t base)
{
    sparse_matching *m = s->m;
    const contingency *t = m->table;
    if (base + m->u[r] < best->length) *best = (search_end){base + m->u[r], r, UNMATCHED};
    for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
        uint32_t c = t->col[cell];
        int64_t through = base + m->u[r] + m->v[c] - (int64_t)t->count[cell];
        if (through >= best->length) continue;
        if (m->distance[c] < 0) m->list[s->n_touched++] = c;
        else if (m->distance[c] <= through) continue;
        m->distance[c] = through;
        m->from[c] = r;
        if (m->row_of[c] == UNMATCHED) {
            *best = (search_end){through, UNMATCHED, c};
            if (through == base) return SCDC_OK; /* nothing can be nearer */
        } else if (through == base) {
            m->stack[s->n_ready++] = c;
        } else {
            SCDC_TRY(heap_push(s, (entry){through, c}));
        }
    }
    return SCDC_OK;
}

/* The next column in order of distance, or false when none lies before `limit`. */
static bool next_column(uint32_t *col, search *s, int64_t limit, int64_t at)
{
    if (at >= limit) return false;
    if (s->n_ready) {
        *col = s->m->stack[--s->n_ready];
        return true;
    }
    while (s->n_heap) {
        entry e = heap_pop(s);
        if (e.distance >= limit) return false;
        if (e.distance != s->m->distance[e.col]) continue; /* outdated */
        *col = e.col;
        return true;
    }
    return false;
}

void flip_path(sparse_matching *m, uint32_t start, uint32_t col)
{
    for (;;) {
        uint32_t row = m->from[col], next = m->col_of[row];
        m->row_of[col] = row;
        m->col_of[row] = col;
        if (row == start) return;
        col = next;
    }
}

/* The dual step that makes the best path tight, and the flip along it. */
static void take_path(search *s, uint32_t start, search_end best)
{
    sparse_matching *m = s->m;
    m->u[start] -= best.length;
    for (size_t i = 0; i < s->n_touched; i++) {
        uint32_t c = m->list[i];
        if (m->distance[c] >= best.length) continue;
        m->v[c] += best.length - m->distance[c];
        m->u[m->row_of[c]] -= best.length - m->distance[c];
    }
    if (best.row == start) return;
    if (best.row != UNMATCHED) {
        best.col = m->col_of[best.row];
        m->col_of[best.row] = UNMATCHED;
    }
    flip_path(m, start, best.col);
}

/* Matches one more row, or proves that it is best left alone (then u = 0), by Dijkstra over slacks.
 */
static int augment(search *s, uint32_t start)
{
    sparse_matching *m = s->m;
    search_end best = {m->u[start], start, UNMATCHED};
    s->n_touched = s->n_ready = s->n_heap = 0;
    int64_t at = 0;
    SCDC_TRY(relax(s, &best, start, at));
    for (uint32_t c; next_column(&c, s, best.length, at);) {
        at = m->distance[c];
        SCDC_TRY(relax(s, &best, m->row_of[c], at));
    }
    take_path(s, start, best);
    for (size_t i = 0; i < s->n_touched; i++) m->distance[m->list[i]] = -1;
    return SCDC_OK;
}

/* u = the row's largest cell, v = 0, and every row that finds such a column free takes it. */
static void start_greedily(sparse_matching *m)
{
    const contingency *t = m->table;
    for (size_t c = 0; c < t->cols; c++) {
        m->row_of[c] = UNMATCHED;
        m->distance[c] = -1;
    }
    for (size_t r = 0; r < t->rows; r++) {
        uint32_t largest = 0;
        m->col_of[r] = UNMATCHED;
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            if (t->count[cell] > largest) largest = t->count[cell];
        }
        m->u[r] = largest;
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            uint32_t c = t->col[cell];
            if (t->count[cell] < largest || m->row_of[c] != UNMATCHED) continue;
            m->row_of[c] = (uint32_t)r;
            m->col_of[r] = c;
            break;
        }
    }
}

static int sparse_open(sparse_matching *m, arena *memory)
{
    const char *what = "the matching of clusters";
    size_t rows = m->table->rows, cols = m->table->cols;
    m->u = arena_new(memory, rows, sizeof *m->u, what);
    m->v = arena_new(memory, cols, sizeof *m->v, what);
    m->distance = arena_new(memory, cols, sizeof *m->v, what);
    m->row_of = arena_new(memory, cols, sizeof *m->row_of, what);
    m->from = arena_new(memory, cols, sizeof *m->from, what);
    m->list = arena_new(memory, cols, sizeof *m->list, what);
    m->stack = arena_new(memory, rows + cols, sizeof *m->stack, what);
    return arena_status(memory);
}

/* Items in matched cells. */
static uint64_t items_kept(const sparse_matching *m)
{
    uint64_t sum = 0;
    const contingency *t = m->table;
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t cell = t->row_start[r]; cell < t->row_start[r + 1]; cell++) {
            if (t->col[cell] == m->col_of[r]) sum += t->count[cell];
        }
    }
    return sum;
}

int match_partitions(uint32_t *match, uint64_t *agree, const contingency *table)
{
    sparse_matching m = {.table = table, .col_of = match};
    search s = {.m = &m};
    arena memory = {0};
    int status;
    SCDC_TRY_OR(done, status, sparse_open(&m, &memory));
    start_greedily(&m);
    SCDC_TRY_OR(done, status, run_tight_phases(&m));
    for (size_t r = 0; r < table->rows; r++) {
        if (match[r] == UNMATCHED && m.u[r] > 0) {
            SCDC_TRY_OR(done, status, augment(&s, (uint32_t)r));
        }
    }
    if (agree) *agree = items_kept(&m);
done:
    arena_free(&memory);
    mem_free(s.heap);
    return status;
}
