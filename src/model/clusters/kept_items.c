/* Cross-validated likelihood. */
#include "model/clusters/kept_items.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Parts that are kept out in turn. The others begin where the whole ended: few steps do. */
enum { PARTS = 4, STEPS = 15 };

typedef struct keeping {
    const mixture *m;
    const float *x;
    size_t n;
    mixture_options how;
    uint32_t *order, *component, *first; /* [n] */
    float *fitted, *kept;                /* [n][dims] */
    double *share;                       /* [n][k] */
    double *density;                     /* [n] */
    arena memory;
} keeping;

static int keeping_create(keeping *q)
{
    const mixture *m = q->m;
    arena *a = &q->memory;
    q->order = arena_new(a, q->n, sizeof *q->order, "items");
    q->component = arena_new(a, q->n, sizeof *q->component, "components");
    q->first = arena_new(a, q->n, sizeof *q->first, "components");
    q->fitted = arena_new(a, q->n, m->dims * sizeof *q->fitted, "items");
    q->kept = arena_new(a, q->n, m->dims * sizeof *q->kept, "items");
    q->share = arena_new(a, q->n, m->k * sizeof *q->share, "responsibilities");
    q->density = arena_new(a, q->n, sizeof *q->density, "densities");
    return arena_status(a);
}

/* Log likelihood of one part under what the others are fitted with. */
static int foretell_part(double *nats, keeping *q, size_t part)
{
    const mixture *whole = q->m;
    size_t d = whole->dims, others = 0, kept = 0;
    mixture m;
    mixture_report report;
    for (size_t i = 0; i < q->n; i++) {
        const float *row = q->x + i * d;
        if (q->order[i] % PARTS == part) {
            memcpy(q->kept + kept++ * d, row, d * sizeof *row);
            continue;
        }
        q->first[others] = q->component[i];
        memcpy(q->fitted + others++ * d, row, d * sizeof *row);
    }
    SCDC_TRY(mixture_create(&m, whole->family, whole->k, d));
    int status = mixture_fit(&m, q->share, &report, q->fitted, others, &q->how);
    if (status == SCDC_OK) status = mixture_densities(q->density, &m, q->kept, kept);
    for (size_t i = 0; i < kept && status == SCDC_OK; i++) *nats += q->density[i];
    mixture_free(&m);
    return status;
}

int kept_items_foretold(double *nats, const mixture *m, const float *x, size_t n,
                        const mixture_options *how)
{
    keeping q = {.m = m, .x = x, .n = n, .how = *how};
    rng r;
    *nats = n < PARTS ? -INFINITY : 0;
    if (n < PARTS) return SCDC_OK;
    int status = keeping_create(&q);
    rng_init(&r, how->seed, RNG_CANDIDATES, UINT32_MAX, n);
    if (status == SCDC_OK) {
        rng_permutation(&r, q.order, n);
        status = mixture_assign(q.component, m, x, n);
    }
    q.how.first = q.first;
    q.how.iterations = STEPS;
    for (size_t part = 0; part < PARTS && status == SCDC_OK; part++) {
        status = foretell_part(nats, &q, part);
    }
    arena_free(&q.memory);
    if (status == SCDC_ERR_NUMERIC || !isfinite(*nats)) *nats = -INFINITY;
    return status == SCDC_ERR_NUMERIC ? SCDC_OK : status;
}
