/* The answer term of the amortised bound: the two-coin likelihood under q(z_i) q(z_j). */
#include "model/amortized.h"

#include <math.h>

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double sigmoid(double x)
{
    return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* E log p(L | z_i, z_j) = s * if_same + (1 - s) * if_different, s = <q_i, q_j>. */
double amortized_answers(amortized *a, const minibatch *b, bool gradients)
{
    size_t K = a->K;
    double total = 0, share = b->answer_weight / (double)a->base.spec.items;
    for (size_t i = 0; i < b->answers; i++) {
        const batch_answer *answer = &b->answer[i];
        const double *left = a->q + answer->left * K, *right = a->q + answer->right * K;
        double alpha = (double)a->alpha.value[answer->worker];
        double beta = (double)a->beta.value[answer->worker], s = 0;
        for (size_t k = 0; k < K; k++) s += left[k] * right[k];
        /* ln sigmoid(x) = -softplus(-x), ln(1 - sigmoid(x)) = -softplus(x) */
        double if_same = -softplus(answer->same ? -alpha : alpha);
        double if_different = -softplus(answer->same ? beta : -beta);
        total += s * if_same + (1 - s) * if_different;
        if (!gradients) continue;
        double slope = share * (if_same - if_different), said = answer->same ? 1 : 0;
        double *d_left = a->dq + answer->left * K, *d_right = a->dq + answer->right * K;
        for (size_t k = 0; k < K; k++) {
            d_left[k] += slope * right[k];
            d_right[k] += slope * left[k];
        }
        a->alpha.grad[answer->worker] += (real)(share * s * (said - sigmoid(alpha)));
        a->beta.grad[answer->worker] += (real)(share * (1 - s) * (1 - said - sigmoid(beta)));
    }
    return b->answer_weight * total;
}
