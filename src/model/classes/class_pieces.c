/* Cutting clusters along a guess. */
#include "model/classes/class_pieces.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <stdlib.h>

typedef struct piece {
    int64_t cluster;
    size_t guessed, items;
} piece;

static int by_items(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->items != y->items) return x->items < y->items ? 1 : -1;
    if (x->cluster != y->cluster) return x->cluster < y->cluster ? -1 : 1;
    return (x->guessed > y->guessed) - (x->guessed < y->guessed);
}

/* Items [n] of each piece, largest first. Returns how many have items. */
static size_t count_pieces(piece *list, const int64_t *cluster, const size_t *guessed,
                           const crowd_graph *g)
{
    size_t count = 0;
    for (size_t n = 0; n < g->nodes; n++) {
        size_t i = 0;
        while (i < count &&
               (list[i].cluster != cluster[g->item[n]] || list[i].guessed != guessed[n]))
            i++;
        if (i == count) list[count++] = (piece){cluster[g->item[n]], guessed[n], 0};
        list[i].items++;
    }
    qsort(list, count, sizeof *list, by_items);
    return count;
}

/* An item's row: most to its own piece; one of a small piece may be of any of its cluster or of its
 * guess. */
static void share_out(double *row, const piece *list, size_t count, int64_t cluster, size_t guessed)
{
    double sum = 0;
    for (size_t p = 0; p < count; p++) {
        bool near = list[p].cluster == cluster, alike = list[p].guessed == guessed;
        row[p] = near && alike ? 1 : near || alike ? 0.02 : 1e-4;
        sum += row[p];
    }
    for (size_t p = 0; p < count; p++) row[p] /= sum;
}

int class_pieces(size_t *pieces, double *r, size_t k, size_t most, const int64_t *cluster,
                 const crowd_graph *g)
{
    size_t n = g->nodes;
    arena memory = {0};
    piece *list = arena_new(&memory, n, sizeof *list, "classes");
    size_t *guessed = arena_new(&memory, n, sizeof *guessed, "classes");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        for (size_t i = 0; i < n; i++) guessed[i] = argmax(r + i * k, k);
        size_t count = count_pieces(list, cluster, guessed, g);
        *pieces = count < most ? count : most;
        for (size_t i = 0; i < n; i++)
            share_out(r + i * *pieces, list, *pieces, cluster[g->item[i]], guessed[i]);
    }
    arena_free(&memory);
    return status;
}
