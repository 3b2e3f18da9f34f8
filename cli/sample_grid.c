/* Pixels of a grid of items. */
#include "sample_grid.h"

#include "commands.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2, GAP_GREY = 64 }; /* pixels between the items of a picture, and their colour */

bool sample_grid_possible(const scdc_model_info *i)
{
    return (i->height > 1 || i->width > 1) && (i->channels == 1 || i->channels == 3);
}

static size_t columns_of(const sample_grid *g)
{
    return g->components ? g->info.components : g->info.clusters;
}

/* Each column's proportion over the largest one. */
static int find_shares(double *share, const sample_grid *g)
{
    size_t components = g->info.components, columns = columns_of(g);
    double *proportions = must_resize(NULL, components, sizeof *proportions), largest = 0;
    int64_t *cluster = must_resize(NULL, components, sizeof *cluster);
    for (size_t c = 0; c < columns; c++) share[c] = 0;
    int status = scdc_model_components(proportions, cluster, g->model);
    for (size_t k = 0; k < components && status == SCDC_OK; k++) {
        if (g->components) {
            share[k] = proportions[k];
        } else if (cluster[k] >= 0) {
            share[cluster[k]] += proportions[k];
        }
    }
    for (size_t c = 0; c < columns; c++) {
        if (share[c] > largest) largest = share[c];
    }
    for (size_t c = 0; c < columns && largest > 0; c++) share[c] /= largest;
    free(proportions);
    free(cluster);
    return status;
}

/* Black and white of the picture: 0 and 1 for Bernoulli data, else what the values span. */
static void value_range(float *low, float *high, const sample_grid *g)
{
    size_t total = columns_of(g) * g->count * g->info.cols;
    *low = 0;
    *high = 1;
    if (g->info.likelihood == SCDC_LIKELIHOOD_BERNOULLI) return;
    *low = *high = g->values[0];
    for (size_t i = 0; i < total; i++) {
        if (g->values[i] < *low) *low = g->values[i];
        if (g->values[i] > *high) *high = g->values[i];
    }
    if (!(*high > *low)) *high = *low + 1;
}

static void draw(uint8_t *pixels, size_t width, const sample_grid *g, const double *share)
{
    const scdc_model_info *i = &g->info;
    size_t channels = i->channels, plane = i->height * i->width;
    float low, high;
    value_range(&low, &high, g);
    for (size_t item = 0; item < columns_of(g) * g->count; item++) {
        size_t column = item / g->count, left = GAP + column * (i->width + GAP),
               top = GAP + item % g->count * (i->height + GAP);
        for (size_t p = 0; p < plane * channels; p++) {
            size_t c = p / plane, y = p % plane / i->width, x = p % i->width;
            double v = ((double)g->values[item * i->cols + p] - low) / (high - low);
            v *= share[column];
            v = v < 0 ? 0 : v > 1 ? 1 : v;
            pixels[((top + y) * width + left + x) * channels + c] = (uint8_t)(255 * v + 0.5);
        }
    }
}

int sample_grid_write(const sample_grid *g, const char *path)
{
    const scdc_model_info *i = &g->info;
    size_t width = columns_of(g) * (i->width + GAP) + GAP,
           height = g->count * (i->height + GAP) + GAP;
    if (width > SIZE_MAX / i->channels / height)
        return refuse(EXIT_USAGE, "%s: %zu items of each are too many for a picture", path,
                      g->count);
    uint8_t *pixels = must_resize(NULL, width * i->channels, height);
    double *share = must_resize(NULL, columns_of(g), sizeof *share);
    memset(pixels, GAP_GREY, width * i->channels * height);
    int status = find_shares(share, g);
    if (status == SCDC_OK) {
        draw(pixels, width, g, share);
        status = scdc_write_png(path, pixels, i->channels, height, width);
    }
    free(share);
    free(pixels);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}
