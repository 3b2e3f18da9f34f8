/* Tables of groupings: a task is a partition of some items, and all its pairs are answers. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/read.h"
#include "crowd/renumber.h"

#include <stdlib.h>

/* An item put into a group. */
typedef struct placement {
    uint32_t worker, item, group;
    uint32_t gold; /* the pile it belongs to, as a number + 1; 0: not known */
    size_t line;
} placement;

typedef struct groupings {
    const char *file;
    placement *rows;
    uint32_t *task; /* [count] numbered from 0 in this file */
    size_t count, capacity, task_capacity;
} groupings;

static int read_row(groupings *g, crowd_reader *r, const answer_table *t)
{
    placement p = {.line = t->reader.line};
    place at = {t->reader.name, "line", p.line};
    csv_field group = answer_table_field(t, ROLE_GROUP), task = answer_table_field(t, ROLE_TASK);
    uint32_t task_number;
    size_t number;
    if (label_of(group) == LABEL_UNSURE) {
        r->crowd->unsure++;
        return SCDC_OK;
    }
    if (task.length == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: the task is missing", at.file, at.number);
    }
    SCDC_TRY(crowd_read_worker(&p.worker, r, t));
    SCDC_TRY(crowd_read_task(&task_number, r, p.worker, task));
    SCDC_TRY(resolve_text(&p.item, &r->items, answer_table_field(t, ROLE_ITEM), at));
    SCDC_TRY(names_add(&number, NULL, &r->groups, group.text, group.length));
    p.group = (uint32_t)number;
    csv_field gold = answer_table_field(t, ROLE_GOLD);
    if (label_of(gold) != LABEL_UNSURE) {
        SCDC_TRY(names_add(&number, NULL, &r->groups, gold.text, gold.length));
        p.gold = (uint32_t)number + 1;
    }
    if (g->count >= CROWD_MOST_ANSWERS) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: more than %zu rows", at.file, at.number,
                         CROWD_MOST_ANSWERS);
    }
    SCDC_TRY(mem_reserve(&g->rows, &g->capacity, g->count + 1, sizeof *g->rows, "groupings"));
    SCDC_TRY(mem_reserve(&g->task, &g->task_capacity, g->count + 1, sizeof *g->task, "groupings"));
    g->task[g->count] = (uint32_t)(task_number - r->before);
    g->rows[g->count++] = p;
    return SCDC_OK;
}

static int read_rows(groupings *g, crowd_reader *r, answer_table *t)
{
    for (size_t rows = 0;; rows++) {
        bool more;
        SCDC_TRY(answer_table_next(&more, t));
        if (!more && rows == 0) {
            return fail_with(SCDC_ERR_INPUT, "%s: holds a header but no groupings", g->file);
        }
        if (!more) return SCDC_OK;
        SCDC_TRY(read_row(g, r, t));
    }
}

static int compare_items(const void *a, const void *b)
{
    const placement *x = a, *y = b;
    if (x->item != y->item) return x->item < y->item ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* `sorted` is scratch for n placements. */
static int check_distinct(const groupings *g, const uint32_t *rows, size_t n, placement *sorted)
{
    for (size_t i = 0; i < n; i++) sorted[i] = g->rows[rows[i]];
    qsort(sorted, n, sizeof *sorted, compare_items);
    for (size_t i = 1; i < n; i++) {
        if (sorted[i].item != sorted[i - 1].item) continue;
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: the item was in this task already, on line %zu", g->file,
                         sorted[i].line, sorted[i - 1].line);
    }
    return SCDC_OK;
}

/* All pairs of the n rows of one task, in the order of the rows. */
static int expand_task(crowd_reader *r, const groupings *g, const uint32_t *rows, size_t n,
                       uint32_t task, placement *scratch)
{
    if (n > TASK_MOST_ITEMS) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: the task that begins here groups %zu items, at most %d are "
                         "supported: split it into several tasks",
                         g->file, g->rows[rows[0]].line, n, TASK_MOST_ITEMS);
    }
    SCDC_TRY(check_distinct(g, rows, n, scratch));
    int status = crowd_reserve(r->crowd, n * (n - 1) / 2);
    if (status != SCDC_OK) return fail_prefix(status, "%s", g->file);
    for (size_t i = 0; i < n; i++) {
        const placement *left = g->rows + rows[i];
        for (size_t j = i + 1; j < n; j++) {
            const placement *right = g->rows + rows[j];
            if (left->gold && right->gold) {
                SCDC_TRY(gold_note(&r->gold, left->item, right->item, left->gold == right->gold,
                                   g->file, right->line));
            }
            r->crowd->answers[r->crowd->count++] =
                (scdc_answer){.left = left->item,
                              .right = right->item,
                              .worker = left->worker,
                              .task = (uint32_t)(r->before + task),
                              .same = left->group == right->group};
        }
    }
    return SCDC_OK;
}

static int expand_tasks(crowd_reader *r, groupings *g)
{
    renumbering by_task;
    placement *scratch = NULL;
    SCDC_TRY(renumber(&by_task, g->task, g->count));
    int status = mem_zeroed(&scratch, TASK_MOST_ITEMS, sizeof *scratch, "the items of a task");
    for (size_t begin = 0, end; status == SCDC_OK && begin < g->count; begin = end) {
        uint32_t task = g->task[by_task.order[begin]];
        for (end = begin; end < g->count && g->task[by_task.order[end]] == task;) end++;
        status = expand_task(r, g, by_task.order + begin, end - begin, task, scratch);
    }
    renumber_free(&by_task);
    mem_free(scratch);
    return status;
}

int crowd_read_groupings(crowd_reader *r, answer_table *table)
{
    groupings g = {.file = table->reader.name};
    int status = read_rows(&g, r, table);
    if (status == SCDC_OK) status = expand_tasks(r, &g);
    mem_free(g.rows);
    mem_free(g.task);
    return status;
}
