/* Sorts answers by pair and counts them. */
#include "baselines/pairs.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>

static int by_items(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->left != q->left) return p->left < q->left ? -1 : 1;
    return p->right < q->right ? -1 : p->right > q->right;
}

int pairs_collect(pairs *out, const scdc_answer *answers, size_t n_answers, int64_t worker)
{
    *out = (pairs){0};
    pair *list = NULL;
    SCDC_TRY(mem_zeroed(&list, n_answers, sizeof *list, "pairs"));
    size_t count = 0;
    for (size_t t = 0; t < n_answers; t++) {
        const scdc_answer *a = &answers[t];
        if (worker != ALL_WORKERS && a->worker != worker) continue;
        list[count++] = (pair){.left = a->left < a->right ? a->left : a->right,
                               .right = a->left < a->right ? a->right : a->left,
                               .same = a->same != 0,
                               .different = a->same == 0};
    }
    qsort(list, count, sizeof *list, by_items);
    size_t kept = 0;
    for (size_t t = 0; t < count; t++) {
        if (kept && by_items(&list[kept - 1], &list[t]) == 0) {
            list[kept - 1].same += list[t].same;
            list[kept - 1].different += list[t].different;
        } else {
            list[kept++] = list[t];
        }
    }
    *out = (pairs){.list = list, .count = kept};
    return SCDC_OK;
}

void pairs_free(pairs *p)
{
    mem_free(p->list);
    *p = (pairs){0};
}
