/* scdc_crowd_append: answers that came later, in an order that does not tell when they came. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/crowd.h"

#include <scdc/update.h>
#include <stdlib.h>
#include <string.h>

/* ---- one crowd after the other ---- */

static int add_worker(uint32_t *number, scdc_crowd *crowd, const char *name)
{
    size_t at;
    SCDC_TRY(names_add(&at, NULL, &crowd->workers, name, strlen(name)));
    *number = (uint32_t)at;
    return SCDC_OK;
}

/* Items that are numbers in both stay what they are; names must be those of one list. */
static int check_items(const scdc_crowd *crowd, const scdc_crowd *more)
{
    size_t both = crowd->items.count < more->items.count ? crowd->items.count : more->items.count;
    bool same = (crowd->items.count > 0) == (more->items.count > 0);
    for (size_t i = 0; i < both && same; i++)
        same = strcmp(names_at(&crowd->items, i), names_at(&more->items, i)) == 0;
    if (same && both == more->items.count) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "answers: the two have other names of items: read both "
                                        "with the items they are about");
}

/* What either knows of a worker; of `more` where both know something. */
static int know_both(scdc_crowd *crowd, const scdc_crowd *more, const uint32_t *worker)
{
    two_coin_counts *all;
    SCDC_TRY(mem_zeroed(&all, crowd->workers.count, sizeof *all, "workers"));
    for (size_t w = 0; crowd->known && w < crowd->known_count; w++) all[w] = crowd->known[w];
    for (size_t w = 0; more->known && w < more->workers.count; w++) {
        const two_coin_counts *k = &more->known[w];
        if (k->alpha[0] + k->alpha[1] + k->beta[0] + k->beta[1] > 0) all[worker[w]] = *k;
    }
    mem_free(crowd->known);
    crowd->known = all;
    crowd->known_count = crowd->workers.count;
    return SCDC_OK;
}

static int copy_answers(scdc_crowd *crowd, const scdc_crowd *more)
{
    SCDC_TRY(crowd_reserve(crowd, more->count));
    uint32_t *worker;
    SCDC_TRY(mem_zeroed(&worker, more->workers.count, sizeof *worker, "worker numbers"));
    int status = SCDC_OK;
    for (size_t w = 0; w < more->workers.count && status == SCDC_OK; w++)
        status = add_worker(&worker[w], crowd, names_at(&more->workers, w));
    if (status == SCDC_OK && crowd->tasks + more->tasks >= SCDC_NO_TASK)
        status = fail_with(SCDC_ERR_INPUT, "more than %u tasks", SCDC_NO_TASK);
    for (size_t i = 0; i < more->count && status == SCDC_OK; i++) {
        scdc_answer a = more->answers[i];
        a.worker = worker[a.worker];
        if (a.task != SCDC_NO_TASK) a.task += (uint32_t)crowd->tasks;
        crowd->answers[crowd->count++] = a;
    }
    if (status == SCDC_OK && (crowd->known || more->known)) status = know_both(crowd, more, worker);
    mem_free(worker);
    SCDC_TRY(status);
    crowd->tasks += more->tasks;
    crowd->unsure += more->unsure;
    crowd->named_items |= more->named_items;
    return SCDC_OK;
}

/* ---- the order ---- */

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* What was said, whoever said it. */
static int compare_said(const scdc_answer *a, const scdc_answer *b)
{
    if (a->left != b->left) return compare_numbers(a->left, b->left);
    if (a->right != b->right) return compare_numbers(a->right, b->right);
    return compare_numbers(a->same, b->same);
}

static int compare_answers(const void *x, const void *y)
{
    const scdc_answer *a = x, *b = y;
    if (a->worker != b->worker) return compare_numbers(a->worker, b->worker);
    if (a->task != b->task) return compare_numbers(a->task, b->task);
    return compare_said(a, b);
}

/* The answers of a task, which are sorted. */
typedef struct task_run {
    const scdc_answer *first;
    size_t count;
    uint32_t task;
} task_run;

static int compare_tasks(const void *x, const void *y)
{
    const task_run *a = x, *b = y;
    size_t both = a->count < b->count ? a->count : b->count;
    if (a->first->worker != b->first->worker)
        return compare_numbers(a->first->worker, b->first->worker);
    for (size_t i = 0; i < both; i++) {
        int order = compare_said(a->first + i, b->first + i);
        if (order) return order;
    }
    return (a->count > b->count) - (a->count < b->count);
}

/* Tasks are numbered by what was said in them. A task is one worker's. */
static int number_tasks(scdc_crowd *crowd)
{
    task_run *run = NULL;
    uint32_t *number = NULL;
    size_t runs = 0;
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&run, crowd->tasks, sizeof *run, "tasks"));
    SCDC_TRY_OR(done, status, mem_zeroed(&number, crowd->tasks, sizeof *number, "tasks"));
    for (size_t i = 0, end; i < crowd->count; i = end) {
        const scdc_answer *a = crowd->answers + i;
        for (end = i; end < crowd->count && crowd->answers[end].worker == a->worker &&
                      crowd->answers[end].task == a->task;)
            end++;
        if (a->task != SCDC_NO_TASK) run[runs++] = (task_run){a, end - i, a->task};
    }
    qsort(run, runs, sizeof *run, compare_tasks);
    for (size_t r = 0; r < runs; r++) number[run[r].task] = (uint32_t)r;
    for (size_t i = 0; i < crowd->count; i++) {
        scdc_answer *a = crowd->answers + i;
        if (a->task != SCDC_NO_TASK) a->task = number[a->task];
    }
done:
    mem_free(run);
    mem_free(number);
    return status;
}

typedef struct named_worker {
    const char *name;
    uint32_t number;
} named_worker;

static int compare_names(const void *x, const void *y)
{
    return strcmp(((const named_worker *)x)->name, ((const named_worker *)y)->name);
}

static int sort_workers(scdc_crowd *crowd)
{
    size_t count = crowd->workers.count;
    names sorted = {0};
    named_worker *list = NULL;
    uint32_t *number = NULL;
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&list, count, sizeof *list, "worker names"));
    SCDC_TRY_OR(done, status, mem_zeroed(&number, count, sizeof *number, "worker numbers"));
    for (size_t w = 0; w < count; w++)
        list[w] = (named_worker){names_at(&crowd->workers, w), (uint32_t)w};
    qsort(list, count, sizeof *list, compare_names);
    for (size_t w = 0; w < count; w++) {
        size_t at;
        number[list[w].number] = (uint32_t)w;
        SCDC_TRY_OR(done, status,
                    names_add(&at, NULL, &sorted, list[w].name, strlen(list[w].name)));
    }
    for (size_t i = 0; i < crowd->count; i++)
        crowd->answers[i].worker = number[crowd->answers[i].worker];
    if (crowd->known) {
        two_coin_counts *known;
        SCDC_TRY_OR(done, status, mem_zeroed(&known, count, sizeof *known, "workers"));
        for (size_t w = 0; w < count && w < crowd->known_count; w++)
            known[number[w]] = crowd->known[w];
        mem_free(crowd->known);
        crowd->known = known;
        crowd->known_count = count;
    }
    names_free(&crowd->workers);
    crowd->workers = sorted;
    sorted = (names){0};
done:
    names_free(&sorted);
    mem_free(list);
    mem_free(number);
    return status;
}

static int sort_answers(scdc_crowd *crowd)
{
    SCDC_TRY(sort_workers(crowd));
    for (size_t i = 0; i < crowd->count; i++) {
        scdc_answer *a = crowd->answers + i;
        if (a->left < a->right) continue;
        uint32_t larger = a->left;
        a->left = a->right;
        a->right = larger;
    }
    qsort(crowd->answers, crowd->count, sizeof *crowd->answers, compare_answers);
    SCDC_TRY(number_tasks(crowd));
    qsort(crowd->answers, crowd->count, sizeof *crowd->answers, compare_answers);
    return SCDC_OK;
}

int scdc_crowd_append(scdc_crowd **crowd, const scdc_crowd *more)
{
    if (!crowd || !more) {
        return fail_with(SCDC_ERR_ARGUMENT, "answers: crowd and more must not be NULL");
    }
    scdc_crowd *all;
    int status = SCDC_OK;
    SCDC_TRY(crowd_new(&all));
    const scdc_crowd *parts[] = {*crowd, more};
    for (size_t p = 0; p < 2 && status == SCDC_OK; p++) {
        const scdc_crowd *part = parts[p];
        if (!part) continue;
        if (p && *crowd) status = check_items(*crowd, part);
        size_t at;
        for (size_t i = all->items.count; i < part->items.count && status == SCDC_OK; i++) {
            const char *name = names_at(&part->items, i);
            status = names_add(&at, NULL, &all->items, name, strlen(name));
        }
        if (status == SCDC_OK) status = copy_answers(all, part);
    }
    if (status == SCDC_OK) status = sort_answers(all);
    if (status == SCDC_OK) {
        scdc_crowd_free(*crowd);
        *crowd = all;
    } else {
        scdc_crowd_free(all);
    }
    return status;
}
