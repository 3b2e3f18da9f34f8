/* A random problem for the local messages: expected statistics, encoder outputs, a minibatch with
 * answers and constant messages. Built once per test, freed with its arena. */
#ifndef SCDC_TESTS_MESSAGES_PROBLEM_H
#define SCDC_TESTS_MESSAGES_PROBLEM_H

#include "base/rng.h"
#include "model/bayes/messages.h"
#include "support/check.h"

typedef struct problem {
    arena memory;
    size_t d, K, P, M, T, rows, answers;
    double *pi, *niw, *ln_sens, *ln_spec; /* expected statistics */
    global_block e;
    real *encoded, *x, *gx, *gencoded;
    double *weight, *field, *start;
    uint32_t *item;
    batch_answer *answer;
    minibatch b;
    messages *m;
    message_start begin; /* where q(z) starts without b.start */
    global_block g;      /* room for statistics or gradients */
} problem;

static inline void *problem_room(problem *p, size_t count, size_t size)
{
    void *out = arena_new(&p->memory, count, size, "a test");
    assert_ok(arena_status(&p->memory));
    return out;
}

/* Components with random precisions (a random factor times its transpose, plus a bit). */
static inline void problem_components(problem *p, rng *r)
{
    size_t d = p->d;
    for (size_t k = 0; k < p->K; k++) {
        double *row = p->niw + k * p->P, *root = problem_room(p, d * d, sizeof *root);
        for (size_t i = 0; i < d * d; i++) root[i] = rng_normal(r) / sqrt((double)d);
        double square = 0;
        for (size_t a = 0; a < d; a++) row[a] = 1.5 * rng_normal(r);
        for (size_t a = 0; a < d; a++) {
            square += row[a] * row[a];
            for (size_t b = 0; b <= a; b++) {
                double v = a == b ? 0.5 : 0;
                for (size_t i = 0; i < d; i++) v += root[a * d + i] * root[b * d + i];
                row[d + packed_at(a, b)] = a == b ? -0.5 * v : -v;
            }
        }
        row[p->P - 2] = -0.5 * square - 0.1;
        row[p->P - 1] = rng_normal(r) / 2;
    }
}

static inline void problem_minibatch(problem *p, rng *r)
{
    for (size_t i = 0; i < p->rows; i++) {
        double *start = p->start + i * p->K, sum = 0;
        p->item[i] = (uint32_t)(1000 + 7 * i);
        p->weight[i] = 1 + 3 * rng_uniform(r);
        for (size_t k = 0; k < p->K; k++) {
            p->field[i * p->K + k] = rng_normal(r);
            sum += start[k] = rng_uniform(r);
        }
        for (size_t k = 0; k < p->K; k++) start[k] /= sum;
        for (size_t a = 0; a < 2 * p->d; a++) {
            p->encoded[i * 2 * p->d + a] = (real)(1.5 * rng_normal(r));
        }
    }
    for (size_t a = 0; a < p->answers; a++) {
        uint32_t left = (uint32_t)rng_below(r, p->rows);
        uint32_t right = (uint32_t)((left + 1 + rng_below(r, p->rows - 1)) % p->rows);
        p->answer[a] =
            (batch_answer){left, right, (uint32_t)rng_below(r, p->M), (uint32_t)rng_below(r, 2)};
    }
    p->b = (minibatch){.rows = p->rows,
                       .item = p->item,
                       .weight = p->weight,
                       .answers = p->answers,
                       .answer = p->answer,
                       .answer_weight = 1.75,
                       .field = p->field,
                       .start = p->start,
                       .seed = 5,
                       .epoch = 3};
}

/* rows >= 2, M >= 1. All values are numbers a float holds only where `real` is float. */
static inline problem *problem_new(size_t d, size_t K, size_t T, size_t rows, size_t answers,
                                   message_start start)
{
    problem *p = calloc(1, sizeof *p);
    *p = (problem){.d = d,
                   .K = K,
                   .P = d + packed_size(d) + 2,
                   .M = 3,
                   .T = T,
                   .rows = rows,
                   .answers = answers,
                   .begin = start};
    p->pi = problem_room(p, K, sizeof(double));
    p->niw = problem_room(p, K * p->P, sizeof(double));
    p->ln_sens = problem_room(p, 2 * p->M, sizeof(double));
    p->ln_spec = problem_room(p, 2 * p->M, sizeof(double));
    p->encoded = problem_room(p, rows * 2 * d, sizeof(real));
    p->gencoded = problem_room(p, rows * 2 * d, sizeof(real));
    p->x = problem_room(p, rows * d, sizeof(real));
    p->gx = problem_room(p, rows * d, sizeof(real));
    p->weight = problem_room(p, rows, sizeof(double));
    p->field = problem_room(p, rows * K, sizeof(double));
    p->start = problem_room(p, rows * K, sizeof(double));
    p->item = problem_room(p, rows, sizeof(uint32_t));
    p->answer = problem_room(p, answers, sizeof(batch_answer));
    p->g = (global_block){.pi = problem_room(p, K, sizeof(double)),
                          .niw = problem_room(p, K * p->P, sizeof(double)),
                          .ln_sens = problem_room(p, 2 * p->M, sizeof(double)),
                          .ln_spec = problem_room(p, 2 * p->M, sizeof(double))};
    rng r;
    rng_init(&r, 11, RNG_TEST, 0, d * 1000 + K);
    for (size_t k = 0; k < K; k++) p->pi[k] = log(0.1 + rng_uniform(&r)) - log((double)K);
    for (size_t i = 0; i < 2 * p->M; i++) {
        p->ln_sens[i] = log(rng_uniform(&r));
        p->ln_spec[i] = log(rng_uniform(&r));
    }
    problem_components(p, &r);
    problem_minibatch(p, &r);
    p->e = (global_block){.pi = p->pi, .niw = p->niw, .ln_sens = p->ln_sens, .ln_spec = p->ln_spec};
    core_spec spec = {.latent = d,
                      .components = K,
                      .workers = p->M,
                      .max_rows = rows,
                      .max_answers = answers,
                      .options = {.iterations = T}};
    assert_ok(messages_create(&p->m, &p->memory, &spec));
    return p;
}

static inline void problem_free(problem *p)
{
    arena memory = p->memory;
    arena_free(&memory);
    free(p);
}

/* Runs everything forward; the decoder is played by sum over rows and values of weight * sin x.
 * Returns the objective whose gradient messages_backward gives. */
static inline double problem_objective(problem *p, bound_terms *terms)
{
    messages_forward(p->m, &p->e, &p->b, p->encoded, p->begin);
    messages_sample(p->x, p->m, &p->b);
    messages_terms(terms, p->m, &p->e, &p->b);
    double reconstruction = 0, field = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double weight = p->b.weight[i];
        for (size_t a = 0; a < p->d; a++) {
            double x = (double)p->x[i * p->d + a];
            reconstruction += weight * sin(x);
            p->gx[i * p->d + a] = (real)(weight * cos(x));
        }
        if (p->b.field) field += weight * p->m->field_term[i];
    }
    /* Constant messages count half in the bound and whole in the objective of a row. */
    return reconstruction - terms->kl_z - terms->kl_x + terms->answers + 0.5 * field;
}

#endif
