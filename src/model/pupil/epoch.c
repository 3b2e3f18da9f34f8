/* One epoch of a pupil: minibatches of views of the items that are sure. */
#include "base/rng.h"
#include "base/status.h"
#include "base/watch.h"
#include "kernels/activation.h"
#include "model/pupil/teach.h"
#include "model/tuning.h"

#include <math.h>

typedef struct course {
    uint32_t *item; /* [taught] in the order of this epoch */
    size_t taught;
    real *o; /* [rows][D] */
    arena memory;
} course;

static int course_create(course *c, const pupil *f, const lesson_items *t, const lesson_plan *plan,
                         size_t epoch)
{
    rng r;
    c->item = arena_new(&c->memory, t->items, sizeof *c->item, "items");
    c->o = arena_new(&c->memory, f->rows, shape_size(f->in) * sizeof *c->o, "items");
    SCDC_TRY(arena_status(&c->memory));
    rng_init(&r, plan->seed, RNG_PUPIL, (uint32_t)epoch, 0);
    rng_permutation(&r, c->item, t->items);
    for (size_t i = 0; i < t->items; i++) {
        uint32_t item = c->item[i];
        if (t->kept_out[item] || !(t->probability[item] > PUPIL_SURE)) continue;
        c->item[c->taught++] = item;
    }
    return SCDC_OK;
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

int pupil_epoch(pupil *f, const lesson_items *t, const lesson_plan *plan, size_t epoch)
{
    course c = {0};
    double sum = 0;
    int status;
    SCDC_TRY_OR(done, status, course_create(&c, f, t, plan, epoch));
    for (size_t first = 0; first < c.taught; first += f->rows) {
        size_t left = c.taught - first, rows = left < f->rows ? left : f->rows;
        const uint32_t *item = c.item + first;
        double passed = ((double)epoch + (double)first / (double)c.taught) / (double)plan->epochs;
        SCDC_TRY_OR(done, status,
                    watch_tick("teaching the classifier", epoch * c.taught + first,
                               plan->epochs * c.taught));
        input_gather(c.o, plan->data, plan->input, item, rows);
        view_rows(f->o, c.o, f->in, item, rows, plan->augment, plan->seed, (uint32_t)epoch);
        net_set_mode(&f->net, &(net_mode){true, plan->seed, (uint64_t)f->block.steps});
        real *out = net_forward(&f->net, f->o, rows);
        sum += score_labels(out, t->label, item, rows, f->classes);
        net_backward(&f->net, NULL, out, f->o, rows, false);
        param_block_step(&f->block, SCDC_OPTIMIZER_ADAM,
                         plan->rate * 0.5 * (1 + cos(M_PI * passed)), 0);
    }
    if (!isfinite(sum) || !param_block_finite(&f->block))
        status = fail_with(SCDC_ERR_NUMERIC, "the classifier's network is not finite");
done:
    arena_free(&c.memory);
    return status;
}
