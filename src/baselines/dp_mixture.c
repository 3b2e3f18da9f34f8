/* Variational Dirichlet process mixture (Blei and Jordan 2006) with normal-inverse-Wishart
 * components. */
#include "baselines/dp_mixture.h"

#include "base/numeric.h"
#include "base/status.h"
#include "expfam/beta.h"
#include "expfam/mvn.h"
#include "expfam/niw.h"

#include <math.h>
#include <string.h>

int dp_mixture_create(dp_mixture *out, arena *a, size_t n, size_t d, size_t k, double concentration,
                      double within)
{
    *out = (dp_mixture){.n = n, .d = d, .k = k, .concentration = concentration};
    size_t size = niw_size(d), shares;
    if (!size_mul(&shares, n, k)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu components are too many", k);
    }
    out->prior = arena_new(a, size, sizeof(double), "prior");
    out->component = arena_new(a, k * size, sizeof(double), "components");
    out->expected = arena_new(a, k * size, sizeof(double), "components");
    out->stick = arena_new(a, 2 * k, sizeof(double), "sticks");
    out->log_share = arena_new(a, k, sizeof(double), "proportions");
    out->share = arena_new(a, shares, sizeof(double), "responsibilities");
    out->work = arena_new(a, size, sizeof(double), "scratch");
    SCDC_TRY(arena_status(a));
    double *mean = out->work, *scale = out->component; /* zeroed, and free until the first update */
    double nu = (double)d + 2;
    packed_identity(scale, within * (nu - (double)d - 1), d);
    niw_from_standard(out->prior, mean, scale, (niw_scalars){.kappa = within, .nu = nu}, d);
    packed_identity(scale, 0, d);
    return SCDC_OK;
}

void dp_mixture_start(dp_mixture *m, const uint32_t *labels)
{
    double rest = .1 / (double)m->k;
    for (size_t i = 0; i < m->n; i++) {
        for (size_t c = 0; c < m->k; c++) m->share[i * m->k + c] = rest + (labels[i] == c ? .9 : 0);
    }
}

static double size_of(const dp_mixture *m, size_t c)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) sum += m->share[i * m->k + c];
    return sum;
}

static void swap_components(dp_mixture *m, size_t a, size_t b)
{
    for (size_t i = 0; i < m->n; i++) {
        double swap = m->share[i * m->k + a];
        m->share[i * m->k + a] = m->share[i * m->k + b];
        m->share[i * m->k + b] = swap;
    }
}

/* Sticks favour early components, so that the bound is highest with the largest first. */
static void sort_components(dp_mixture *m)
{
    for (size_t a = 0; a + 1 < m->k; a++) {
        size_t largest = a;
        double most = size_of(m, a);
        for (size_t b = a + 1; b < m->k; b++) {
            double size = size_of(m, b);
            if (size > most) {
                most = size;
                largest = b;
            }
        }
        if (largest != a) swap_components(m, a, largest);
    }
}

static int update_components(dp_mixture *m, const double *stats)
{
    size_t size = niw_size(m->d);
    for (size_t c = 0; c < m->k; c++) {
        double *component = m->component + c * size;
        memcpy(component, m->prior, size * sizeof *component);
        for (size_t i = 0; i < m->n; i++) {
            niw_observe(component, m->share[i * m->k + c], stats + i * mvn_size(m->d), m->d);
        }
        if (!niw_mean_stats(m->expected + c * size, NULL, component, m->d)) {
            return fail_with(SCDC_ERR_NUMERIC, "a component has no posterior");
        }
    }
    return SCDC_OK;
}

static void update_sticks(dp_mixture *m)
{
    double after = 0, before = 0;
    for (size_t c = m->k; c-- > 0;) {
        double here = size_of(m, c);
        m->stick[2 * c] = 1 + here;
        m->stick[2 * c + 1] = m->concentration + after;
        after += here;
    }
    for (size_t c = 0; c < m->k; c++) {
        double eta[2], logs[2] = {0, 0};
        beta_from_standard(eta, m->stick + 2 * c);
        if (c + 1 < m->k) beta_mean_stats(logs, eta);
        m->log_share[c] = before + logs[0];
        before += logs[1];
    }
}

/* q(z), and the bound's terms that sum over items. */
static double update_shares(dp_mixture *m, const double *stats)
{
    size_t size = niw_size(m->d), given = mvn_size(m->d);
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        double *share = m->share + i * m->k;
        for (size_t c = 0; c < m->k; c++) {
            const double *expected = m->expected + c * size;
            share[c] = m->log_share[c] + small_dot(expected, stats + i * given, given) +
                       expected[given] + expected[given + 1];
        }
        sum += softmax(share, share, m->k);
    }
    return sum;
}

static double global_divergence(const dp_mixture *m)
{
    size_t size = niw_size(m->d);
    const double stick_prior[2] = {1, m->concentration};
    double sum = 0, eta_q[2], eta_p[2];
    for (size_t c = 0; c < m->k; c++) {
        sum += niw_kl(m->component + c * size, m->prior, m->d, m->work);
        if (c + 1 == m->k) break;
        beta_from_standard(eta_q, m->stick + 2 * c);
        beta_from_standard(eta_p, stick_prior);
        sum += beta_kl(eta_q, eta_p);
    }
    return sum;
}

int dp_mixture_update(double *bound, dp_mixture *m, const double *stats)
{
    sort_components(m);
    SCDC_TRY(update_components(m, stats));
    update_sticks(m);
    *bound = update_shares(m, stats) - global_divergence(m);
    return SCDC_OK;
}

size_t dp_mixture_nearest(const dp_mixture *m, size_t c)
{
    size_t size = niw_size(m->d), best = m->k, kappa = mvn_size(m->d);
    double least = INFINITY;
    if (size_of(m, c) < .5) return best;
    for (size_t other = 0; other < m->k; other++) {
        if (other == c || size_of(m, other) < .5) continue;
        const double *a = m->component + c * size, *b = m->component + other * size;
        double distance = 0;
        for (size_t e = 0; e < m->d; e++) { /* the first part of eta is kappa m */
            double v = a[e] / a[kappa] - b[e] / b[kappa];
            distance += v * v;
        }
        if (distance < least) {
            least = distance;
            best = other;
        }
    }
    return best;
}

void dp_mixture_join(dp_mixture *m, size_t a, size_t b)
{
    for (size_t i = 0; i < m->n; i++) {
        m->share[i * m->k + a] += m->share[i * m->k + b];
        m->share[i * m->k + b] = 0;
    }
}

void dp_mixture_naturals(double *natural, const dp_mixture *m)
{
    size_t size = niw_size(m->d), given = mvn_size(m->d);
    memset(natural, 0, m->n * given * sizeof *natural);
    for (size_t i = 0; i < m->n; i++) {
        for (size_t c = 0; c < m->k; c++) {
            double share = m->share[i * m->k + c];
            const double *expected = m->expected + c * size;
            for (size_t e = 0; e < given; e++) natural[i * given + e] += share * expected[e];
        }
    }
}
