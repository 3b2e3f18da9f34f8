/* First components: clusters that are there, islands of any shape, numbers asked for, and what few
 * answers decide. */
#include "base/rng.h"
#include "model/clusters/candidates.h"
#include "support/check.h"
#include "support/sanitizers.h"

enum { N = 600 };

static scdc_options options(void)
{
    scdc_options o;
    scdc_options_init(&o);
    o.components = 40;
    o.neighbours = 10;
    return o;
}

/* Gaussian groups on a circle, `spread` wide; group of item i is i % groups. */
static void plant_blobs(float *x, size_t groups, double spread)
{
    for (size_t i = 0; i < N; i++) {
        rng r;
        rng_init(&r, 11, RNG_TEST, 0, i);
        double angle = 2 * M_PI * (double)(i % groups) / (double)groups;
        x[2 * i] = (float)(10 * cos(angle) + spread * rng_normal(&r));
        x[2 * i + 1] = (float)(10 * sin(angle) + spread * rng_normal(&r));
    }
}

/* A ring around another: two kinds that no two Gaussians are. */
static void plant_rings(float *x, double inner, double spread, uint64_t seed)
{
    for (size_t i = 0; i < N; i++) {
        rng r;
        rng_init(&r, seed, RNG_TEST, 0, i);
        double radius = (i % 2 ? 10 : inner) + spread * rng_normal(&r);
        double angle = 2 * M_PI * rng_uniform(&r);
        x[2 * i] = (float)(radius * cos(angle));
        x[2 * i + 1] = (float)(radius * sin(angle));
    }
}

/* A band without any groups, items in its order. */
static void plant_band(float *x, uint64_t seed)
{
    for (size_t i = 0; i < N; i++) {
        rng r;
        rng_init(&r, seed, RNG_TEST, 0, i);
        double along = 2.5 * M_PI * ((double)i + rng_uniform(&r)) / N;
        x[2 * i] = (float)(3 * along + 0.4 * rng_normal(&r));
        x[2 * i + 1] = (float)(4 * sin(along) + 0.4 * rng_normal(&r));
    }
}

static int candidates_choose(candidate_choice *out, const float *x, size_t n, size_t d,
                             const scdc_answer *answers, size_t n_answers, size_t workers,
                             const two_coin_counts *known, const scdc_options *o)
{
    candidate_pool *pool;
    assert_ok(candidates_open(&pool, x, n, d, answers, n_answers, workers, known, o));
    int status = candidates_pick(out, pool, NULL);
    candidates_close(pool);
    return status;
}

static double nmi(const candidate_choice *c, size_t groups)
{
    int64_t labels[N], truth[N];
    scdc_scores scores;
    for (size_t i = 0; i < N; i++) {
        labels[i] = c->cluster[c->component[i]];
        truth[i] = (int64_t)(i % groups);
    }
    assert_ok(scdc_score(&scores, labels, truth, N));
    return scores.nmi;
}

static void groups_are_found_without_answers(void **state)
{
    (void)state;
    float x[2 * N];
    scdc_options o = options();
    for (size_t groups = 2; groups <= 8; groups += 3) {
        candidate_choice c;
        plant_blobs(x, groups, 1);
        assert_ok(candidates_choose(&c, x, N, 2, NULL, 0, 0, NULL, &o));
        assert_int_equal(c.clusters, groups);
        assert_true(nmi(&c, groups) > 0.97);
        candidate_choice_free(&c);
    }
}

static void islands_of_any_shape_are_clusters(void **state)
{
    (void)state;
    float x[2 * N];
    scdc_options o = options();
    candidate_choice c;
    plant_rings(x, 4, 0.5, 12);
    assert_ok(candidates_choose(&c, x, N, 2, NULL, 0, 0, NULL, &o));
    assert_int_equal(c.clusters, 2);
    assert_true(c.islands && !c.trusted);
    assert_true(nmi(&c, 2) > 0.97);
    candidate_choice_free(&c);
}

enum { HEAP_GROUPS = 8, HEAP_DIMS = 5, HEAP_DRAWS = 6 };

/* Groups that overlap, and one further off that does not. */
static void plant_heap(float *x, uint64_t draw)
{
    rng r;
    double centre[HEAP_GROUPS][HEAP_DIMS];
    for (size_t g = 0; g < HEAP_GROUPS; g++) {
        rng_init(&r, draw, RNG_TEST, 1, g);
        for (size_t d = 0; d < HEAP_DIMS; d++) centre[g][d] = 1.5 * rng_normal(&r);
    }
    for (size_t d = 0; d < HEAP_DIMS; d++) centre[0][d] += 4;
    for (size_t i = 0; i < N; i++) {
        rng_init(&r, draw, RNG_TEST, 0, i);
        for (size_t d = 0; d < HEAP_DIMS; d++) {
            x[i * HEAP_DIMS + d] = (float)(centre[i % HEAP_GROUPS][d] + rng_normal(&r));
        }
    }
}

/* Joined, all that overlaps is one heap, which halves of the items show again as surely as it tells
 * nothing. */
static void groups_that_overlap_are_no_heap(void **state)
{
    (void)state;
    float x[HEAP_DIMS * N];
    scdc_options o = options();
    double sum = 0;
    for (uint64_t draw = 0; draw < DRAWS(HEAP_DRAWS); draw++) {
        candidate_choice c;
        plant_heap(x, draw);
        assert_ok(candidates_choose(&c, x, N, HEAP_DIMS, NULL, 0, 0, NULL, &o));
        sum += nmi(&c, HEAP_GROUPS);
        candidate_choice_free(&c);
    }
    assert_true(SANITIZED || sum / HEAP_DRAWS > 0.6);
}

enum { TAIL_GROUPS = 12, TAIL_DIMS = 12, TAIL_DRAWS = 5 };

/* Groups with heavy tails (Student, 3 degrees of freedom), of 50 items each. */
static void plant_tails(float *x, uint64_t draw)
{
    rng r;
    double centre[TAIL_GROUPS][TAIL_DIMS];
    for (size_t g = 0; g < TAIL_GROUPS; g++) {
        rng_init(&r, draw, RNG_TEST, 1, g);
        for (size_t d = 0; d < TAIL_DIMS; d++) centre[g][d] = 0.7 * rng_normal(&r);
    }
    for (size_t i = 0; i < N * TAIL_DIMS; i++) {
        double squares = 0;
        rng_init(&r, draw, RNG_TEST, 2, i);
        double z = rng_normal(&r);
        for (int j = 0; j < 3; j++) {
            double other = rng_normal(&r);
            squares += other * other / 3;
        }
        x[i] = (float)(centre[i / TAIL_DIMS % TAIL_GROUPS][i % TAIL_DIMS] + z / sqrt(squares));
    }
}

/* Tails cost a mixture more than so few items pay for: its criterion counts a few groups of the
 * many, and neighbours tell more of them (mean .14, without their groups .10). */
static void links_tell_more_groups_than_a_mixture_dares(void **state)
{
    (void)state;
    float x[TAIL_DIMS * N];
    scdc_options o = options();
    double sum = 0;
    o.components = 30;
    for (uint64_t draw = 0; draw < DRAWS(TAIL_DRAWS); draw++) {
        candidate_choice c;
        plant_tails(x, draw);
        assert_ok(candidates_choose(&c, x, N, TAIL_DIMS, NULL, 0, 0, NULL, &o));
        sum += nmi(&c, TAIL_GROUPS);
        candidate_choice_free(&c);
    }
    assert_true(SANITIZED || sum / TAIL_DRAWS > 0.12);
}

enum { MANY = 38, DARED_GROUPS = 6, DARED_DRAWS = 6 };

/* Round groups in many dimensions, about 4.5 widths apart. */
static void plant_dared(float *x, size_t n, uint64_t draw)
{
    rng r;
    for (size_t i = 0; i < n * MANY; i++) {
        rng_init(&r, draw, RNG_TEST, 3, i / MANY % DARED_GROUPS * MANY + i % MANY);
        double centre = 0.52 * rng_normal(&r);
        rng_init(&r, draw, RNG_TEST, 5, i);
        x[i] = (float)(centre + rng_normal(&r));
    }
}

/* A further component of 40 parameters costs 2.5 nats each by the information criterion and about
 * one by items that are kept out. What 25 items have of a group of their own lies in between: the
 * criterion takes fewer, and halves, which it judges too, show these again (mean .64). */
static void items_kept_out_tell_groups_that_a_criterion_does_not_dare(void **state)
{
    (void)state;
    enum { FEW = 150 };
    float x[FEW * MANY];
    scdc_options o = options();
    double sum = 0;
    for (uint64_t draw = 0; draw < DRAWS(DARED_DRAWS); draw++) {
        int64_t labels[FEW], truth[FEW];
        scdc_scores scores;
        candidate_choice c;
        plant_dared(x, FEW, draw);
        assert_ok(candidates_choose(&c, x, FEW, MANY, NULL, 0, 0, NULL, &o));
        for (size_t i = 0; i < FEW; i++) {
            labels[i] = c.cluster[c.component[i]];
            truth[i] = (int64_t)(i % DARED_GROUPS);
        }
        assert_ok(scdc_score(&scores, labels, truth, FEW));
        sum += scores.nmi;
        candidate_choice_free(&c);
    }
    assert_true(SANITIZED || sum / DARED_DRAWS > 0.7);
}

/* Many candidates that cut rings into pieces agree with one another: they do not outweigh rings
 * that are clearly apart. */
static void pieces_do_not_outvote_islands(void **state)
{
    (void)state;
    float x[2 * N];
    scdc_options o = options();
    size_t found = 0;
    for (uint64_t seed = 1; seed <= DRAWS(5); seed++) {
        candidate_choice c;
        plant_rings(x, 5, 0.6, seed);
        assert_ok(candidates_choose(&c, x, N, 2, NULL, 0, 0, NULL, &o));
        found += c.clusters == 2 && nmi(&c, 2) > 0.97;
        candidate_choice_free(&c);
    }
    assert_true(MOST_ARE_GOOD(found, 4));
}

/* Twelve kinds of four sorts each: more sorts than components are tried, so that each further
 * component pays. That says nothing of how many kinds there are: components are grouped. */
static void the_largest_mixture_is_not_what_items_call_for(void **state)
{
    (void)state;
    enum { D = 10, KINDS = 12, SORTS = 4 };
    static float x[D * N];
    double centre[KINDS * SORTS][D];
    scdc_options o = options();
    candidate_choice c;
    rng r;
    rng_init(&r, 1, RNG_TEST, 2, 0);
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t d = 0; d < D; d++) {
            double kind = 1.5 * rng_normal(&r);
            for (size_t s = 0; s < SORTS; s++)
                centre[SORTS * k + s][d] = kind + 1.2 * rng_normal(&r);
        }
    }
    for (size_t i = 0; i < N; i++) {
        const double *of = centre[SORTS * (i % KINDS) + i / KINDS % SORTS];
        for (size_t d = 0; d < D; d++) x[D * i + d] = (float)(of[d] + 0.35 * rng_normal(&r));
    }
    assert_ok(candidates_choose(&c, x, N, D, NULL, 0, 0, NULL, &o));
    assert_true(c.clusters < c.components);
    candidate_choice_free(&c);
}

/* Answers about items that any sensible division tells apart: they rule out a few coarse ones, and
 * of the others they say nothing. What the items alone choose stays. */
static void answers_that_say_nothing_change_nothing(void **state)
{
    (void)state;
    enum { ANSWERS = 60 };
    float x[2 * N];
    scdc_answer answers[ANSWERS];
    scdc_options o = options();
    for (uint64_t seed = 1; seed <= DRAWS(2); seed++) {
        candidate_choice none, some;
        plant_band(x, seed);
        for (uint32_t a = 0; a < ANSWERS; a++) { /* from one half of the band to the other */
            uint32_t left = 5 * a % (N / 2), right = left + N / 2;
            answers[a] = (scdc_answer){left, right, a % 3, SCDC_NO_TASK, a % 5 == 0};
        }
        assert_ok(candidates_choose(&none, x, N, 2, NULL, 0, 0, NULL, &o));
        assert_ok(candidates_choose(&some, x, N, 2, answers, ANSWERS, 3, NULL, &o));
        assert_int_equal(some.components, none.components);
        assert_int_equal(some.clusters, none.clusters);
        assert_memory_equal(some.component, none.component, N * sizeof *some.component);
        candidate_choice_free(&none);
        candidate_choice_free(&some);
    }
}

/* An item that lies in one group and is of the kind of another, and questions that come back to it:
 * what is said of it is not said of its group. */
static void one_item_does_not_join_two_groups(void **state)
{
    (void)state;
    enum { ABOUT_IT = 14, OTHERS = 40, ANSWERS = ABOUT_IT + OTHERS };
    float x[2 * N];
    scdc_answer answers[ANSWERS];
    scdc_options o = options();
    candidate_choice c;
    plant_blobs(x, 3, 1);
    for (uint32_t a = 0; a < ABOUT_IT; a++) /* item 0 is of group 0 and of kind 1 */
        answers[a] = (scdc_answer){0, 3 * a + 4, a % 3, SCDC_NO_TASK, 1};
    for (uint32_t a = 0; a < OTHERS; a++) {
        uint32_t left = 7 * a + 1, right = left + 1 + a / 2 % 3;
        answers[ABOUT_IT + a] =
            (scdc_answer){left, right, a % 5 % 3, SCDC_NO_TASK, left % 3 == right % 3};
    }
    assert_ok(candidates_choose(&c, x, N, 2, answers, ANSWERS, 3, NULL, &o));
    assert_int_equal(c.clusters, 3);
    assert_true(nmi(&c, 3) > 0.97);
    candidate_choice_free(&c);
}

/* Six groups, of which opposite ones are of one kind: only answers can tell. */
static void few_answers_decide_which_groups_are_one(void **state)
{
    (void)state;
    enum { ANSWERS = 300 };
    float x[2 * N];
    scdc_answer answers[ANSWERS];
    scdc_options o = options();
    candidate_choice c;
    size_t found = 0;
    plant_blobs(x, 6, 1);
    for (uint64_t seed = 1; seed <= DRAWS(5); seed++) {
        for (size_t a = 0; a < ANSWERS; a++) {
            rng r;
            rng_init(&r, seed, RNG_TEST, 1, a);
            uint32_t left = (uint32_t)rng_below(&r, N), right = (left + 1 + a) % N;
            bool same = left % 3 == right % 3;
            if (rng_uniform(&r) > 0.85) same = !same;
            answers[a] = (scdc_answer){left, right, (uint32_t)(a % 4), SCDC_NO_TASK, same};
        }
        assert_ok(candidates_choose(&c, x, N, 2, answers, ANSWERS, 4, NULL, &o));
        found += c.clusters == 3 && nmi(&c, 3) > 0.95;
        candidate_choice_free(&c);
    }
    assert_true(MOST_ARE_GOOD(found, 4));
}

/* One worker who takes two of four clear groups for one a few times is not believed, many times it
 * is. */
static void clear_groups_are_joined_by_many_answers_only(void **state)
{
    (void)state;
    enum { SURE = 30, MOST = SURE + 12 };
    static const struct {
        size_t mixed, clusters;
    } cases[] = {{3, 4}, {12, 3}};
    float x[2 * N];
    scdc_options o = options();
    plant_blobs(x, 4, 1);
    for (size_t t = 0; t < 2; t++) {
        scdc_answer answers[MOST];
        candidate_choice c;
        for (uint32_t a = 0; a < SURE + cases[t].mixed; a++) {
            uint32_t left = 4 * a, right = 4 * a + 400; /* both of group 0 */
            if (a >= SURE) right += 1;                  /* of group 1, said to be the same */
            else if (a >= SURE / 3) right += 2;         /* of group 2 */
            bool same = a < SURE / 3 || a >= SURE;
            answers[a] = (scdc_answer){left, right, 0, SCDC_NO_TASK, same};
        }
        assert_ok(candidates_choose(&c, x, N, 2, answers, SURE + cases[t].mixed, 1, NULL, &o));
        assert_int_equal(c.clusters, cases[t].clusters);
        candidate_choice_free(&c);
    }
}

static void a_number_asked_for_is_given_or_refused(void **state)
{
    (void)state;
    float x[2 * N];
    candidate_choice c;
    plant_blobs(x, 5, 1.5);
    for (size_t wanted = 1; wanted <= 9; wanted += SANITIZED ? 4 : 1) {
        scdc_options o = options();
        o.clusters = wanted;
        assert_ok(candidates_choose(&c, x, N, 2, NULL, 0, 0, NULL, &o));
        assert_int_equal(c.clusters, wanted);
        candidate_choice_free(&c);
    }
    scdc_options o = options();
    o.components = 4;
    o.clusters = 30;
    assert_fails(candidates_choose(&c, x, N, 2, NULL, 0, 0, NULL, &o), SCDC_ERR_ARGUMENT,
                 "cannot be divided into 30 clusters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_found_without_answers),
        cmocka_unit_test(islands_of_any_shape_are_clusters),
        cmocka_unit_test(groups_that_overlap_are_no_heap),
        cmocka_unit_test(links_tell_more_groups_than_a_mixture_dares),
        cmocka_unit_test(items_kept_out_tell_groups_that_a_criterion_does_not_dare),
        cmocka_unit_test(pieces_do_not_outvote_islands),
        cmocka_unit_test(the_largest_mixture_is_not_what_items_call_for),
        cmocka_unit_test(answers_that_say_nothing_change_nothing),
        cmocka_unit_test(one_item_does_not_join_two_groups),
        cmocka_unit_test(few_answers_decide_which_groups_are_one),
        cmocka_unit_test(clear_groups_are_joined_by_many_answers_only),
        cmocka_unit_test(a_number_asked_for_is_given_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
