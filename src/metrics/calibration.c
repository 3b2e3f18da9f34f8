/* scdc_calibrate: what labels promise beside how often they are right. */
#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"
#include "metrics/contingency.h"
#include "metrics/matching.h"

#include <math.h>
#include <scdc/calibration.h>

enum { BINS = SCDC_CALIBRATION_BINS };

static int check(const scdc_calibration *out, const int64_t *labels, const double *probability,
                 const int64_t *truth, size_t n)
{
    if (!out || !labels || !probability || !truth) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "calibration: out, labels, probability and truth must not be NULL");
    }
    if (n < 1 || n >= UINT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "calibration: the number of items must be 1 to %u, not %zu",
                         UINT32_MAX - 1, n);
    }
    for (size_t i = 0; i < n; i++) {
        if (probability[i] >= 0 && probability[i] <= 1) continue;
        return fail_with(SCDC_ERR_ARGUMENT,
                         "calibration: the probability of item %zu must be 0 to 1, not %g", i,
                         probability[i]);
    }
    return SCDC_OK;
}

/* Sums of each bin, from codes of clusters and classes and the class of each cluster. */
static void fill_bins(scdc_calibration *c, const label_codes *cluster, const label_codes *class,
                      const uint32_t *match, const double *probability, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t b = (size_t)(BINS * probability[i]);
        if (b == BINS) b--;
        c->bin_items[b]++;
        c->bin_probability[b] += probability[i];
        c->bin_right[b] += match[cluster->code[i]] == class->code[i];
    }
}

static void sum_up(scdc_calibration *c, size_t n)
{
    for (size_t b = 0; b < BINS; b++) {
        double items = (double)c->bin_items[b];
        c->probability += c->bin_probability[b] / (double)n;
        c->right += c->bin_right[b] / (double)n;
        c->ece += fabs(c->bin_probability[b] - c->bin_right[b]) / (double)n;
        if (!c->bin_items[b]) continue;
        c->bin_probability[b] /= items;
        c->bin_right[b] /= items;
    }
}

/* The table numbers clusters and classes in order of appearance, as codes do. */
static int match_classes(uint32_t **match, const int64_t *labels, const int64_t *truth, size_t n)
{
    contingency table;
    SCDC_TRY(contingency_build(&table, labels, truth, n));
    int status = mem_zeroed(match, table.rows, sizeof **match, "the matching of clusters");
    if (status == SCDC_OK) status = match_partitions(*match, NULL, &table);
    contingency_free(&table);
    return status;
}

int scdc_calibrate_sized(scdc_calibration *out, size_t size, const int64_t *labels,
                         const double *probability, const int64_t *truth, size_t n)
{
    SCDC_TRY(check(out, labels, probability, truth, n));
    scdc_calibration c = {0};
    label_codes cluster = {0}, class = {0};
    uint32_t *match = NULL;
    int status;
    SCDC_TRY_OR(done, status, label_codes_build(&cluster, labels, n));
    SCDC_TRY_OR(done, status, label_codes_build(&class, truth, n));
    SCDC_TRY_OR(done, status, match_classes(&match, labels, truth, n));
    fill_bins(&c, &cluster, &class, match, probability, n);
    sum_up(&c, n);
    sized_fill(out, size, &c, sizeof c);
done:
    mem_free(match);
    label_codes_free(&cluster);
    label_codes_free(&class);
    return status;
}
