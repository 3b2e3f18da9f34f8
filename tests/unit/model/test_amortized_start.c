/* The default recipe of the amortised model: its first components, clusters as groups of
 * components, and workers recovered from simulated answers. */
#include "base/parallel.h"
#include "support/amortized_case.h"
#include "support/simulated.h"

/* ---- first components ---- */

enum { POINTS = 40, LATENT = 2, K = 3 };

/* The covariance that a component begins with, from its parameters. */
static void covariance_of(double sigma[3], const amortized *a, size_t k)
{
    bool full = a->base.spec.options.covariance == SCDC_COVARIANCE_FULL;
    const real *f = a->factor.value + k * (full ? 3 : 2);
    double r00 = exp((double)f[0]), r10 = full ? (double)f[1] : 0, r11 = exp((double)f[full + 1]);
    double p00 = r00 * r00, p10 = r10 * r00, p11 = r10 * r10 + r11 * r11;
    double det = p00 * p11 - p10 * p10;
    sigma[0] = p11 / det, sigma[1] = -p10 / det, sigma[2] = p00 / det;
}

static void components_begin_where_their_items_are(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        core_spec spec = amortized_case_spec(LATENT, K, 5, SCDC_LIKELIHOOD_BERNOULLI,
                                             full ? SCDC_COVARIANCE_FULL : SCDC_COVARIANCE_DIAGONAL,
                                             SCDC_SUM_EXACT);
        amortized_case c;
        amortized_case_open(&c, &spec);
        assert_int_equal(spec.items, POINTS);
        float x[POINTS * LATENT], v[POINTS * LATENT];
        uint32_t component[POINTS];
        double count[K] = {0}, mean[K][2] = {{0}}, scatter[K][3] = {{0}}, pooled[3] = {0};
        real *draws = random_values(sizeof x / sizeof *x, 1, 3);
        for (uint32_t i = 0; i < POINTS; i++) {
            component[i] = i % 4 == 0 ? 1 : 0; /* nothing in the last one */
            x[2 * i] = (float)(draws[2 * i] + (real)(3 * component[i]));
            x[2 * i + 1] = (float)(draws[2 * i + 1] * REAL(0.5) + draws[2 * i]);
            v[2 * i] = 0.1F, v[2 * i + 1] = 0.2F;
            count[component[i]]++;
            for (int j = 0; j < 2; j++) mean[component[i]][j] += (double)x[2 * i + j];
        }
        mem_free(draws);
        for (int k = 0; k < 2; k++) mean[k][0] /= count[k], mean[k][1] /= count[k];
        for (uint32_t i = 0; i < POINTS; i++) {
            double *m = mean[component[i]], *s = scatter[component[i]];
            double e0 = (double)x[2 * i] - m[0], e1 = (double)x[2 * i + 1] - m[1];
            s[0] += e0 * e0 + 0.1, s[1] += e0 * e1, s[2] += e1 * e1 + 0.2;
        }
        for (int e = 0; e < 3; e++) pooled[e] = (scatter[0][e] + scatter[1][e]) / POINTS;
        assert_ok(c.core->ops->begin(c.core, x, v, component, POINTS, MIXTURE_FULL));
        double pi[K];
        c.core->ops->proportions(pi, c.core);
        for (size_t k = 0; k < K; k++) {
            double sigma[3];
            covariance_of(sigma, c.a, k);
            assert_close(pi[k], (count[k] + 1) / (POINTS + K), 1e-6);
            for (int e = 0; e < 3; e++) {
                if (e == 1 && !full) continue;
                double expected = (scatter[k][e] + 5 * pooled[e]) / (count[k] + 5);
                assert_near(sigma[e], expected, 1e-5);
            }
            for (size_t j = 0; j < LATENT; j++) {
                assert_close(c.a->mu.value[k * LATENT + j], mean[k][j], 1e-5);
            }
        }
        amortized_case_close(&c);
    }
}

/* ---- whole fits ---- */

enum { ITEMS_ALL = 400, CLUSTERS = 4, CROWD = 4 };
static const double sensitivity[CROWD] = {0.95, 0.85, 0.7, 0.9};
static const double specificity[CROWD] = {0.97, 0.9, 0.6, 0.75};

static void problem_open(problem *p)
{
    *p = (problem){0};
    problem_blobs(p, CLUSTERS, ITEMS_ALL, 6, 5, 1);
    problem_ask(p, CROWD, sensitivity, specificity, CROWD, 1600, 150, 1);
}

static scdc_options options_of(scdc_recipe recipe)
{
    scdc_options o;
    scdc_options_init(&o);
    o.model = SCDC_MODEL_AMORTIZED;
    o.recipe = recipe;
    o.components = 12;
    o.latent = 2;
    o.n_hidden = 1;
    o.hidden[0] = 24;
    o.batch = 40;
    o.epochs = recipe == SCDC_RECIPE_PAPER ? 120 : 15;
    o.warmup = 20;
    o.start_spread = 1.5;
    o.threads = 1;
    o.learning_rate = 3e-3;
    return o;
}

/* The true rate of every coin lies in its 95 % interval, but for one of the eight at most. */
static bool workers_are_recovered(const scdc_model *model)
{
    scdc_worker workers[CROWD];
    int outside = 0;
    assert_ok(scdc_workers(workers, CROWD, model));
    for (int m = 0; m < CROWD; m++) {
        const scdc_worker *w = &workers[m];
        outside += w->sensitivity_low > sensitivity[m] || w->sensitivity_high < sensitivity[m];
        outside += w->specificity_low > specificity[m] || w->specificity_high < specificity[m];
        assert_true(w->sensitivity_high - w->sensitivity_low < 0.25);
        assert_true(w->specificity_high - w->specificity_low < 0.12);
    }
    return outside <= 1;
}

static bool default_recipe_recovers(const problem *p, uint64_t seed)
{
    scdc_options o = options_of(SCDC_RECIPE_DEFAULT);
    scdc_model *model;
    scdc_scores s;
    int64_t labels[ITEMS_ALL];
    o.seed = seed;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    assert_ok(scdc_predict(labels, NULL, NULL, NULL, model, p->data, NULL));
    assert_ok(scdc_score(&s, labels, scdc_labels_values(p->truth), ITEMS_ALL));
    bool good = s.acc > 0.97 && s.clusters == CLUSTERS && workers_are_recovered(model);
    scdc_model_free(model);
    return good;
}

static bool paper_recovers_workers(const problem *p, uint64_t seed)
{
    scdc_options o = options_of(SCDC_RECIPE_PAPER);
    scdc_model *model;
    o.seed = seed;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    bool good = workers_are_recovered(model);
    scdc_model_free(model);
    return good;
}

static void clusters_and_workers_are_recovered(void **state)
{
    (void)state;
    problem p;
    problem_open(&p);
    assert_mostly(default_recipe_recovers, &p);
    assert_mostly(paper_recovers_workers, &p);
    problem_close(&p);
}

/* Fits with as many clusters as asked for (0: as are found) and checks what holds for any seed. */
static scdc_model *fit_clusters(const problem *p, size_t asked, uint64_t seed)
{
    scdc_options o = options_of(SCDC_RECIPE_DEFAULT);
    scdc_model *model;
    size_t epochs;
    o.seed = seed;
    o.clusters = asked;
    o.patience = 100;
    assert_ok(scdc_fit(&model, p->data, p->crowd, &o, NULL, NULL));
    assert_int_equal(scdc_model_options(model)->sum, SCDC_SUM_THRESHOLD);
    const scdc_epoch *e = scdc_model_epochs(model, &epochs);
    assert_int_equal(epochs, 15);
    for (size_t i = 0; i < epochs; i++) {
        assert_true(e[i].skipped > 0 && e[i].skipped < 0.1);
        if (asked) assert_int_equal(e[i].clusters, asked);
    }
    assert_true(e[epochs - 1].bound > e[0].bound);
    return model;
}

/* Several components each, and the clusters are there in most epochs. */
static bool clusters_are_groups(const problem *p, uint64_t seed)
{
    scdc_model *model = fit_clusters(p, 0, seed);
    scdc_model_info info;
    size_t epochs, same = 0;
    assert_ok(scdc_model_get_info(&info, model));
    const scdc_epoch *e = scdc_model_epochs(model, &epochs);
    for (size_t i = 0; i < epochs; i++) same += e[i].clusters == CLUSTERS;
    scdc_model_free(model);
    return info.clusters == CLUSTERS && info.live_components > CLUSTERS && 3 * same > 2 * epochs;
}

/* More components than clusters: users see clusters everywhere. */
static void components_are_grouped(void **state)
{
    (void)state;
    problem p;
    problem_open(&p);
    assert_mostly(clusters_are_groups, &p);
    scdc_model_free(fit_clusters(&p, 3, 1));
    problem_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_begin_where_their_items_are),
        cmocka_unit_test(clusters_and_workers_are_recovered),
        cmocka_unit_test(components_are_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
