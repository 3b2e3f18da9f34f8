/* A small BayesSCDC core with random items in three groups, answers of two workers about them and
 * one minibatch of everything. */
#ifndef SCDC_TESTS_BAYES_PROBLEM_H
#define SCDC_TESTS_BAYES_PROBLEM_H

#include "base/rng.h"
#include "model/bayes/bayes.h"
#include "support/check.h"

enum { BP_GROUPS = 3 };

typedef struct bayes_problem {
    core *c;
    bayes *m;
    size_t items, dims;
    arena memory;
    real *o;
    uint32_t *item, *group;
    double *weight;
    batch_answer *answer;
    minibatch b; /* all items, all answers */
} bayes_problem;

static inline core_spec bayes_problem_spec(size_t items, size_t dims, size_t answers,
                                           scdc_likelihood likelihood)
{
    core_spec spec = {.items = items,
                      .channels = dims,
                      .height = 1,
                      .width = 1,
                      .latent = 2,
                      .components = 5,
                      .workers = 2,
                      .answers = answers,
                      .max_rows = items,
                      .max_answers = answers,
                      .likelihood = likelihood};
    scdc_options_init(&spec.options);
    spec.options.recipe = SCDC_RECIPE_PAPER;
    spec.options.hidden[0] = 12;
    spec.options.hidden[1] = 9;
    spec.options.n_hidden = 2;
    spec.options.iterations = 3;
    spec.options.prior_alpha = 0.1;
    spec.options.latent = spec.latent;
    spec.options.components = spec.components;
    return spec;
}

/* Worker 0 is right 19 times of 20, worker 1 guesses. */
static inline void bayes_problem_answers(bayes_problem *p, size_t count, rng *r)
{
    for (size_t a = 0; a < count; a++) {
        uint32_t left = (uint32_t)rng_below(r, p->items);
        uint32_t right = (uint32_t)((left + 1 + rng_below(r, p->items - 1)) % p->items);
        uint32_t worker = (uint32_t)(a % 2), same = p->group[left] == p->group[right];
        if (rng_uniform(r) < (worker == 0 ? 0.05 : 0.5)) same = !same;
        p->answer[a] = (batch_answer){left, right, worker, same};
    }
}

static inline bayes_problem *bayes_problem_new(const core_spec *spec)
{
    bayes_problem *p = calloc(1, sizeof *p);
    p->items = spec->items;
    p->dims = spec->channels * spec->height * spec->width;
    assert_ok(bayes_create(&p->c, spec));
    p->m = bayes_of(p->c);
    assert_ok(p->c->ops->start(p->c, 3));
    p->o = arena_new(&p->memory, p->items * p->dims, sizeof *p->o, "test");
    p->item = arena_new(&p->memory, p->items, sizeof *p->item, "test");
    p->group = arena_new(&p->memory, p->items, sizeof *p->group, "test");
    p->weight = arena_new(&p->memory, p->items, sizeof *p->weight, "test");
    p->answer = arena_new(&p->memory, spec->answers, sizeof *p->answer, "test");
    assert_ok(arena_status(&p->memory));
    rng r;
    rng_init(&r, 21, RNG_TEST, 0, 0);
    for (size_t i = 0; i < p->items; i++) {
        p->item[i] = (uint32_t)i;
        p->weight[i] = 1;
        p->group[i] = (uint32_t)(i % BP_GROUPS);
        for (size_t v = 0; v < p->dims; v++) {
            bool on = v % BP_GROUPS == p->group[i];
            bool gaussian = spec->likelihood == SCDC_LIKELIHOOD_GAUSSIAN;
            double value = gaussian ? (on ? 2 : -1) + 0.3 * rng_normal(&r)
                                    : rng_uniform(&r) < (on ? 0.95 : 0.05);
            p->o[i * p->dims + v] = (real)value;
        }
    }
    bayes_problem_answers(p, spec->answers, &r);
    p->b = (minibatch){.rows = p->items,
                       .plain = p->items,
                       .item = p->item,
                       .weight = p->weight,
                       .o = p->o,
                       .answers = spec->answers,
                       .answer = p->answer,
                       .answer_weight = 1,
                       .seed = 8};
    return p;
}

static inline void bayes_problem_free(bayes_problem *p)
{
    p->c->ops->free(p->c);
    arena_free(&p->memory);
    free(p);
}

/* The bound without the global divergence, per item. */
static inline double bayes_problem_objective(bayes_problem *p)
{
    bound_terms t;
    assert_ok(p->c->ops->bound(&t, NULL, p->c, &p->b));
    return (t.reconstruction - t.kl_z - t.kl_x + t.answers) / (double)p->items;
}

#endif
