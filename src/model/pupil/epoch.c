/* One epoch of a pupil: minibatches of views of the items that are sure, and between them
 * minibatches of answers. */
#include "base/rng.h"
#include "base/status.h"
#include "base/watch.h"
#include "kernels/activation.h"
#include "model/pupil/teach.h"
#include "model/tuning.h"

#include <math.h>

typedef struct course {
    pupil *f;
    const lesson_items *t;
    const lesson_plan *plan;
    size_t epoch;
    uint32_t *item;      /* [taught] in the order of this epoch */
    size_t taught, told; /* items, and of them those that were */
    uint32_t *unit;      /* [units] of answers, in the order of this epoch */
    size_t next;         /* of them */
    answer_batch batch;
    real *o;     /* [rows][D] */
    real *slope; /* [rows][C] */
    double sum;
    arena memory;
} course;

static size_t units_of(const course *c)
{
    return c->plan->answers ? c->plan->answers->units : 0;
}

static int course_create(course *c)
{
    rng r;
    const pupil *f = c->f;
    size_t n = c->t->items, rows = f->rows;
    arena *m = &c->memory;
    c->item = arena_new(m, n, sizeof *c->item, "items");
    c->o = arena_new(m, rows, shape_size(f->in) * sizeof *c->o, "items");
    c->slope = arena_new(m, rows, f->classes * sizeof *c->slope, "items");
    c->unit = arena_new(m, units_of(c), sizeof *c->unit, "answers");
    c->batch.item = arena_new(m, rows, sizeof *c->batch.item, "answers");
    c->batch.row_of = arena_new(m, n, sizeof *c->batch.row_of, "answers");
    c->batch.pair =
        arena_new(m, units_of(c) ? c->plan->answers->pairs : 0, sizeof *c->batch.pair, "answers");
    SCDC_TRY(arena_status(m));
    rng_init(&r, c->plan->seed, RNG_PUPIL, (uint32_t)c->epoch, 0);
    rng_permutation(&r, c->item, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t item = c->item[i];
        if (c->t->kept_out[item] || !(c->t->probability[item] > PUPIL_SURE)) continue;
        c->item[c->taught++] = item;
    }
    rng_init(&r, c->plan->seed, RNG_PUPIL, (uint32_t)c->epoch, 1);
    if (units_of(c)) rng_permutation(&r, c->unit, units_of(c));
    return SCDC_OK;
}

/* Which of both is behind, as shares of the epoch. */
static bool answers_are_next(const course *c)
{
    if (c->next == units_of(c)) return false;
    return c->told == c->taught || c->next * c->taught < c->told * units_of(c);
}

static double share_done(const course *c)
{
    double done = (double)(c->told + c->next), all = (double)(c->taught + units_of(c));
    return all > 0 ? done / all : 1;
}

/* From outputs to their gradient of the mean log likelihood; returns the sum. */
static double score_labels(real *out, const int64_t *label, const uint32_t *item, size_t rows,
                           size_t C)
{
    double sum = 0;
    softmax_rows(out, out, rows, C);
    for (size_t row = 0; row < rows; row++) {
        real *p = out + row * C;
        size_t told = (size_t)label[item[row]];
        sum += log((double)p[told] + 1e-30);
        for (size_t c = 0; c < C; c++) p[c] = ((c == told) - p[c]) / (real)rows;
    }
    return sum;
}

/* What the network says of views of the items. */
static real *see(course *c, const uint32_t *item, size_t rows)
{
    pupil *f = c->f;
    const lesson_plan *plan = c->plan;
    input_gather(c->o, plan->data, plan->input, item, rows);
    view_rows(f->o, c->o, f->in, item, rows, plan->augment, plan->seed, (uint32_t)c->epoch);
    net_set_mode(&f->net, &(net_mode){true, plan->seed, (uint64_t)f->block.steps});
    return net_forward(&f->net, f->o, rows);
}

static void learn(course *c, real *slope, size_t rows, double passed)
{
    net_backward(&c->f->net, NULL, slope, c->f->o, rows, false);
    param_block_step(&c->f->block, SCDC_OPTIMIZER_ADAM,
                     c->plan->rate * 0.5 * (1 + cos(M_PI * passed)), 0);
}

static void step(course *c)
{
    pupil *f = c->f;
    double passed = ((double)c->epoch + share_done(c)) / (double)c->plan->epochs;
    if (answers_are_next(c)) {
        answer_batch *b = &c->batch;
        answer_batch_fill(b, &c->next, c->plan->answers, c->unit, f->rows);
        real *q = see(c, b->item, b->rows);
        softmax_rows(q, q, b->rows, f->classes);
        c->sum += answers_gradient(c->slope, q, b->pair, b->pairs, b->rows, f->classes);
        learn(c, c->slope, b->rows, passed);
        return;
    }
    size_t left = c->taught - c->told, rows = left < f->rows ? left : f->rows;
    const uint32_t *item = c->item + c->told;
    real *out = see(c, item, rows);
    c->sum += score_labels(out, c->t->label, item, rows, f->classes);
    learn(c, out, rows, passed);
    c->told += rows;
}

int pupil_epoch(pupil *f, const lesson_items *t, const lesson_plan *plan, size_t epoch)
{
    enum { TICKS = 1000 }; /* of an epoch */
    course c = {.f = f, .t = t, .plan = plan, .epoch = epoch};
    int status;
    SCDC_TRY_OR(done, status, course_create(&c));
    while (c.told < c.taught || c.next < units_of(&c)) {
        size_t tick = (size_t)(TICKS * share_done(&c));
        SCDC_TRY_OR(
            done, status,
            watch_tick("teaching the classifier", epoch * TICKS + tick, plan->epochs * TICKS));
        step(&c);
    }
    if (!isfinite(c.sum) || !param_block_finite(&f->block))
        status = fail_with(SCDC_ERR_NUMERIC, "the classifier's network is not finite");
done:
    arena_free(&c.memory);
    return status;
}
