/* The images that a model is surest of. */
#include "reproduce/certain.h"

#include "base/memory.h"
#include "base/status.h"
#include "data/data.h"

#include <scdc/update.h>
#include <string.h>

enum { GAP = 2, GAP_GREY = 255 }; /* pixels between images, and their colour */

typedef struct certain {
    const scdc_data *images;
    size_t count;    /* images of a row */
    size_t clusters; /* C */
    int64_t *number; /* [C] as users see them */
    size_t *held;    /* [C] images of a cluster */
    size_t *order;   /* [C] the largest first */
    uint32_t *best;  /* [C][count] */
    int64_t *label;  /* [N] */
    double *sure;    /* [N] */
    arena memory;
} certain;

static int make(certain *c, const scdc_model *model)
{
    size_t n = c->images->rows, C = c->clusters;
    arena *m = &c->memory;
    c->number = arena_new(m, C, sizeof *c->number, "clusters");
    c->held = arena_new(m, C, sizeof *c->held, "clusters");
    c->order = arena_new(m, C, sizeof *c->order, "clusters");
    c->best = arena_new(m, C * c->count, sizeof *c->best, "clusters");
    c->label = arena_new(m, n, sizeof *c->label, "labels");
    c->sure = arena_new(m, n, sizeof *c->sure, "labels");
    SCDC_TRY(arena_status(m));
    SCDC_TRY(scdc_model_clusters(c->number, C, NULL, model));
    return scdc_predict(c->label, c->sure, NULL, NULL, model, c->images, NULL);
}

/* An image among the best of its cluster, by insertion. */
static void keep(certain *c, size_t cluster, uint32_t image)
{
    uint32_t *best = c->best + cluster * c->count;
    size_t at = c->held[cluster] < c->count ? c->held[cluster] : c->count;
    for (; at > 0 && c->sure[image] > c->sure[best[at - 1]]; at--) {
        if (at < c->count) best[at] = best[at - 1];
    }
    if (at < c->count) best[at] = image;
    c->held[cluster]++;
}

static void choose(certain *c)
{
    for (size_t i = 0; i < c->images->rows; i++) {
        size_t cluster = 0;
        while (cluster + 1 < c->clusters && c->number[cluster] != c->label[i]) cluster++;
        keep(c, cluster, (uint32_t)i);
    }
    for (size_t k = 0; k < c->clusters; k++) {
        size_t at = k;
        for (; at > 0 && c->held[c->order[at - 1]] < c->held[k]; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = k;
    }
}

static void draw(uint8_t *pixels, size_t width, const scdc_data *d, uint32_t image, size_t top,
                 size_t left)
{
    for (size_t k = 0; k < d->channels; k++) {
        for (size_t y = 0; y < d->height; y++) {
            for (size_t x = 0; x < d->width; x++) {
                double v = data_value(d, image, (k * d->height + y) * d->width + x);
                pixels[((top + y) * width + left + x) * d->channels + k] = (uint8_t)v;
            }
        }
    }
}

static int write(const char *path, const certain *c, size_t rows)
{
    const scdc_data *d = c->images;
    size_t width = c->count * (d->width + GAP) + GAP, height = rows * (d->height + GAP) + GAP;
    uint8_t *pixels;
    SCDC_TRY(mem_zeroed(&pixels, width * height, d->channels, "a picture"));
    memset(pixels, GAP_GREY, width * height * d->channels);
    for (size_t row = 0; row < rows; row++) {
        size_t cluster = c->order[row];
        for (size_t i = 0; i < c->count && i < c->held[cluster]; i++) {
            draw(pixels, width, d, c->best[cluster * c->count + i], GAP + row * (d->height + GAP),
                 GAP + i * (d->width + GAP));
        }
    }
    int status = scdc_write_png(path, pixels, d->channels, height, width);
    mem_free(pixels);
    return status;
}

int certain_write(const char *path, const scdc_model *model, const scdc_data *images, size_t count,
                  size_t most)
{
    scdc_model_info info;
    SCDC_TRY(scdc_model_get_info(&info, model));
    if (images->dtype != SCDC_U8) return fail_with(SCDC_ERR_INPUT, "the images are not of bytes");
    certain c = {.images = images, .count = count, .clusters = info.clusters};
    int status = make(&c, model);
    if (status == SCDC_OK) {
        choose(&c);
        status = write(path, &c, c.clusters < most ? c.clusters : most);
    }
    arena_free(&c.memory);
    return status;
}
