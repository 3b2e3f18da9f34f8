/* Items of several handles as one: those of a fit, and others that came later. */
#include "base/status.h"
#include "data/data.h"
#include "io/npy.h"

#include <scdc/update.h>
#include <string.h>

static int check_part(const scdc_data *first, const scdc_data *part, size_t number)
{
    if (part->cols != first->cols) {
        return fail_with(SCDC_ERR_ARGUMENT, "part %zu has items of %zu values, the first %zu",
                         number, part->cols, first->cols);
    }
    if ((part->names.count > 0) == (first->names.count > 0)) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT,
                     "the items of part %zu have %s names, those of the first %s", number,
                     part->names.count ? "" : "no", part->names.count ? "none" : "have");
}

static int add_names(scdc_data *all, const scdc_data *part, size_t number)
{
    for (size_t i = 0; i < part->names.count; i++) {
        const char *name = names_at(&part->names, i);
        size_t at;
        bool added;
        SCDC_TRY(names_add(&at, &added, &all->names, name, strlen(name)));
        if (!added)
            return fail_with(SCDC_ERR_ARGUMENT, "part %zu: item '%.60s' was there before", number,
                             name);
    }
    return SCDC_OK;
}

static void copy_rows(void *out, scdc_dtype dtype, const scdc_data *part)
{
    size_t bytes = part->cols * dtype_size(dtype);
    for (size_t row = 0; row < part->rows; row++) {
        char *to = (char *)out + row * bytes;
        if (part->dtype == dtype) memcpy(to, data_row(part, row), bytes);
        for (size_t c = 0; part->dtype != dtype && c < part->cols; c++)
            ((float *)(void *)to)[c] = (float)data_value(part, row, c);
    }
}

int scdc_data_join(scdc_data **out, const scdc_data *const *parts, size_t n_parts)
{
    if (!out || !parts || !n_parts || !parts[0])
        return fail_with(SCDC_ERR_ARGUMENT, "out and parts must not be NULL");
    const scdc_data *first = parts[0];
    scdc_dtype dtype = first->dtype;
    size_t rows = 0;
    for (size_t p = 0; p < n_parts; p++) {
        if (!parts[p]) return fail_with(SCDC_ERR_ARGUMENT, "part %zu is NULL", p + 1);
        SCDC_TRY(check_part(first, parts[p], p + 1));
        rows += parts[p]->rows; /* each fits 32 bits */
        if (parts[p]->dtype != dtype) dtype = SCDC_F32;
    }
    scdc_data *all;
    char *values;
    int status;
    SCDC_TRY(data_new(&all, "joined items", first->format, dtype, rows, first->cols));
    SCDC_TRY_OR(done, status, data_own_values(&values, all));
    SCDC_TRY_OR(done, status,
                scdc_data_set_shape(all, first->channels, first->height, first->width));
    for (size_t p = 0; p < n_parts; p++) {
        copy_rows(values, dtype, parts[p]);
        values += parts[p]->rows * first->cols * dtype_size(dtype);
        SCDC_TRY_OR(done, status, add_names(all, parts[p], p + 1));
    }
    for (size_t c = 0; c < first->columns.count; c++) {
        const char *name = names_at(&first->columns, c);
        size_t at;
        SCDC_TRY_OR(done, status, names_add(&at, NULL, &all->columns, name, strlen(name)));
    }
    *out = all;
    all = NULL;
done:
    scdc_data_free(all);
    return status;
}
