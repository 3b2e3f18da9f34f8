/* scdc_crowd_leave_out: of answers that came later, those that are there already. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/crowd.h"

#include <scdc/update.h>
#include <stdlib.h>
#include <string.h>

/* What is taken or left as a whole: an answer about a pair, or all answers of a task. Two are the
 * same when their marks are: 64 bits of who said what. */
typedef struct unit_marks {
    uint64_t *of_task;   /* [tasks] */
    uint64_t *of_answer; /* [count] of an answer without a task */
} unit_marks;

static uint64_t stir(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t mark_of_worker(const scdc_crowd *crowd, uint32_t worker)
{
    uint64_t mark = 0xcbf29ce484222325u;
    for (const char *c = scdc_crowd_worker_name(crowd, worker); *c; c++)
        mark = (mark ^ (unsigned char)*c) * 0x100000001b3u;
    return mark;
}

/* A pair is the same in either order. */
static uint64_t mark_of_answer(const scdc_crowd *crowd, const scdc_answer *a)
{
    uint64_t low = a->left < a->right ? a->left : a->right;
    uint64_t high = a->left < a->right ? a->right : a->left;
    return stir(stir(low << 32 | high) + mark_of_worker(crowd, a->worker) + (a->same ? 1 : 2));
}

static int find_marks(unit_marks *out, const scdc_crowd *crowd, arena *memory)
{
    out->of_task = arena_new(memory, crowd->tasks, sizeof *out->of_task, "tasks");
    out->of_answer = arena_new(memory, crowd->count, sizeof *out->of_answer, "answers");
    SCDC_TRY(arena_status(memory));
    for (size_t i = 0; i < crowd->count; i++) {
        const scdc_answer *a = &crowd->answers[i];
        out->of_answer[i] = mark_of_answer(crowd, a);
        /* A sum: in any order. */
        if (a->task != SCDC_NO_TASK) out->of_task[a->task] += stir(out->of_answer[i] + 7);
    }
    return SCDC_OK;
}

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Marks of what is there, sorted; a mark that was met is taken out of the game by `met`. */
typedef struct shelf {
    uint64_t *mark;
    size_t count;
    uint32_t *met; /* [count] at the first of equal ones: how many were met */
} shelf;

static int fill_shelf(shelf *out, const scdc_crowd *had, arena *memory)
{
    unit_marks marks;
    SCDC_TRY(find_marks(&marks, had, memory));
    out->mark = arena_new(memory, had->count + had->tasks, sizeof *out->mark, "answers");
    out->met = arena_new(memory, had->count + had->tasks, sizeof *out->met, "answers");
    SCDC_TRY(arena_status(memory));
    for (size_t t = 0; t < had->tasks; t++) out->mark[out->count++] = marks.of_task[t];
    for (size_t i = 0; i < had->count; i++) {
        if (had->answers[i].task == SCDC_NO_TASK) out->mark[out->count++] = marks.of_answer[i];
    }
    qsort(out->mark, out->count, sizeof *out->mark, ascending);
    return SCDC_OK;
}

/* Each of those that are there is met once only: who said the same twice said it once more. */
static bool meet(shelf *s, uint64_t mark)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->mark[middle] < mark) low = middle + 1;
        else high = middle;
    }
    size_t at = low + (low < s->count ? s->met[low] : 0);
    if (at >= s->count || s->mark[at] != mark) return false;
    s->met[low]++;
    return true;
}

/* Which answers stay; tasks are numbered again without gaps. */
static void keep_others(scdc_crowd *crowd, const bool *task_known, const bool *answer_known,
                        uint32_t *number)
{
    size_t kept = 0, tasks = 0;
    for (size_t t = 0; t < crowd->tasks; t++) number[t] = task_known[t] ? 0 : (uint32_t)tasks++;
    for (size_t i = 0; i < crowd->count; i++) {
        scdc_answer a = crowd->answers[i];
        bool in_task = a.task != SCDC_NO_TASK;
        if (in_task ? task_known[a.task] : answer_known[i]) continue;
        if (in_task) a.task = number[a.task];
        crowd->answers[kept++] = a;
    }
    crowd->count = kept;
    crowd->tasks = tasks;
}

static int leave_out(scdc_crowd *crowd, const scdc_crowd *had, arena *memory)
{
    unit_marks marks;
    shelf there = {0};
    SCDC_TRY(find_marks(&marks, crowd, memory));
    SCDC_TRY(fill_shelf(&there, had, memory));
    bool *task_known = arena_new(memory, crowd->tasks, sizeof *task_known, "tasks");
    bool *answer_known = arena_new(memory, crowd->count, sizeof *answer_known, "answers");
    uint32_t *number = arena_new(memory, crowd->tasks, sizeof *number, "tasks");
    SCDC_TRY(arena_status(memory));
    for (size_t t = 0; t < crowd->tasks; t++) task_known[t] = meet(&there, marks.of_task[t]);
    for (size_t i = 0; i < crowd->count; i++) {
        if (crowd->answers[i].task == SCDC_NO_TASK)
            answer_known[i] = meet(&there, marks.of_answer[i]);
    }
    keep_others(crowd, task_known, answer_known, number);
    return SCDC_OK;
}

int scdc_crowd_leave_out(scdc_crowd **crowd, size_t *left_out, const scdc_crowd *had)
{
    if (!crowd || !left_out)
        return fail_with(SCDC_ERR_ARGUMENT, "crowd and left_out must not be NULL");
    *left_out = 0;
    if (!*crowd || !had) return SCDC_OK;
    arena memory = {0};
    size_t count = (*crowd)->count;
    int status = leave_out(*crowd, had, &memory);
    arena_free(&memory);
    SCDC_TRY(status);
    *left_out = count - (*crowd)->count;
    if ((*crowd)->count) return SCDC_OK;
    scdc_crowd_free(*crowd);
    *crowd = NULL;
    return SCDC_OK;
}
