/* Beta distribution of a probability a in natural parameters.
 * eta = (tau1 - 1, tau2 - 1), t(a) = (ln a, ln(1-a)), E t = psi(tau_i) - psi(tau1 + tau2),
 * ln Z = ln B(tau1, tau2). */
#ifndef SCDC_EXPFAM_BETA_H
#define SCDC_EXPFAM_BETA_H

#include "base/rng.h"

#include <stdbool.h>

void beta_from_standard(double eta[2], const double tau[2]);
void beta_to_standard(double tau[2], const double eta[2]);
bool beta_in_domain(const double eta[2]);
void beta_mean_stats(double mean[2], const double eta[2]);
double beta_log_partition(const double eta[2]);
/* KL(q || p) */
double beta_kl(const double eta_q[2], const double eta_p[2]);
double beta_sample(rng *r, const double eta[2]);
/* The central interval that holds the probability `mass` (0.95). */
void beta_interval(double out[2], const double eta[2], double mass);

#endif
