/* The answer term of the amortised bound: the two-coin likelihood under q(z_i) q(z_j). */
#include "model/amortized/amortized.h"

#include <math.h>

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double sigmoid(double x)
{
    return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* ln sigmoid(x) = -softplus(-x), ln(1 - sigmoid(x)) = -softplus(x) */
two_coin amortized_coin(const amortized *a, size_t m)
{
    double alpha = (double)a->alpha.value[m], beta = (double)a->beta.value[m];
    return (two_coin){-softplus(-alpha), -softplus(alpha), -softplus(-beta), -softplus(beta)};
}

double amortized_same(const amortized *a, const batch_answer *answer)
{
    const double *left = a->q + answer->left * a->K, *right = a->q + answer->right * a->K;
    double s = 0;
    for (size_t k = 0; k < a->K; k++) s += left[k] * right[k];
    return s;
}

static void add_gradients(amortized *a, const batch_answer *answer, double s, double weight,
                          double share)
{
    size_t K = a->K, m = answer->worker;
    const double *left = a->q + answer->left * K, *right = a->q + answer->right * K;
    double *d_left = a->dq + answer->left * K, *d_right = a->dq + answer->right * K;
    for (size_t k = 0; k < K; k++) {
        d_left[k] += share * weight * right[k];
        d_right[k] += share * weight * left[k];
    }
    double said = answer->same ? 1 : 0;
    a->alpha.grad[m] += (real)(share * s * (said - sigmoid((double)a->alpha.value[m])));
    a->beta.grad[m] += (real)(share * (1 - s) * (1 - said - sigmoid((double)a->beta.value[m])));
}

double amortized_answers(amortized *a, const minibatch *b, bool gradients)
{
    double total = 0, share = b->answer_weight / (double)a->base.spec.items;
    for (size_t i = 0; i < b->answers; i++) {
        const batch_answer *answer = &b->answer[i];
        two_coin coin = amortized_coin(a, answer->worker);
        double s = amortized_same(a, answer);
        total += two_coin_log_likelihood(&coin, answer->same, s);
        if (gradients) {
            add_gradients(a, answer, s, two_coin_weight(&coin, answer->same), share);
        }
    }
    return b->answer_weight * total;
}
