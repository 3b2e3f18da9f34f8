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
                             .hears_neighbours = true},
    [SCDC_RECIPE_PAPER] = {.random_z = true, .keeps_shares = true},
};

const recipe *recipe_of(const scdc_options *options)
{
    return &recipes[options->recipe];
}
