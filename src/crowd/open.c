/* scdc_crowd_open: tells what each file is, reads them one after the other, leaves no gaps. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/read.h"
#include "io/npy.h"

#include <string.h>

/* Ids of many digits are names, too, when no items say otherwise. */
static bool is_name(csv_field text)
{
    int64_t number;
    return !item_number(&number, text) || number == NO_ITEM;
}

/* Without an item matrix: is some id not a number? Then all ids are names. */
static int ids_are_names(bool *named, const file_bytes *file)
{
    answer_table t;
    SCDC_TRY(answer_table_open(&t, file));
    bool more = true, pairs = t.columns.form == FORM_PAIRS;
    int status = SCDC_OK;
    while (!*named) {
        SCDC_TRY_OR(done, status, answer_table_next(&more, &t));
        if (!more) break;
        *named = is_name(answer_table_field(&t, pairs ? ROLE_LEFT : ROLE_ITEM)) ||
                 (pairs && is_name(answer_table_field(&t, ROLE_RIGHT)));
    }
done:
    answer_table_close(&t);
    return status;
}

static int read_file(crowd_reader *r, const file_bytes *file)
{
    if (npy_has_magic(file)) return crowd_read_npy(r, file);
    answer_table table;
    SCDC_TRY(answer_table_open(&table, file));
    int status = table.columns.form == FORM_PAIRS ? crowd_read_pairs(r, &table)
                                                  : crowd_read_groupings(r, &table);
    answer_table_close(&table);
    return status;
}

/* ---- no gaps -------------------------------------------------------------------------------- */

/* new_number[i] for the used ones among n; returns how many there are. */
static size_t number_used(uint32_t *new_number, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (new_number[i]) new_number[i] = (uint32_t)used++;
        else new_number[i] = UINT32_MAX;
    }
    return used;
}

/* Workers and tasks of which nothing was kept (a task of one item) do not count. */
static int drop_unused(scdc_crowd *crowd)
{
    uint32_t *worker = NULL, *task = NULL;
    names kept = {0};
    int status;
    SCDC_TRY_OR(done, status,
                mem_zeroed(&worker, crowd->workers.count, sizeof *worker, "worker numbers"));
    SCDC_TRY_OR(done, status, mem_zeroed(&task, crowd->tasks, sizeof *task, "task numbers"));
    for (size_t i = 0; i < crowd->count; i++) {
        worker[crowd->answers[i].worker] = 1;
        if (crowd->answers[i].task != SCDC_NO_TASK) task[crowd->answers[i].task] = 1;
    }
    number_used(worker, crowd->workers.count);
    crowd->tasks = number_used(task, crowd->tasks);
    for (size_t i = 0; i < crowd->count; i++) {
        scdc_answer *a = crowd->answers + i;
        a->worker = worker[a->worker];
        if (a->task != SCDC_NO_TASK) a->task = task[a->task];
    }
    for (size_t w = 0; w < crowd->workers.count; w++) {
        const char *name = names_at(&crowd->workers, w);
        size_t number;
        if (worker[w] == UINT32_MAX) continue;
        SCDC_TRY_OR(done, status, names_add(&number, NULL, &kept, name, strlen(name)));
    }
    names_free(&crowd->workers);
    crowd->workers = kept;
    kept = (names){0};
done:
    mem_free(worker);
    mem_free(task);
    names_free(&kept);
    return status;
}

/* ---- all files ------------------------------------------------------------------------------ */

static int read_all(crowd_reader *r, const file_bytes *files, size_t n_files)
{
    for (size_t i = 0; i < n_files; i++) {
        SCDC_TRY(read_file(r, files + i));
        r->before += r->tasks.count;
        names_free(&r->tasks);
        names_free(&r->groups);
    }
    r->crowd->tasks = r->before;
    SCDC_TRY(gold_answers(r->crowd, &r->gold));
    if (r->crowd->count == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: holds no answers: %zu rows are unsure or empty",
                         files[0].path, r->crowd->unsure);
    }
    SCDC_TRY(drop_unused(r->crowd));
    return r->gold.count ? crowd_know(r->crowd) : SCDC_OK;
}

int crowd_from_files(scdc_crowd **out, const file_bytes *files, size_t n_files,
                     const scdc_data *items)
{
    crowd_reader r = {0};
    bool named = false;
    for (size_t i = 0; !items && !named && i < n_files; i++) {
        if (!npy_has_magic(files + i)) SCDC_TRY(ids_are_names(&named, files + i));
    }
    SCDC_TRY(crowd_new(&r.crowd));
    r.items = resolver_open(items, r.crowd, named);
    int status = read_all(&r, files, n_files);
    names_free(&r.tasks);
    names_free(&r.groups);
    mem_free(r.key);
    gold_free(&r.gold);
    if (status == SCDC_OK) *out = r.crowd;
    else scdc_crowd_free(r.crowd);
    return status;
}

int scdc_crowd_open(scdc_crowd **out, const char *const *paths, size_t n_paths,
                    const scdc_data *items)
{
    if (!out || !paths || n_paths == 0) {
        return fail_with(SCDC_ERR_ARGUMENT, "answers: out must not be NULL, and there must be one "
                                            "path or more");
    }
    file_bytes *files = NULL;
    size_t opened = 0;
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&files, n_paths, sizeof *files, "open files"));
    for (; opened < n_paths; opened++) {
        if (!paths[opened]) {
            status = fail_with(SCDC_ERR_ARGUMENT, "answers: path %zu is NULL", opened);
            goto done;
        }
        SCDC_TRY_OR(done, status, file_open(files + opened, paths[opened]));
    }
    status = crowd_from_files(out, files, n_paths, items);
done:
    while (opened > 0) file_close(files + --opened);
    mem_free(files);
    return status;
}
