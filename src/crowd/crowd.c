/* Life of a crowd, and answers given in memory. */
#include "crowd/crowd.h"

#include "base/memory.h"
#include "base/status.h"
#include "crowd/renumber.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int crowd_new(scdc_crowd **out)
{
    return mem_zeroed(out, 1, sizeof **out, "answers");
}

void scdc_crowd_free(scdc_crowd *crowd)
{
    if (!crowd) return;
    mem_free(crowd->answers);
    mem_free(crowd->known);
    names_free(&crowd->workers);
    names_free(&crowd->items);
    mem_free(crowd);
}

int crowd_reserve(scdc_crowd *crowd, size_t more)
{
    if (more > CROWD_MOST_ANSWERS - crowd->count) {
        return fail_with(SCDC_ERR_INPUT, "more than %zu answers", CROWD_MOST_ANSWERS);
    }
    return mem_reserve(&crowd->answers, &crowd->capacity, crowd->count + more,
                       sizeof *crowd->answers, "answers");
}

int crowd_append(scdc_crowd *crowd, scdc_answer answer)
{
    SCDC_TRY(crowd_reserve(crowd, 1));
    crowd->answers[crowd->count++] = answer;
    return SCDC_OK;
}

const scdc_answer *scdc_crowd_answers(const scdc_crowd *crowd, size_t *count)
{
    if (count) *count = crowd ? crowd->count : 0;
    return crowd ? crowd->answers : NULL;
}

const char *scdc_crowd_worker_name(const scdc_crowd *crowd, size_t worker)
{
    return crowd ? names_at(&crowd->workers, worker) : NULL;
}

const char *scdc_crowd_item_name(const scdc_crowd *crowd, size_t item)
{
    return crowd ? names_at(&crowd->items, item) : NULL;
}

/* ---- from memory ---------------------------------------------------------------------------- */

static int check_answers(const scdc_answer *answers, size_t count)
{
    if (count < 1 || count > CROWD_MOST_ANSWERS) {
        return fail_with(SCDC_ERR_ARGUMENT, "the number of answers must be 1 to %zu, not %zu",
                         CROWD_MOST_ANSWERS, count);
    }
    for (size_t i = 0; i < count; i++) {
        const scdc_answer *a = answers + i;
        if (a->left == a->right) {
            return fail_with(SCDC_ERR_ARGUMENT, "answer %zu compares item %" PRIu32 " with itself",
                             i, a->left);
        }
        if (a->left >= CROWD_MOST_ITEMS || a->right >= CROWD_MOST_ITEMS) {
            return fail_with(SCDC_ERR_ARGUMENT, "answer %zu: item %" PRIu32 " is not below %zu", i,
                             a->left > a->right ? a->left : a->right, CROWD_MOST_ITEMS);
        }
        if (a->same > 1) {
            return fail_with(SCDC_ERR_ARGUMENT, "answer %zu: same must be 0 or 1, not %" PRIu32, i,
                             a->same);
        }
    }
    return SCDC_OK;
}

/* Workers get numbers without gaps and their old number as name. */
static int renumber_workers(scdc_crowd *crowd, uint32_t *scratch)
{
    renumbering r;
    for (size_t i = 0; i < crowd->count; i++) scratch[i] = crowd->answers[i].worker;
    SCDC_TRY(renumber(&r, scratch, crowd->count));
    int status = SCDC_OK;
    for (size_t i = 0; i < crowd->count; i++) crowd->answers[i].worker = scratch[i];
    for (size_t i = 0; i < r.count && status == SCDC_OK; i++) {
        char text[16];
        size_t number;
        int length = snprintf(text, sizeof text, "%" PRIu32, r.value[i]);
        status = names_add(&number, NULL, &crowd->workers, text, (size_t)length);
    }
    renumber_free(&r);
    return status;
}

/* The same for tasks, among the answers that have one. */
static int renumber_tasks(scdc_crowd *crowd, uint32_t *scratch)
{
    renumbering r;
    size_t n = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        if (crowd->answers[i].task != SCDC_NO_TASK) scratch[n++] = crowd->answers[i].task;
    }
    SCDC_TRY(renumber(&r, scratch, n));
    n = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        if (crowd->answers[i].task != SCDC_NO_TASK) crowd->answers[i].task = scratch[n++];
    }
    crowd->tasks = r.count;
    renumber_free(&r);
    return SCDC_OK;
}

int scdc_crowd_from_memory(scdc_crowd **out, const scdc_answer *answers, size_t count)
{
    if (!out || !answers) {
        return fail_with(SCDC_ERR_ARGUMENT, "answers: out and answers must not be NULL");
    }
    SCDC_TRY(check_answers(answers, count));
    scdc_crowd *crowd = NULL;
    uint32_t *scratch = NULL;
    int status;
    SCDC_TRY_OR(done, status, crowd_new(&crowd));
    SCDC_TRY_OR(done, status, crowd_reserve(crowd, count));
    memcpy(crowd->answers, answers, count * sizeof *answers);
    crowd->count = count;
    SCDC_TRY_OR(done, status, mem_zeroed(&scratch, count, sizeof *scratch, "worker numbers"));
    SCDC_TRY_OR(done, status, renumber_workers(crowd, scratch));
    SCDC_TRY_OR(done, status, renumber_tasks(crowd, scratch));
    *out = crowd;
    crowd = NULL;
done:
    mem_free(scratch);
    scdc_crowd_free(crowd);
    return status;
}
