/* One model, many threads: everything that takes a const scdc_model, at the same time, gives what
 * it gives alone. */
#include "support/files.h"
#include "support/simulated.h"

#include <pthread.h>

enum { ITEMS = 300, DIMS = 6, WORKERS = 4, THREADS = 6, TURNS = 3, SAMPLES = 2 };

/* What one thread can see of a model. */
typedef struct sight {
    int64_t labels[3][ITEMS], component[3][ITEMS];
    double probability[3][ITEMS];
    float *proba[3], *latent, *samples;
    double *proportions;
    scdc_worker workers[WORKERS];
    size_t clusters, components, latent_size;
} sight;

typedef struct shared {
    problem problem;
    scdc_model *model;
    scdc_model_info info;
} shared;

static void sight_create(sight *s, const shared *all)
{
    size_t C = all->info.clusters, K = all->info.components;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 3; i++) s->proba[i] = calloc(ITEMS * C, sizeof(float));
    s->latent = calloc(ITEMS * all->info.latent, sizeof(float));
    s->samples = calloc(C * SAMPLES * DIMS, sizeof(float));
    s->proportions = calloc(K, sizeof(double));
}

static void sight_free(sight *s)
{
    for (int i = 0; i < 3; i++) free(s->proba[i]);
    free(s->latent);
    free(s->samples);
    free(s->proportions);
}

/* 0 when every call went well. No assertions: cmocka's belong to its own thread. */
static int look(sight *s, const shared *all, const char *path)
{
    const scdc_model *m = all->model;
    const scdc_data *data = all->problem.data;
    const scdc_crowd *crowd = all->problem.crowd;
    int bad = 0;
    bad |=
        scdc_predict(s->labels[0], s->probability[0], s->component[0], s->proba[0], m, data, NULL);
    bad |=
        scdc_predict(s->labels[1], s->probability[1], s->component[1], s->proba[1], m, data, crowd);
    bad |= scdc_predict_together(s->labels[2], s->probability[2], s->component[2], s->proba[2], m,
                                 data, crowd);
    bad |= scdc_embed(s->latent, m, data);
    bad |= scdc_sample(s->samples, all->info.clusters * SAMPLES * DIMS, m, 0, SAMPLES, 3);
    bad |= scdc_workers(s->workers, WORKERS, m);
    bad |= scdc_model_components(s->proportions, NULL, all->info.components, m);
    bad |= scdc_model_save(m, path);
    if (bad) fprintf(stderr, "%s\n", scdc_last_error());
    return bad;
}

static int differ(const sight *a, const sight *b, const shared *all)
{
    size_t C = all->info.clusters, bad = 0;
    bad |= (size_t)memcmp(a->labels, b->labels, sizeof a->labels);
    bad |= (size_t)memcmp(a->component, b->component, sizeof a->component);
    bad |= (size_t)memcmp(a->probability, b->probability, sizeof a->probability);
    bad |= (size_t)memcmp(a->workers, b->workers, sizeof a->workers);
    for (int i = 0; i < 3; i++) {
        bad |= (size_t)memcmp(a->proba[i], b->proba[i], ITEMS * C * sizeof(float));
    }
    bad |= (size_t)memcmp(a->latent, b->latent, ITEMS * all->info.latent * sizeof(float));
    bad |= (size_t)memcmp(a->samples, b->samples, C * SAMPLES * DIMS * sizeof(float));
    bad |= (size_t)memcmp(a->proportions, b->proportions, all->info.components * sizeof(double));
    return bad != 0;
}

typedef struct visitor {
    pthread_t thread;
    const shared *all;
    const sight *expected;
    sight own;
    char path[4200];
    int bad;
} visitor;

static void *visit(void *context)
{
    visitor *v = context;
    for (int turn = 0; turn < TURNS; turn++) {
        v->bad |= look(&v->own, v->all, v->path) || differ(&v->own, v->expected, v->all);
    }
    return NULL;
}

static void everybody_sees_the_same(const shared *all)
{
    static sight alone;
    static visitor visitors[THREADS];
    sight_create(&alone, all);
    assert_int_equal(look(&alone, all, scratch_path("alone.safetensors")), 0);
    for (size_t t = 0; t < THREADS; t++) {
        visitor *v = &visitors[t];
        *v = (visitor){.all = all, .expected = &alone};
        snprintf(v->path, sizeof v->path, "%s/%zu.safetensors", scratch_dir, t);
        sight_create(&v->own, all);
        assert_int_equal(pthread_create(&v->thread, NULL, visit, v), 0);
    }
    for (size_t t = 0; t < THREADS; t++) pthread_join(visitors[t].thread, NULL);
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(visitors[t].bad, 0);
        sight_free(&visitors[t].own);
    }
    sight_free(&alone);
}

/* Fits; the threads then use the model as it came, and as it was loaded from its file. */
static void check_model(const scdc_options *options)
{
    shared all = {0};
    double rate = 0.95;
    problem_blobs(&all.problem, 3, ITEMS, DIMS, 5, 1);
    problem_ask(&all.problem, WORKERS, &rate, &rate, 1, 400, 60, 1);
    assert_ok(scdc_fit(&all.model, all.problem.data, all.problem.crowd, options, NULL, NULL));
    assert_ok(scdc_model_get_info(&all.info, all.model));
    if (options->clusters_from == SCDC_CLUSTERS_FROM_ANSWERS) assert_true(all.info.judged);
    everybody_sees_the_same(&all);

    const char *path = scratch_path("model.safetensors");
    assert_ok(scdc_model_save(all.model, path));
    scdc_model_free(all.model);
    assert_ok(scdc_model_load(&all.model, path));
    everybody_sees_the_same(&all);
    scdc_model_free(all.model);
    problem_close(&all.problem);
}

static scdc_options small(scdc_model_kind model)
{
    scdc_options o;
    scdc_options_init(&o);
    o.model = model;
    o.warmup = o.epochs = 3;
    o.threads = 2;
    return o;
}

static void bayes(void **state)
{
    (void)state;
    scdc_options o = small(SCDC_MODEL_BAYES);
    check_model(&o);
}

static void bayes_by_the_paper(void **state)
{
    (void)state;
    scdc_options o = small(SCDC_MODEL_BAYES);
    o.recipe = SCDC_RECIPE_PAPER;
    check_model(&o);
}

static void amortized(void **state)
{
    (void)state;
    scdc_options o = small(SCDC_MODEL_AMORTIZED);
    check_model(&o);
}

static void classes_learned_from_answers(void **state)
{
    (void)state;
    scdc_options o = small(SCDC_MODEL_BAYES);
    o.clusters_from = SCDC_CLUSTERS_FROM_ANSWERS;
    check_model(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bayes),
        cmocka_unit_test(bayes_by_the_paper),
        cmocka_unit_test(amortized),
        cmocka_unit_test(classes_learned_from_answers),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
