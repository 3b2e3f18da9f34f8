/* Items alone: how sure they may be, and who is heard, by answers kept out. */
#include "base/numeric.h"
#include "base/rng.h"
#include "crowd/graph.h"
#include "model/classes/alone.h"
#include "support/check.h"

#include <string.h>

enum { N = 900, C = 4, WORKERS = 3 };

/* Items of C kinds with the posterior of a noisy look at them; answers about pairs. */
typedef struct crowd_case {
    size_t kind[N];
    double posterior[N * C], word[N * C], other[N * C];
    bool unheard[N];
    scdc_answer *answer;
    size_t count;
    crowd_graph graph;
    scdc_options options;
    expert_case given;
} crowd_case;

/* The noisier the look, the less it tells: out [C]. */
static void look(double *out, size_t kind, double noise, rng *g)
{
    for (size_t c = 0; c < C; c++) {
        double seen = (c == kind) + noise * rng_normal(g);
        out[c] = seen / (noise * noise); /* ln of the likelihood ratio, but for a constant */
    }
    softmax(out, out, C);
}

static void case_create(crowd_case *k, size_t answers, uint64_t seed)
{
    rng g;
    rng_init(&g, seed, RNG_TEST, 0, 0);
    memset(k, 0, sizeof *k);
    for (size_t i = 0; i < N; i++) {
        k->kind[i] = rng_below(&g, C);
        k->unheard[i] = i % 4 == 0;
        look(k->posterior + i * C, k->kind[i], 0.45, &g);
    }
    k->count = answers;
    k->answer = calloc(answers, sizeof *k->answer);
    for (size_t a = 0; a < answers; a++) {
        uint32_t left = (uint32_t)(a % N);
        uint32_t right = (left + 1 + (uint32_t)rng_below(&g, N - 1)) % N;
        bool same = k->kind[left] == k->kind[right];
        if (rng_uniform(&g) > 0.9) same = !same;
        k->answer[a] = (scdc_answer){left, right, (uint32_t)(a % WORKERS), SCDC_NO_TASK, same};
    }
    assert_ok(crowd_graph_build(&k->graph, k->answer, answers));
    assert_int_equal(k->graph.nodes, N);
    scdc_options_init(&k->options);
    k->given = (expert_case){.answers = k->answer,
                             .graph = &k->graph,
                             .workers = WORKERS,
                             .clusters = C,
                             .mixture = k->word,
                             .options = &k->options};
}

static void case_free(crowd_case *k)
{
    crowd_graph_free(&k->graph);
    free(k->answer);
}

/* By how much the mean probability of the likeliest cluster differs from how often it is right. */
static double promise(const crowd_case *k, const alone_word *a, double *right)
{
    double promised = 0, p[C];
    *right = 0;
    for (size_t i = 0; i < N; i++) {
        alone_say(p, a, k->word + i * C, k->other + i * C, C);
        size_t best = argmax(p, C);
        promised += p[best] / N;
        *right += best == k->kind[i] ? 1.0 / N : 0;
    }
    return promised - *right;
}

static void words_are_as_sure_as_they_may_be(void **state)
{
    (void)state;
    const double powers[] = {0.25, 1, 4};
    for (size_t t = 0; t < 6; t++) {
        static crowd_case k;
        alone_word usual = alone_as_it_is(), a;
        double power = powers[t % 3], right, before, after;
        case_create(&k, 9 * N, 1 + t);
        for (size_t i = 0; i < N * C; i++) k.word[i] = power * log(k.posterior[i] + 1e-300);
        for (size_t i = 0; i < N; i++) softmax(k.word + i * C, k.word + i * C, C);
        assert_ok(
            alone_weigh(&a, &(alone_case){.given = &k.given, .unheard = t < 3 ? k.unheard : NULL}));
        before = promise(&k, &usual, &right);
        after = promise(&k, &a, &right);
        assert_true(right > 0.7 && right < 0.95);
        if (power < 1) assert_true(before < -0.1 && a.experts > 2);
        if (power > 1) assert_true(before > 0.05 && a.experts < 0.5);
        assert_true(fabs(after) < (t < 3 ? 0.05 : 0.03));
        assert_true(a.network == 0);
        case_free(&k);
    }
}

static void a_network_that_sees_more_leads(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        static crowd_case k;
        bool better = seed % 2;
        alone_word a;
        rng g;
        case_create(&k, 9 * N, 20 + seed);
        memcpy(k.word, k.posterior, sizeof k.word);
        rng_init(&g, 30 + seed, RNG_TEST, 0, 0);
        for (size_t i = 0; i < N; i++) look(k.other + i * C, k.kind[i], better ? 0.3 : 9, &g);
        if (!better) { /* it is sure of things it does not see */
            for (size_t i = 0; i < N; i++) {
                memset(k.other + i * C, 0, C * sizeof *k.other);
                k.other[i * C + rng_below(&g, C)] = 1;
            }
        }
        assert_ok(alone_weigh(
            &a, &(alone_case){.given = &k.given, .by_network = k.other, .unheard = k.unheard}));
        /* Looks that are independent of each other are best multiplied. */
        assert_true(better ? a.network > 0.6 && a.network < 1.6 : a.network == 0);
        assert_ok(alone_weigh(&a, &(alone_case){.given = &k.given,
                                                .by_network = k.other,
                                                .network_leads = true,
                                                .unheard = k.unheard}));
        assert_true(a.network > 0 && a.experts == 0); /* asked for by name */
        if (!better) assert_true(a.doubt > 0.1 || a.network < 0.3);
        case_free(&k);
    }
}

/* Words that are sure of every item, and wrong about a share of them. */
static void a_sure_word_is_doubted_as_far_as_it_is_wrong(void **state)
{
    (void)state;
    const double wrong[] = {0, 0.2, 0.4};
    for (size_t t = 0; t < 6; t++) {
        static crowd_case k;
        alone_word usual = alone_as_it_is();
        double doubt = 1, right;
        rng g;
        case_create(&k, 9 * N, 50 + t);
        rng_init(&g, 60 + t, RNG_TEST, 0, 0);
        for (size_t i = 0; i < N; i++) {
            size_t said = k.kind[i];
            if (rng_uniform(&g) < wrong[t % 3]) said = (said + 1 + rng_below(&g, C - 1)) % C;
            for (size_t c = 0; c < C; c++) k.word[i * C + c] = c == said ? 0.997 : 0.001;
        }
        assert_ok(alone_doubt(
            &doubt, &(alone_case){.given = &k.given, .unheard = t < 3 ? k.unheard : NULL}));
        double before = promise(&k, &usual, &right);
        usual.doubt = doubt;
        assert_true(fabs(before - wrong[t % 3]) < 0.06);
        assert_true(fabs(promise(&k, &usual, &right)) < 0.06);
        case_free(&k);
    }
}

static void few_answers_change_little(void **state)
{
    (void)state;
    static crowd_case k;
    alone_word a;
    double p[C], q[] = {0.7, 0.1, 0.1, 0.1};
    case_create(&k, N, 40);
    for (size_t i = 0; i < N; i++) k.unheard[i] = i < 3;
    memcpy(k.word, k.posterior, sizeof k.word);
    assert_ok(alone_weigh(&a, &(alone_case){.given = &k.given, .unheard = k.unheard}));
    alone_say(p, &a, q, NULL, C);
    assert_close(p[0], 0.7, 0.15);
    assert_close(p[0] + p[1] + p[2] + p[3], 1, 1e-9);
    a = alone_as_it_is();
    alone_say(p, &a, q, NULL, C);
    assert_memory_equal(p, q, sizeof p);
    case_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_as_sure_as_they_may_be),
        cmocka_unit_test(a_network_that_sees_more_leads),
        cmocka_unit_test(a_sure_word_is_doubted_as_far_as_it_is_wrong),
        cmocka_unit_test(few_answers_change_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
