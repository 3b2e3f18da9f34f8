/* scdc_crowd_write_csv: answers as pairs, which scdc_crowd_open reads back. */
#include "base/status.h"
#include "crowd/crowd.h"
#include "data/data.h"
#include "io/writer.h"

#include <inttypes.h>

static void write_item(writer *w, const scdc_crowd *crowd, const scdc_data *items, uint32_t item)
{
    const char *name = items ? scdc_data_name(items, item) : scdc_crowd_item_name(crowd, item);
    if (name) writer_csv_field(w, name);
    else fprintf(w->stream, "%" PRIu32, item);
}

static void write_answers(writer *w, const scdc_crowd *crowd, const scdc_data *items)
{
    bool tasks = crowd->tasks > 0;
    fputs(tasks ? "worker,task,left,right,label\n" : "worker,left,right,label\n", w->stream);
    for (size_t i = 0; i < crowd->count; i++) {
        const scdc_answer *a = crowd->answers + i;
        writer_csv_field(w, names_at(&crowd->workers, a->worker));
        if (tasks && a->task == SCDC_NO_TASK) putc(',', w->stream);
        else if (tasks) fprintf(w->stream, ",%" PRIu32, a->task);
        putc(',', w->stream);
        write_item(w, crowd, items, a->left);
        putc(',', w->stream);
        write_item(w, crowd, items, a->right);
        fputs(a->same ? ",1\n" : ",0\n", w->stream);
    }
}

int scdc_crowd_write_csv(const scdc_crowd *crowd, const scdc_data *items, const char *path)
{
    if (!crowd || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "answers: crowd and path must not be NULL");
    }
    for (size_t i = 0; items && i < crowd->count; i++) {
        const scdc_answer *a = crowd->answers + i;
        uint32_t larger = a->left > a->right ? a->left : a->right;
        if (larger < items->rows) continue;
        return fail_with(SCDC_ERR_ARGUMENT,
                         "answer %zu is about item %" PRIu32 ", but there are only %zu items", i,
                         larger, items->rows);
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    write_answers(&w, crowd, items);
    return writer_commit(&w);
}
