/* PNG of any kind (libpng) to 8-bit grey or RGB. */
#include "data/image.h"

#include "base/memory.h"
#include "base/status.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that must survive the jump out of libpng lies here. */
typedef struct png_job {
    const file_bytes *file;
    size_t at;
    png_structp png;
    png_infop header;
    char message[128]; /* libpng's reason */
    int status;        /* our own, when it was not libpng that failed */
    uint8_t *pixels;
    image_info *info;
    image_info found;
    uint8_t *samples;
    png_bytep *rows;
} png_job;

static void on_error(png_structp png, png_const_charp message)
{
    png_job *job = png_get_error_ptr(png);
    snprintf(job->message, sizeof job->message, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message; /* the library never prints */
}

static void on_read(png_structp png, png_bytep to, size_t size)
{
    png_job *job = png_get_io_ptr(png);
    if (job->file->size - job->at < size) png_error(png, "the file is truncated");
    memcpy(to, job->file->bytes + job->at, size);
    job->at += size;
}

/* Deflate shrinks at most about 1030 times: a header that claims more is lying. */
static int check_claim(const png_job *job, size_t row_bytes)
{
    if (row_bytes * job->found.height / 1100 <= job->file->size) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: PNG claims %zu x %zu pixels, more than its %zu bytes can "
                     "hold",
                     job->file->path, job->found.width, job->found.height, job->file->size);
}

static int read_header(png_job *job)
{
    png_read_info(job->png, job->header);
    int colour = png_get_color_type(job->png, job->header);
    job->found = (image_info){.channels = colour & PNG_COLOR_MASK_COLOR ? 3 : 1,
                              .height = png_get_image_height(job->png, job->header),
                              .width = png_get_image_width(job->png, job->header)};
    SCDC_TRY(check_claim(job, png_get_rowbytes(job->png, job->header)));
    return image_settle(job->info, &job->found, job->pixels, job->file);
}

static int read_pixels(png_job *job)
{
    png_set_expand(job->png);   /* palettes to RGB, few bits to 8, a transparent colour to alpha */
    png_set_scale_16(job->png); /* rounds, does not cut */
    png_set_interlace_handling(job->png);
    png_read_update_info(job->png, job->header);
    size_t row_bytes = png_get_rowbytes(job->png, job->header), height = job->found.height;
    int samples = png_get_channels(job->png, job->header);
    if (row_bytes != job->found.width * (size_t)samples ||
        (samples < 3) != (job->found.channels == 1)) {
        return fail_with(SCDC_ERR_INTERNAL, "%s: PNG: unexpected sample layout", job->file->path);
    }
    SCDC_TRY(mem_zeroed(&job->samples, height, row_bytes, "a PNG image"));
    SCDC_TRY(mem_zeroed(&job->rows, height, sizeof *job->rows, "a PNG image"));
    for (size_t y = 0; y < height; y++) job->rows[y] = job->samples + y * row_bytes;
    png_read_image(job->png, job->rows);
    png_read_end(job->png, NULL);
    for (size_t y = 0; y < height; y++) {
        image_spread_row(job->pixels, &job->found, y, job->rows[y], samples);
    }
    return SCDC_OK;
}

/* False when libpng jumped out. */
static bool run(png_job *job)
{
    if (setjmp(png_jmpbuf(job->png))) return false;
    png_set_read_fn(job->png, job, on_read);
    job->status = read_header(job);
    if (job->status == SCDC_OK && job->pixels) job->status = read_pixels(job);
    return true;
}

int png_decode(uint8_t *pixels, image_info *info, const file_bytes *file)
{
    png_job job = {.file = file, .pixels = pixels, .info = info};
    job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    if (!job.png) return fail_memory(sizeof job, "a PNG reader");
    job.header = png_create_info_struct(job.png);
    if (!job.header) {
        job.status = fail_memory(sizeof job, "a PNG reader");
    } else if (!run(&job)) {
        job.status =
            fail_with(SCDC_ERR_INPUT, "%s: PNG near byte %zu: %s", file->path, job.at, job.message);
    }
    png_destroy_read_struct(&job.png, &job.header, NULL);
    mem_free(job.samples);
    mem_free(job.rows);
    return job.status;
}
