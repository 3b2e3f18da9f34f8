/* Made by baselines.py: do not edit. */
/* clang-format off */
#ifndef SCDC_GOLDEN_BASELINES_H
#define SCDC_GOLDEN_BASELINES_H

static const double golden_spectral_inertia = 2.0548100176778896;

/* near 1, far 4, slack 2.5: same (2, .5), (1, -1); different (.3, 1), (.7, .6) */
static const double golden_itml[3] = {0.2242303882, 0.2444021182, 1.74304405};

/* 18 items, entry known when (7i + 7j + ij) % 5 < 3, three blocks, 3 errors */
static const double golden_completion = 18.40635622;

/* weights alone, with the answers, everything */
static const double golden_mcvc[3] = {-10.683082183364393, -18.816396924383277, -29.667974777014603};

#endif
