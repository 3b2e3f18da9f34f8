/* Answers between rows of a minibatch: the sparse messages both ways, the answers' term of the
 * bound and the workers' statistics. */
#include "model/bayes/messages_internal.h"

#include "crowd/two_coin.h"
#include "kernels/loop.h"

#include <string.h>

enum { ANSWER_PIECE = 64 };

/* The expected logarithms of an answer's worker. */
static two_coin worker_of(const global_block *e, const batch_answer *a)
{
    const double *sens = e->ln_sens + 2 * (size_t)a->worker;
    const double *spec = e->ln_spec + 2 * (size_t)a->worker;
    return (two_coin){sens[0], sens[1], spec[0], spec[1]};
}

void links_build(messages *m, const global_block *e, const minibatch *b)
{
    /* Counting sort by row; first[i + 1] is the next free place of row i while filling. */
    size_t *next = m->first + 1;
    memset(m->first, 0, (b->rows + 2) * sizeof *m->first);
    for (size_t a = 0; a < b->answers; a++) {
        next[b->answer[a].left + 1]++;
        next[b->answer[a].right + 1]++;
    }
    for (size_t i = 1; i <= b->rows; i++) next[i] += next[i - 1];
    for (size_t a = 0; a < b->answers; a++) {
        const batch_answer *answer = b->answer + a;
        two_coin worker = worker_of(e, answer);
        m->w[a] = two_coin_weight(&worker, answer->same);
        m->link[next[answer->left]++] = (message_link){answer->right, (uint32_t)a};
        m->link[next[answer->right]++] = (message_link){answer->left, (uint32_t)a};
    }
}

void links_gather(double *out, double scale, const messages *m, size_t row, const double *v)
{
    for (size_t n = m->first[row]; n < m->first[row + 1]; n++) {
        double w = scale * m->w[m->link[n].answer];
        const double *other = v + (size_t)m->link[n].row * m->K;
        for (size_t k = 0; k < m->K; k++) out[k] += w * other[k];
    }
}

struct answer_pass {
    messages *m;
    const minibatch *b;
    const double *g, *z;
};

static void same_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    struct answer_pass *p = context;
    size_t K = p->m->K;
    for (size_t a = begin; a < end; a++) {
        const batch_answer *answer = p->b->answer + a;
        p->m->same[a] = small_dot(p->z + answer->left * K, p->z + answer->right * K, K);
    }
}

void links_same(messages *m, const minibatch *b, const double *z)
{
    struct answer_pass p = {.m = m, .b = b, .z = z};
    kernel_for(b->answers, ANSWER_PIECE, same_piece, &p);
}

static void weight_gradient_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    struct answer_pass *p = context;
    size_t K = p->m->K;
    for (size_t a = begin; a < end; a++) {
        size_t left = p->b->answer[a].left * K, right = p->b->answer[a].right * K;
        p->m->gw[a] +=
            small_dot(p->g + left, p->z + right, K) + small_dot(p->g + right, p->z + left, K);
    }
}

void links_weight_gradient(messages *m, const minibatch *b, const double *g, const double *z)
{
    struct answer_pass p = {.m = m, .b = b, .g = g, .z = z};
    kernel_for(b->answers, ANSWER_PIECE, weight_gradient_piece, &p);
}

double links_term(const messages *m, const global_block *e, const minibatch *b)
{
    double sum = 0;
    for (size_t a = 0; a < b->answers; a++) {
        two_coin worker = worker_of(e, b->answer + a);
        sum += two_coin_log_likelihood(&worker, b->answer[a].same, m->same[a]);
    }
    return sum;
}

void links_statistics(global_block *out, const messages *m, const minibatch *b, const double *gw)
{
    memset(out->ln_sens, 0, 2 * m->M * sizeof *out->ln_sens);
    memset(out->ln_spec, 0, 2 * m->M * sizeof *out->ln_spec);
    for (size_t a = 0; a < b->answers; a++) {
        const batch_answer *answer = b->answer + a;
        double *sens = out->ln_sens + 2 * (size_t)answer->worker;
        double *spec = out->ln_spec + 2 * (size_t)answer->worker;
        double same = b->answer_weight * m->same[a], through = gw ? gw[a] : 0;
        /* w is E ln alpha - E ln(1-beta) for "same", E ln(1-alpha) - E ln beta for "different". */
        sens[answer->same ? 0 : 1] += same + through;
        spec[answer->same ? 1 : 0] += b->answer_weight - same - through;
    }
}
