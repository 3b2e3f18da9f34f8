/* Links between components against those between halves of one, and the widest gap in them. */
#include "model/clusters/islands.h"
#include "base/status.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

typedef struct sea {
    const linked_items *items;
    const uint32_t *component;
    size_t k;
    double *ratio;    /* [k][k] links against those of halves */
    double *size;     /* [k] */
    double *height;   /* [k] at which the n-th join happened */
    uint32_t *joined; /* [k] */
    arena memory;
} sea;

/* Items of component c on either side of the median along its widest column; links across. */
static double links_of_halves(const sea *s, size_t c, double size)
{
    size_t d = s->items->d, column = 0;
    double widest = -1, centre = 0;
    for (size_t j = 0; j < d; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < s->items->n; i++) {
            double v = s->component[i] == c ? (double)s->items->x[i * d + j] : 0;
            sum += v;
            squares += v * v;
        }
        double variance = squares / size - (sum / size) * (sum / size);
        if (variance <= widest) continue;
        widest = variance;
        column = j;
        centre = sum / size;
    }
    double low = 0, across = 0;
    for (size_t i = 0; i < s->items->n; i++) {
        if (s->component[i] != c) continue;
        bool side = (double)s->items->x[i * d + column] > centre;
        low += !side;
        for (size_t e = 0; e < s->items->near_count; e++) {
            size_t j = s->items->near[i * s->items->near_count + e];
            across +=
                s->component[j] == c && ((double)s->items->x[j * d + column] > centre) != side;
        }
    }
    return low > 0 && low < size ? across * size / (low * (size - low)) : 0;
}

/* ratio[k][l]: links between k and l against those between the halves of one of them. */
static void relate_components(sea *s)
{
    size_t k = s->k;
    double *ratio = s->ratio, *size = s->size;
    memset(ratio, 0, k * k * sizeof *ratio);
    memset(size, 0, k * sizeof *size);
    for (size_t i = 0; i < s->items->n; i++) {
        size_t c = s->component[i];
        size[c]++;
        for (size_t e = 0; e < s->items->near_count; e++) {
            size_t other = s->component[s->items->near[i * s->items->near_count + e]];
            ratio[c * k + other]++;
            if (other != c) ratio[other * k + c]++;
        }
    }
    for (size_t c = 0; c < k; c++) {
        ratio[c * k + c] = size[c] >= 6 ? links_of_halves(s, c, size[c]) : 0;
    }
    for (size_t c = 0; c < k; c++) {
        for (size_t e = 0; e < k; e++) {
            double own = fmin(ratio[c * k + c] > 0 ? ratio[c * k + c] : INFINITY,
                              ratio[e * k + e] > 0 ? ratio[e * k + e] : INFINITY);
            if (c == e) continue;
            double across = ratio[c * k + e] * (size[c] + size[e]);
            ratio[c * k + e] = across > 0 ? across / (size[c] * size[e]) / own : 0;
        }
    }
}

/* Joins the two parts with the closest components until `parts` are left; heights of the joins. */
static void join_closest(sea *s, size_t parts)
{
    size_t k = s->k;
    for (size_t c = 0; c < k; c++) s->joined[c] = (uint32_t)c;
    for (size_t join = 0; join + parts < k; join++) {
        double best = -1;
        uint32_t first = 0, second = 0;
        for (size_t c = 0; c < k; c++) {
            for (size_t e = 0; e < k; e++) {
                if (s->joined[c] >= s->joined[e] || !(s->ratio[c * k + e] > best)) continue;
                best = s->ratio[c * k + e];
                first = s->joined[c];
                second = s->joined[e];
            }
        }
        s->height[join] = best;
        for (size_t c = 0; c < k; c++) {
            if (s->joined[c] == second) s->joined[c] = first;
        }
    }
}

/* How many parts are left where the heights fall most; 0 when they fall nowhere far enough. */
static size_t parts_at_gap(const sea *s)
{
    double widest = ISLAND_GAP;
    size_t parts = 0;
    for (size_t join = 0; join + 2 < s->k && s->height[join] >= ISLAND_CLOSE; join++) {
        double below = s->height[join + 1] > 0 ? s->height[join + 1] : 1e-9;
        if (s->height[join] / below < widest) continue;
        widest = s->height[join] / below;
        parts = s->k - join - 1;
    }
    return parts;
}

static bool is_heap(const sea *s)
{
    for (size_t q = 0; q < s->k; q++) {
        double held = 0;
        for (size_t c = 0; c < s->k; c++) held += s->joined[c] == q ? s->size[c] : 0;
        if (held > ISLAND_HEAP * (double)s->items->n) return true;
    }
    return false;
}

int islands_find(uint32_t *part, size_t *parts, const linked_items *items,
                 const uint32_t *component, size_t k)
{
    sea s = {.items = items, .component = component, .k = k};
    s.ratio = arena_new(&s.memory, k, k * sizeof *s.ratio, "links");
    s.size = arena_new(&s.memory, k, sizeof *s.size, "clusters");
    s.height = arena_new(&s.memory, k, sizeof *s.height, "links");
    s.joined = arena_new(&s.memory, k, sizeof *s.joined, "clusters");
    int status = arena_status(&s.memory);
    *parts = 0;
    if (status == SCDC_OK) {
        relate_components(&s);
        join_closest(&s, 1);
        size_t found = parts_at_gap(&s);
        if (found) join_closest(&s, found);
        if (found && !is_heap(&s)) {
            for (size_t c = 0; c < k; c++) {
                part[c] = s.joined[c] == c ? (uint32_t)(*parts)++ : part[s.joined[c]];
            }
        }
    }
    arena_free(&s.memory);
    return status;
}
