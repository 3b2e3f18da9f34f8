/* Items of a file some at a time, in memory that does not grow with it. Arrays in C order and csv
 * are read from front to back; what has to be seen as a whole (a directory of images, an array in
 * Fortran order, several files) is opened as a whole and shown in parts. */
#include "data/readers.h"
#include "data/stream_csv.h"

#include "base/memory.h"
#include "base/ranks.h"
#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "io/stream.h"

#include <scdc/stream.h>
#include <string.h>
#include <sys/stat.h>

enum {
#ifdef SCDC_FUZZED
    LOOK = 1 << 12,
#else
    LOOK = 1 << 17, /* bytes that tell the format; more than any sensible header */
#endif
    STEP = 1 << 20 /* bytes of a row that room is made for at once */
};

/* An array, row after row. */
typedef struct row_stream {
    const char *format;
    scdc_dtype dtype;
    size_t rows; /* 0: until the file ends */
    size_t cols, channels, height, width;
    size_t label; /* bytes before each row that are no values: labels of CIFAR-10 */
    bool big_endian;
} row_stream;

struct scdc_stream {
    enum { PARTS_OF_WHOLE, ROWS, CSV } kind;
    byte_stream bytes;
    scdc_data *whole;
    row_stream array;
    csv_stream csv;
    size_t done;      /* rows handed on */
    bool whole_input; /* standard input, which only process 0 has */
    bool ended;       /* no process has rows any more */
};

/* ---- parts of what was opened as a whole ---- */

static int copy_names(names *out, const scdc_data *from, size_t first, size_t rows)
{
    for (size_t i = 0; i < rows && from->names.count; i++) {
        size_t number;
        const char *name = names_at(&from->names, first + i);
        SCDC_TRY(names_add(&number, NULL, out, name, strlen(name)));
    }
    return SCDC_OK;
}

/* Rows of a part: one piece of memory. */
static size_t rows_of_part(const scdc_stream *s, size_t most)
{
    size_t left = s->done < s->whole->rows ? data_run(s->whole, s->done) : 0;
    return left < most ? left : most;
}

static int next_part(scdc_data **out, scdc_stream *s, size_t most)
{
    const scdc_data *all = s->whole;
    size_t rows = rows_of_part(s, most);
    scdc_data *part;
    *out = NULL;
    if (!rows) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&part, 1, sizeof *part, "an item matrix"));
    *part = *all;
    part->names = part->columns = (names){0};
    part->parts = (data_parts){0};
    part->facts = (data_facts){0};
    part->file = (file_bytes){0};
    part->block = NULL;
    part->checksum = 0;
    part->rows = rows;
    part->first = s->done;
    part->values = data_row(all, s->done);
    int status = copy_names(&part->names, all, s->done, rows);
    if (status != SCDC_OK) {
        scdc_data_free(part);
        return status;
    }
    *out = part;
    return SCDC_OK;
}

/* ---- arrays ---- */

static int fail_truncated(const scdc_stream *s, size_t got)
{
    const row_stream *a = &s->array;
    char of[32] = "";
    if (a->rows) snprintf(of, sizeof of, " of %zu", a->rows);
    return fail_with(SCDC_ERR_INPUT,
                     "%s: %s: truncated, the file ends at byte %zu, %zu bytes into row %zu%s "
                     "(counted from 0)",
                     s->bytes.path, a->format, s->bytes.taken, got, s->done, of);
}

/* Values that were read. Room is made as they come: what a header claims is not believed before. */
typedef struct grown {
    unsigned char *bytes;
    size_t size, room;
} grown;

static int read_values(size_t *got, grown *to, scdc_stream *s, size_t size)
{
    for (*got = 0; *got < size;) {
        size_t some = size - *got < STEP ? size - *got : STEP, n;
        SCDC_TRY(mem_reserve(&to->bytes, &to->room, to->size + some, 1, "the values of the items"));
        SCDC_TRY(byte_stream_read(&n, &s->bytes, to->bytes + to->size, some));
        *got += n;
        to->size += n;
        if (n < some) break;
    }
    return SCDC_OK;
}

/* One row; *more is false where the file may end. */
static int read_row(bool *more, grown *to, scdc_stream *s, size_t row_bytes)
{
    const row_stream *a = &s->array;
    unsigned char label = 0;
    size_t got = 0;
    *more = false;
    if (a->label) {
        SCDC_TRY(byte_stream_read(&got, &s->bytes, &label, 1));
        if (!got) return SCDC_OK;
        if (label > 9) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: byte %zu: the label %u of record %zu, expected 0 to 9 (CIFAR-10)",
                             s->bytes.path, s->bytes.taken - 1, label, s->done);
        }
    }
    SCDC_TRY(read_values(&got, to, s, row_bytes));
    if (got < row_bytes) return fail_truncated(s, got);
    *more = true;
    return SCDC_OK;
}

/* An array must end where it says. */
static int check_end(scdc_stream *s)
{
    size_t got;
    unsigned char byte;
    SCDC_TRY(byte_stream_read(&got, &s->bytes, &byte, 1));
    if (!got) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT, "%s: %s: more bytes follow the last of %zu rows, at byte %zu",
                     s->bytes.path, s->array.format, s->array.rows, s->bytes.taken - 1);
}

static int fill_rows(size_t *rows, scdc_data *part, scdc_stream *s, size_t most)
{
    const row_stream *a = &s->array;
    size_t row_bytes = a->cols * dtype_size(a->dtype);
    grown values = {0};
    bool more = true;
    int status = SCDC_OK;
    for (*rows = 0; *rows < most;) {
        status = read_row(&more, &values, s, row_bytes);
        if (status != SCDC_OK || !more) break;
        ++*rows;
        s->done++;
    }
    part->values = part->block = values.bytes;
    if (status == SCDC_OK && needs_swap(a->big_endian, dtype_size(a->dtype)))
        swap_values(values.bytes, *rows * a->cols, dtype_size(a->dtype));
    return status;
}

static int next_rows(scdc_data **out, scdc_stream *s, size_t most)
{
    const row_stream *a = &s->array;
    size_t first = s->done, rows = 0;
    scdc_data *part;
    *out = NULL;
    if (a->rows && a->rows - s->done < most) most = a->rows - s->done;
    if (a->rows && !most) return check_end(s);
    SCDC_TRY(data_new(&part, s->bytes.path, a->format, a->dtype, most, a->cols));
    part->channels = a->channels;
    part->height = a->height;
    part->width = a->width;
    part->first = first;
    int status = fill_rows(&rows, part, s, most);
    part->rows = rows;
    if (status == SCDC_OK && rows) status = data_check_finite(part, s->bytes.path);
    if (status != SCDC_OK || !rows) {
        scdc_data_free(part);
        return status;
    }
    *out = part;
    return SCDC_OK;
}

/* ---- telling what it is ---- */

static void set_shape(row_stream *a, const size_t *shape, size_t ndim)
{
    a->rows = shape[0];
    a->cols = 1;
    for (size_t i = 1; i < ndim; i++) a->cols *= shape[i]; /* the header's reader checked it */
    bool image = ndim >= 3;
    a->channels = ndim == 4 ? shape[1] : image ? 1 : a->cols;
    a->height = image ? shape[ndim - 2] : 1;
    a->width = image ? shape[ndim - 1] : 1;
}

static int begin_array(scdc_stream *s, const char *format, const size_t *shape, size_t ndim,
                       size_t offset)
{
    row_stream *a = &s->array;
    s->kind = ROWS;
    a->format = format;
    set_shape(a, shape, ndim);
    if (!a->rows || !a->cols) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: %zu rows of %zu values, expected at least one of each", s->bytes.path,
                         a->rows, a->cols);
    }
    return byte_stream_skip(&s->bytes, offset);
}

/* False, and no error, when the array's order or shape is for those who see it as a whole. */
static int begin_npy(bool *begun, scdc_stream *s, const file_bytes *head)
{
    npy_header h;
    SCDC_TRY(npy_parse_head(&h, head));
    *begun = h.ndim >= 1 && h.ndim <= 4 && !(h.fortran_order && h.ndim > 1);
    if (!*begun) return SCDC_OK;
    s->array.dtype = h.dtype;
    s->array.big_endian = h.big_endian;
    return begin_array(s, "npy", h.shape, h.ndim, h.data_offset);
}

static int begin_idx(scdc_stream *s, const file_bytes *head)
{
    idx_header h;
    SCDC_TRY(idx_parse_head(&h, head));
    if (h.bytes == SIZE_MAX) {
        return fail_with(SCDC_ERR_INPUT, "%s: IDX: more values than any file has", s->bytes.path);
    }
    s->array.dtype = h.dtype;
    s->array.big_endian = dtype_size(h.dtype) > 1;
    return begin_array(s, "idx", h.shape, h.ndim, h.data_offset);
}

/* Dark pixels of CIFAR-10 can look like an IDX header, but one of sizes that nobody has. */
static bool idx_is_likely(const file_bytes *head)
{
    idx_header h;
    return idx_has_magic(head) && idx_parse_head(&h, head) == SCDC_OK && h.bytes >> 40 == 0;
}

static int begin(bool *begun, scdc_stream *s)
{
    const unsigned char *bytes;
    file_bytes head;
    size_t got;
    *begun = true;
    SCDC_TRY(byte_stream_peek(&bytes, &got, &s->bytes, LOOK));
    file_from_memory(&head, bytes, got, s->bytes.path);
    if (npy_has_magic(&head)) return begin_npy(begun, s, &head);
    if (looks_like_cifar(&head) && !idx_is_likely(&head)) {
        s->kind = ROWS;
        s->array = (row_stream){.format = "cifar10",
                                .dtype = SCDC_U8,
                                .cols = CIFAR_PIXELS,
                                .channels = 3,
                                .height = 32,
                                .width = 32,
                                .label = 1};
        return SCDC_OK;
    }
    if (idx_has_magic(&head)) return begin_idx(s, &head);
    SCDC_TRY(check_text(&head, got < LOOK));
    s->kind = CSV;
    return SCDC_OK;
}

static int open_stream(scdc_stream *s, const char *path)
{
    struct stat st;
    bool begun = false, standard_input = strcmp(path, "-") == 0;
    s->whole_input = standard_input;
    if (standard_input && scdc_ranks_rank() > 0) return SCDC_OK;
    bool directory = !standard_input && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (!directory && !is_pattern(path)) {
        SCDC_TRY(byte_stream_open(&s->bytes, path));
        SCDC_TRY(begin(&begun, s));
    }
    if (begun) return SCDC_OK;
    if (standard_input) {
        return fail_with(SCDC_ERR_INPUT,
                         "standard input: an array in Fortran order cannot be read from front to "
                         "back (for instance save numpy.ascontiguousarray(array))");
    }
    byte_stream_close(&s->bytes);
    s->kind = PARTS_OF_WHOLE;
    return scdc_data_open(&s->whole, path);
}

/* ---- public ---- */

int scdc_stream_open(scdc_stream **out, const char *path)
{
    scdc_stream *s;
    if (!out || !path) return fail_with(SCDC_ERR_ARGUMENT, "out and path must not be NULL");
    SCDC_TRY(mem_zeroed(&s, 1, sizeof *s, "a stream of items"));
    int status = open_stream(s, path);
    if (status != SCDC_OK) {
        scdc_stream_free(s);
        return status;
    }
    *out = s;
    return SCDC_OK;
}

static int next(scdc_data **part, scdc_stream *s, size_t most)
{
    if (s->kind == ROWS) return next_rows(part, s, most);
    if (s->kind == CSV) SCDC_TRY(csv_stream_next(part, &s->csv, &s->bytes, most));
    else SCDC_TRY(next_part(part, s, most));
    if (*part) s->done += (*part)->rows;
    return SCDC_OK;
}

/* The next rows are another process's. Rows of a csv have to be read to be found. */
static int pass(scdc_stream *s, size_t most)
{
    const row_stream *a = &s->array;
    scdc_data *part;
    if (s->kind == CSV) {
        SCDC_TRY(next(&part, s, most));
        scdc_data_free(part);
        return SCDC_OK;
    }
    if (s->kind == PARTS_OF_WHOLE) {
        s->done += rows_of_part(s, most);
        return SCDC_OK;
    }
    if (a->rows && a->rows - s->done < most) most = a->rows - s->done;
    s->done += most;
    return byte_stream_skip(&s->bytes, most * (a->label + a->cols * dtype_size(a->dtype)));
}

/* In a round each process has a part: those of lower rank before its own, the others after it. */
static int next_of_round(scdc_data **part, scdc_stream *s, size_t most)
{
    size_t rank = scdc_ranks_rank(), count = s->whole_input ? 1 : scdc_ranks_count();
    *part = NULL;
    if (rank >= count) return SCDC_OK;
    for (size_t r = 0; r < count; r++) {
        if (r != rank) SCDC_TRY(pass(s, most));
        else SCDC_TRY(next(part, s, most));
    }
    return SCDC_OK;
}

int scdc_stream_next(scdc_data **out, scdc_stream *s, size_t most)
{
    scdc_data *part = NULL;
    bool any;
    if (!out || !s || !most) {
        return fail_with(SCDC_ERR_ARGUMENT, "out and stream must not be NULL, most not 0");
    }
    int status = ranks_settle(next_of_round(&part, s, most));
    if (status == SCDC_OK) status = ranks_any(&any, part != NULL);
    if (status != SCDC_OK) {
        scdc_data_free(part);
        return status;
    }
    s->ended = !any;
    *out = part;
    return SCDC_OK;
}

int scdc_stream_ended(const scdc_stream *s)
{
    return !s || s->ended;
}

size_t scdc_stream_rows(const scdc_stream *s)
{
    if (!s) return 0;
    return s->whole ? s->whole->rows : s->kind == ROWS ? s->array.rows : 0;
}

void scdc_stream_free(scdc_stream *s)
{
    if (!s) return;
    byte_stream_close(&s->bytes);
    csv_stream_free(&s->csv);
    scdc_data_free(s->whole);
    mem_free(s);
}
