/* The half of the sparse matching that serves many free rows at once: shortest augmenting paths
 * over cells without slack, layer by layer (Hopcroft and Karp 1973), then one dual step for the
 * whole forest of free rows. */
#include "metrics/sparse_matching.h"

#include "base/memory.h"
#include "base/status.h"
#include "metrics/matching.h"

#include <stdbool.h>
#include <string.h>

typedef struct phases {
    sparse_matching *m;
    uint32_t *open; /* free rows with something to gain (u > 0): where searches start */
    size_t n_open;
    uint32_t *reached; /* rows in the order the layers reach them; the open ones come first */
    size_t n_reached;
    uint32_t *level;   /* layer of each row, from 1; 0 when not reached */
    size_t *next_cell; /* per row: where its walk over the columns goes on in this pass */
} phases;

static bool is_tight(const sparse_matching *m, uint32_t row, size_t cell)
{
    return m->u[row] + m->v[m->table->col[cell]] == (int64_t)m->table->count[cell];
}

/* Rows that are free and still have something to gain. */
static void find_open_rows(phases *p)
{
    p->n_open = 0;
    for (size_t r = 0; r < p->m->table->rows; r++) {
        if (p->m->col_of[r] == UNMATCHED && p->m->u[r] > 0) p->open[p->n_open++] = (uint32_t)r;
    }
}

/* Layers of rows from the open ones, over cells without slack and matched columns, up to the first
 * layer that has an end: a free column, or a row with u = 0, which may give its column away. */
static bool build_layers(phases *p)
{
    sparse_matching *m = p->m;
    const contingency *t = m->table;
    uint32_t last_layer = UINT32_MAX;
    memset(p->level, 0, t->rows * sizeof *p->level);
    p->n_reached = 0;
    for (size_t i = 0; i < p->n_open; i++) {
        p->level[p->open[i]] = 1;
        p->reached[p->n_reached++] = p->open[i];
    }
    for (size_t i = 0; i < p->n_reached; i++) {
        uint32_t row = p->reached[i];
        if (p->level[row] > last_layer) break;
        if (m->u[row] == 0) last_layer = p->level[row];
        for (size_t cell = t->row_start[row]; cell < t->row_start[row + 1]; cell++) {
            uint32_t next = m->row_of[t->col[cell]];
            if ((next != UNMATCHED && p->level[next]) || !is_tight(m, row, cell)) continue;
            if (next == UNMATCHED) {
                last_layer = p->level[row];
            } else {
                p->level[next] = p->level[row] + 1;
                p->reached[p->n_reached++] = next;
            }
        }
    }
    return last_layer != UINT32_MAX;
}

/* Depth first along the layers; a row whose columns are used up is not tried again. */
static bool augment_tight(phases *p, uint32_t start)
{
    sparse_matching *m = p->m;
    const contingency *t = m->table;
    size_t depth = 0;
    m->stack[depth++] = start;
    while (depth) {
        uint32_t row = m->stack[depth - 1];
        if (row != start && m->u[row] == 0) {
            uint32_t col = m->col_of[row];
            m->col_of[row] = UNMATCHED;
            flip_path(m, start, col);
            p->level[row] = 0;
            return true;
        }
        if (p->next_cell[row] == t->row_start[row + 1]) {
            depth--;
            continue;
        }
        size_t cell = p->next_cell[row]++;
        uint32_t col = t->col[cell], next = m->row_of[col];
        if (next != UNMATCHED && p->level[next] != p->level[row] + 1) continue;
        if (!is_tight(m, row, cell)) continue;
        m->from[col] = row;
        if (next == UNMATCHED) {
            flip_path(m, start, col);
            return true;
        }
        m->stack[depth++] = next;
    }
    return false;
}

/* A largest set of disjoint shortest paths, all taken. */
static void augment_all(phases *p)
{
    for (size_t i = 0; i < p->n_reached; i++) {
        p->next_cell[p->reached[i]] = p->m->table->row_start[p->reached[i]];
    }
    for (size_t i = 0; i < p->n_open; i++) augment_tight(p, p->open[i]);
}

/* When no way is left: lowers u of every reached row and raises v of their columns by the most that
 * keeps all cells feasible. */
static void lower_duals(phases *p)
{
    sparse_matching *m = p->m;
    const contingency *t = m->table;
    int64_t step = INT64_MAX;
    for (size_t i = 0; i < p->n_reached; i++) {
        uint32_t row = p->reached[i];
        if (m->u[row] < step) step = m->u[row];
        for (size_t cell = t->row_start[row]; cell < t->row_start[row + 1]; cell++) {
            uint32_t col = t->col[cell], other = m->row_of[col];
            int64_t slack = m->u[row] + m->v[col] - (int64_t)t->count[cell];
            if ((other == UNMATCHED || !p->level[other]) && slack < step) step = slack;
        }
    }
    for (size_t i = 0; i < p->n_reached; i++) {
        uint32_t row = p->reached[i];
        m->u[row] -= step;
        if (m->col_of[row] != UNMATCHED) m->v[m->col_of[row]] += step;
    }
}

static int phases_open(phases *p, arena *memory)
{
    const char *what = "the matching of clusters";
    size_t rows = p->m->table->rows;
    p->open = arena_new(memory, rows, sizeof *p->open, what);
    p->reached = arena_new(memory, rows, sizeof *p->reached, what);
    p->level = arena_new(memory, rows, sizeof *p->level, what);
    p->next_cell = arena_new(memory, rows, sizeof *p->next_cell, what);
    return arena_status(memory);
}

int run_tight_phases(sparse_matching *m)
{
    phases p = {.m = m};
    arena memory = {0};
    int status;
    SCDC_TRY_OR(done, status, phases_open(&p, &memory));
    find_open_rows(&p);
    for (size_t before = SIZE_MAX; p.n_open && p.n_open <= before - before / 8;) {
        before = p.n_open;
        while (build_layers(&p)) {
            augment_all(&p);
            find_open_rows(&p);
        }
        if (p.n_open) lower_duals(&p);
        find_open_rows(&p);
    }
done:
    arena_free(&memory);
    return status;
}
