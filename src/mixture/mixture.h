/* Gaussian mixtures over a plain float matrix by expectation maximisation, in four families of
 * covariances. What the Gaussian mixture baseline is, and what first components are chosen from. */
#ifndef SCDC_MIXTURE_MIXTURE_H
#define SCDC_MIXTURE_MIXTURE_H

#include "base/memory.h"

#include <stdint.h>

typedef enum mixture_family {
    MIXTURE_FULL,      /* a covariance matrix for each component */
    MIXTURE_TIED,      /* one covariance matrix for all */
    MIXTURE_DIAGONAL,  /* a variance for each component and column */
    MIXTURE_SPHERICAL, /* a variance for each component */
    MIXTURE_FAMILIES
} mixture_family;

typedef struct mixture {
    mixture_family family;
    size_t k, dims;
    double *weight;  /* [k] log proportions */
    double *mean;    /* [k][dims] */
    double *factor;  /* full, tied: [k or 1][dims][dims] lower Cholesky factors; else variances
                        [k][dims] */
    double *log_det; /* [k] of the covariance */
    arena memory;
} mixture;

typedef struct mixture_options {
    size_t iterations;     /* at most */
    double tolerance;      /* stops when the log likelihood per item rises by less */
    double floor;          /* added to every variance */
    uint64_t seed;         /* of the one start of k-means */
    const uint32_t *first; /* [n] components to begin with, in place of k-means; NULL: none */
} mixture_options;

typedef struct mixture_report {
    double log_likelihood; /* of all items */
    size_t iterations;
    int converged;
} mixture_report;

int mixture_create(mixture *out, mixture_family family, size_t k, size_t dims);
void mixture_free(mixture *m);

/* Fits x [n][dims]. share [n][k] receives the responsibilities. SCDC_ERR_NUMERIC when a covariance
 * is not positive definite or the likelihood not finite. */
int mixture_fit(mixture *m, double *share, mixture_report *report, const float *x, size_t n,
                const mixture_options *options);
/* share [n][k]: responsibilities of the components for any items. */
int mixture_shares(double *share, const mixture *m, const float *x, size_t n);
/* The most likely component of each item. */
int mixture_assign(uint32_t *component, const mixture *m, const float *x, size_t n);
/* density [n]: log density of each item under all components. */
int mixture_densities(double *density, const mixture *m, const float *x, size_t n);

/* Free parameters, for the Bayesian information criterion. */
double mixture_parameters(const mixture *m);
/* The mean variance of a column: what floors are measured by. */
double mixture_mean_variance(const float *x, size_t n, size_t dims);

#endif
