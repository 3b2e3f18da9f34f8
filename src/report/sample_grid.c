/* A picture of made-up items: one column for each cluster or component, the brighter the larger its
 * proportion. */
#include "report/cluster_numbers.h"
#include "base/memory.h"
#include "base/status.h"

#include <scdc/scdc.h>
#include <string.h>

enum { GAP = 2, GAP_GREY = 64 }; /* pixels between the items of a picture, and their colour */

typedef struct sample_grid {
    const scdc_model *model;
    scdc_model_info info;
    int by_component;      /* a column is a component, not a cluster */
    size_t columns, count; /* items of a column */
    float *values;         /* columns x count x D, as scdc_sample gives them */
    double *share;         /* each column's proportion over the largest one */
} sample_grid;

static int find_shares(sample_grid *g)
{
    double *proportions = NULL, largest = 0;
    int64_t *cluster = NULL, *number = NULL;
    size_t components = g->info.components;
    int status = mem_zeroed(&proportions, components, sizeof *proportions, "proportions");
    SCDC_TRY_OR(done, status, status);
    SCDC_TRY_OR(done, status, mem_zeroed(&cluster, components, sizeof *cluster, "clusters"));
    SCDC_TRY_OR(done, status, mem_zeroed(&number, g->info.clusters, sizeof *number, "clusters"));
    SCDC_TRY_OR(done, status, scdc_model_components(proportions, cluster, components, g->model));
    SCDC_TRY_OR(done, status, scdc_model_clusters(number, g->info.clusters, NULL, g->model));
    for (size_t k = 0; k < components; k++) {
        if (g->by_component) {
            g->share[k] = proportions[k];
        } else if (cluster[k] >= 0) {
            g->share[cluster_position(number, g->info.clusters, cluster[k])] += proportions[k];
        }
    }
    for (size_t c = 0; c < g->columns; c++) {
        if (g->share[c] > largest) largest = g->share[c];
    }
    for (size_t c = 0; c < g->columns && largest > 0; c++) g->share[c] /= largest;
done:
    mem_free(cluster);
    mem_free(number);
    mem_free(proportions);
    return status;
}

/* Black and white of the picture: 0 and 1 for Bernoulli data, else what the values span. */
static void value_range(float *low, float *high, const sample_grid *g)
{
    size_t total = g->columns * g->count * g->info.cols;
    *low = 0;
    *high = 1;
    if (g->info.likelihood == SCDC_LIKELIHOOD_BERNOULLI || total == 0) return;
    *low = *high = g->values[0];
    for (size_t i = 0; i < total; i++) {
        if (g->values[i] < *low) *low = g->values[i];
        if (g->values[i] > *high) *high = g->values[i];
    }
    if (!(*high > *low)) *high = *low + 1;
}

static void draw(uint8_t *pixels, size_t width, const sample_grid *g)
{
    const scdc_model_info *i = &g->info;
    size_t channels = i->channels, plane = i->height * i->width;
    float low, high;
    value_range(&low, &high, g);
    for (size_t item = 0; item < g->columns * g->count; item++) {
        size_t column = item / g->count, left = GAP + column * (i->width + GAP),
               top = GAP + item % g->count * (i->height + GAP);
        for (size_t p = 0; p < plane * channels; p++) {
            size_t c = p / plane, y = p % plane / i->width, x = p % i->width;
            double v = ((double)g->values[item * i->cols + p] - low) / (high - low);
            v *= g->share[column];
            v = v < 0 ? 0 : v > 1 ? 1 : v;
            pixels[((top + y) * width + left + x) * channels + c] = (uint8_t)(255 * v + 0.5);
        }
    }
}

/* Pixels along a side of so many items. */
static bool side_of(size_t *out, size_t items, size_t each)
{
    size_t side;
    return size_mul(&side, items, each + GAP) && size_add(out, side, GAP);
}

static int write_grid(const char *path, const sample_grid *g)
{
    uint8_t *pixels;
    size_t width, height, bytes;
    const scdc_model_info *i = &g->info;
    if (!side_of(&width, g->columns, i->width) || !side_of(&height, g->count, i->height) ||
        !size_mul(&bytes, width, height) || !size_mul(&bytes, bytes, i->channels)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s: %zu items of each are too many for a picture",
                         path, g->count);
    }
    SCDC_TRY(mem_zeroed(&pixels, bytes, 1, "a picture"));
    memset(pixels, GAP_GREY, bytes);
    draw(pixels, width, g);
    int status = scdc_write_png(path, pixels, i->channels, height, width);
    mem_free(pixels);
    return status;
}

static int make(sample_grid *g, uint64_t seed)
{
    size_t values;
    if (!size_mul(&values, g->columns, g->count) || !size_mul(&values, values, g->info.cols))
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of each are too many", g->count);
    SCDC_TRY(mem_zeroed(&g->values, values, sizeof *g->values, "made-up items"));
    SCDC_TRY(mem_zeroed(&g->share, g->columns, sizeof *g->share, "proportions"));
    SCDC_TRY(scdc_sample(g->values, values, g->model, g->by_component, g->count, seed));
    return find_shares(g);
}

int scdc_write_samples(const char *path, const scdc_model *model, int components, size_t count,
                       uint64_t seed)
{
    sample_grid g = {.model = model, .by_component = components, .count = count};
    if (!path || !model) return fail_with(SCDC_ERR_ARGUMENT, "path and model must not be NULL");
    if (count < 1) return fail_with(SCDC_ERR_ARGUMENT, "count must be 1 or more, not 0");
    SCDC_TRY(scdc_model_get_info(&g.info, model));
    const scdc_model_info *i = &g.info;
    if ((i->height < 2 && i->width < 2) || (i->channels != 1 && i->channels != 3)) {
        return fail_with(SCDC_ERR_ARGUMENT, "the items are no images, but vectors of %zu values",
                         i->cols);
    }
    g.columns = components ? i->components : i->clusters;
    int status = make(&g, seed);
    if (status == SCDC_OK) status = write_grid(path, &g);
    mem_free(g.values);
    mem_free(g.share);
    return status;
}
