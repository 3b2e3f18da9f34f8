/* The default recipe's q(z|o): softmax(net(o) + e(o)), where
 *
 *     e_k(o) = ln pi_k - KL(q(x|o) || p(x|k))
 *
 * is what the mixture itself says about an item whose q(x|o) is that of no component in particular
 * (a column of its own in the first layer of q(x|z,o)). Were q(x|k,o) the same for all k, e alone
 * would be the best q(z|o); the net adds what that leaves out. So q(z|o) agrees with the components
 * from their first step on, and what answers teach it reaches the encoder, hence all items. */
#include "base/stages.h"
#include "model/amortized/amortized.h"

/* Outputs of q(x|o) of rows [begin, begin + n), in the net of x. */
static real *encode_rows(amortized *a, size_t begin, size_t n)
{
    conditional_expand(&a->x_first, a->chunk.hidden, a->row_number + begin, a->no_component, n);
    return net_forward(&a->x_rest, a->chunk.hidden, n);
}

static size_t rows_of_chunk(const amortized *a, size_t begin, size_t rows)
{
    return rows - begin < a->chunk.capacity ? rows - begin : a->chunk.capacity;
}

void amortized_evidence(double *out, amortized *a, const real *o, size_t rows)
{
    size_t K = a->K;
    amortized_log_pi(a->log_pi, a);
    amortized_prior_roots(a);
    amortized_base(a, o, rows);
    for (size_t begin = 0; begin < rows; begin += a->chunk.capacity) {
        size_t n = rows_of_chunk(a, begin, rows);
        amortized_prior_fit(out + begin * K, a, encode_rows(a, begin, n), n);
    }
    for (size_t i = 0; i < rows * K; i++) out[i] += a->log_pi[i % K];
}

void amortized_evidence_backward(amortized *a, const real *d_logits, size_t rows, bool add)
{
    size_t K = a->K;
    for (size_t i = 0; i < rows * K; i++) a->pi.grad[i % K] += d_logits[i];
    for (size_t begin = 0; begin < rows; begin += a->chunk.capacity) {
        size_t n = rows_of_chunk(a, begin, rows);
        const real *outputs = encode_rows(a, begin, n);
        stage_enter(STAGE_BACKWARD);
        amortized_prior_fit_backward(a, a->chunk.d_outputs, outputs, d_logits + begin * K, n);
        net_backward(&a->x_rest, a->chunk.d_hidden, a->chunk.d_outputs, a->chunk.hidden, n,
                     add || begin > 0);
        conditional_backward_rows(&a->x_first, a->chunk.d_hidden, a->chunk.hidden,
                                  a->row_number + begin, a->no_component, n);
    }
}
