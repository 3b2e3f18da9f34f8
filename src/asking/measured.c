/* What is known of workers without any label: answers of earlier runs, and about known pairs. */
#include "asking/outlook.h"

#include "base/status.h"
#include "crowd/crowd.h"
#include "crowd/gold.h"

#include <stdlib.h>
#include <string.h>

static int by_pair(const void *a, const void *b)
{
    const scdc_answer *l = a, *r = b;
    if (l->left != r->left) return l->left < r->left ? -1 : 1;
    return l->right < r->right ? -1 : l->right > r->right;
}

static scdc_answer in_order(scdc_answer a)
{
    if (a.left < a.right) return a;
    return (scdc_answer){a.right, a.left, a.worker, a.task, a.same};
}

/* Adds what workers said of known pairs, which `truth` tells. */
static int count_gold(two_coin_counts *known, size_t truth, const scdc_answer *answers,
                      size_t count, const uint32_t *of_task)
{
    scdc_answer *pairs;
    size_t n = 0;
    SCDC_TRY(mem_zeroed(&pairs, count, sizeof *pairs, "known pairs"));
    for (size_t i = 0; i < count; i++) {
        if (answers[i].worker == truth) pairs[n++] = in_order(answers[i]);
    }
    qsort(pairs, n, sizeof *pairs, by_pair);
    for (size_t i = 0; i < count; i++) {
        scdc_answer a = in_order(answers[i]);
        const scdc_answer *gold = bsearch(&a, pairs, n, sizeof *pairs, by_pair);
        if (!gold || a.worker == truth) continue;
        double *rate = gold->same ? known[a.worker].alpha : known[a.worker].beta;
        rate[a.same != gold->same] += answer_worth(&a, of_task);
    }
    mem_free(pairs);
    return SCDC_OK;
}

int workers_measured(two_coin_counts **out, const scdc_crowd *crowd, const uint32_t *of_task,
                     arena *memory)
{
    size_t truth;
    *out = NULL;
    if (!crowd) return SCDC_OK;
    bool gold = names_find(&truth, &crowd->workers, GOLD_WORKER, strlen(GOLD_WORKER));
    if (!crowd->known && !gold) return SCDC_OK;
    *out = arena_new(memory, crowd->workers.count, sizeof **out, "workers");
    SCDC_TRY(arena_status(memory));
    if (crowd->known) memcpy(*out, crowd->known, crowd->workers.count * sizeof **out);
    return gold ? count_gold(*out, truth, crowd->answers, crowd->count, of_task) : SCDC_OK;
}
