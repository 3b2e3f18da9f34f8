/* The plain variational autoencoder's latent step. d values per row: small loops. */
#include "model/bayes/unit_prior.h"

static real softplus(real j)
{
    return j > 0 ? j + real_log1p(real_exp(-j)) : real_log1p(real_exp(j));
}

static real sigmoid(real j)
{
    if (j >= 0) return 1 / (1 + real_exp(-j));
    real e = real_exp(j);
    return e / (1 + e);
}

void unit_prior_forward(real *x, double *kl, const real *encoded, const real *noise, size_t rows,
                        size_t d)
{
    for (size_t i = 0; i < rows; i++) {
        const real *h = encoded + i * 2 * d, *j = h + d;
        kl[i] = 0;
        for (size_t a = 0; a < d; a++) {
            real precision = 1 + softplus(j[a]), mean = h[a] / precision;
            x[i * d + a] = mean + noise[i * d + a] / real_sqrt(precision);
            kl[i] += 0.5 * (double)(mean * mean + 1 / precision - 1 + real_log(precision));
        }
    }
}

void unit_prior_backward(real *gencoded, const real *encoded, const real *noise, const real *gx,
                         const real *weight, size_t rows, size_t d)
{
    const real half = REAL(0.5);
    for (size_t i = 0; i < rows; i++) {
        const real *h = encoded + i * 2 * d, *j = h + d;
        real *gh = gencoded + i * 2 * d, *gj = gh + d;
        for (size_t a = 0; a < d; a++) {
            real p = 1 + softplus(j[a]), mean = h[a] / p, g = gx[i * d + a];
            real gmean = g - weight[i] * mean;
            real gp = -g * noise[i * d + a] * half / (p * real_sqrt(p)) -
                      weight[i] * half * (1 / p - 1 / (p * p)) - gmean * mean / p;
            gh[a] = gmean / p;
            gj[a] = gp * sigmoid(j[a]);
        }
    }
}

void unit_prior_moments(double *mean, double *variance, const real *encoded, size_t rows, size_t d)
{
    for (size_t i = 0; i < rows; i++) {
        const real *h = encoded + i * 2 * d, *j = h + d;
        for (size_t a = 0; a < d; a++) {
            double precision = 1 + (double)softplus(j[a]);
            if (mean) mean[i * d + a] = (double)h[a] / precision;
            if (variance) variance[i * d + a] = 1 / precision;
        }
    }
}
