/* The stop rule: a generalised likelihood ratio between the clusters at hand and the nearest
 * clusterings that matter. */
#include "asking/outlook.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What joining two groups, or moving a part of one to another or to a group of its own, costs in
 * log posterior; the cheapest of those that change more than `margin` of the items. */
int stop_ratio(double *out, const blocks *b, const uint16_t *group, double margin)
{
    size_t B = b->count, G = 0;
    double *to, *size, best = DBL_MAX;
    for (size_t i = 0; i < B; i++) G = group[i] >= G ? group[i] + (size_t)1 : G;
    arena scratch = {0};
    to = arena_new(&scratch, G * B, sizeof *to, "evidence");
    size = arena_new(&scratch, G, sizeof *size, "groups");
    double *between = arena_new(&scratch, G * G, sizeof *between, "evidence");
    int status = arena_status(&scratch);
    if (status != SCDC_OK) goto done;
    for (size_t i = 0; i < B; i++) {
        size[group[i]] += b->mass[i];
        for (size_t j = 0; j < B; j++) {
            double odds = i == j ? 0 : b->strength * b->bond[i * B + j] + b->evidence[i * B + j];
            to[i * G + group[j]] += odds;
            between[group[i] * G + group[j]] += odds;
        }
    }
    for (size_t g = 0; g < G; g++) { /* two groups are one */
        for (size_t h = g + 1; h < G; h++) {
            if (fmin(size[g], size[h]) >= margin) best = fmin(best, -between[g * G + h]);
        }
    }
    for (size_t i = 0; i < B; i++) { /* a block is elsewhere, or a kind of its own */
        if (b->mass[i] < margin) continue;
        double here = to[i * G + group[i]];
        if (size[group[i]] > b->mass[i]) best = fmin(best, here);
        for (size_t g = 0; g < G; g++) {
            if (g != group[i]) best = fmin(best, here - to[i * G + g]);
        }
    }
    *out = best;
done:
    arena_free(&scratch);
    return status;
}

/* Of a test that is right with the chance 1 - delta whenever it stops: ln of how many alternatives
 * there are and how often one looked, over delta. */
double stop_threshold(size_t alternatives, size_t answers, double delta)
{
    return log((double)(alternatives ? alternatives : 1) * (1 + log(1 + (double)answers)) / delta);
}
