/* Pixels from values: scaled to bytes, averaged down to the size there is room for. */
#include "report/pictures.h"

#include "base/status.h"
#include "report/markup.h"
#include "report/png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUDGET = 2400000, /* bytes of all pixels: base64 adds a third, PNG takes most of it away */
    LARGEST = 64,     /* pixels of a side */
    GAP = 2,          /* pixels between items */
    SHOWN = 40        /* height on the screen, in CSS pixels */
};

/* What the values of the items read span; bytes are bytes, whatever they happen to use. */
static void find_range(pictures *p, const report_view *v)
{
    if (v->apart) { /* bytes of files */
        p->low = 0;
        p->high = 255;
        return;
    }
    size_t total = v->picks.count * v->info.cols;
    float low = INFINITY, high = -INFINITY;
    bool whole = true;
    for (size_t i = 0; i < total; i++) {
        float x = v->picks.values[i];
        if (x < low) low = x;
        if (x > high) high = x;
        whole = whole && x == rintf(x);
    }
    p->low = total ? (double)low : 0;
    p->high = total ? (double)high : 1;
    if (whole && low >= 0 && high > 1 && high <= 255) {
        p->low = 0;
        p->high = 255;
    } else if (low >= 0 && high <= 1) {
        p->low = 0;
        p->high = 1;
    }
    if (!(p->high > p->low)) p->high = p->low + 1;
}

pictures pictures_of(const report_view *v)
{
    pictures p = {.channels = v->channels, .height = v->height, .width = v->width};
    size_t count = v->cards * 3 * VIEW_STRIP + 2 * VIEW_DISPUTES + VIEW_UNSURE;
    double longer = (double)(v->height > v->width ? v->height : v->width);
    double side = fmin(LARGEST, sqrt((double)BUDGET / (double)(count * v->channels)));
    double scale = fmin(1, floor(side) / longer);
    p.rows = (size_t)fmax(1, round(scale * (double)v->height));
    p.cols = (size_t)fmax(1, round(scale * (double)v->width));
    find_range(&p, v);
    return p;
}

/* Mean of the values that fall into the pixel. */
static double average(const pictures *p, const float *plane, size_t row, size_t col)
{
    size_t top = row * p->height / p->rows, bottom = (row + 1) * p->height / p->rows;
    size_t left = col * p->width / p->cols, right = (col + 1) * p->width / p->cols;
    double sum = 0;
    for (size_t y = top; y < bottom; y++) {
        for (size_t x = left; x < right; x++) sum += (double)plane[y * p->width + x];
    }
    return sum / (double)((bottom - top) * (right - left));
}

static void draw(uint8_t *sheet, size_t sheet_width, const pictures *p, const float *values,
                 size_t left, double low, double high)
{
    for (size_t c = 0; c < p->channels; c++) {
        const float *plane = values + c * p->height * p->width;
        for (size_t row = 0; row < p->rows; row++) {
            for (size_t col = 0; col < p->cols; col++) {
                double grey = 255 * (average(p, plane, row, col) - low) / (high - low);
                uint8_t byte = (uint8_t)(fmin(255, fmax(0, grey)) + 0.5);
                sheet[(row * sheet_width + left + col) * p->channels + c] = byte;
            }
        }
    }
}

static int put_png(FILE *out, const uint8_t *sheet, const pictures *p, size_t width)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream) return fail_memory(width * p->rows, "a picture");
    int status = png_encode(stream, sheet, p->channels, p->rows, width);
    if (fclose(stream) != 0 && status == SCDC_OK) status = fail_memory(size, "a picture");
    if (status == SCDC_OK) markup_data_uri(out, "image/png", bytes, size);
    free(bytes);
    return status;
}

int pictures_strip(FILE *out, const pictures *p, const float *const *values, size_t count,
                   double bright, const char *alt)
{
    if (count == 0) return SCDC_OK;
    size_t width = count * (p->cols + GAP) - GAP;
    uint8_t *sheet;
    SCDC_TRY(mem_zeroed(&sheet, width * p->rows, p->channels, "a picture"));
    memset(sheet, 128, width * p->rows * p->channels);
    for (size_t i = 0; i < count; i++)
        draw(sheet, width, p, values[i], i * (p->cols + GAP), bright > 0 ? 0 : p->low,
             bright > 0 ? bright : p->high);
    double zoom = (double)SHOWN / (double)p->rows;
    fprintf(out, "<img width=\"%.0f\" height=\"%d\" alt=\"", zoom * (double)width, SHOWN);
    markup_text(out, alt);
    fputs("\" src=\"", out);
    int status = put_png(out, sheet, p, width);
    fputs("\">\n", out);
    mem_free(sheet);
    return status;
}
