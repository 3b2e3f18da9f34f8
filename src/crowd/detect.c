/* What kind of file something is, told by its first bytes or its header line. Not a check of the
 * file: the reader of that kind does that. */
#include "base/status.h"
#include "crowd/columns.h"
#include "data/labels.h"
#include "data/readers.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/npy.h"

#include <scdc/scdc.h>
#include <string.h>
#include <sys/stat.h>

static scdc_kind kind_of_npy(const npy_header *header)
{
    bool integer = header->dtype != SCDC_F32 && header->dtype != SCDC_F64;
    if (header->ndim == 1 && integer) return SCDC_KIND_LABELS;
    /* Bytes are pixels; item numbers need more. */
    if (header->ndim == 2 && header->shape[1] == 4 && integer && header->dtype != SCDC_U8)
        return SCDC_KIND_ANSWERS;
    return SCDC_KIND_ITEMS;
}

static bool has_column(const csv_reader *header, const char *name)
{
    for (size_t i = 0; i < header->n_fields; i++) {
        if (csv_equals(header->fields[i], name)) return true;
    }
    return false;
}

static bool has_any_column(const csv_reader *header, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_column(header, words[i])) return true;
    }
    return false;
}

static bool has_role(const answer_columns *columns, column_role role)
{
    return columns->of_role[role] != NO_COLUMN;
}

static scdc_kind kind_of_header(const csv_reader *header)
{
    static const char *const labels[] = {LABEL_COLUMN_NAMES};
    answer_columns columns;
    const char *missing;
    columns_of_header(&columns, &missing, header);
    /* Also when a column is missing: the reader of answers says which. */
    for (int role = 0; role < N_ROLES && has_role(&columns, ROLE_WORKER); role++) {
        if (role != ROLE_WORKER && has_role(&columns, (column_role)role)) return SCDC_KIND_ANSWERS;
    }
    return has_any_column(header, labels, sizeof labels / sizeof labels[0]) ? SCDC_KIND_LABELS
                                                                            : SCDC_KIND_ITEMS;
}

static int kind_of_csv(scdc_kind *out, const file_bytes *file)
{
    csv_reader reader;
    SCDC_TRY(csv_open(&reader, file));
    bool more;
    int status = csv_next(&more, &reader);
    if (status == SCDC_OK) *out = more ? kind_of_header(&reader) : SCDC_KIND_ITEMS;
    csv_close(&reader);
    return status;
}

static int kind_of_bytes(scdc_kind *out, const file_bytes *file)
{
    if (npy_has_magic(file)) {
        npy_header header;
        SCDC_TRY(npy_parse(&header, file));
        *out = kind_of_npy(&header);
        return SCDC_OK;
    }
    if (!is_cifar(file) && idx_has_magic(file)) {
        /* Two zeros, a type, the number of dimensions. */
        *out = file->bytes[3] == 1 ? SCDC_KIND_LABELS : SCDC_KIND_ITEMS;
        return SCDC_OK;
    }
    size_t head = file->size < 4096 ? file->size : 4096;
    if (is_cifar(file) || memchr(file->bytes, 0, head)) {
        *out = SCDC_KIND_ITEMS;
        return SCDC_OK;
    }
    return kind_of_csv(out, file);
}

int scdc_detect(scdc_kind *out, const char *path)
{
    if (!out || !path)
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_detect: %s is NULL", out ? "path" : "out");
    if (strcmp(path, "-") == 0) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "standard input can be read only once: say what it holds");
    }
    struct stat about;
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        *out = SCDC_KIND_ITEMS;
        return SCDC_OK;
    }
    /* FILE.csv:COLUMN picks a column of labels. */
    if (!there && strchr(path, ':')) {
        *out = SCDC_KIND_LABELS;
        return SCDC_OK;
    }
    file_bytes file;
    SCDC_TRY(file_open(&file, path));
    int status = kind_of_bytes(out, &file);
    file_close(&file);
    return status;
}
