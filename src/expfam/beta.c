/* Beta in natural parameters: see beta.h. */
#include "expfam/beta.h"
#include "expfam/special.h"

#include <math.h>

void beta_from_standard(double eta[2], const double tau[2])
{
    eta[0] = tau[0] - 1;
    eta[1] = tau[1] - 1;
}

void beta_to_standard(double tau[2], const double eta[2])
{
    tau[0] = eta[0] + 1;
    tau[1] = eta[1] + 1;
}

bool beta_in_domain(const double eta[2])
{
    return eta[0] + 1 > 0 && eta[1] + 1 > 0 && isfinite(eta[0]) && isfinite(eta[1]);
}

void beta_mean_stats(double mean[2], const double eta[2])
{
    double tau[2];
    beta_to_standard(tau, eta);
    double shift = digamma(tau[0] + tau[1]);
    mean[0] = digamma(tau[0]) - shift;
    mean[1] = digamma(tau[1]) - shift;
}

double beta_log_partition(const double eta[2])
{
    return log_beta(eta[0] + 1, eta[1] + 1);
}

double beta_kl(const double eta_q[2], const double eta_p[2])
{
    double mean[2];
    beta_mean_stats(mean, eta_q);
    return (eta_q[0] - eta_p[0]) * mean[0] + (eta_q[1] - eta_p[1]) * mean[1] -
           (beta_log_partition(eta_q) - beta_log_partition(eta_p));
}

double beta_sample(rng *r, const double eta[2])
{
    return rng_beta(r, eta[0] + 1, eta[1] + 1);
}

void beta_interval(double out[2], const double eta[2], double mass)
{
    double tau[2], tail = 0.5 * (1 - mass);
    beta_to_standard(tau, eta);
    out[0] = beta_quantile(tail, tau[0], tau[1]);
    out[1] = beta_quantile(1 - tail, tau[0], tau[1]);
}
