/* The public writers of whole files: bytes and pictures, each complete or absent. */
#include "base/status.h"
#include "io/writer.h"
#include "report/png.h"

int scdc_write_file(const char *path, const void *bytes, size_t size)
{
    if (!path || (!bytes && size)) {
        return fail_with(SCDC_ERR_ARGUMENT, "path and bytes must not be NULL");
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    if (size) (void)!fwrite(bytes, 1, size, w.stream); /* writer_commit tells what went wrong */
    return writer_commit(&w);
}

int scdc_write_png(const char *path, const uint8_t *pixels, size_t channels, size_t height,
                   size_t width)
{
    if (!path || !pixels) {
        return fail_with(SCDC_ERR_ARGUMENT, "path and pixels must not be NULL");
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    int status = png_encode(w.stream, pixels, channels, height, width);
    if (status == SCDC_OK) return writer_commit(&w);
    writer_abandon(&w);
    return status;
}
