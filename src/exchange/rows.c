/* Rows of answers: texts are kept once, rows hold their numbers. */
#include "exchange/rows.h"

#include "base/memory.h"
#include "base/status.h"
#include "exchange/class_tasks.h"
#include "exchange/words.h"
#include "io/writer.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_ROWS = 1 << 28 }; /* as many as are read back */

int rows_text(uint32_t *out, rows *r, const char *text)
{
    size_t number;
    *out = NO_TEXT;
    if (!text || !*text) return SCDC_OK;
    SCDC_TRY(names_add(&number, NULL, &r->texts, text, strlen(text)));
    *out = (uint32_t)number;
    return SCDC_OK;
}

int rows_add(rows *r, row added)
{
    if (r->count >= MOST_ROWS) return fail_with(SCDC_ERR_INPUT, "more than %d answers", MOST_ROWS);
    SCDC_TRY(mem_reserve(&r->list, &r->capacity, r->count + 1, sizeof *r->list, "answers"));
    r->list[r->count++] = added;
    return SCDC_OK;
}

void rows_free(rows *r)
{
    names_free(&r->texts);
    mem_free(r->list);
    *r = (rows){0};
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Columns that at least one row fills. */
typedef struct extras {
    bool task, time, seconds, gold;
} extras;

static extras extras_of(const rows *r)
{
    extras e = {.task = r->form == ROWS_GROUPINGS};
    for (size_t i = 0; i < r->count; i++) {
        const row *a = r->list + i;
        e.task |= a->task != NO_TEXT;
        e.time |= a->time != NO_TEXT;
        e.seconds |= a->seconds != NO_TEXT;
        e.gold |= a->gold != NO_TEXT;
    }
    return e;
}

static void put(writer *w, const rows *r, uint32_t text)
{
    if (text != NO_TEXT) writer_csv_field(w, names_at(&r->texts, text));
}

static void put_column(writer *w, const rows *r, bool there, uint32_t text)
{
    if (!there) return;
    putc(',', w->stream);
    put(w, r, text);
}

static void put_row(writer *w, const rows *r, const row *a, const extras *e, uint32_t class_task)
{
    static const char *const labels[] = {[ANSWER_DIFFERENT] = "0", [ANSWER_SAME] = "1"};
    put(w, r, a->worker);
    if (class_task != NO_TEXT) fprintf(w->stream, ",%" PRIu32, class_task + 1);
    else put_column(w, r, e->task, a->task);
    put_column(w, r, true, a->left);
    if (r->form == ROWS_PAIRS) put_column(w, r, true, a->right);
    putc(',', w->stream);
    if (a->answer == ANSWER_UNSURE) fputs("unsure", w->stream);
    else if (r->form == ROWS_PAIRS) fputs(labels[a->answer], w->stream);
    else put(w, r, a->right);
    put_column(w, r, e->time, a->time);
    put_column(w, r, e->seconds, a->seconds);
    put_column(w, r, e->gold, a->gold);
    putc('\n', w->stream);
}

static void put_header(writer *w, const rows *r, const extras *e)
{
    fprintf(w->stream, "worker%s,%s%s%s%s\n", e->task ? ",task" : "",
            r->form == ROWS_PAIRS ? "left,right,label" : "item,group", e->time ? ",time" : "",
            e->seconds ? ",seconds" : "", e->gold ? ",gold" : "");
}

/* How many different numbers a column of the rows holds; seen: [texts] of zeros. */
static int count_different(size_t *out, const rows *r, bool workers)
{
    uint8_t *seen;
    SCDC_TRY(mem_zeroed(&seen, r->texts.count, sizeof *seen, "seen texts"));
    *out = 0;
    for (size_t i = 0; i < r->count; i++) {
        const row *a = r->list + i;
        uint32_t text[2] = {workers ? a->worker : a->left,
                            !workers && r->form == ROWS_PAIRS ? a->right : NO_TEXT};
        for (int k = 0; k < 2; k++) {
            if (text[k] == NO_TEXT || seen[text[k]]) continue;
            seen[text[k]] = 1;
            ++*out;
        }
    }
    mem_free(seen);
    return SCDC_OK;
}

static int count_rows(scdc_import_info *info, const rows *r)
{
    info->form = r->form == ROWS_PAIRS ? "pairs" : "groupings";
    for (size_t i = 0; i < r->count; i++) {
        info->skipped += r->list[i].answer == ANSWER_UNSURE;
        info->gold += r->list[i].gold != NO_TEXT;
    }
    SCDC_TRY(count_different(&info->workers, r, true));
    return count_different(&info->items, r, false);
}

static int put_rows(scdc_import_info *info, writer *w, const rows *r, size_t task_items)
{
    extras e = extras_of(r);
    class_tasks tasks = {0};
    if (r->classes) SCDC_TRY(class_tasks_make(&tasks, r, task_items));
    put_header(w, r, &e);
    if (r->classes) {
        for (size_t i = 0; i < tasks.count; i++)
            put_row(w, r, r->list + tasks.list[i].row, &e, tasks.list[i].task);
    } else {
        for (size_t i = 0; i < r->count; i++) put_row(w, r, r->list + i, &e, NO_TEXT);
    }
    info->rows = r->classes ? tasks.count : r->count;
    info->tasks = tasks.tasks;
    class_tasks_free(&tasks);
    return SCDC_OK;
}

int rows_write(scdc_import_info *info, const rows *r, const char *path, size_t task_items)
{
    writer w;
    SCDC_TRY(count_rows(info, r));
    SCDC_TRY(writer_open(&w, path));
    int status = put_rows(info, &w, r, task_items);
    if (status != SCDC_OK) {
        writer_abandon(&w);
        return status;
    }
    return writer_commit(&w);
}
