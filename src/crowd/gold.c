/* Known pairs: the truth about some pairs is one more worker, who is never wrong. It draws the
 * items where they belong, and by that measures whoever else answered about them. */
#include "crowd/gold.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

int gold_note(gold_list *g, uint32_t left, uint32_t right, uint32_t same, const char *file,
              size_t line)
{
    SCDC_TRY(mem_reserve(&g->pairs, &g->capacity, g->count + 1, sizeof *g->pairs, "known pairs"));
    bool order = left < right;
    g->pairs[g->count++] =
        (gold_pair){order ? left : right, order ? right : left, same, line, file};
    return SCDC_OK;
}

static int compare(const void *x, const void *y)
{
    const gold_pair *a = x, *b = y;
    if (a->left != b->left) return a->left < b->left ? -1 : 1;
    if (a->right != b->right) return a->right < b->right ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

int gold_answers(scdc_crowd *crowd, gold_list *g)
{
    size_t worker;
    if (!g->count) return SCDC_OK;
    qsort(g->pairs, g->count, sizeof *g->pairs, compare);
    SCDC_TRY(names_add(&worker, NULL, &crowd->workers, GOLD_WORKER, strlen(GOLD_WORKER)));
    for (size_t i = 0; i < g->count; i++) {
        const gold_pair *p = &g->pairs[i], *q = i ? p - 1 : NULL;
        bool again = q && q->left == p->left && q->right == p->right;
        if (again && q->same != p->same) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: line %zu: gold says %s of a pair that is %s by line %zu of %s",
                             p->file, p->line, p->same ? "same" : "different",
                             q->same ? "same" : "different", q->line, q->file);
        }
        if (again) continue;
        SCDC_TRY(crowd_append(crowd, (scdc_answer){.left = p->left,
                                                   .right = p->right,
                                                   .worker = (uint32_t)worker,
                                                   .task = SCDC_NO_TASK,
                                                   .same = p->same}));
    }
    return SCDC_OK;
}

void gold_free(gold_list *g)
{
    mem_free(g->pairs);
    *g = (gold_list){0};
}
