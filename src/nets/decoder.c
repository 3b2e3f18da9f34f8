/* The decoder p(o | x). */
#include "nets/decoder.h"
#include "base/stages.h"
#include "base/status.h"
#include "kernels/likelihood.h"
#include "nets/words.h"

#include <string.h>

/* What a likelihood is: values that a decoder gives per value of an item, and its two functions. */
typedef struct likelihood_kind {
    size_t parts;
    void (*value)(double *value, const real *outputs, const real *o, const uint32_t *of,
                  size_t rows, size_t cols);
    void (*gradient)(double *value, real *outputs, const real *weight, const real *o,
                     const uint32_t *of, size_t rows, size_t cols);
} likelihood_kind;

static likelihood_kind kind_of(scdc_likelihood likelihood)
{
    switch (likelihood) {
    case SCDC_LIKELIHOOD_GAUSSIAN:
        return (likelihood_kind){2, gaussian_rows, gaussian_rows_gradient};
    case SCDC_LIKELIHOOD_LOGISTIC:
        return (likelihood_kind){2, logistic_rows, logistic_rows_gradient};
    default: return (likelihood_kind){1, bernoulli_rows, bernoulli_rows_gradient};
    }
}

int decoder_create(decoder *out, arena *a, const decoder_form *form)
{
    decoder f = {.likelihood = form->likelihood, .observed = shape_size(form->observed)};
    size_t parts = kind_of(form->likelihood).parts;
    if (f.observed > INT32_MAX / 2) {
        return fail_with(SCDC_ERR_ARGUMENT, "items of %zu values are too large for a network",
                         f.observed);
    }
    if (form->words) {
        SCDC_TRY(net_to_images(&f.net, &f.last, a, form->latent, form->hidden, form->n_hidden,
                               form->words, form->observed, parts, form->max_rows));
    } else {
        SCDC_TRY(net_mlp(&f.net, a, shape_vector(form->latent), form->hidden, form->n_hidden,
                         parts * f.observed, form->max_rows));
        f.last = f.net.layers[f.net.depth - 1];
    }
    *out = f;
    return SCDC_OK;
}

void decoder_init(decoder *f, uint64_t seed, uint64_t *number)
{
    net_init(&f->net, seed, number);
    /* Widths are the second half of the layer's outputs or filters. */
    if (kind_of(f->likelihood).parts > 1)
        f->last->ops->clear_outputs(f->last, f->last->out.channels / 2);
}

void decoder_value(double *value, decoder *f, const real *x, const real *o, const uint32_t *of,
                   size_t rows)
{
    stage_enter(STAGE_DECODER);
    const real *outputs = net_forward(&f->net, x, rows);
    stage_enter(STAGE_LIKELIHOOD);
    kind_of(f->likelihood).value(value, outputs, o, of, rows, f->observed);
}

void decoder_gradient(double *value, real *d_x, decoder *f, const real *x, const real *weight,
                      const real *o, const uint32_t *of, size_t rows, bool add)
{
    stage_enter(STAGE_DECODER);
    real *outputs = net_forward(&f->net, x, rows);
    stage_enter(STAGE_LIKELIHOOD);
    kind_of(f->likelihood).gradient(value, outputs, weight, o, of, rows, f->observed);
    stage_enter(STAGE_BACKWARD);
    net_backward(&f->net, d_x, outputs, x, rows, add);
}

void decoder_mean(real *out, decoder *f, const real *x, size_t rows)
{
    const real *outputs = net_forward(&f->net, x, rows);
    if (f->likelihood == SCDC_LIKELIHOOD_BERNOULLI) {
        bernoulli_mean(out, outputs, rows * f->observed);
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        memcpy(out + r * f->observed, outputs + r * 2 * f->observed, f->observed * sizeof *out);
    }
    if (f->likelihood == SCDC_LIKELIHOOD_LOGISTIC) logistic_mean(out, rows * f->observed);
}
