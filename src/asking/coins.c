/* How good the workers are, as a question's worth depends on who will answer it. */
#include "asking/asking.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* Of workers nobody knows anything about. */
static const coins stranger = {.85, .85};

coins coins_of_stranger(void)
{
    return stranger;
}

/* Certainty that no number of answers gives: also a perfect worker slips. */
static double within(double p)
{
    return fmin(.98, fmax(.02, p));
}

/* All workers of the model; *count is 0 without a model. */
static int read_workers(scdc_worker **out, size_t *count, const scdc_model *model)
{
    scdc_model_info info = {0};
    *out = NULL;
    *count = 0;
    if (!model) return SCDC_OK;
    SCDC_TRY(scdc_model_get_info(&info, model));
    SCDC_TRY(mem_zeroed(out, info.workers, sizeof **out, "workers"));
    int status = scdc_workers(*out, info.workers, model);
    if (status == SCDC_OK) *count = info.workers;
    else mem_free(*out);
    return status;
}

/* The mean of all workers, each counted by its answers, and a little of a stranger. */
static coins mean_coins(const scdc_worker *workers, size_t count)
{
    double a = 4 * stranger.sensitivity, b = 4 * stranger.specificity, n = 4;
    for (size_t m = 0; m < count; m++) {
        a += (double)workers[m].answers * workers[m].sensitivity;
        b += (double)workers[m].answers * workers[m].specificity;
        n += (double)workers[m].answers;
    }
    return (coins){within(a / n), within(b / n)};
}

static coins find_coins(const scdc_worker *workers, size_t count, const char *name, coins typical)
{
    for (size_t m = 0; m < count && name; m++) {
        if (strcmp(workers[m].name, name) == 0)
            return (coins){within(workers[m].sensitivity), within(workers[m].specificity)};
    }
    return typical;
}

int coins_of_crowd(coins *out, coins *typical, const scdc_model *model, const scdc_crowd *crowd)
{
    scdc_crowd_info info = {0};
    scdc_worker *workers;
    size_t count;
    if (crowd) SCDC_TRY(scdc_crowd_get_info(&info, crowd));
    SCDC_TRY(read_workers(&workers, &count, model));
    *typical = mean_coins(workers, count);
    for (size_t m = 0; m < info.workers; m++)
        out[m] = find_coins(workers, count, scdc_crowd_worker_name(crowd, m), *typical);
    mem_free(workers);
    return SCDC_OK;
}

int coins_of_worker(coins *out, const scdc_model *model, const char *name)
{
    scdc_worker *workers;
    size_t count;
    SCDC_TRY(read_workers(&workers, &count, model));
    *out = find_coins(workers, count, name, mean_coins(workers, count));
    mem_free(workers);
    return SCDC_OK;
}
