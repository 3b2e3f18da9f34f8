/* scdc_score: ACC, NMI, AMI and ARI of two partitions of the same items. */
#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"
#include "metrics/contingency.h"
#include "metrics/information.h"
#include "metrics/matching.h"

#include <stdbool.h>

__extension__ typedef __int128 int128; /* products of pair counts: below n^4 / 4 < 2^126 */

static uint64_t pairs_of(uint64_t n)
{
    return n * (n - 1) / 2; /* n < 2^32 */
}

static uint64_t pairs_within(const uint32_t *sizes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += sizes[i] ? pairs_of(sizes[i]) : 0;
    return sum;
}

/* Hubert and Arabie 1985, in whole numbers up to the last division. */
static double adjusted_rand(const contingency *t)
{
    int128 both = pairs_within(t->count, t->cells), all = pairs_of(t->items);
    int128 a = pairs_within(t->row_sum, t->rows), b = pairs_within(t->col_sum, t->cols);
    int128 above = 2 * (both * all - a * b), below = (a + b) * all - 2 * a * b;
    return below == 0 ? 1 : (double)above / (double)below;
}

static bool is_trivial(size_t parts, size_t items)
{
    return parts == 1 || parts == items;
}

static int information_scores(scdc_scores *scores, const contingency *t)
{
    double mutual = mutual_information(t), expected;
    double mean = (entropy_of_sizes(t->row_sum, t->rows, t->items) +
                   entropy_of_sizes(t->col_sum, t->cols, t->items)) /
                  2;
    scores->nmi = mutual / mean < 1 ? mutual / mean : 1;
    /* Against one cluster, or all clusters of one item, chance explains everything. */
    scores->ami = 0;
    if (is_trivial(t->rows, t->items) || is_trivial(t->cols, t->items)) return SCDC_OK;
    SCDC_TRY(expected_mutual_information(&expected, t));
    scores->ami = (mutual - expected) / (mean - expected);
    return SCDC_OK;
}

static int score_table(scdc_scores *out, const contingency *t)
{
    scdc_scores scores = {.items = t->items, .clusters = t->rows, .classes = t->cols};
    if (t->cells == t->rows && t->cells == t->cols) { /* the same partition, perhaps renamed */
        scores.acc = scores.nmi = scores.ami = scores.ari = 1;
        *out = scores;
        return SCDC_OK;
    }
    uint32_t *match;
    uint64_t agree;
    SCDC_TRY(mem_zeroed(&match, t->rows, sizeof *match, "the matching of clusters"));
    int status = match_partitions(match, &agree, t);
    mem_free(match);
    SCDC_TRY(status);
    scores.acc = (double)agree / (double)t->items;
    scores.ari = adjusted_rand(t);
    SCDC_TRY(information_scores(&scores, t));
    *out = scores;
    return SCDC_OK;
}

int scdc_score_sized(scdc_scores *out, size_t size, const int64_t *labels, const int64_t *truth,
                     size_t n)
{
    if (!out || !labels || !truth) {
        return fail_with(SCDC_ERR_ARGUMENT, "scores: out, labels and truth must not be NULL");
    }
    if (n < 1 || n >= UINT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "scores: the number of items must be 1 to %u, not %zu",
                         UINT32_MAX - 1, n);
    }
    contingency table;
    SCDC_TRY(contingency_build(&table, labels, truth, n));
    scdc_scores scores;
    int status = score_table(&scores, &table);
    contingency_free(&table);
    if (status == SCDC_OK) sized_fill(out, size, &scores, sizeof scores);
    return status;
}
