/* scdc_plan: intervals that hold where the truth is drawn from the posterior itself, a stop rule
 * that stops when it should and not before, plans from nothing. */
#include "asking/outlook.h"
#include "base/rng.h"
#include "support/files.h"
#include "support/sanitizers.h"

#include <scdc/update.h>

enum { ITEMS = 150, KINDS = 3 };

static scdc_data *items;
static scdc_labels *truth;

static int begin(void **state)
{
    scdc_blobs o;
    scdc_blobs_init(&o);
    o.clusters = KINDS;
    o.items = ITEMS;
    o.dims = 3;
    assert_ok(scdc_make_blobs(&items, &truth, &o));
    return scratch_begin(state);
}

static int end(void **state)
{
    scdc_labels_free(truth);
    scdc_data_free(items);
    return scratch_end(state);
}

static scdc_crowd *answers_by(size_t pairs, double sensitivity, double specificity)
{
    scdc_simulation s;
    scdc_crowd *crowd;
    scdc_simulation_init(&s);
    s.workers = 2;
    s.sensitivity = &sensitivity;
    s.specificity = &specificity;
    s.n_sensitivity = s.n_specificity = 1;
    s.pairs = pairs;
    assert_ok(scdc_simulate_answers(&crowd, truth, &s));
    return crowd;
}

static scdc_crowd *answers_of(size_t pairs, double skill)
{
    return answers_by(pairs, skill, skill);
}

static scdc_model *fit_in(size_t clusters, const scdc_crowd *crowd)
{
    scdc_options o;
    scdc_model *model;
    scdc_options_init(&o);
    o.threads = 1;
    o.clusters = clusters;
    assert_ok(scdc_fit(&model, items, crowd, &o, NULL, NULL));
    return model;
}

static scdc_model *fit_of(const scdc_crowd *crowd)
{
    return fit_in(0, crowd);
}

/* Who goes on is promised more per cent only where more are expected. */
static void check_promise(const scdc_outlook *outlook, const scdc_outlook_info *info)
{
    size_t count;
    const scdc_plan_point *p = scdc_outlook_points(outlook, &count);
    if (info->advice != SCDC_ADVICE_GO_ON || strstr(info->sentence, "no room for other")) return;
    bool gains = p[count - 1].accuracy - info->accuracy >= 5e-4;
    assert_int_equal(strstr(info->sentence, "expected to make it") != NULL, gains);
}

static scdc_outlook_info plan_of(scdc_outlook **out, const scdc_model *model,
                                 const scdc_crowd *crowd, double target)
{
    scdc_plan_options o;
    scdc_outlook_info info;
    scdc_plan_options_init(&o);
    o.accuracy = target;
    o.threads = 1;
    assert_ok(scdc_plan(out, model, items, crowd, &o));
    assert_ok(scdc_outlook_get_info(&info, *out));
    check_promise(*out, &info);
    return info;
}

static void check_points(const scdc_outlook *outlook)
{
    size_t count;
    const scdc_plan_point *p = scdc_outlook_points(outlook, &count);
    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        assert_true(p[i].low <= p[i].accuracy + 1e-9 && p[i].accuracy <= p[i].high + 1e-9);
        assert_true(p[i].low >= 0 && p[i].high <= 1 + 1e-9);
        if (i) assert_true(p[i].answers > p[i - 1].answers);
        if (i) assert_true(p[i].measured <= p[i - 1].measured);
    }
}

static void test_many_answers_say_stop(void **state)
{
    (void)state;
    scdc_outlook *outlook;
    scdc_crowd *crowd = answers_of(3000, .9);
    scdc_model *model = fit_of(crowd);
    scdc_outlook_info info = plan_of(&outlook, model, crowd, 0);
    check_points(outlook);
    assert_int_equal(info.answers, 3000);
    assert_int_equal(info.workers, 2);
    size_t count;
    const scdc_plan_point *next = scdc_outlook_points(outlook, &count);
    for (size_t i = 0, more = 100; i < 3; i++, more *= 10) {
        assert_int_equal(next[count - 3 + i].answers, 3000 + more);
        assert_false(next[count - 3 + i].measured);
    }
    assert_int_equal(next[count - 4].answers, 3000);
    assert_true(info.accuracy > .95);
    assert_int_equal(info.advice, SCDC_ADVICE_STOP);
    assert_true(info.ratio > info.threshold);
    assert_true(strncmp(info.sentence, "Stop", 4) == 0);
    assert_ok(scdc_outlook_write_svg(scratch_path("plan.svg"), outlook));
    scdc_outlook_free(outlook);
    info = plan_of(&outlook, model, crowd, .9);
    assert_int_equal(info.advice, SCDC_ADVICE_REACHED);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    scdc_crowd_free(crowd);
}

/* Answers that leave no doubt about three kinds do not settle labels that know two. */
static void test_labels_against_the_answers_go_on(void **state)
{
    (void)state;
    scdc_outlook *outlook;
    scdc_crowd *crowd = answers_of(2000, .95);
    scdc_model *model = fit_in(2, crowd);
    scdc_outlook_info info = plan_of(&outlook, model, crowd, 0);
    assert_int_equal(info.clusters, 2);
    assert_true(info.ratio < 0);
    assert_int_equal(info.advice, SCDC_ADVICE_GO_ON);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    scdc_crowd_free(crowd);
}

/* All workers were seen elsewhere, and are sure to have these rates. */
static void know_as(scdc_crowd *crowd, double sensitivity, double specificity)
{
    scdc_crowd_info info;
    size_t known;
    FILE *file = fopen(scratch_path("known.csv"), "w");
    assert_non_null(file);
    assert_ok(scdc_crowd_get_info(&info, crowd));
    fprintf(file, "worker,sensitivity,sensitivity_low,sensitivity_high,specificity,specificity_low,"
                  "specificity_high\n");
    for (size_t w = 0; w < info.workers; w++)
        fprintf(file, "%s,%g,%g,%g,%g,%g,%g\n", scdc_crowd_worker_name(crowd, w), sensitivity,
                sensitivity - .01, sensitivity + .01, specificity, specificity - .01,
                specificity + .01);
    assert_int_equal(fclose(file), 0);
    assert_ok(scdc_crowd_know_workers(crowd, &known, scratch_path("known.csv")));
    assert_int_equal(known, info.workers);
}

/* Workers who call every second pair of a kind different, or clusters of two kinds: nobody knows
 * unless the workers are known. */
static void test_careless_workers_do_not_say_stop(void **state)
{
    (void)state;
    scdc_outlook *outlook;
    scdc_crowd *crowd = answers_by(3000, .45, .97);
    scdc_model *model = fit_of(crowd);
    scdc_outlook_info info = plan_of(&outlook, model, crowd, 0);
    assert_true(info.ratio > info.threshold);
    assert_true(info.high - info.low > .4);
    assert_int_equal(info.advice, SCDC_ADVICE_GO_ON);
    assert_non_null(strstr(info.sentence, "no room for other clusters"));
    scdc_outlook_free(outlook);
    know_as(crowd, .45, .97);
    info = plan_of(&outlook, model, crowd, 0);
    assert_true(info.high - info.low < .3);
    assert_int_equal(info.advice, SCDC_ADVICE_STOP);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    scdc_crowd_free(crowd);
}

/* The same answers, of which the truth of the first few is known. */
static scdc_crowd *with_gold(const scdc_crowd *crowd, size_t pairs)
{
    size_t count;
    scdc_crowd *out;
    const scdc_answer *a = scdc_crowd_answers(crowd, &count);
    const int64_t *kind = scdc_labels_values(truth);
    const char *path = scratch_path("gold.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "worker,left,right,label,gold\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "w%u,%u,%u,%d,", a[i].worker, a[i].left, a[i].right, a[i].same);
        fprintf(file, i < pairs ? "%d\n" : "\n", kind[a[i].left] == kind[a[i].right]);
    }
    assert_int_equal(fclose(file), 0);
    assert_ok(scdc_crowd_open(&out, &path, 1, NULL));
    return out;
}

/* Known pairs tell careless workers from clusters of two kinds, whichever it is. */
static void test_known_pairs_tell_whose_fault_it_is(void **state)
{
    (void)state;
    scdc_outlook *outlook;
    scdc_crowd *crowd = answers_by(3000, .45, .97), *gold = with_gold(crowd, 200);
    scdc_model *model = fit_of(gold);
    scdc_outlook_info info = plan_of(&outlook, model, gold, 0);
    assert_true(info.high - info.low < .3);
    assert_int_equal(info.advice, SCDC_ADVICE_STOP);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    scdc_crowd_free(gold);
    scdc_crowd_free(crowd);
    /* Two of three kinds in one cluster: two thirds of the labels are right. */
    crowd = answers_of(3000, .9);
    gold = with_gold(crowd, 200);
    model = fit_in(2, gold);
    info = plan_of(&outlook, model, gold, 0);
    assert_true(info.low < .667 && info.high > .667 && info.high < .88);
    assert_int_equal(info.advice, SCDC_ADVICE_GO_ON);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    scdc_crowd_free(gold);
    scdc_crowd_free(crowd);
}

static void test_few_answers_say_go_on(void **state)
{
    (void)state;
    scdc_outlook *outlook;
    scdc_crowd *crowd = answers_of(20, .75);
    scdc_model *model = fit_of(crowd);
    scdc_outlook_info info = plan_of(&outlook, model, crowd, .999);
    check_points(outlook);
    assert_int_equal(info.advice, SCDC_ADVICE_GO_ON);
    assert_true(info.ratio < info.threshold);
    assert_true(info.high > info.low);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    /* A stop before the first answer there is not. */
    model = fit_of(NULL);
    info = plan_of(&outlook, model, NULL, 0);
    assert_int_equal(info.answers, 0);
    assert_int_equal(info.advice, SCDC_ADVICE_GO_ON);
    scdc_outlook_free(outlook);
    scdc_model_free(model);
    scdc_crowd_free(crowd);
}

/* Partitions drawn anew are the truth in turn: how often the interval holds what is then right. */
static void test_interval_holds(void **state)
{
    (void)state;
    looked_at l;
    blocks b;
    partitions now, truths;
    scdc_plan_point point;
    double *table;
    size_t held = 0;
    assert_ok(look_at_items(&l, NULL, items, NULL, 1));
    assert_ok(blocks_make(&b, &l, 0, 1));
    assert_ok(blocks_tune(&b, &l, NULL, NULL, 1));
    assert_ok(partitions_draw(&now, &b, 1, 0));
    assert_ok(partitions_draw(&truths, &b, 1, 1));
    assert_ok(mem_zeroed(&table, b.count * b.count, sizeof *table, "a table"));
    const uint16_t *found = now.group + partitions_medoid(&now) * b.count;
    assert_ok(accuracy_of(&point, found, &now, &b, .9));
    for (size_t s = 0; s < SAMPLES; s++) {
        double right =
            1 - partitions_apart(found, truths.group + s * b.count, b.mass, b.count, table);
        held += right >= point.low - 1e-9 && right <= point.high + 1e-9;
    }
    assert_true(held >= .75 * SAMPLES); /* of 90 % */
    mem_free(table);
    partitions_free(&now);
    partitions_free(&truths);
    blocks_free(&b);
    looked_at_free(&l);
}

/* ---- labels judged by answers ---- */

enum { JUDGED = 400, JUDGED_KINDS = 6, CROWD = 5 };

/* Labels of kinds with mistakes: items at random, scattered or many; two kinds taken for one; one
 * taken for two. */
static void make_mistakes(uint32_t *label, const int64_t *kind, size_t how, rng *r)
{
    for (size_t i = 0; i < JUDGED; i++) {
        double wrong = how == 0 ? .03 : how == 1 ? .2 : 0;
        label[i] = (uint32_t)kind[i];
        if (rng_uniform(r) < wrong) label[i] = (uint32_t)rng_below(r, JUDGED_KINDS);
        if (how == 2 && label[i] == 1) label[i] = 0;
        if (how == 3 && label[i] == 0 && i / JUDGED_KINDS % 2) label[i] = JUDGED_KINDS;
    }
}

/* The rates of workers as labels make them look. */
static void judge_workers(coins *out, const uint32_t *label, const scdc_answer *said,
                          size_t answers)
{
    double count[CROWD][2][2] = {{{0}}};
    for (size_t a = 0; a < answers; a++)
        count[said[a].worker][label[said[a].left] == label[said[a].right]][said[a].same]++;
    for (size_t w = 0; w < CROWD; w++) {
        double *two = count[w][0], *one = count[w][1];
        out[w].sensitivity = (one[1] + 1) / (one[0] + one[1] + 2);
        out[w].specificity = (two[0] + 1) / (two[0] + two[1] + 2);
    }
}

static bool holds_judged(size_t answers, size_t trial, bool known, scdc_plan_point *point)
{
    static const coins skill[CROWD] = {{.95, .95}, {.9, .9}, {.85, .85}, {.8, .8}, {.75, .75}};
    static uint32_t item[JUDGED], label[JUDGED];
    static int64_t kind[JUDGED], labels[JUDGED];
    static scdc_answer said[2000];
    looked_at l = {.count = JUDGED, .item = item, .label = label, .clusters = JUDGED_KINDS + 1};
    scdc_crowd *crowd;
    scdc_scores scores;
    scdc_plan_options o;
    rng r;
    rng_init(&r, 7, RNG_TEST, (uint32_t)trial, answers);
    for (uint32_t i = 0; i < JUDGED; i++) item[i] = i, kind[i] = i % JUDGED_KINDS;
    make_mistakes(label, kind, trial % 4, &r);
    for (size_t a = 0; a < answers; a++) {
        uint32_t left = (uint32_t)rng_below(&r, JUDGED);
        uint32_t right = (left + 1 + (uint32_t)rng_below(&r, JUDGED - 1)) % JUDGED;
        uint32_t worker = (uint32_t)(a % CROWD);
        bool same = kind[left] == kind[right];
        if (rng_uniform(&r) > skill[worker].sensitivity) same = !same;
        said[a] = (scdc_answer){left, right, worker, SCDC_NO_TASK, same};
    }
    assert_ok(scdc_crowd_from_memory(&crowd, said, answers));
    scdc_plan_options_init(&o);
    o.seed = trial;
    coins seen[CROWD];
    judge_workers(seen, label, said, answers);
    assert_ok(judge_labels(point, &l, crowd, known ? skill : seen, &o));
    scdc_crowd_free(crowd);
    for (size_t i = 0; i < JUDGED; i++) labels[i] = label[i];
    assert_ok(scdc_score(&scores, labels, kind, JUDGED));
    return scores.acc >= point->low && scores.acc <= point->high;
}

/* With few answers the interval is wide, with many narrow, and it holds. */
static void test_judged_by_answers(void **state)
{
    (void)state;
    static const size_t answers[] = {50, 300, 2000};
    double width[3] = {0};
    for (size_t n = 0; n < 3; n++) {
        size_t held = 0;
        for (size_t trial = 0; trial < DRAWS(40); trial++) {
            scdc_plan_point point;
            held += holds_judged(answers[n], trial, true, &point);
            width[n] += (point.high - point.low) / 40;
            assert_true(point.low <= point.accuracy && point.accuracy <= point.high);
        }
        assert_true(MOST_ARE_GOOD(held, 35)); /* of 40; 38 are 95 % */
    }
    assert_true(SANITIZED || (width[0] > 1.3 * width[1] && width[1] > 1.3 * width[2]));
}

/* Workers who are known by these very labels look as if all mistakes were theirs. */
static void test_judged_by_workers_of_the_same_labels(void **state)
{
    (void)state;
    static const size_t answers[] = {300, 2000};
    for (size_t n = 0; n < 2; n++) {
        size_t held = 0;
        for (size_t trial = 0; trial < DRAWS(40); trial++) {
            scdc_plan_point point;
            held += holds_judged(answers[n], trial, false, &point);
        }
        assert_true(MOST_ARE_GOOD(held, 35)); /* of 40; 38 are 95 % */
    }
}

static void test_from_nothing(void **state)
{
    (void)state;
    scdc_outlook *outlook;
    scdc_plan_options o;
    scdc_outlook_info good, bad;
    size_t count;
    scdc_plan_options_init(&o);
    o.threads = 1;
    o.most = 300;
    o.sensitivity = o.specificity = .95;
    assert_ok(scdc_plan(&outlook, NULL, items, NULL, &o));
    assert_ok(scdc_outlook_get_info(&good, outlook));
    check_points(outlook);
    const scdc_plan_point *p = scdc_outlook_points(outlook, &count);
    assert_true(p[count - 1].accuracy > p[0].accuracy + .1);
    double best = p[count - 1].accuracy;
    scdc_outlook_free(outlook);
    o.sensitivity = o.specificity = .55; /* hardly better than a coin */
    assert_ok(scdc_plan(&outlook, NULL, items, NULL, &o));
    assert_ok(scdc_outlook_get_info(&bad, outlook));
    p = scdc_outlook_points(outlook, &count);
    assert_true(p[count - 1].accuracy < best - .02);
    scdc_outlook_free(outlook);
}

/* Two pairs of blocks that answers keep apart: what joining them costs is the evidence. */
static void test_ratio(void **state)
{
    (void)state;
    double mass[4] = {.25, .25, .25, .25}, bond[16] = {0}, evidence[16] = {0}, ratio;
    uint16_t group[4] = {0, 0, 1, 1};
    blocks b = {.count = 4, .mass = mass, .bond = bond, .evidence = evidence, .strength = 1};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++)
            evidence[i * 4 + j] = i == j ? 0 : group[i] == group[j] ? 5 : -1;
    }
    assert_ok(stop_ratio(&ratio, &b, group, .01));
    assert_close(ratio, 4, 1e-12); /* all four in one group */
    evidence[0 * 4 + 1] = evidence[1 * 4 + 0] = 2;
    assert_ok(stop_ratio(&ratio, &b, group, .01));
    assert_close(ratio, 2, 1e-12); /* block 0 alone */
    /* Blocks smaller than the margin: one and a half of them make it up. */
    evidence[0 * 4 + 1] = evidence[1 * 4 + 0] = 5;
    for (size_t i = 0; i < 16; i++) evidence[i] *= evidence[i] < 0 ? 100 : 1;
    assert_ok(stop_ratio(&ratio, &b, group, .375));
    assert_close(ratio, 5 + 2.5, 1e-12);
    /* A chain of three pairs in one group: it breaks where it hangs together least. */
    double thirds[6] = {1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}, none[36] = {0},
           chain[36] = {0};
    uint16_t one[6] = {0};
    blocks c = {.count = 6, .mass = thirds, .bond = none, .evidence = chain, .strength = 1};
    static const double hang[5] = {9, 4, 9, 3, 9};
    for (size_t i = 0; i < 5; i++) chain[i * 6 + i + 1] = chain[(i + 1) * 6 + i] = hang[i];
    assert_ok(stop_ratio(&ratio, &c, one, .3));
    assert_close(ratio, 3, 1e-12); /* the last two */
    assert_true(stop_threshold(10, 100, .05) > stop_threshold(5, 100, .05));
    assert_true(stop_threshold(10, 1000, .05) > stop_threshold(10, 100, .05));
    assert_true(stop_threshold(10, 100, .01) > stop_threshold(10, 100, .05));
}

static void test_wrong_use(void **state)
{
    (void)state;
    scdc_outlook *out = NULL;
    scdc_plan_options o;
    scdc_plan_options_init(&o);
    o.accuracy = 1.5;
    assert_fails(scdc_plan(&out, NULL, items, NULL, &o), SCDC_ERR_ARGUMENT, "accuracy");
    scdc_plan_options_init(&o);
    o.sensitivity = .2;
    assert_fails(scdc_plan(&out, NULL, items, NULL, &o), SCDC_ERR_ARGUMENT, "sensitivity");
    scdc_plan_options_init(&o);
    o.workers = 0;
    assert_fails(scdc_plan(&out, NULL, items, NULL, &o), SCDC_ERR_ARGUMENT, "workers");
    assert_fails(scdc_plan(&out, NULL, NULL, NULL, NULL), SCDC_ERR_ARGUMENT, "data");
    float one = 1;
    scdc_data *single;
    assert_ok(scdc_data_from_memory(&single, &one, SCDC_F32, 1, 1, 1));
    assert_fails(scdc_plan(&out, NULL, single, NULL, NULL), SCDC_ERR_ARGUMENT, "one item");
    scdc_data_free(single);
    assert_null(out);
    scdc_outlook_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_answers_say_stop),
        cmocka_unit_test(test_labels_against_the_answers_go_on),
        cmocka_unit_test(test_careless_workers_do_not_say_stop),
        cmocka_unit_test(test_known_pairs_tell_whose_fault_it_is),
        cmocka_unit_test(test_few_answers_say_go_on),
        cmocka_unit_test(test_interval_holds),
        cmocka_unit_test(test_judged_by_answers),
        cmocka_unit_test(test_judged_by_workers_of_the_same_labels),
        cmocka_unit_test(test_from_nothing),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
