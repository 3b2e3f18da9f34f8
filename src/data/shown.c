/* Pictures of items from a folder. */
#include "data/shown.h"

#include "base/memory.h"
#include "base/status.h"
#include "data/data.h"
#include "data/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const endings[] = {".png", ".jpg", ".jpeg", ".pgm"};
enum { ENDINGS = sizeof endings / sizeof endings[0], AROUND = 128 };

/* Letters of a name before its ending; 0: no picture. */
static size_t stem_of(const char *name)
{
    size_t length = strlen(name);
    for (size_t e = 0; e < ENDINGS; e++) {
        size_t tail = strlen(endings[e]);
        if (length > tail && strcasecmp(name + length - tail, endings[e]) == 0)
            return length - tail;
    }
    return 0;
}

static void keep_pictures(listing *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (stem_of(l->name[i])) l->name[kept++] = l->name[i];
        else free(l->name[i]);
    }
    l->count = kept;
}

/* The first file whose name begins so is the file itself or, behind others, one with an ending. */
static const char *find(const shown *s, const char *name)
{
    size_t low = 0, high = s->files.count, length = strlen(name);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(s->files.name[middle], name) < 0) low = middle + 1;
        else high = middle;
    }
    for (; low < s->files.count && strncmp(s->files.name[low], name, length) == 0; low++) {
        const char *file = s->files.name[low];
        if (!file[length] || stem_of(file) == length) return file;
    }
    return NULL;
}

static const char *file_of(const shown *s, size_t item)
{
    const char *name = scdc_data_name(s->items, item);
    return name ? find(s, name) : s->files.name[item];
}

static int check(const shown *s)
{
    size_t rows = s->items->rows;
    if (!scdc_data_name(s->items, 0)) {
        if (s->files.count == rows) return SCDC_OK;
        return fail_with(SCDC_ERR_INPUT,
                         "%s: holds %zu pictures (PNG, JPEG, PGM) for %zu items, which have no "
                         "names by which their files could be found",
                         s->folder, s->files.count, rows);
    }
    for (size_t i = 0; i < rows; i++) {
        if (file_of(s, i)) continue;
        return fail_with(SCDC_ERR_INPUT, "%s: no picture (PNG, JPEG, PGM) of item %.80s", s->folder,
                         scdc_data_name(s->items, i));
    }
    return SCDC_OK;
}

int shown_open(shown *out, const char *folder, const scdc_data *items)
{
    shown s = {.folder = folder, .items = items};
    int status = listing_read(&s.files, folder);
    if (status == SCDC_OK) {
        keep_pictures(&s.files);
        status = check(&s);
    }
    if (status != SCDC_OK) {
        shown_close(&s);
        return status;
    }
    *out = s;
    return SCDC_OK;
}

void shown_close(shown *s)
{
    listing_free(&s->files);
}

/* ---- scaling ---- */

/* Pixels [begin, end) of `count` that become pixel `at` of `of`; at least one. */
static void span(size_t *begin, size_t *end, size_t at, size_t of, size_t count)
{
    *begin = at * count / of;
    *end = (at + 1) * count / of;
    if (*end <= *begin) *end = *begin + 1;
}

static float mean_of(const uint8_t *plane, size_t width, const size_t y[2], const size_t x[2])
{
    double sum = 0;
    for (size_t i = y[0]; i < y[1]; i++) {
        for (size_t j = x[0]; j < x[1]; j++) sum += plane[i * width + j];
    }
    return (float)(sum / (double)((y[1] - y[0]) * (x[1] - x[0])));
}

static void fit_square(float *out, size_t side, const uint8_t *pixels, const image_info *info)
{
    size_t longer = info->height > info->width ? info->height : info->width;
    size_t rows = info->height * side / longer, cols = info->width * side / longer;
    rows = rows ? rows : 1, cols = cols ? cols : 1;
    for (size_t i = 0; i < 3 * side * side; i++) out[i] = AROUND;
    for (size_t c = 0; c < 3; c++) {
        const uint8_t *plane = pixels + (info->channels == 3 ? c : 0) * info->height * info->width;
        for (size_t row = 0; row < rows; row++) {
            size_t y[2], x[2], top = (side - rows) / 2, left = (side - cols) / 2;
            span(&y[0], &y[1], row, rows, info->height);
            for (size_t col = 0; col < cols; col++) {
                span(&x[0], &x[1], col, cols, info->width);
                out[(c * side + top + row) * side + left + col] = mean_of(plane, info->width, y, x);
            }
        }
    }
}

int shown_picture(float *out, const shown *s, size_t item, size_t side)
{
    char *path;
    file_bytes file;
    image_info info;
    uint8_t *pixels = NULL;
    size_t values;
    if (asprintf(&path, "%s/%s", s->folder, file_of(s, item)) < 0)
        return fail_memory(strlen(s->folder), "a path");
    int status = file_open(&file, path);
    free(path);
    SCDC_TRY(status);
    SCDC_TRY_OR(done, status, image_read_info(&info, &file));
    if (!size_mul(&values, info.height, info.width)) values = SIZE_MAX;
    SCDC_TRY_OR(done, status, mem_zeroed(&pixels, values, info.channels, "a picture"));
    SCDC_TRY_OR(done, status, image_decode(pixels, &info, &file));
    fit_square(out, side, pixels, &info);
done:
    mem_free(pixels);
    file_close(&file);
    return status;
}
