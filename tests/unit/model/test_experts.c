/* Experts: what they say together, and who leads under which answers. */
#include "base/rng.h"
#include "model/classes/doubted.h"
#include "model/classes/expert_rounds.h"
#include "support/check.h"
#include "support/sanitizers.h"

enum { N = 160, C = 2, WORKERS = 2 };

static void the_mixture_alone_is_only_doubted(void **state)
{
    (void)state;
    const double mixture_says[] = {0.9, 0.1, 0};
    double p[3];
    experts e = experts_mixture_only(0.3);
    assert_false(experts_need_classifier(&e));
    experts_say(p, &e, mixture_says, NULL, 3);
    assert_close(p[0], 0.7 * 0.9 + 0.1, 1e-5);
    assert_close(p[1], 0.7 * 0.1 + 0.1, 1e-5);
    assert_close(p[2], 0.1, 1e-5);
}

/* Of 20 items that taught the classifier, half an item was of the last cluster. */
static void a_classifier_has_no_word_on_what_it_was_not_taught(void **state)
{
    (void)state;
    const double mixture_says[] = {0.1, 0.1, 0.8}, kernel[] = {0.6, 0.3, 0.1};
    const double base[] = {0.5, 0.475, 0.025}, all[] = {0.4, 0.4, 0.2}, none[] = {0, 0, 0};
    double p[3];
    experts_defer(p, kernel, mixture_says, base, 20, 3);
    assert_close(p[2], 0.8, 1e-9);
    assert_close(p[0], 0.2 * 2 / 3, 1e-9);
    assert_close(p[1], 0.2 / 3, 1e-9);
    experts_defer(p, kernel, mixture_says, all, 20, 3);
    for (size_t c = 0; c < 3; c++) assert_close(p[c], kernel[c], 1e-9);
    experts_defer(p, kernel, mixture_says, none, 20, 3);
    for (size_t c = 0; c < 3; c++) assert_close(p[c], mixture_says[c], 1e-9);
}

/* Item i has the value i and is of kind i >= N / 2. The mixture knows it, or knows nothing. */
static void weigh(experts *out, double *share_right, bool knows, size_t answers, uint64_t seed)
{
    scdc_answer *answer = calloc(answers, sizeof *answer);
    double mixture_says[N * C], r[N * C], others[N * C];
    static double trial[EXPERT_TRIALS * N * C];
    crowd_graph graph;
    classifier taught;
    scdc_options o;
    scdc_options_init(&o);
    for (size_t a = 0; a < answers; a++) {
        rng g;
        rng_init(&g, seed, RNG_TEST, 0, a);
        uint32_t left = (uint32_t)(a % N), right = (left + 1 + (uint32_t)rng_below(&g, N - 1)) % N;
        bool same = (left >= N / 2) == (right >= N / 2);
        if (rng_uniform(&g) > 0.85) same = !same;
        answer[a] = (scdc_answer){left, right, (uint32_t)(a % WORKERS), SCDC_NO_TASK, same};
    }
    for (size_t i = 0; i < N; i++) {
        /* Without knowledge: right for six of ten, so that the kinds have their numbers. */
        bool kind = i >= N / 2, said = knows || i % 10 < 6 ? kind : !kind;
        mixture_says[i * C + said] = 1;
        mixture_says[i * C + !said] = 0;
    }
    assert_ok(crowd_graph_build(&graph, answer, answers));
    assert_int_equal(graph.nodes, N);
    assert_ok(classifier_create(&taught, N, 1, C));
    for (size_t i = 0; i < N; i++) taught.x[i] = (real)i / 20;
    expert_case given = {.answers = answer,
                         .graph = &graph,
                         .workers = WORKERS,
                         .clusters = C,
                         .mixture = mixture_says,
                         .options = &o};
    assert_ok(experts_weigh(out, r, trial, others, &taught, &given));
    *share_right = 0;
    for (size_t i = 0; i < N; i++) {
        assert_close(r[i * C] + r[i * C + 1], 1, 1e-9);
        *share_right += (r[i * C + 1] > r[i * C]) == (i >= N / 2) ? 1.0 / N : 0;
    }
    classifier_free(&taught);
    crowd_graph_free(&graph);
    free(answer);
}

static void a_mixture_that_knows_is_left_alone_by_few_answers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DRAWS(5); seed++) {
        experts e;
        double right;
        weigh(&e, &right, true, N, seed);
        assert_true(right > 0.97);
        assert_true(e.doubt <= 0.2);
    }
}

static void the_classifier_leads_where_the_mixture_knows_little(void **state)
{
    (void)state;
    size_t good = 0;
    for (uint64_t seed = 1; seed <= DRAWS(5); seed++) {
        experts e;
        double right, by_classifier = 0;
        weigh(&e, &right, false, 12 * N, seed);
        for (size_t w = 3; w < EXPERT_WAYS; w++) by_classifier += e.weight[w];
        good += right > 0.95 && by_classifier > 0.9 && experts_need_classifier(&e);
    }
    assert_true(MOST_ARE_GOOD(good, 4));
}

/* Shares of neighbours that all say the same: nobody gains. */
static void neighbours_are_heard_by_usual_where_nobody_gains(void **state)
{
    (void)state;
    static double trial[EXPERT_TRIALS * N * C];
    double mixture_says[N * C] = {0};
    scdc_answer answer[N];
    crowd_graph graph;
    scdc_options o;
    scdc_options_init(&o);
    for (uint32_t i = 0; i < N; i++) {
        answer[i] =
            (scdc_answer){i, (i + 1) % N, i % WORKERS, SCDC_NO_TASK, i % (N / 2) != N / 2 - 1};
        mixture_says[i * C + (i >= N / 2)] = 1;
    }
    for (size_t t = 0; t < EXPERT_TRIALS; t++) {
        memcpy(trial + t * N * C, mixture_says, sizeof mixture_says);
    }
    assert_ok(crowd_graph_build(&graph, answer, N));
    expert_case given = {.answers = answer,
                         .graph = &graph,
                         .workers = WORKERS,
                         .clusters = C,
                         .mixture = mixture_says,
                         .options = &o};
    double *const said[EXPERT_SHARES] = {trial, trial, trial, trial};
    for (int networks = 0; networks < 2; networks++) {
        size_t usual = networks ? 0 : EXPERT_SHARES - 1;
        experts e = experts_mixture_only(0);
        assert_true(expert_shares[usual] == (networks ? 1 : 0));
        assert_ok(experts_weigh_neighbours(&e, trial, said, &given, networks));
        for (size_t i = 0; i < EXPERT_SHARES; i++) {
            assert_true(i == usual || e.heard[i] < e.heard[usual] / 2);
        }
    }
    crowd_graph_free(&graph);
}

/* Each of several has its own way and keeps out its own answers. */
static void ways_at_once_are_as_one_after_the_other(void **state)
{
    (void)state;
    enum { ANSWERS = 4 * N, RUNS = 4 };
    static const expert_way way[RUNS] = {{1, 0}, {0.5, 1}, {0, 1}, {0.5, 1}};
    static const int fold[RUNS] = {0, 0, 1, -1};
    static scdc_answer answer[ANSWERS];
    static double mixture_says[N * C];
    expert_rounds one = {0}, many[RUNS], *all[RUNS];
    crowd_graph graph;
    classifier taught;
    lesson school;
    scdc_options o;
    scdc_options_init(&o);
    for (size_t a = 0; a < ANSWERS; a++) {
        uint32_t left = (uint32_t)(a % N), right = (uint32_t)((7 * a + 1 + a / N) % N);
        if (left == right) right = (right + 1) % N;
        bool same = ((left >= N / 2) == (right >= N / 2)) != (a % 7 == 0);
        answer[a] = (scdc_answer){left, right, (uint32_t)(a / 3 % WORKERS), SCDC_NO_TASK, same};
    }
    for (size_t i = 0; i < N; i++) {
        mixture_says[i * C] = i < N / 2 || i % 10 == 0 ? .7 : .2;
        mixture_says[i * C + 1] = 1 - mixture_says[i * C];
    }
    assert_ok(crowd_graph_build(&graph, answer, ANSWERS));
    assert_ok(classifier_create(&taught, N, 1, C));
    for (size_t i = 0; i < N; i++) taught.x[i] = (real)i / 20;
    assert_ok(lesson_create(&school, &taught, false));
    assert_ok(lesson_set_ridge(&school, 0.03));
    assert_ok(lesson_make_room(&school, RUNS));
    expert_case given = {.answers = answer,
                         .graph = &graph,
                         .workers = WORKERS,
                         .clusters = C,
                         .mixture = mixture_says,
                         .options = &o};
    for (size_t i = 0; i < RUNS; i++) {
        assert_ok(expert_rounds_create(&many[i], &given));
        all[i] = &many[i];
        expert_rounds_doubt(all[i], 0.05);
        expert_rounds_keep_out(all[i], fold[i]);
    }
    expert_rounds_run_all(all, way, RUNS, &school);
    assert_ok(expert_rounds_create(&one, &given));
    expert_rounds_doubt(&one, 0.05);
    for (size_t i = 0; i < RUNS; i++) {
        expert_rounds_keep_out(&one, fold[i]);
        expert_rounds_run(&one, way[i], &school);
        for (size_t v = 0; v < N * C; v++) assert_close(many[i].r[v], one.r[v], 1e-6);
        expert_rounds_free(&many[i]);
    }
    expert_rounds_free(&one);
    lesson_free(&school);
    classifier_free(&taught);
    crowd_graph_free(&graph);
}

/* Where nothing was foretold doubt is what the prior says; where all was, there is none. */
static void doubt_is_what_is_left_of_it(void **state)
{
    (void)state;
    enum { DOUBTS = 5, SLIPS = 2 };
    const double doubt[DOUBTS] = {0, 0.25, 0.5, 0.75, 1}, slip[SLIPS] = {0, 0.75}, none[1] = {0};
    double flat[DOUBTS] = {0}, sure[DOUBTS] = {0, -50, -100, -150, -200}, prior[DOUBTS];
    double slips[DOUBTS * SLIPS];
    assert_near(doubt_expected(doubt, NULL, DOUBTS, none, 1, flat), 0.5, 1e-12);
    for (size_t i = 0; i < DOUBTS; i++) prior[i] = 0;
    assert_near(doubt_expected(doubt, prior, DOUBTS, none, 1, flat), 0.25, 1e-12);
    assert_near(doubt_expected(doubt, NULL, DOUBTS, none, 1, sure), 0, 1e-12);
    for (size_t i = 0; i < DOUBTS * SLIPS; i++) slips[i] = 0;
    assert_near(doubt_expected(doubt, prior, DOUBTS, slip, SLIPS, slips), 1.25 / 3, 1e-12);
    for (size_t i = 0; i < DOUBTS; i++) prior[i] = -100 * fabs(doubt[i] - 0.25);
    assert_near(doubt_expected(doubt, prior, DOUBTS, none, 1, flat), 0.25, 1e-9);
    for (size_t i = 0; i < DOUBTS * SLIPS; i++) slips[i] = i == 1 ? 0 : -50;
    assert_near(doubt_expected(doubt, NULL, DOUBTS, slip, SLIPS, slips), 0.5, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mixture_alone_is_only_doubted),
        cmocka_unit_test(a_classifier_has_no_word_on_what_it_was_not_taught),
        cmocka_unit_test(a_mixture_that_knows_is_left_alone_by_few_answers),
        cmocka_unit_test(the_classifier_leads_where_the_mixture_knows_little),
        cmocka_unit_test(neighbours_are_heard_by_usual_where_nobody_gains),
        cmocka_unit_test(ways_at_once_are_as_one_after_the_other),
        cmocka_unit_test(doubt_is_what_is_left_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
