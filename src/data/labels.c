/* Labels as an object: from memory, matched to other labels, written as csv. */
#include "data/labels.h"

#include "base/memory.h"
#include "base/status.h"
#include "data/data.h"
#include "io/writer.h"

#include <inttypes.h>
#include <string.h>

int labels_new(scdc_labels **out, size_t count)
{
    scdc_labels *labels;
    SCDC_TRY(mem_zeroed(&labels, 1, sizeof *labels, "labels"));
    int status = mem_zeroed(&labels->values, count, sizeof *labels->values, "labels");
    if (status != SCDC_OK) {
        mem_free(labels);
        return status;
    }
    labels->count = count;
    *out = labels;
    return SCDC_OK;
}

void scdc_labels_free(scdc_labels *labels)
{
    if (!labels) return;
    names_free(&labels->texts);
    names_free(&labels->items);
    mem_free(labels->values);
    mem_free(labels);
}

int scdc_labels_from_memory(scdc_labels **out, const int64_t *values, size_t count)
{
    if (!out || !values) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_labels_from_memory: %s is NULL",
                         out ? "values" : "out");
    }
    if (count == 0 || count >= UINT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_labels_from_memory: %zu labels, expected 1 to %u",
                         count, UINT32_MAX - 1);
    }
    scdc_labels *labels;
    SCDC_TRY(labels_new(&labels, count));
    memcpy(labels->values, values, count * sizeof *values);
    *out = labels;
    return SCDC_OK;
}

size_t scdc_labels_count(const scdc_labels *labels)
{
    return labels ? labels->count : 0;
}

const int64_t *scdc_labels_values(const scdc_labels *labels)
{
    return labels ? labels->values : NULL;
}

const char *scdc_labels_guess(const scdc_labels *labels)
{
    return labels && labels->guess[0] ? labels->guess : NULL;
}

const char *scdc_labels_name(const scdc_labels *labels, int64_t value)
{
    return labels && value >= 0 ? names_at(&labels->texts, (size_t)value) : NULL;
}

static int copy_names(names *out, const names *from)
{
    for (size_t i = 0; i < from->count; i++) {
        size_t number;
        const char *text = names_at(from, i);
        SCDC_TRY(names_add(&number, NULL, out, text, strlen(text)));
    }
    return SCDC_OK;
}

int scdc_labels_match(scdc_labels **out, const scdc_labels *labels, const scdc_labels *reference)
{
    if (!out || !labels || !reference) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_labels_match: %s is NULL",
                         !out      ? "out"
                         : !labels ? "labels"
                                   : "reference");
    }
    if (labels->count != reference->count) {
        return fail_with(SCDC_ERR_INPUT,
                         "%zu labels cannot be matched with %zu: expected one label "
                         "per item in both",
                         labels->count, reference->count);
    }
    bool by_name = labels->items.count && reference->items.count;
    scdc_labels *matched;
    SCDC_TRY(labels_new(&matched, labels->count));
    int status = SCDC_OK;
    for (size_t i = 0; i < matched->count; i++) {
        size_t row = i;
        const char *id = names_at(&reference->items, i);
        if (by_name && !names_find(&row, &labels->items, id, strlen(id))) {
            status = fail_with(SCDC_ERR_INPUT,
                               "item '%s' has a label in one file but not in the "
                               "other",
                               id);
            goto done;
        }
        matched->values[i] = labels->values[row];
    }
    SCDC_TRY_OR(done, status, copy_names(&matched->texts, &labels->texts));
    SCDC_TRY_OR(done, status, copy_names(&matched->items, &reference->items));
done:
    if (status != SCDC_OK) {
        scdc_labels_free(matched);
        return status;
    }
    *out = matched;
    return SCDC_OK;
}

int scdc_labels_write_csv(const scdc_labels *labels, const scdc_data *items, const char *path)
{
    if (!labels || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_labels_write_csv: %s is NULL",
                         labels ? "path" : "labels");
    }
    if (items && items->rows != labels->count) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu labels for %zu items", labels->count, items->rows);
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    fputs("item,label\n", w.stream);
    for (size_t i = 0; i < labels->count && !writer_failed(&w); i++) {
        const char *item = scdc_data_name(items, i);
        const char *text = scdc_labels_name(labels, labels->values[i]);
        if (!items) item = names_at(&labels->items, i);
        if (item) {
            writer_csv_field(&w, item);
        } else {
            fprintf(w.stream, "%zu", i);
        }
        putc(',', w.stream);
        if (text) {
            writer_csv_field(&w, text);
        } else {
            fprintf(w.stream, "%" PRId64, labels->values[i]);
        }
        putc('\n', w.stream);
    }
    return writer_commit(&w);
}
