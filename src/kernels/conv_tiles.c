/* Tiles of sums. Loops over rows and vectors of a tile are unrolled, so that its sums are registers
 * and none of them an array. */
#include "kernels/conv_tiles.h"

/* Sums, a vector or two of weights and a broadcast value fit the registers. */
enum { ROWS = VECTOR_REGISTERS == 32 ? 8 : 6 };
_Static_assert((int)ROWS <= (int)AT_A_TIME, "a tile may reach beyond the copies behind a run");

#define INLINED static inline __attribute__((always_inline))

/* `rows` pixels of a run from slot `at` on, `width` vectors of filters from `f` on. */
INLINED void window_tile(const product *p, const run *q, size_t at, size_t f, const int rows,
                         const int width)
{
    const chunk *c = p->c;
    size_t C = c->g->channels, all = c->g->columns * C, step = (size_t)width * VECTOR;
    size_t first = q->top * all + q->left * C, count = (size_t)(q->right - q->left) * C;
    const real *w = p->w + f * c->g->lines * all + first * step, *a[ROWS];
    vector sum[ROWS][2];
#pragma GCC unroll 8
    for (size_t r = 0; r < (size_t)rows; r++) {
        a[r] = c->values + c->from[at + r];
#pragma GCC unroll 2
        for (int v = 0; v < width; v++)
            sum[r][v] = p->bias ? vector_load(p->bias + f + v * VECTOR) : vector_of(0);
    }
    for (int i = q->top; i < q->bottom; i++, w += all * step) {
        const real *weight = w;
        for (size_t k = 0; k < count; k++, weight += step) {
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                vector x = vector_of(a[r][k]);
#pragma GCC unroll 2
                for (int v = 0; v < width; v++)
                    sum[r][v] = vector_fma(x, vector_load(weight + v * VECTOR), sum[r][v]);
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) a[r] += c->line;
    }
    size_t room = p->filters - f;
#pragma GCC unroll 8
    for (size_t r = 0; r < (size_t)rows; r++) {
        real *out = p->out + c->to[at + r] + f, own[PANEL], *to = room < step ? own : out;
#pragma GCC unroll 2
        for (int v = 0; v < width; v++) {
            vector_mask kept = ~(sum[r][v] < vector_of(0)); /* not NaN either */
            vector_store(to + v * VECTOR, p->relu ? vector_where(kept, sum[r][v]) : sum[r][v]);
        }
        if (room < step) memcpy(out, own, room * sizeof *out);
    }
}

/* All pixels of a run; half a tile where that is enough for its last ones. */
INLINED void window_run(const product *p, const run *q, size_t f, const int width)
{
    size_t at = q->first, left = (p->filters - f + PANEL - 1) / PANEL * p->c->slots;
    for (; at + ROWS / 2 < q->end; at += ROWS) {
        window_tile(p, q, at, f, ROWS, width);
        look_ahead(p->c, (left - at) / ROWS);
    }
    if (at < q->end) window_tile(p, q, at, f, ROWS / 2, width);
}

static __attribute__((noinline)) void window_pairs(const product *p, const run *q, size_t f)
{
    window_run(p, q, f, 2);
}

static __attribute__((noinline)) void window_singles(const product *p, const run *q, size_t f)
{
    window_run(p, q, f, 1);
}

void multiply_windows(const product *p)
{
    for (size_t f = 0; f < p->filters; f += PANEL) {
        for (size_t q = 0; q < p->c->runs; q++) {
            if (p->filters - f > VECTOR) window_pairs(p, &p->c->run[q], f);
            else window_singles(p, &p->c->run[q], f);
        }
    }
}

/* Rows of a tile of the gradient of weights: values of the window from number k on. */
typedef struct slope_rows {
    size_t i, j, k, count; /* line and column of the window they are in */
    size_t at[ROWS];       /* where they lie, counted from the first value there */
} slope_rows;

/* These rows (of which `most` are worked out), `width` vectors of filters from f on: summed over
 * the slots whose window is inside the image there, and added to dw. */
INLINED void slope_tile(const slopes *s, const slope_rows *t, size_t f, const int most,
                        const int width)
{
    const chunk *c = s->c;
    size_t C = c->g->channels, step = (size_t)width * VECTOR;
    const real *at[ROWS], *panel = s->d + f * (s->end - s->begin);
    vector sum[ROWS][2];
#pragma GCC unroll 8
    for (int r = 0; r < most; r++) {
        at[r] = c->values + t->at[r];
#pragma GCC unroll 2
        for (int v = 0; v < width; v++) sum[r][v] = vector_of(0);
    }
    for (const run *q = c->run; q < c->run + c->runs; q++) {
        size_t first = q->first < s->begin ? s->begin : q->first;
        size_t end = q->end < s->end ? q->end : s->end;
        if (first >= end || !run_sees(q, t->i, t->j)) continue;
        size_t inside = (t->i - q->top) * c->line + (t->j - q->left) * C;
        const real *d = panel + (first - s->begin) * step;
        for (const uint32_t *from = c->from + first; from < c->from + end; from++, d += step) {
            size_t window = *from + inside;
#pragma GCC unroll 8
            for (int r = 0; r < most; r++) {
                vector x = vector_of(at[r][window]);
#pragma GCC unroll 2
                for (int v = 0; v < width; v++)
                    sum[r][v] = vector_fma(x, vector_load(d + v * VECTOR), sum[r][v]);
            }
        }
    }
    size_t room = s->filters - f;
#pragma GCC unroll 8
    for (size_t r = 0; r < (size_t)most; r++) {
        real *dw = s->dw + (t->k + r) * s->filters + f, part[PANEL] = {0};
        if (r >= t->count) break;
        if (room < step) memcpy(part, dw, room * sizeof *dw);
        real *to = room < step ? part : dw;
#pragma GCC unroll 2
        for (int v = 0; v < width; v++)
            vector_store(to + v * VECTOR, vector_load(to + v * VECTOR) + sum[r][v]);
        if (room < step) memcpy(dw, part, room * sizeof *dw);
    }
}

#define SLOPE_TILE(name, most, width)                                                              \
    static __attribute__((noinline)) void name(const slopes *s, const slope_rows *t, size_t f)     \
    {                                                                                              \
        slope_tile(s, t, f, most, width);                                                          \
    }
SLOPE_TILE(slope_pair, ROWS, 2)
SLOPE_TILE(slope_pair_less, ROWS - 1, 2)
SLOPE_TILE(slope_single, ROWS, 1)

/* Tiles of nearly the same number of rows: the channels of one place of the window or, where no
 * window reaches beyond its image, all of its values. */
static void add_rows(const slopes *s, size_t i, size_t j, size_t rows, size_t f)
{
    const windows *g = s->c->g;
    size_t tiles = (rows + ROWS - 1) / ROWS, least = rows / tiles, more = rows % tiles;
    size_t all = g->columns * g->channels, first = 0;
    size_t left = (s->filters - f + PANEL - 1) / PANEL * all * g->lines - i * all - j * g->channels;
    for (size_t n = 0; n < tiles; n++) {
        slope_rows t = {.i = i, .j = j, .k = i * all + j * g->channels + first};
        t.count = least + (n < more);
        for (size_t r = 0; r < ROWS; r++) {
            size_t at = first + (r < t.count ? r : t.count - 1);
            t.at[r] = s->c->padded ? at / all * s->c->line + at % all : at;
        }
        look_ahead(s->c, left / ROWS - n);
        if (s->filters - f <= VECTOR) slope_single(s, &t, f);
        else if (t.count == ROWS) slope_pair(s, &t, f);
        else slope_pair_less(s, &t, f);
        first += t.count;
    }
}

void add_slopes(const slopes *s)
{
    const windows *g = s->c->g;
    for (size_t f = 0; f < s->filters; f += PANEL) {
        if (s->c->padded) {
            add_rows(s, 0, 0, g->lines * g->columns * g->channels, f);
            continue;
        }
        for (size_t i = 0; i < g->lines; i++) {
            for (size_t j = 0; j < g->columns; j++) add_rows(s, i, j, g->channels, f);
        }
    }
}
