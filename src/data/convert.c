/* Stored values to rows in native order: kept where they lie when they are that already, otherwise
 * copied once, transposed and byte-swapped as needed. */
#include "data/readers.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"

#include <stdint.h>
#include <string.h>

/* Rows per piece: their lines of output stay in the cache while columns are walked. */
enum { PIECE_ROWS = 64, MAX_DIMS = 8 };

typedef struct conversion {
    unsigned char *to;
    const unsigned char *from;
    size_t rows, cols, size; /* size of a value */
    bool fortran_order, swap;
    size_t ndim;
    size_t shape[MAX_DIMS];
} conversion;

static void copy_value(unsigned char *to, const unsigned char *from, size_t size, bool swap)
{
    memcpy(to, from, size);
    if (swap) swap_values(to, 1, size);
}

/* The column (i1, i2, ...) counted in C order is found here counted in Fortran order. */
static size_t fortran_column(const conversion *job, size_t column)
{
    size_t index[MAX_DIMS] = {0}, at = 0;
    for (size_t d = job->ndim - 1; d > 0; d--) {
        index[d] = column % job->shape[d];
        column /= job->shape[d];
    }
    for (size_t d = job->ndim - 1; d > 0; d--) at = at * job->shape[d] + index[d];
    return at;
}

static void convert_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const conversion *job = context;
    size_t size = job->size, row_bytes = job->cols * size;
    if (!job->fortran_order) {
        memcpy(job->to + begin * row_bytes, job->from + begin * row_bytes,
               (end - begin) * row_bytes);
        if (job->swap) swap_values(job->to + begin * row_bytes, (end - begin) * job->cols, size);
        return;
    }
    for (size_t c = 0; c < job->cols; c++) {
        const unsigned char *from = job->from + fortran_column(job, c) * job->rows * size;
        for (size_t r = begin; r < end; r++) {
            copy_value(job->to + r * row_bytes + c * size, from + r * size, size, job->swap);
        }
    }
}

int take_values(scdc_data *data, file_bytes *file, size_t offset, const size_t *shape, size_t ndim,
                bool fortran_order, bool big_endian)
{
    conversion job = {.from = file->bytes + offset,
                      .rows = data->rows,
                      .cols = data->cols,
                      .size = dtype_size(data->dtype),
                      .fortran_order = fortran_order && data->rows > 1 && data->cols > 1,
                      .swap = needs_swap(big_endian, dtype_size(data->dtype)),
                      .ndim = ndim};
    if (ndim > MAX_DIMS) return fail_with(SCDC_ERR_INTERNAL, "%zu dimensions", ndim);
    memcpy(job.shape, shape, ndim * sizeof *shape);
    /* One row of an image in Fortran order is still out of order. */
    if (fortran_order && ndim > 2) job.fortran_order = true;
    if (!job.fortran_order && !job.swap && (uintptr_t)job.from % job.size == 0) {
        data->values = job.from;
        data->file = *file;
        *file = (file_bytes){0};
        return SCDC_OK;
    }
    SCDC_TRY(data_own_values(&job.to, data));
    parallel_for(data->rows, PIECE_ROWS, convert_piece, &job);
    return SCDC_OK;
}

int data_hand_over(scdc_data **out, scdc_data *data, const char *source, int status)
{
    /* Several processes look together, in scdc_data_open. */
    if (status == SCDC_OK && scdc_ranks_count() == 1) status = data_check_finite(data, source);
    if (status == SCDC_OK) *out = data;
    else scdc_data_free(data);
    return status;
}
