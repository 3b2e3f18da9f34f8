/* The decoder p(o | x). */
#include "nets/decoder.h"
#include "base/stages.h"
#include "base/status.h"
#include "kernels/likelihood.h"

#include <string.h>

int decoder_mlp(decoder *out, arena *a, size_t latent, const size_t *hidden, size_t n_hidden,
                shape observed, scdc_likelihood likelihood, size_t max_rows)
{
    decoder f = {.likelihood = likelihood, .observed = shape_size(observed)};
    bool gaussian = likelihood == SCDC_LIKELIHOOD_GAUSSIAN;
    if (f.observed > INT32_MAX / 2) {
        return fail_with(SCDC_ERR_ARGUMENT, "items of %zu values are too large for a network",
                         f.observed);
    }
    SCDC_TRY(net_mlp(&f.net, a, shape_vector(latent), hidden, n_hidden,
                     gaussian ? 2 * f.observed : f.observed, max_rows));
    *out = f;
    return SCDC_OK;
}

void decoder_init(decoder *f, uint64_t seed, uint64_t *number)
{
    net_init(&f->net, seed, number);
    if (f->likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        dense_clear_outputs(f->net.layers[f->net.depth - 1], f->observed);
    }
}

void decoder_value(double *value, decoder *f, const real *x, const real *o, const uint32_t *of,
                   size_t rows)
{
    stage_enter(STAGE_DECODER);
    const real *outputs = net_forward(&f->net, x, rows);
    stage_enter(STAGE_LIKELIHOOD);
    if (f->likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        gaussian_rows(value, outputs, o, of, rows, f->observed);
    } else {
        bernoulli_rows(value, outputs, o, of, rows, f->observed);
    }
}

void decoder_gradient(double *value, real *d_x, decoder *f, const real *x, const real *weight,
                      const real *o, const uint32_t *of, size_t rows, bool add)
{
    stage_enter(STAGE_DECODER);
    real *outputs = net_forward(&f->net, x, rows);
    stage_enter(STAGE_LIKELIHOOD);
    if (f->likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        gaussian_rows_gradient(value, outputs, weight, o, of, rows, f->observed);
    } else {
        bernoulli_rows_gradient(value, outputs, weight, o, of, rows, f->observed);
    }
    stage_enter(STAGE_BACKWARD);
    net_backward(&f->net, d_x, outputs, x, rows, add);
}

void decoder_mean(real *out, decoder *f, const real *x, size_t rows)
{
    const real *outputs = net_forward(&f->net, x, rows);
    if (f->likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        for (size_t r = 0; r < rows; r++) {
            memcpy(out + r * f->observed, outputs + r * 2 * f->observed, f->observed * sizeof *out);
        }
    } else {
        bernoulli_mean(out, outputs, rows * f->observed);
    }
}
