/* Sums stay in registers while the terms go by: as many columns at once as there are, up to MOST.
 */
#include "kernels/gather.h"

enum { MOST = 16 };

/* Inlined with `columns` known. */
__attribute__((always_inline)) static inline void
add_columns(double *restrict out, const double *restrict rows, size_t width,
            const double *restrict weight, const gather_term *restrict term, size_t count,
            size_t columns)
{
    double sum[MOST];
    for (size_t c = 0; c < columns; c++) sum[c] = out[c];
    for (size_t i = 0; i < count; i++) {
        const double *row = rows + term[i].row * width;
        double w = weight[term[i].weight];
        for (size_t c = 0; c < columns; c++) sum[c] += w * row[c];
    }
    for (size_t c = 0; c < columns; c++) out[c] = sum[c];
}

#define COLUMNS(n)                                                                                 \
    case n: add_columns(out, rows, width, weight, term, count, n); return

void gather_rows(double *out, const double *rows, size_t width, const double *weight,
                 const gather_term *term, size_t count)
{
    size_t left = width;
    for (; left > MOST; left -= MOST, out += MOST, rows += MOST)
        add_columns(out, rows, width, weight, term, count, MOST);
    switch (left) {
        COLUMNS(1);
        COLUMNS(2);
        COLUMNS(3);
        COLUMNS(4);
        COLUMNS(5);
        COLUMNS(6);
        COLUMNS(7);
        COLUMNS(8);
        COLUMNS(9);
        COLUMNS(10);
        COLUMNS(11);
        COLUMNS(12);
        COLUMNS(13);
        COLUMNS(14);
        COLUMNS(15);
        COLUMNS(16);
    default: return;
    }
}
