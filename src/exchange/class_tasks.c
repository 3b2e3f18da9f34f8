/* Cutting the class labels of each worker into tasks. */
#include "exchange/class_tasks.h"

#include "base/memory.h"
#include "base/status.h"
#include "exchange/words.h"

#include <stdlib.h>

typedef struct cutter {
    const rows *r;
    class_tasks *out;
    size_t most;       /* items of a task */
    uint32_t *in_task; /* [texts] the task (+ 1) an item was last put into */
    uint32_t *latest;  /* [texts] row (+ 1) of the class's latest item, of this worker */
    uint32_t *classes; /* [texts] classes of this worker, in order of arrival */
    size_t n_classes;
    size_t size; /* items of the task at hand; 0: none is open */
} cutter;

typedef struct order_key {
    uint32_t worker, row;
} order_key;

static int by_worker(const void *a, const void *b)
{
    const order_key *x = a, *y = b;
    if (x->worker != y->worker) return x->worker < y->worker ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int put(cutter *c, uint32_t row_number)
{
    class_tasks *t = c->out;
    uint32_t task = (uint32_t)t->tasks - 1;
    SCDC_TRY(mem_reserve(&t->list, &t->capacity, t->count + 1, sizeof *t->list, "groupings"));
    t->list[t->count++] = (class_row){row_number, task};
    c->in_task[c->r->list[row_number].left] = task + 1;
    c->size++;
    return SCDC_OK;
}

/* A new task begins with an item of every class so far, as long as half of it is left for new
 * items. Not the item that comes next: it would be there twice. */
static int open_task(cutter *c, uint32_t next_item)
{
    c->out->tasks++;
    c->size = 0;
    for (size_t i = c->n_classes; i > 0 && c->size < c->most / 2; i--) {
        uint32_t anchor = c->latest[c->classes[i - 1]] - 1;
        uint32_t item = c->r->list[anchor].left;
        if (item == next_item || c->in_task[item] == (uint32_t)c->out->tasks) continue;
        SCDC_TRY(put(c, anchor));
    }
    return SCDC_OK;
}

static int take_row(cutter *c, uint32_t number)
{
    const row *a = c->r->list + number;
    bool open = c->size > 0;
    if (!open || c->size >= c->most || c->in_task[a->left] == (uint32_t)c->out->tasks)
        SCDC_TRY(open_task(c, a->left));
    SCDC_TRY(put(c, number));
    if (a->answer == ANSWER_UNSURE) return SCDC_OK;
    if (!c->latest[a->right]) c->classes[c->n_classes++] = a->right;
    c->latest[a->right] = number + 1;
    return SCDC_OK;
}

static void next_worker(cutter *c)
{
    for (size_t i = 0; i < c->n_classes; i++) c->latest[c->classes[i]] = 0;
    c->n_classes = 0;
    c->size = 0;
}

static int cut(cutter *c)
{
    const rows *r = c->r;
    order_key *order = NULL;
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&order, r->count, sizeof *order, "sorted answers"));
    SCDC_TRY_OR(done, status,
                mem_zeroed(&c->in_task, r->texts.count, sizeof *c->in_task, "items of tasks"));
    SCDC_TRY_OR(done, status, mem_zeroed(&c->latest, r->texts.count, sizeof *c->latest, "classes"));
    SCDC_TRY_OR(done, status,
                mem_zeroed(&c->classes, r->texts.count, sizeof *c->classes, "classes"));
    for (size_t i = 0; i < r->count; i++) order[i] = (order_key){r->list[i].worker, (uint32_t)i};
    qsort(order, r->count, sizeof *order, by_worker);
    for (size_t i = 0; i < r->count; i++) {
        if (i > 0 && order[i].worker != order[i - 1].worker) next_worker(c);
        SCDC_TRY_OR(done, status, take_row(c, order[i].row));
    }
done:
    mem_free(order);
    mem_free(c->in_task);
    mem_free(c->latest);
    mem_free(c->classes);
    return status;
}

int class_tasks_make(class_tasks *out, const rows *r, size_t task_items)
{
    *out = (class_tasks){0};
    cutter c = {.r = r, .out = out, .most = task_items};
    int status = cut(&c);
    if (status != SCDC_OK) class_tasks_free(out);
    return status;
}

void class_tasks_free(class_tasks *tasks)
{
    mem_free(tasks->list);
    *tasks = (class_tasks){0};
}
