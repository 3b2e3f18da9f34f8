/* Components into clusters. A component k belongs to cluster c_k; answers are about clusters.
 *
 * The evidence G (K x K, symmetric) says by how many nats the answer term of the bound rises when k
 * and l are put together: the term is 1/2 sum_kl A_kl G_kl, A_kl = P(c_k = c_l), A_kk = 1. The
 * prior is c_k ~ Cat(rho), rho ~ Dirichlet(concentration / C), with q(c) q(rho) mean-field. */
#ifndef SCDC_MODEL_GROUPING_H
#define SCDC_MODEL_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct grouping {
    size_t components; /* K */
    size_t clusters;   /* C found */
    double *q;         /* [K][K]: q(c_k = c) in columns 0 .. C-1 */
    double *same;      /* [K][K]: A */
    int64_t *cluster;  /* [K]: most likely cluster of a component, -1 for one that is left out */
    double kl;         /* KL(q(c) q(rho) || p(c, rho)) */
    /* scratch */
    double *work;   /* [K][K] and [2][K] */
    size_t *member; /* [K] */
    double *counts; /* [K] */
    bool *stays;    /* [K]: of groups or clusters: has a founder */
    bool *founder;  /* [K]: may have a cluster of its own */
} grouping;

typedef struct grouping_options {
    double concentration; /* of the Dirichlet over clusters */
    size_t clusters;      /* exactly so many; 0 = as many as the evidence says */
    size_t sweeps;        /* mean-field sweeps after the greedy start */
} grouping_options;

/* Every component its own cluster. */
int grouping_create(grouping *out, size_t components);
void grouping_free(grouping *g);
void grouping_identity(grouping *g);

/* Greedy agglomeration while the best merge has positive evidence (or down to the number asked
 * for), then mean-field sweeps. Components with use[k] false are left out (cluster -1).
 * Clusters are numbered by their smallest component, so that numbers stay when nothing changes. */
void grouping_fit(grouping *g, const double *evidence, const bool *use,
                  const grouping_options *options);

/* After q was written from outside (a loaded model): clusters, A and the most likely clusters. */
void grouping_restore(grouping *g);

/* After q was written for a grouping found by grouping_fit: clusters in which none of its founders
 * is most likely disappear; most likely clusters, A and the divergence. */
void grouping_settle(grouping *g, const bool *use, double concentration);

/* Clusters become parts [clusters] of one another, numbered 0 .. parts - 1. */
void grouping_merge(grouping *g, const uint32_t *part, size_t parts);

/* The answer term 1/2 sum_kl A_kl G_kl for this grouping. */
double grouping_value(const grouping *g, const double *evidence);

#endif
