/* A small amortised model and a minibatch with answers, for tests. */
#ifndef SCDC_TESTS_AMORTIZED_CASE_H
#define SCDC_TESTS_AMORTIZED_CASE_H

#include "model/amortized/amortized.h"
#include "support/values.h"

/* ITEMS items, of which a minibatch has PLAIN and then TOUCHED more for its answers. */
enum { ITEMS = 40, PLAIN = 9, TOUCHED = 4, ROWS = PLAIN + TOUCHED, ANSWERS = 5, WORKERS = 3 };

typedef struct amortized_case {
    amortized *a;
    core *core;
    real *o;
    uint32_t item[ROWS];
    double weight[ROWS];
    batch_answer answer[ANSWERS];
    minibatch batch;
} amortized_case;

static inline core_spec amortized_case_spec(size_t d, size_t K, size_t D,
                                            scdc_likelihood likelihood, scdc_covariance covariance,
                                            scdc_sum_kind sum)
{
    core_spec spec = {.items = ITEMS,
                      .channels = D,
                      .height = 1,
                      .width = 1,
                      .latent = d,
                      .components = K,
                      .workers = WORKERS,
                      .answers = 30,
                      .max_rows = ROWS,
                      .max_answers = ANSWERS,
                      .likelihood = likelihood,
                      .options = {.size = sizeof(scdc_options),
                                  .model = SCDC_MODEL_AMORTIZED,
                                  .recipe = SCDC_RECIPE_PAPER,
                                  .components = K,
                                  .latent = d,
                                  .hidden = {7, 6},
                                  .n_hidden = 2,
                                  .likelihood = likelihood,
                                  .batch = PLAIN,
                                  .optimizer = SCDC_OPTIMIZER_ADAM,
                                  .learning_rate = 1e-3,
                                  .momentum = 0.9,
                                  .covariance = covariance,
                                  .sum = sum,
                                  .sum_threshold = 0.1,
                                  .sum_top = 2,
                                  .start_spread = 1}};
    return spec;
}

/* The model at a random place: every parameter moved off its first value. */
static inline void amortized_case_open(amortized_case *c, const core_spec *spec)
{
    *c = (amortized_case){0};
    assert_ok(amortized_create(&c->core, spec));
    c->a = (amortized *)(void *)c->core;
    assert_ok(c->core->ops->start(c->core, 11));
    real *moved = random_values(c->a->block.count, 0.3, 9);
    for (size_t i = 0; i < c->a->block.count; i++) c->a->block.params[i] += moved[i];
    mem_free(moved);
    size_t D = c->a->D;
    /* Gaussian outputs: variances around 1, so that values stay small enough to be compared. */
    if (spec->likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        size_t outputs = c->a->decode.last->out.channels; /* values, or filters of a convolution */
        real *bias = c->a->pi.value - param_room(outputs);
        for (size_t i = outputs / 2; i < outputs; i++) bias[i] += 2;
    }
    c->o = random_values(ROWS * D, 1, 6);
    for (size_t i = 0; i < ROWS * D && spec->likelihood == SCDC_LIKELIHOOD_BERNOULLI; i++) {
        c->o[i] = c->o[i] > 0;
    }
    for (uint32_t r = 0; r < ROWS; r++) {
        c->item[r] = (r * 7 + 3) % ITEMS;
        c->weight[r] = r < PLAIN ? (double)ITEMS / PLAIN * (r % 2 ? 1.1 : 0.9) : 0;
    }
    static const batch_answer answers[ANSWERS] = {{PLAIN, PLAIN + 1, 0, 1},
                                                  {PLAIN + 1, PLAIN + 2, 1, 0},
                                                  {PLAIN, PLAIN + 3, 2, 0},
                                                  {PLAIN + 2, PLAIN + 3, 0, 1},
                                                  {PLAIN + 1, PLAIN + 3, 2, 1}};
    memcpy(c->answer, answers, sizeof answers);
    c->batch = (minibatch){.rows = ROWS,
                           .plain = PLAIN,
                           .item = c->item,
                           .weight = c->weight,
                           .o = c->o,
                           .answers = ANSWERS,
                           .answer = c->answer,
                           .answer_weight = 30.0 / ANSWERS,
                           .seed = 21,
                           .epoch = 2};
}

static inline void amortized_case_close(amortized_case *c)
{
    c->core->ops->free(c->core);
    mem_free(c->o);
}

static inline double bound_of_terms(const bound_terms *t)
{
    return t->reconstruction - t->kl_z - t->kl_x + t->answers - t->kl_global;
}

#endif
