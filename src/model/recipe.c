/* The two recipes. */
#include "model/recipe.h"

/* The published algorithm leaves everything false that it does not say. */
static const recipe recipes[] = {
    [SCDC_RECIPE_DEFAULT] = {.warm_up = true,
                             .mixture_in_q = true,
                             .follows_proportions = true,
                             .cluster_level = true,
                             .knows_groupings = true,
                             .scales_columns = true,
                             .hears_neighbours = true,
                             .without_networks = true,
                             .may_shard = true,
                             .ends_by_itself = true,
                             .batch = 256,
                             .iterations = 3,
                             .global_rate = 0.01,
                             .amortized_rate = 2e-3,
                             .wide = SCDC_COVARIANCE_FULL,
                             .sum = SCDC_SUM_THRESHOLD,
                             .sum_threshold = 1e-2},
    [SCDC_RECIPE_PAPER] = {.random_z = true,
                           .keeps_shares = true,
                           .latent = 8,
                           .batch = 128,
                           .epochs = 200,
                           .iterations = 4,
                           .amortized_rate = 1e-3,
                           .wide = SCDC_COVARIANCE_DIAGONAL,
                           .sum = SCDC_SUM_EXACT,
                           .sum_threshold = 1e-3},
};

const recipe *recipe_of(const scdc_options *options)
{
    return &recipes[options->recipe];
}
