/* Categorical in natural parameters: see categorical.h. */
#include "expfam/categorical.h"
#include "base/numeric.h"

#include <math.h>

void categorical_from_standard(double *eta, const double *p, size_t k)
{
    for (size_t i = 0; i < k; i++) eta[i] = log(p[i]);
}

void categorical_to_standard(double *p, const double *eta, size_t k)
{
    softmax(p, eta, k);
}

bool categorical_in_domain(const double *eta, size_t k)
{
    bool possible = false;
    for (size_t i = 0; i < k; i++) {
        if (isnan(eta[i]) || eta[i] == INFINITY) return false;
        if (eta[i] != -INFINITY) possible = true;
    }
    return possible;
}

void categorical_mean_stats(double *mean, const double *eta, size_t k)
{
    softmax(mean, eta, k);
}

double categorical_log_partition(const double *eta, size_t k)
{
    return log_sum_exp(eta, k);
}

double categorical_kl(const double *eta_q, const double *eta_p, size_t k)
{
    double log_q = log_sum_exp(eta_q, k), log_p = log_sum_exp(eta_p, k), kl = 0;
    for (size_t i = 0; i < k; i++) {
        double q = exp(eta_q[i] - log_q);
        if (q > 0) kl += q * ((eta_q[i] - log_q) - (eta_p[i] - log_p));
    }
    return kl;
}

size_t categorical_sample(rng *r, const double *eta, size_t k)
{
    double log_total = log_sum_exp(eta, k), u = rng_uniform(r);
    size_t last = 0;
    for (size_t i = 0; i < k; i++) {
        double p = exp(eta[i] - log_total);
        if (p <= 0) continue;
        last = i;
        u -= p;
        if (u < 0) break;
    }
    return last;
}
