/* Greedy agglomeration and mean-field sweeps over the clusters of components. */
#include "model/clusters/grouping.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "expfam/special.h"

#include <math.h>
#include <string.h>

int grouping_create(grouping *out, size_t components)
{
    grouping g = {.components = components};
    size_t square = components * components; /* components is at most 65535 */
    int status;
    SCDC_TRY_OR(error, status, mem_zeroed(&g.q, square, sizeof *g.q, "clusters of components"));
    SCDC_TRY_OR(error, status,
                mem_zeroed(&g.same, square, sizeof *g.same, "clusters of components"));
    SCDC_TRY_OR(
        error, status,
        mem_zeroed(&g.work, square + 2 * components, sizeof *g.work, "clusters of components"));
    SCDC_TRY_OR(error, status, mem_zeroed(&g.cluster, components, sizeof *g.cluster, "clusters"));
    SCDC_TRY_OR(error, status, mem_zeroed(&g.member, components, sizeof *g.member, "clusters"));
    SCDC_TRY_OR(error, status, mem_zeroed(&g.counts, components, sizeof *g.counts, "clusters"));
    SCDC_TRY_OR(error, status, mem_zeroed(&g.stays, components, sizeof *g.stays, "clusters"));
    SCDC_TRY_OR(error, status, mem_zeroed(&g.founder, components, sizeof *g.founder, "clusters"));
    grouping_identity(&g);
    *out = g;
    return SCDC_OK;
error:
    grouping_free(&g);
    return status;
}

void grouping_free(grouping *g)
{
    mem_free(g->q);
    mem_free(g->same);
    mem_free(g->work);
    mem_free(g->cluster);
    mem_free(g->member);
    mem_free(g->counts);
    mem_free(g->stays);
    mem_free(g->founder);
    *g = (grouping){0};
}

void grouping_identity(grouping *g)
{
    size_t K = g->components;
    memset(g->q, 0, K * K * sizeof *g->q);
    memset(g->same, 0, K * K * sizeof *g->same);
    for (size_t k = 0; k < K; k++) {
        g->q[k * K + k] = g->same[k * K + k] = 1;
        g->cluster[k] = (int64_t)k;
    }
    g->clusters = K;
    g->kl = 0;
}

/* The pair of groups with the most evidence for being one; false when no two are left. */
static bool best_pair(size_t *a, size_t *b, double *gain, const grouping *g, const bool *use)
{
    size_t K = g->components;
    *gain = -INFINITY;
    for (size_t k = 0; k < K; k++) {
        if (!use[k] || g->member[k] != k) continue;
        for (size_t l = k + 1; l < K; l++) {
            if (!use[l] || g->member[l] != l || !(g->work[k * K + l] > *gain)) continue;
            *gain = g->work[k * K + l];
            *a = k;
            *b = l;
        }
    }
    return *gain > -INFINITY;
}

/* Row and column b of a symmetric matrix are added to a's. */
static void add_group(double *work, size_t K, size_t a, size_t b)
{
    for (size_t l = 0; l < K; l++) {
        work[a * K + l] += work[b * K + l];
        if (l != a) work[l * K + a] = work[a * K + l];
    }
}

/* member[k] = smallest component of k's group. Merges while evidence says so. */
static void agglomerate(grouping *g, const double *evidence, const bool *use, size_t wanted)
{
    size_t K = g->components, groups = 0, a = 0, b = 0;
    double gain;
    memcpy(g->work, evidence, K * K * sizeof *g->work);
    for (size_t k = 0; k < K; k++) {
        g->member[k] = k;
        groups += use[k];
    }
    while (best_pair(&a, &b, &gain, g, use)) {
        if (wanted ? groups <= wanted : gain <= 0) break;
        add_group(g->work, K, a, b);
        for (size_t k = 0; k < K; k++) {
            if (g->member[k] == b) g->member[k] = a;
        }
        groups--;
    }
}

/* Whether there is a nat of evidence between component k and another one. */
static bool is_known(const double *evidence, const bool *use, size_t k, size_t K)
{
    for (size_t l = 0; l < K && use[k]; l++) {
        if (l != k && use[l] && fabs(evidence[k * K + l]) > 1) return true;
    }
    return false;
}

/* Who may have a cluster: components about which something is known, for one that is dying would
 * open a cluster without items, and sweeps spread others over it; all where nothing is known. */
static void find_founders(grouping *g, const double *evidence, const bool *use)
{
    size_t K = g->components, known = 0;
    for (size_t k = 0; k < K; k++) known += g->founder[k] = is_known(evidence, use, k, K);
    if (!known) memcpy(g->founder, use, K * sizeof *use);
}

/* Hard q(c) from the groups with a founder; clusters are numbered by their smallest component. What
 * is in no such group has no q yet. */
static void number_clusters(grouping *g, const bool *use)
{
    size_t K = g->components;
    memset(g->q, 0, K * K * sizeof *g->q);
    memset(g->stays, 0, K * sizeof *g->stays);
    g->clusters = 0;
    for (size_t k = 0; k < K; k++) g->stays[g->member[k]] |= use[k] && g->founder[k];
    for (size_t k = 0; k < K; k++) {
        g->cluster[k] = -1;
        if (!use[k] || !g->stays[g->member[k]]) continue;
        if (g->member[k] == k) g->cluster[k] = (int64_t)g->clusters++;
        g->cluster[k] = g->cluster[g->member[k]];
        g->q[k * K + (size_t)g->cluster[k]] = 1;
    }
}

static void count_members(grouping *g, const bool *use)
{
    size_t K = g->components, C = g->clusters;
    memset(g->counts, 0, C * sizeof *g->counts);
    for (size_t k = 0; k < K; k++) {
        for (size_t c = 0; c < C && use[k]; c++) g->counts[c] += g->q[k * K + c];
    }
}

/* One round of coordinate ascent: q(rho), then each q(c_k) given all others, whose logits are
 * sum_l G_kl q(c_l = c) + E ln rho_c. */
static void sweep(grouping *g, const double *evidence, const bool *use, double each)
{
    size_t K = g->components, C = g->clusters;
    double *logit = g->work, *log_rho = g->work + K, total = 0;
    count_members(g, use);
    for (size_t c = 0; c < C; c++) total += g->counts[c] + each;
    for (size_t c = 0; c < C; c++) log_rho[c] = digamma(g->counts[c] + each) - digamma(total);
    for (size_t k = 0; k < K; k++) {
        if (!use[k]) continue;
        memcpy(logit, log_rho, C * sizeof *logit);
        for (size_t l = 0; l < K; l++) {
            if (l == k || !use[l]) continue;
            for (size_t c = 0; c < C; c++) logit[c] += evidence[k * K + l] * g->q[l * K + c];
        }
        softmax(g->q + k * K, logit, C);
    }
}

/* Clusters in which no founder is most likely disappear; the rest keep their order. */
static void drop_empty(grouping *g, const bool *use)
{
    size_t K = g->components, C = g->clusters, kept = 0;
    memset(g->stays, 0, K * sizeof *g->stays);
    for (size_t k = 0; k < K; k++) {
        if (use[k] && g->founder[k]) g->stays[argmax(g->q + k * K, C)] = true;
    }
    for (size_t c = 0; c < C; c++) {
        if (!g->stays[c]) continue;
        for (size_t k = 0; k < K; k++) g->q[k * K + kept] = g->q[k * K + c];
        kept++;
    }
    for (size_t k = 0; k < K; k++) {
        double sum = 0;
        for (size_t c = kept; c < C; c++) g->q[k * K + c] = 0;
        for (size_t c = 0; c < kept; c++) sum += g->q[k * K + c];
        if (!use[k] || !(sum > 0)) continue;
        for (size_t c = 0; c < kept; c++) g->q[k * K + c] /= sum;
    }
    g->clusters = kept;
}

/* A and the most likely clusters from q; a component without any probability is left out. */
static void relate(grouping *g)
{
    size_t K = g->components, C = g->clusters;
    for (size_t k = 0; k < K; k++) {
        const double *q = g->q + k * K;
        size_t best = argmax(q, C);
        g->cluster[k] = q[best] > 0 ? (int64_t)best : -1;
        for (size_t l = 0; l < K; l++) {
            double sum = 0;
            for (size_t c = 0; c < C; c++) sum += q[c] * g->q[l * K + c];
            g->same[k * K + l] = k == l ? 1 : sum;
        }
    }
}

/* Most likely clusters, A, and KL(q(c) q(rho) || p(c, rho)) at the best q(rho), where the expected
 * log proportions cancel. */
static void finish(grouping *g, const bool *use, double each)
{
    size_t K = g->components, C = g->clusters;
    double total = each * (double)C;
    count_members(g, use);
    g->kl = -log_gamma(total);
    for (size_t c = 0; c < C; c++) {
        g->kl += log_gamma(each) - log_gamma(g->counts[c] + each);
        total += g->counts[c];
    }
    g->kl += log_gamma(total);
    for (size_t k = 0; k < K; k++) {
        for (size_t c = 0; c < C && use[k]; c++) {
            double q = g->q[k * K + c];
            if (q > 0) g->kl += q * log(q);
        }
    }
    relate(g);
}

void grouping_restore(grouping *g)
{
    size_t K = g->components;
    g->clusters = 0;
    for (size_t i = 0; i < K * K; i++) {
        if (g->q[i] > 0 && i % K >= g->clusters) g->clusters = i % K + 1;
    }
    relate(g);
}

void grouping_fit(grouping *g, const double *evidence, const bool *use,
                  const grouping_options *options)
{
    bool swept = !options->clusters && options->sweeps;
    agglomerate(g, evidence, use, options->clusters);
    if (swept) find_founders(g, evidence, use);
    else memcpy(g->founder, use, g->components * sizeof *use);
    number_clusters(g, use);
    double each = options->concentration / (double)(g->clusters ? g->clusters : 1);
    for (size_t s = 0; s < options->sweeps; s++) sweep(g, evidence, use, each);
    if (swept) drop_empty(g, use);
    finish(g, use, each);
}

void grouping_settle(grouping *g, const bool *use, double concentration)
{
    drop_empty(g, use);
    finish(g, use, concentration / (double)(g->clusters ? g->clusters : 1));
}

void grouping_merge(grouping *g, const uint32_t *part, size_t parts)
{
    size_t K = g->components, C = g->clusters;
    for (size_t k = 0; k < K; k++) {
        double *q = g->q + k * K;
        memset(g->work, 0, parts * sizeof *g->work);
        for (size_t c = 0; c < C; c++) g->work[part[c]] += q[c];
        memset(q, 0, C * sizeof *q);
        memcpy(q, g->work, parts * sizeof *q);
    }
    g->clusters = parts;
    relate(g);
}

double grouping_value(const grouping *g, const double *evidence)
{
    double sum = 0;
    for (size_t i = 0; i < g->components * g->components; i++) sum += g->same[i] * evidence[i];
    return sum / 2;
}
