/* The options of the baselines as a table, and their defaults. */
#include "baselines/baseline.h"

#include "base/option_table.h"
#include "base/sized.h"
#include "base/status.h"

static const char *const covariance_words[] = {"diagonal", "full", NULL};

#define KEY(field, kind, low_, high_, ...)                                                         \
    OPTION_KEY(scdc_baseline_options, field, kind, __VA_ARGS__, .low = low_, .high = high_)
static const option_key keys[] = {
    KEY(k, SIZE, 0, 1e6, "clusters; the most clusters for crowdclustering"),
    KEY(starts, SIZE, 0, 1e6, "starts, of which the best is kept; 0 = the method's default"),
    KEY(max_iterations, SIZE, 0, 1e9, "most iterations; 0 = the method's default"),
    KEY(tolerance, REAL, 0, 1, "convergence threshold; auto = the method's default",
        .automatic = AUTO_NEGATIVE),
    KEY(seed, SEED, 0, 0, "same seed, same result"),
    KEY(threads, INT, 0, 1024, "threads; 0 = all cores"),
    KEY(covariance, WORD, 0, 0, "gmm: full or diagonal", .words = covariance_words),
    KEY(ridge, REAL, 0, 1, "gmm: added to variances, relative to the mean variance"),
    KEY(slack, REAL, 1e-12, 1e12, "itml: gamma, weight of the answers against the prior"),
    KEY(link_weight, REAL, 0, 1e12, "mpckmeans, cspa: cost of a broken answer"),
    KEY(certain, REAL, 0, .5, "semicrowd: least distance of a pair's mean answer from 1/2"),
    KEY(views, SIZE, 1, 1000, "mcvc, deep-mcvc: most groups of workers"),
    KEY(view, SIZE, 0, 999, "mcvc, deep-mcvc: which group's clustering; 0 = most workers"),
    KEY(latent, SIZE, 1, 8, "crowdclustering: dimensions of an item's vector"),
    KEY(learning_rate, REAL, 1e-9, 1, "deep-mcvc: step of the optimiser"),
};
static const option_table table = {keys, sizeof keys / sizeof *keys, " of the baselines"};

static const scdc_baseline_options defaults = {.size = sizeof defaults,
                                               .tolerance = -1,
                                               .seed = SCDC_DEFAULT_SEED,
                                               .covariance = SCDC_COVARIANCE_FULL,
                                               .ridge = 1e-6,
                                               .slack = 1,
                                               .link_weight = 1,
                                               .certain = .25,
                                               .views = 1,
                                               .latent = 4,
                                               .learning_rate = 1e-2};

void scdc_baseline_options_init_sized(scdc_baseline_options *options, size_t size)
{
    sized_init(options, size, &defaults, sizeof defaults);
}

int baseline_take_options(scdc_baseline_options *out, const scdc_baseline_options *theirs)
{
    *out = defaults;
    return sized_take(out, sizeof *out, theirs, "scdc_baseline_options_init");
}

const char *scdc_baseline_key(size_t index, const char **help)
{
    return option_name(&table, index, help);
}

int scdc_baseline_set(scdc_baseline_options *options, const char *name, const char *value)
{
    scdc_baseline_options own;
    if (!options || !name || !value) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_baseline_set: options, key and value are needed");
    }
    SCDC_TRY(baseline_take_options(&own, options));
    SCDC_TRY(option_set(&table, &own, name, value));
    return sized_give(options, &own, &defaults, sizeof own, name);
}

int baseline_check_options(const scdc_baseline_options *options)
{
    return option_check(&table, options);
}
