/* The stage clock. */
#include "base/stages.h"
#include "base/clock.h"

#include <scdc/scdc.h>
#include <stdbool.h>

static const char *const names[STAGES] = {
    [STAGE_BOOKKEEPING] = "bookkeeping",
    [STAGE_GATHER] = "gather",
    [STAGE_BINARISE] = "binarise",
    [STAGE_ENCODER] = "encoder",
    [STAGE_MESSAGES] = "messages",
    [STAGE_SAMPLE] = "sample",
    [STAGE_DECODER] = "decoder",
    [STAGE_LIKELIHOOD] = "likelihood",
    [STAGE_BACKWARD] = "backward",
    [STAGE_MESSAGES_BACK] = "messages_back",
    [STAGE_NATURAL_GRADIENT] = "natural_gradient",
    [STAGE_OPTIMISER] = "optimiser",
    [STAGE_SUMS] = "sums",
    [STAGE_CLUSTERS] = "clusters",
    [STAGE_CLASSIFIER] = "classifier",
};

static _Thread_local struct stage_clock {
    bool on;
    stage current;
    double since; /* when the current stage was entered */
    double seconds[STAGES];
} stages;

stage stage_enter(stage next)
{
    stage before = stages.current;
    if (!stages.on) return before;
    double time = seconds_now();
    stages.seconds[before] += time - stages.since;
    stages.since = time;
    stages.current = next;
    return before;
}

void scdc_timings_start(void)
{
    stages = (struct stage_clock){.on = true, .current = STAGE_BOOKKEEPING, .since = seconds_now()};
}

void scdc_timings_stop(void)
{
    stage_enter(STAGE_BOOKKEEPING);
    stages.on = false;
}

const char *scdc_timings_stage(size_t index, double *seconds)
{
    if (index >= STAGES) return NULL;
    if (seconds) *seconds = stages.seconds[index];
    return names[index];
}
