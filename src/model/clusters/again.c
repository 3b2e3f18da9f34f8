/* Mixtures of halves. */
#include "model/clusters/again.h"
#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "model/clusters/overlap.h"
#include "model/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items are halved so many times. */
enum { HALVINGS = 3, FITS = 2 * HALVINGS };

typedef struct asking {
    const again_question *q;
    mixture_options how;
    size_t most;      /* components */
    uint32_t *order;  /* [n] */
    float *half;      /* [n][d] */
    double *share;    /* [n][most] */
    uint32_t *part;   /* [most] */
    uint32_t *joined; /* [n] */
    arena memory;
} asking;

static int asking_create(asking *a)
{
    const again_question *q = a->q;
    arena *m = &a->memory;
    for (size_t i = 0; i < q->n_sizes; i++) a->most = q->sizes[i] > a->most ? q->sizes[i] : a->most;
    a->order = arena_new(m, q->n, sizeof *a->order, "items");
    a->half = arena_new(m, q->n, q->d * sizeof *a->half, "items");
    a->share = arena_new(m, q->n, a->most * sizeof *a->share, "responsibilities");
    a->part = arena_new(m, a->most, sizeof *a->part, "clusters");
    a->joined = arena_new(m, q->n, sizeof *a->joined, "clusters");
    return arena_status(m);
}

/* The best mixture of `count` rows of a->half. */
static int fit_half(mixture *best, asking *a, size_t count)
{
    double best_score = -INFINITY;
    for (size_t i = 0; i < a->q->n_sizes; i++) {
        mixture m;
        mixture_report report;
        if (2 * a->q->sizes[i] > count) continue;
        SCDC_TRY(mixture_create(&m, a->q->family, a->q->sizes[i], a->q->d));
        int status = mixture_fit(&m, a->share, &report, a->half, count, &a->how);
        double score = report.log_likelihood - mixture_parameters(&m) / 2 * log((double)count);
        if (status == SCDC_OK && score > best_score) {
            mixture_free(best);
            *best = m;
            best_score = score;
        } else {
            mixture_free(&m);
        }
        if (status != SCDC_ERR_NUMERIC) SCDC_TRY(status);
    }
    return best->k ? SCDC_OK : SCDC_ERR_NUMERIC;
}

/* Components and parts of all items by a fit to the items order[first .. end). */
static int ask_half(uint32_t *component, asking *a, size_t first, size_t end)
{
    const again_question *q = a->q;
    mixture m = {0};
    size_t parts, count = end - first, k = 0;
    overlap_options how = {.least = OVERLAP_LEAST};
    for (size_t i = 0; i < count; i++) {
        memcpy(a->half + i * q->d, q->x + a->order[first + i] * q->d, q->d * sizeof *a->half);
    }
    int status = fit_half(&m, a, count);
    if (status == SCDC_OK) status = mixture_shares(a->share, &m, q->x, q->n);
    k = m.k;
    mixture_free(&m);
    SCDC_TRY(status);
    SCDC_TRY(overlap_join(a->part, &parts, a->share, q->n, k, &how));
    for (size_t i = 0; i < q->n; i++) {
        component[i] = (uint32_t)argmax(a->share + i * k, k);
        a->joined[i] = a->part[component[i]];
    }
    return SCDC_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, FITS, sizeof *values, by_value);
    return (values[FITS / 2 - 1] + values[FITS / 2]) / 2;
}

static int ask_all(found_again *f, asking *a)
{
    const again_question *q = a->q;
    double plain[FITS], joined[FITS];
    for (size_t i = 0; i < FITS; i++) {
        uint32_t *component = f->component + i * q->n;
        rng r;
        rng_init(&r, q->how.seed, RNG_CANDIDATES, (uint32_t)(i / 2) + 1, q->n);
        rng_permutation(&r, a->order, q->n);
        a->how.seed = q->how.seed + i + 1;
        SCDC_TRY(ask_half(component, a, i % 2 ? q->n / 2 : 0, i % 2 ? q->n : q->n / 2));
        SCDC_TRY(agreement_of(&plain[i], component, q->component, q->n));
        SCDC_TRY(agreement_of(&joined[i], a->joined, q->part, q->n));
    }
    f->plain = median(plain);
    f->joined = median(joined);
    f->fits = FITS;
    return SCDC_OK;
}

int found_again_ask(found_again *out, const again_question *q)
{
    found_again f = {0};
    *out = f;
    asking a = {.q = q, .how = q->how};
    f.component = arena_new(&f.memory, FITS * q->n, sizeof *f.component, "components");
    int status = arena_status(&f.memory);
    if (status == SCDC_OK) status = asking_create(&a);
    if (status == SCDC_OK) status = ask_all(&f, &a);
    arena_free(&a.memory);
    if (status == SCDC_OK) *out = f;
    else arena_free(&f.memory);
    return status == SCDC_ERR_NUMERIC ? SCDC_OK : status;
}

int found_again_division(double *out, const found_again *f, const uint32_t *part, size_t n)
{
    double agree[FITS];
    uint32_t *taken;
    *out = 0;
    if (!f->fits) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&taken, n, sizeof *taken, "clusters"));
    int status = SCDC_OK;
    for (size_t i = 0; i < FITS && status == SCDC_OK; i++) {
        status = take_for_parts(taken, f->component + i * n, part, n);
        if (status == SCDC_OK) status = agreement_of(&agree[i], taken, part, n);
    }
    mem_free(taken);
    if (status == SCDC_OK) *out = median(agree);
    return status;
}

void found_again_free(found_again *f)
{
    arena_free(&f->memory);
    *f = (found_again){0};
}
