/* Runs starts in batches of workspaces. */
#include "baselines/starts.h"

#include "base/parallel.h"
#include "base/status.h"
#include "base/watch.h"

typedef struct batch {
    const starts_body *body;
    void *job;
    size_t first; /* start of workspace 0 */
} batch;

static void run_one(void *context, size_t begin, size_t end, size_t piece)
{
    const batch *b = context;
    (void)end;
    (void)piece;
    b->body->run(b->job, begin, b->first + begin);
}

size_t starts_workspaces(size_t starts)
{
    return starts < STARTS_AT_A_TIME ? starts : STARTS_AT_A_TIME;
}

int starts_run(size_t starts, const starts_body *body, void *job)
{
    size_t at_a_time = starts_workspaces(starts);
    batch b = {.body = body, .job = job};
    for (; b.first < starts; b.first += at_a_time) {
        SCDC_TRY(watch_tick("running starts", b.first, starts));
        size_t count = starts - b.first < at_a_time ? starts - b.first : at_a_time;
        parallel_for(count, 1, run_one, &b);
        for (size_t w = 0; w < count; w++) SCDC_TRY(body->keep(job, w));
    }
    return SCDC_OK;
}

bool starts_improve(baseline_result *best, const baseline_result *run)
{
    if (!(run->objective > best->objective)) return false;
    best->objective = run->objective;
    best->iterations = run->iterations;
    best->converged = run->converged;
    return true;
}
