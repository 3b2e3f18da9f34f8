/* JPEG, grey or colour (libjpeg), to 8-bit grey or RGB. */
#include "data/image.h"

#include "base/memory.h"
#include "base/status.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
/* jpeglib.h needs size_t and FILE before it. */
#include <jpeglib.h>
#include <jerror.h>

/* A progressive file may repeat scans without end; real ones have about ten. */
enum { MOST_SCANS = 200 };

/* Everything that must survive the jump out of libjpeg lies here. */
typedef struct jpeg_job {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    char message[JMSG_LENGTH_MAX];
    int status;
    const file_bytes *file;
    uint8_t *pixels;
    image_info *info;
    image_info found;
    uint8_t *row;
} jpeg_job;

static void on_error(j_common_ptr common)
{
    jpeg_job *job = common->client_data;
    common->err->format_message(common, job->message);
    longjmp(job->jump, 1);
}

/* Corrupt data is only a warning to libjpeg, which goes on with grey; here it is an error. Bytes
 * between markers and foreign version numbers do no harm. */
static void on_message(j_common_ptr common, int level)
{
    int code = common->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR &&
        code != JWRN_ADOBE_XFORM) {
        on_error(common);
    }
}

static void on_output(j_common_ptr common)
{
    (void)common; /* the library never prints */
}

static void on_progress(j_common_ptr common)
{
    jpeg_job *job = common->client_data;
    if (job->jpeg.input_scan_number <= MOST_SCANS) return;
    snprintf(job->message, sizeof job->message, "more than %d scans", MOST_SCANS);
    longjmp(job->jump, 1);
}

/* The shortest code is one bit per 8 x 8 block: a header that claims more is lying. */
static int check_claim(const jpeg_job *job)
{
    if (job->found.width * job->found.height / 600 <= job->file->size) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: JPEG claims %zu x %zu pixels, more than its %zu bytes can "
                     "hold",
                     job->file->path, job->found.width, job->found.height, job->file->size);
}

static int read_header(jpeg_job *job)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    jpeg_mem_src(jpeg, job->file->bytes, (unsigned long)job->file->size);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->num_components != 1 && jpeg->num_components != 3) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: JPEG with %d components (CMYK?), expected grey or RGB",
                         job->file->path, jpeg->num_components);
    }
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    job->found = (image_info){.channels = (size_t)jpeg->num_components,
                              .height = jpeg->image_height,
                              .width = jpeg->image_width};
    SCDC_TRY(check_claim(job));
    return image_settle(job->info, &job->found, job->pixels, job->file);
}

static int read_pixels(jpeg_job *job)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    size_t samples = job->found.channels;
    SCDC_TRY(mem_zeroed(&job->row, job->found.width, samples, "a row of a JPEG image"));
    jpeg->progress = &job->progress;
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        size_t y = jpeg->output_scanline;
        JSAMPROW row = job->row;
        jpeg_read_scanlines(jpeg, &row, 1);
        image_spread_row(job->pixels, &job->found, y, job->row, (int)samples);
    }
    jpeg_finish_decompress(jpeg);
    return SCDC_OK;
}

/* False when libjpeg jumped out. */
static bool run(jpeg_job *job)
{
    if (setjmp(job->jump)) return false;
    jpeg_create_decompress(&job->jpeg);
    job->status = read_header(job);
    if (job->status == SCDC_OK && job->pixels) job->status = read_pixels(job);
    return true;
}

int jpeg_decode(uint8_t *pixels, image_info *info, const file_bytes *file)
{
    jpeg_job job = {.file = file, .pixels = pixels, .info = info};
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.jpeg.client_data = &job;
    job.errors.error_exit = on_error;
    job.errors.emit_message = on_message;
    job.errors.output_message = on_output;
    job.progress.progress_monitor = on_progress;
    if (!run(&job)) {
        job.status = fail_with(SCDC_ERR_INPUT, "%s: JPEG: %s", file->path, job.message);
    }
    jpeg_destroy_decompress(&job.jpeg);
    mem_free(job.row);
    return job.status;
}
