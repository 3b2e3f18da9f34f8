/* What a recipe means, in one table. Nobody else asks which recipe it is: cores and training read
 * these flags, presets.c the settings; the functions that go with them are in train/recipe_steps.c.
 */
#ifndef SCDC_MODEL_RECIPE_H
#define SCDC_MODEL_RECIPE_H

#include <scdc/scdc.h>
#include <stdbool.h>

typedef struct recipe {
    /* Of the cores. */
    bool warm_up;             /* networks begin as a plain autoencoder, components from its means */
    bool mixture_in_q;        /* amortised: q(z|o) holds what the mixture says about an item */
    bool follows_proportions; /* amortised: proportions follow the items, not their gradient */
    bool random_z;            /* bayes: q(z) of a row starts at random, not at the unit prior */
    bool keeps_shares;        /* bayes: a component is alive by the share of items it holds */
    /* Of the model. */
    bool cluster_level;    /* clusters are groups of components or learned classes */
    bool knows_groupings;  /* answers of one task belong together; else all are pairs */
    bool scales_columns;   /* automatic scaling may give columns their own widths */
    bool hears_neighbours; /* in the labels of the fit */
    /* Of options that were left open. */
    bool without_networks; /* the Bayesian model may do without */
    bool may_shard;        /* minibatches can be cut into shards */
    bool ends_by_itself;   /* when clusters stay as they are */
    size_t latent;         /* at most, not more than columns; 0: by columns and items */
    size_t batch;          /* at most */
    size_t epochs;         /* 0: by the number of items */
    size_t iterations;
    double global_rate;    /* 0: 10 / N of the whole-data natural gradient */
    double amortized_rate; /* learning rate of the amortised model; few epochs want more */
    scdc_covariance wide;  /* of latents of up to 64 dimensions */
    scdc_sum_kind sum;     /* over components, of the amortised model */
    double sum_threshold;
} recipe;

const recipe *recipe_of(const scdc_options *options);

#endif
