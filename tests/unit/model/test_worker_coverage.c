/* Workers: answers are drawn from the two-coin model itself with the truth of every pair known; the
 * 95 % intervals of the Beta posteriors must hold the true rates about that often. */
#include "base/rng.h"
#include "crowd/two_coin.h"
#include "model/bayes/bayes_globals.h"
#include "model/clusters/piles.h"
#include "support/check.h"

enum { WORKERS = 3, ITEMS = 60, CLASSES = 4, SIMULATIONS = 200, ANSWERS = 120 };

static globals *uniform_priors(arena *memory)
{
    scdc_options o = {.prior_alpha = 1,
                      .prior_kappa = 1,
                      .prior_nu = 1,
                      .prior_sensitivity = {1, 1},
                      .prior_specificity = {1, 1}};
    globals *g;
    assert_ok(globals_create(&g, memory, 1, 1, WORKERS, &o));
    return g;
}

/* Counts of all answers, s_ij being 1 or 0 as the truth has it. */
static void count_answers(global_block *out, const globals *g, const scdc_crowd *crowd,
                          const int64_t *truth)
{
    size_t n;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &n);
    two_coin_counts counts[WORKERS] = {0};
    for (size_t a = 0; a < n; a++) {
        double same = truth[answers[a].left] == truth[answers[a].right];
        two_coin_count(&counts[answers[a].worker], answers[a].same, same);
    }
    globals_block_zero(out, g);
    for (size_t m = 0; m < WORKERS; m++) {
        for (int i = 0; i < 2; i++) {
            out->ln_sens[2 * m + i] = counts[m].alpha[i];
            out->ln_spec[2 * m + i] = counts[m].beta[i];
        }
    }
}

static int holds(const double tau[2], double rate)
{
    double ends[2];
    worker_interval(ends, tau);
    assert_true(ends[0] >= 0 && ends[0] < tau[0] / (tau[0] + tau[1]));
    assert_true(ends[1] <= 1 && ends[1] > tau[0] / (tau[0] + tau[1]));
    return ends[0] <= rate && rate <= ends[1];
}

/* Adds how many of one simulation's intervals hold the truth, per worker. */
static void simulate_once(int sens[WORKERS], int spec[WORKERS], uint64_t seed,
                          const double *sensitivity, const double *specificity)
{
    int64_t truth[ITEMS];
    for (int i = 0; i < ITEMS; i++) truth[i] = i % CLASSES;
    scdc_labels *labels;
    assert_ok(scdc_labels_from_memory(&labels, truth, ITEMS));
    scdc_simulation how;
    scdc_simulation_init(&how);
    how.workers = WORKERS;
    how.sensitivity = sensitivity;
    how.specificity = specificity;
    how.n_sensitivity = how.n_specificity = WORKERS;
    how.pairs = (size_t)WORKERS * ANSWERS;
    how.scheme = SCDC_SCHEME_BALANCED;
    how.seed = seed;
    scdc_crowd *crowd;
    assert_ok(scdc_simulate_answers(&crowd, labels, &how));

    arena memory = {0};
    globals *g = uniform_priors(&memory);
    global_block counts;
    assert_ok(globals_block_create(&counts, &memory, g));
    count_answers(&counts, g, crowd, truth);
    assert_ok(globals_step(g, &counts, 1, 0)); /* rate 1: the exact posterior */
    for (size_t m = 0; m < WORKERS; m++) {
        worker_estimate e;
        globals_worker(&e, g, m);
        assert_close(e.sensitivity[0] + e.sensitivity[1], 2 + ANSWERS / 2, 1e-9);
        sens[m] += holds(e.sensitivity, sensitivity[m]);
        spec[m] += holds(e.specificity, specificity[m]);
    }
    arena_free(&memory);
    scdc_crowd_free(crowd);
    scdc_labels_free(labels);
}

static void check_coverage(const int held[WORKERS], const char *what)
{
    for (int m = 0; m < WORKERS; m++) {
        double share = (double)held[m] / SIMULATIONS;
        if (share < 0.90 || share > 0.99) {
            fail_msg("the %s of worker %d is inside its interval in %.1f %%", what, m, 100 * share);
        }
    }
}

static void fixed_rates_are_covered(void **state)
{
    (void)state;
    const double sensitivity[] = {0.7, 0.85, 0.95}, specificity[] = {0.9, 0.6, 0.8};
    int sens[WORKERS] = {0}, spec[WORKERS] = {0};
    for (uint64_t seed = 0; seed < SIMULATIONS; seed++) {
        simulate_once(sens, spec, seed, sensitivity, specificity);
    }
    check_coverage(sens, "sensitivity");
    check_coverage(spec, "specificity");
}

/* Rates drawn from the prior: then coverage is exact, up to the number of simulations. */
static void rates_of_the_prior_are_covered(void **state)
{
    (void)state;
    int sens[WORKERS] = {0}, spec[WORKERS] = {0};
    for (uint64_t seed = 0; seed < SIMULATIONS; seed++) {
        double rates[2][WORKERS];
        rng r;
        rng_init(&r, seed, RNG_TEST, 0, 0);
        for (int i = 0; i < 2 * WORKERS; i++) rates[i / WORKERS][i % WORKERS] = rng_uniform(&r);
        simulate_once(sens, spec, 1000 + seed, rates[0], rates[1]);
    }
    check_coverage(sens, "sensitivity");
    check_coverage(spec, "specificity");
}

/* ---- groupings ---- */

enum { SORTERS = 10, CROWDS = 40, SHOWN_ITEMS = 400 };

/* Counts of all workers by placements, the cluster of every item known. */
static void count_placements(two_coin_counts *counts, const scdc_crowd *crowd, const int64_t *truth)
{
    size_t n;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &n);
    crowd_graph graph;
    piles p;
    assert_ok(crowd_graph_build(&graph, answers, n));
    assert_ok(piles_create(&p, answers, &graph, CLASSES));
    piles_reset(&p, CLASSES);
    for (size_t i = 0; i < graph.nodes; i++) {
        double c[CLASSES] = {0};
        c[truth[graph.item[i]]] = 1;
        piles_set(&p, i, c);
    }
    piles_count(counts, &p);
    piles_free(&p);
    crowd_graph_free(&graph);
}

/* Shares of 400 workers whose 95 % intervals hold the truth. */
static void cover_groupings(double held[2], size_t tasks, size_t grid, double alpha, double beta)
{
    int64_t truth[SHOWN_ITEMS];
    scdc_labels *labels;
    for (int i = 0; i < SHOWN_ITEMS; i++) truth[i] = i % CLASSES;
    assert_ok(scdc_labels_from_memory(&labels, truth, SHOWN_ITEMS));
    held[0] = held[1] = 0;
    for (uint64_t seed = 0; seed < CROWDS; seed++) {
        scdc_simulation how;
        scdc_simulation_init(&how);
        how.workers = SORTERS;
        how.sensitivity = &alpha;
        how.specificity = &beta;
        how.scheme = SCDC_SCHEME_GRID;
        how.tasks = tasks;
        how.grid = grid;
        how.seed = seed;
        scdc_crowd *crowd;
        two_coin_counts counts[SORTERS] = {0};
        assert_ok(scdc_simulate_answers(&crowd, labels, &how));
        count_placements(counts, crowd, truth);
        for (size_t m = 0; m < SORTERS; m++) {
            double sens[] = {1 + counts[m].alpha[0], 1 + counts[m].alpha[1]};
            double spec[] = {1 + counts[m].beta[0], 1 + counts[m].beta[1]};
            held[0] += (double)holds(sens, alpha) / (SORTERS * CROWDS);
            held[1] += (double)holds(spec, beta) / (SORTERS * CROWDS);
        }
        scdc_crowd_free(crowd);
    }
    scdc_labels_free(labels);
}

/* Answers of a task hang together; intervals know it. */
static void rates_of_groupings_are_covered(void **state)
{
    (void)state;
    const struct {
        size_t tasks, grid;
        double alpha, beta;
    } cases[] = {{20, 20, 0.85, 0.85}, {10, 36, 0.85, 0.85}, {40, 12, 0.85, 0.85},
                 {60, 20, 0.85, 0.85}, {20, 20, 0.7, 0.9},   {20, 20, 0.95, 0.95}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double held[2];
        cover_groupings(held, cases[i].tasks, cases[i].grid, cases[i].alpha, cases[i].beta);
        for (size_t side = 0; side < 2; side++) {
            if (held[side] >= 0.92 && held[side] <= 0.98) continue;
            fail_msg("%zu tasks of %zu: the %s is inside its interval in %.1f %%", cases[i].tasks,
                     cases[i].grid, side ? "specificity" : "sensitivity", 100 * held[side]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_rates_are_covered),
        cmocka_unit_test(rates_of_the_prior_are_covered),
        cmocka_unit_test(rates_of_groupings_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
