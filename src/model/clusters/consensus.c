/* Expected agreement of divisions. */
#include "model/clusters/consensus.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/clusters/overlap.h"
#include "model/tuning.h"

/* expected [count]: with a division drawn by chance [count]. */
static int expect_agreement(double *expected, const uint32_t *label, const double *chance,
                            size_t count, size_t n)
{
    for (size_t i = 0; i < count; i++) {
        expected[i] = chance[i];
        for (size_t j = 0; j < i; j++) {
            double agree;
            SCDC_TRY(agreement_of(&agree, label + i * n, label + j * n, n));
            expected[i] += chance[j] * agree;
            expected[j] += chance[i] * agree;
        }
    }
    return SCDC_OK;
}

/* Of those that count as the same division the likeliest. */
static int likeliest_like(size_t *out, size_t centre, const uint32_t *label, const double *score,
                          size_t count, size_t n)
{
    *out = centre;
    for (size_t i = 0; i < count; i++) {
        double agree;
        if (!(score[i] > score[*out])) continue;
        SCDC_TRY(agreement_of(&agree, label + i * n, label + centre * n, n));
        if (agree >= FOUND_AGAIN) *out = i;
    }
    return SCDC_OK;
}

int consensus_pick(size_t *out, double *agreed, const uint32_t *label, const double *score,
                   size_t count, size_t n)
{
    arena memory = {0};
    double *chance = arena_new(&memory, count, sizeof *chance, "divisions");
    int status = arena_status(&memory);
    if (status == SCDC_OK) softmax(chance, score, count);
    if (status == SCDC_OK) status = expect_agreement(agreed, label, chance, count, n);
    if (status == SCDC_OK)
        status = likeliest_like(out, argmax(agreed, count), label, score, count, n);
    arena_free(&memory);
    return status;
}
