/* What a recipe means, in one table. Nobody else asks which recipe it is: cores and training read
 * these flags; the functions that go with them in training are in train/fit.c (recipe_steps). */
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
} recipe;

const recipe *recipe_of(const scdc_options *options);

#endif
