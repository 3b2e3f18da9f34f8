/* Which items are sure enough to be taught by their own labels. */
#include "base/memory.h"
#include "base/status.h"
#include "model/pupil/teach.h"
#include "model/tuning.h"

#include <math.h>

/* How sure a label is, in steps that tell .999 from .9999. */
enum { STEPS = 512, STEPS_OF_ONE = 16 };

static size_t step_of(double probability)
{
    double step = -STEPS_OF_ONE * log2(fmax(1 - probability, 1e-9));
    return step < STEPS - 1 ? (size_t)step : STEPS - 1;
}

/* The least step that such a share of the labels reach. */
static size_t least_step(const size_t held[STEPS], double share)
{
    size_t all = 0, above = 0, step = STEPS;
    for (size_t k = 0; k < STEPS; k++) all += held[k];
    while (step > 0 && (double)above < share * (double)all) above += held[--step];
    return step;
}

int keep_surest(lesson_items *t, size_t clusters)
{
    size_t sure = 0, (*held)[STEPS];
    SCDC_TRY(mem_zeroed(&held, clusters, sizeof *held, "labels"));
    for (size_t i = 0; i < t->items; i++) {
        held[t->label[i]][step_of(t->probability[i])]++;
        sure += t->probability[i] > PUPIL_SURE;
    }
    double share = (double)sure / (double)t->items;
    for (size_t c = 0; c < clusters; c++) held[c][0] = least_step(held[c], share);
    for (size_t i = 0; i < t->items; i++)
        t->probability[i] = step_of(t->probability[i]) >= held[t->label[i]][0];
    mem_free(held);
    return SCDC_OK;
}
