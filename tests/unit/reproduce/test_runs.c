/* The file of finished runs: rows come back, a cut-off row is dropped, damage and other experiments
 * are refused. */
#include "reproduce/runs.h"
#include "support/files.h"

#define HEADER                                                                                     \
    "experiment,method,recipe,setting,seed,acc,nmi,ami,ari,clusters,large_clusters,epochs,"        \
    "seconds,seconds_per_epoch,held_out_acc,held_out_nmi,weights\n"
#define ROW "wheel,bayes,paper,answers,3,0.9,0.8,,,6,5,20,1.5,0.07,,,5.5 -1.25\n"

static run_row example(uint64_t seed, double acc, double epochs)
{
    run_key key = run_key_of("bayes", "default", "answers", seed, 0);
    run_row row = run_row_of(&key);
    row.value[RUN_ACC] = acc;
    row.value[RUN_EPOCHS] = epochs;
    row.value[RUN_SECONDS] = 1.0 / 3;
    return row;
}

static char *file_text(void)
{
    static char text[8192];
    FILE *file = fopen(scratch_path(RUNS_FILE), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void rows_come_back(void **state)
{
    (void)state;
    runs r;
    unlink(scratch_path(RUNS_FILE));
    assert_ok(runs_open(&r, scratch_dir, "wheel"));
    assert_string_equal(file_text(), HEADER);
    run_row row = example(1, .123456789012345, 7);
    row.n_weights = 2;
    row.weight[0] = 5.889;
    row.weight[1] = -1.0 / 3;
    assert_ok(runs_append(&r, &row));
    assert_int_equal(r.rows[0].key.epochs, 7);
    run_row kept = r.rows[0];
    runs_close(&r);

    assert_ok(runs_open(&r, scratch_dir, "wheel"));
    assert_int_equal(r.count, 1);
    const run_row *again = runs_find(&r, &row.key);
    assert_non_null(again);
    /* Bit for bit what the run itself went on with. */
    assert_memory_equal(&again->value[RUN_ACC], &kept.value[RUN_ACC], sizeof(double));
    assert_memory_equal(again->weight, kept.weight, sizeof kept.weight);
    assert_close(again->value[RUN_ACC], .123456789012345, 1e-10);
    assert_true(isnan(again->value[RUN_NMI]));
    assert_int_equal(again->n_weights, 2);
    assert_int_equal(again->key.epochs, 7);
    runs_close(&r);
}

static void kinds_and_seeds(void **state)
{
    (void)state;
    runs r;
    unlink(scratch_path(RUNS_FILE));
    assert_ok(runs_open(&r, scratch_dir, "wheel"));
    const run_row rows[] = {example(1, .5, 20), example(2, .7, 20), example(3, .9, 40)};
    for (size_t i = 0; i < 3; i++) assert_ok(runs_append(&r, &rows[i]));
    run_key any = run_key_of("bayes", "default", "answers", 0, 0), long_ones = any, others = any;
    long_ones.epochs = 40;
    snprintf(others.setting, sizeof others.setting, "none");
    stats s = runs_stats(&r, &any, RUN_ACC);
    assert_int_equal(s.count, 3);
    assert_close(s.mean, .7, 1e-9);
    s = runs_stats(&r, &long_ones, RUN_ACC);
    assert_int_equal(s.count, 1);
    assert_close(s.mean, .9, 1e-9);
    assert_int_equal(runs_stats(&r, &others, RUN_ACC).count, 0);
    any.seed = 4;
    assert_null(runs_find(&r, &any));
    any.seed = 2;
    any.epochs = 40;
    assert_null(runs_find(&r, &any)); /* twenty epochs are another run */
    runs_close(&r);
}

static void cut_off(void **state)
{
    (void)state;
    runs r;
    scratch_text(RUNS_FILE, HEADER ROW "wheel,bayes,paper,answers,4,0.");
    assert_ok(runs_open(&r, scratch_dir, "wheel"));
    assert_int_equal(r.count, 1);
    assert_close(r.rows[0].weight[1], -1.25, 0);
    assert_string_equal(file_text(), HEADER ROW);
    run_row row = example(9, .5, 1);
    assert_ok(runs_append(&r, &row));
    runs_close(&r);
    assert_ok(runs_open(&r, scratch_dir, "wheel"));
    assert_int_equal(r.count, 2);
    runs_close(&r);
}

static void refused(const char *text, int status, const char *reason)
{
    runs r = {0};
    scratch_text(RUNS_FILE, text);
    assert_fails(runs_open(&r, scratch_dir, "wheel"), status, reason);
    assert_string_equal(file_text(), text); /* untouched */
}

static void damage(void **state)
{
    (void)state;
    refused(HEADER ROW "wheel,bayes,paper,answers,x,0.9,0.8,,,6,5,20,1.5,0.07,,,\n", SCDC_ERR_INPUT,
            "line 3: seed is 'x'");
    refused(HEADER "wheel,bayes,paper,answers,4,good,0.8,,,6,5,20,1.5,0.07,,,\n" ROW,
            SCDC_ERR_INPUT, "line 2: acc is 'good', not a number");
    refused(HEADER "wheel,bayes,paper,answers,4,nan,0.8,,,6,5,20,1.5,0.07,,,\n", SCDC_ERR_INPUT,
            "acc is 'nan'");
    refused(HEADER "wheel,bayes,paper,answers,4\n", SCDC_ERR_INPUT, "line 2: 5 fields, not 17");
    refused(HEADER "wheel,,paper,answers,4,,,,,6,5,20,1.5,0.07,,,\n", SCDC_ERR_INPUT,
            "method is ''");
    refused(HEADER "wheel,bayes,paper,answers,3,,,,,,,,,,,,1 2 3 4 5 6 7 8 9\n", SCDC_ERR_INPUT,
            "weights");
    refused("a,b\n1,2\n", SCDC_ERR_INPUT, "not the runs of an experiment");
    refused("", SCDC_ERR_INPUT, "");
    refused(HEADER "face,bayes,paper,answers,3,0.9,0.8,,,6,5,20,1.5,0.07,,,\n", SCDC_ERR_ARGUMENT,
            "runs of 'face', not of 'wheel'");
}

static void no_room(void **state)
{
    (void)state;
    runs r;
    unlink(scratch_path(RUNS_FILE));
    assert_ok(runs_open(&r, scratch_dir, "wheel"));
    run_row row = example(1, .5, 20);
    unlink(scratch_path(RUNS_FILE));
    assert_int_equal(mkdir(scratch_path(RUNS_FILE), 0700), 0);
    assert_fails(runs_append(&r, &row), SCDC_ERR_OUTPUT, "cannot write");
    assert_int_equal(r.count, 0);
    assert_int_equal(rmdir(scratch_path(RUNS_FILE)), 0);
    runs_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back), cmocka_unit_test(kinds_and_seeds),
        cmocka_unit_test(cut_off),        cmocka_unit_test(damage),
        cmocka_unit_test(no_room),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
