/* Neighbourhoods of items connected by "same" majorities, directly or through others, and the
 * centres made of them. */
#include "baselines/mpckmeans_start.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

typedef struct starter {
    const float *x;
    size_t n, dims, k;
    uint32_t *parent; /* n: union-find */
    uint32_t *group;  /* n: neighbourhood of a root */
    double *centre;   /* groups x D */
    double *size;     /* groups */
    double *nearest;  /* max(n, groups): squared distance to the chosen centres */
    size_t groups;
    arena memory;
} starter;

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static int find_groups(starter *s, const pairs *links)
{
    arena *a = &s->memory;
    s->parent = arena_new(a, s->n, sizeof *s->parent, "neighbourhoods");
    s->group = arena_new(a, s->n, sizeof *s->group, "neighbourhoods");
    s->nearest = arena_new(a, s->n, sizeof *s->nearest, "distances");
    SCDC_TRY(arena_status(a));
    for (size_t i = 0; i < s->n; i++) s->parent[i] = (uint32_t)i;
    for (size_t t = 0; t < links->count; t++) {
        if (pair_majority(&links->list[t]) <= 0) continue;
        uint32_t p = find_root(s->parent, links->list[t].left);
        uint32_t q = find_root(s->parent, links->list[t].right);
        /* the smaller root stays, so that neighbourhoods are numbered by their first item */
        if (p < q) s->parent[q] = p;
        if (q < p) s->parent[p] = q;
    }
    for (size_t i = 0; i < s->n; i++) {
        uint32_t root = find_root(s->parent, (uint32_t)i);
        if (root != i && s->group[root] == 0) s->group[root] = (uint32_t)++s->groups;
    }
    s->centre = arena_new(a, s->groups * s->dims, sizeof *s->centre, "centres");
    s->size = arena_new(a, s->groups, sizeof *s->size, "sizes");
    SCDC_TRY(arena_status(a));
    for (size_t i = 0; i < s->n; i++) {
        uint32_t group = s->group[find_root(s->parent, (uint32_t)i)];
        if (group == 0) continue;
        s->size[group - 1]++;
        for (size_t d = 0; d < s->dims; d++) {
            s->centre[(group - 1) * s->dims + d] += s->x[i * s->dims + d];
        }
    }
    for (size_t j = 0; j < s->groups * s->dims; j++) s->centre[j] /= s->size[j / s->dims];
    return SCDC_OK;
}

static double squared(const double *a, const double *b, size_t dims)
{
    double sum = 0;
    for (size_t d = 0; d < dims; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

/* k of the neighbourhoods' centres: first the largest, then by size times distance. */
static void farthest_first(double *centres, starter *s)
{
    for (size_t g = 0; g < s->groups; g++) s->nearest[g] = 1;
    for (size_t c = 0; c < s->k; c++) {
        size_t best = 0;
        for (size_t g = 1; g < s->groups; g++) {
            if (s->size[g] * s->nearest[g] > s->size[best] * s->nearest[best]) best = g;
        }
        double *centre = centres + c * s->dims;
        memcpy(centre, s->centre + best * s->dims, s->dims * sizeof *centre);
        for (size_t g = 0; g < s->groups; g++) {
            double distance = sqrt(squared(s->centre + g * s->dims, centre, s->dims));
            if (c == 0 || distance < s->nearest[g]) s->nearest[g] = distance;
        }
    }
}

static void lower_nearest(starter *s, const double *centre, int first)
{
    for (size_t i = 0; i < s->n; i++) {
        double distance = 0;
        for (size_t d = 0; d < s->dims; d++) {
            double v = s->x[i * s->dims + d] - centre[d];
            distance += v * v;
        }
        if (first || distance < s->nearest[i]) s->nearest[i] = distance;
    }
}

/* An item far from the first `count` centres, more likely the farther. */
static size_t draw_distant(const starter *s, size_t count, rng *r)
{
    double total = 0;
    for (size_t i = 0; i < s->n && count; i++) total += s->nearest[i];
    return total > 0 ? rng_categorical(r, s->nearest, s->n) : rng_below(r, s->n);
}

static void fill_by_distance(double *centres, starter *s, rng *r)
{
    memcpy(centres, s->centre, s->groups * s->dims * sizeof *centres);
    for (size_t g = 0; g < s->groups; g++) lower_nearest(s, centres + g * s->dims, g == 0);
    for (size_t c = s->groups; c < s->k; c++) {
        size_t item = draw_distant(s, c, r);
        for (size_t d = 0; d < s->dims; d++) centres[c * s->dims + d] = s->x[item * s->dims + d];
        lower_nearest(s, centres + c * s->dims, c == 0);
    }
}

/* The mean of an item and those answered "same" with it. */
static void mean_of_star(double *centre, const starter *s, const pairs *links, size_t item)
{
    double count = 1;
    for (size_t d = 0; d < s->dims; d++) centre[d] = s->x[item * s->dims + d];
    for (size_t t = 0; t < links->count; t++) {
        const pair *p = &links->list[t];
        if ((p->left != item && p->right != item) || pair_majority(p) <= 0) continue;
        const float *other = s->x + (p->left == item ? p->right : p->left) * s->dims;
        for (size_t d = 0; d < s->dims; d++) centre[d] += other[d];
        count++;
    }
    for (size_t d = 0; d < s->dims; d++) centre[d] /= count;
}

static int draw_stars(double *centres, starter *s, const pairs *links, rng *r)
{
    s->nearest = arena_new(&s->memory, s->n, sizeof *s->nearest, "distances");
    SCDC_TRY(arena_status(&s->memory));
    for (size_t c = 0; c < s->k; c++) {
        mean_of_star(centres + c * s->dims, s, links, draw_distant(s, c, r));
        lower_nearest(s, centres + c * s->dims, c == 0);
    }
    return SCDC_OK;
}

static int join_neighbourhoods(double *centres, starter *s, const pairs *links, rng *r)
{
    SCDC_TRY(find_groups(s, links));
    if (s->groups >= s->k) {
        farthest_first(centres, s);
    } else {
        fill_by_distance(centres, s, r);
    }
    return SCDC_OK;
}

int mpck_start_centres(double *centres, const float *x, size_t n, size_t dims, size_t k,
                       const pairs *links, uint64_t seed, size_t start)
{
    starter s = {.x = x, .n = n, .dims = dims, .k = k};
    rng r;
    rng_init(&r, seed, RNG_BASELINE, 5, start);
    int status =
        start ? draw_stars(centres, &s, links, &r) : join_neighbourhoods(centres, &s, links, &r);
    arena_free(&s.memory);
    return status;
}
