/* Dirichlet in natural parameters: see dirichlet.h. */
#include "expfam/dirichlet.h"
#include "base/numeric.h"
#include "expfam/special.h"

#include <math.h>

static double total(const double *eta, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < k; i++) sum += eta[i] + 1;
    return sum;
}

void dirichlet_from_standard(double *eta, const double *alpha, size_t k)
{
    for (size_t i = 0; i < k; i++) eta[i] = alpha[i] - 1;
}

void dirichlet_to_standard(double *alpha, const double *eta, size_t k)
{
    for (size_t i = 0; i < k; i++) alpha[i] = eta[i] + 1;
}

bool dirichlet_in_domain(const double *eta, size_t k)
{
    for (size_t i = 0; i < k; i++) {
        if (!(eta[i] + 1 > 0) || !isfinite(eta[i])) return false;
    }
    return true;
}

void dirichlet_mean_stats(double *mean, const double *eta, size_t k)
{
    double shift = digamma(total(eta, k));
    for (size_t i = 0; i < k; i++) mean[i] = digamma(eta[i] + 1) - shift;
}

double dirichlet_log_partition(const double *eta, size_t k)
{
    double sum = -log_gamma(total(eta, k));
    for (size_t i = 0; i < k; i++) sum += log_gamma(eta[i] + 1);
    return sum;
}

double dirichlet_kl(const double *eta_q, const double *eta_p, size_t k)
{
    double shift = digamma(total(eta_q, k));
    double kl = dirichlet_log_partition(eta_p, k) - dirichlet_log_partition(eta_q, k);
    for (size_t i = 0; i < k; i++) {
        kl += (eta_q[i] - eta_p[i]) * (digamma(eta_q[i] + 1) - shift);
    }
    return kl;
}

void dirichlet_sample(double *pi, rng *r, const double *eta, size_t k)
{
    /* Logs of gamma draws: with small alphas the draws themselves underflow. */
    for (size_t i = 0; i < k; i++) {
        double alpha = eta[i] + 1;
        if (alpha >= 1) pi[i] = log(rng_gamma(r, alpha));
        else pi[i] = log(rng_gamma(r, alpha + 1)) + log(rng_uniform(r)) / alpha;
    }
    softmax(pi, pi, k);
}
