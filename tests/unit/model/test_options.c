/* Options: one table for setting, getting and checking; presets; automatic choices. */
#include "model/options.h"
#include "support/check.h"

static scdc_options fresh(void)
{
    scdc_options o;
    memset(&o, 0xAB, sizeof o); /* init must set every field */
    scdc_options_init(&o);
    return o;
}

/* Whatever was in memory before, init gives the same struct: no field is forgotten. */
static void init_sets_every_field(void **state)
{
    (void)state;
    scdc_options a, b;
    memset(&a, 0x00, sizeof a);
    memset(&b, 0xFF, sizeof b);
    scdc_options_init(&a);
    scdc_options_init(&b);
    const char *key;
    char first[256], second[256];
    size_t keys = 0;
    for (; (key = scdc_options_key(keys, NULL)); keys++) {
        assert_ok(scdc_options_get(first, sizeof first, &a, key));
        assert_ok(scdc_options_get(second, sizeof second, &b, key));
        assert_string_equal(first, second);
    }
    assert_true(keys > 30);
    assert_ok(scdc_options_check(&a));
    assert_null(scdc_options_key(keys, NULL));
}

/* Every key's value, read as text and set again, stays what it was. */
static void values_survive_a_round_trip(void **state)
{
    (void)state;
    scdc_options o = fresh(), copy;
    assert_ok(scdc_options_preset(&o, "mnist"));
    o.learning_rate = 1.0 / 3;
    o.prior_alpha = 0.05 / 6; /* needs 17 digits */
    o.seed = UINT64_MAX;
    o.prior_sensitivity[1] = 0.1;
    scdc_options_init(&copy);
    const char *key, *help;
    char value[256], again[256];
    for (size_t i = 0; (key = scdc_options_key(i, &help)); i++) {
        assert_true(strlen(help) > 10);
        assert_ok(scdc_options_get(value, sizeof value, &o, key));
        assert_ok(scdc_options_set(&copy, key, value));
        assert_ok(scdc_options_get(again, sizeof again, &copy, key));
        assert_string_equal(value, again);
    }
    assert_true(copy.learning_rate == o.learning_rate && copy.seed == o.seed);
    assert_true(copy.prior_alpha == o.prior_alpha);
    assert_true(copy.prior_sensitivity[1] == 0.1);
    assert_int_equal(copy.n_hidden, 2);
    assert_int_equal(copy.hidden[1], 500);
}

static void wrong_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *text;
    } cases[] = {
        {"components", "-3", "components must be at least 1"},
        {"components", "2.5", "whole number"},
        {"latent", "0", "latent must be at least 1 and at most 256 (or auto), not 0"},
        {"hidden", "0", "hidden must be at least 1"},
        {"global_rate", "0", "greater than 0 and at most 1 (or auto), not 0"},
        {"components", "many", "must be a number or auto, not 'many'"},
        {"latent", "100000", "at most 256"},
        {"model", "foo", "one of bayes, amortized, not 'foo'"},
        {"learning_rate", "0", "greater than 0"},
        {"learning_rate", "nan", "greater than 0"},
        {"learning_rate", "inf", "at most 10"},
        {"learning_rate", "", "must be a number"},
        {"momentum", "1", "at most 0.9999"},
        {"hidden", "500,,500", "must be a number"},
        {"hidden", "500,0", "hidden must be at least 1"},
        {"hidden", "1,2,3,4,5,6,7,8,9", "at most 8"},
        {"prior_sensitivity", "1", "two numbers a,b"},
        {"prior_sensitivity", "1,0", "at least 1e-08"},
        {"prior_specificity", "1e-20,1", "at least 1e-08"},
        {"prior_nu", "-1", "greater than -1"},
        {"prior_kappa", "-2", "prior_kappa must be at least 1e-08"},
        {"seed", "-1", "seed must be a whole number"},
        {"seed", "99999999999999999999999", "seed must be a whole number"},
        {"nonsense", "1", "no option 'nonsense'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scdc_options o = fresh(), before = o;
        assert_fails(scdc_options_set(&o, cases[i].key, cases[i].value), SCDC_ERR_ARGUMENT,
                     cases[i].text);
        assert_memory_equal(&o, &before, sizeof o);
    }
    scdc_options o = fresh();
    assert_fails(scdc_options_set(NULL, "seed", "1"), SCDC_ERR_ARGUMENT, "NULL");
    assert_fails(scdc_options_set(&o, NULL, "1"), SCDC_ERR_ARGUMENT, "NULL");
}

/* Fields written directly meet the same domain as fields set by text. */
static void the_validator_sees_direct_writes(void **state)
{
    (void)state;
    scdc_options o = fresh();
    o.momentum = NAN;
    assert_fails(scdc_options_check(&o), SCDC_ERR_ARGUMENT, "momentum");
    o = fresh();
    o.model = (scdc_model_kind)7;
    assert_fails(scdc_options_check(&o), SCDC_ERR_ARGUMENT, "model must be one of");
    o = fresh();
    o.size = 3;
    assert_fails(scdc_options_check(&o), SCDC_ERR_ARGUMENT, "scdc_options_init");
    o = fresh();
    o.components = 3;
    o.clusters = 4;
    assert_fails(scdc_options_check(&o), SCDC_ERR_ARGUMENT, "cannot exceed");
    o = fresh();
    o.prior_specificity[0] = -1;
    assert_fails(scdc_options_check(&o), SCDC_ERR_ARGUMENT, "prior_specificity");
}

static void presets_carry_the_papers_settings(void **state)
{
    (void)state;
    scdc_options o = fresh();
    assert_ok(scdc_options_preset(&o, "mnist"));
    assert_int_equal(o.recipe, SCDC_RECIPE_PAPER);
    assert_int_equal(o.components, 50);
    assert_int_equal(o.latent, 8);
    assert_int_equal(o.batch, 128);
    assert_int_equal(o.epochs, 200);
    assert_int_equal(o.iterations, 4);
    assert_int_equal(o.optimizer, SCDC_OPTIMIZER_MOMENTUM);
    assert_true(o.prior_alpha == 1.05);
    problem_size mnist = {.items = 60000, .dims = 784};
    assert_ok(options_resolve(&o, &mnist));
    assert_true(fabs(o.global_rate - 10.0 / 60000) < 1e-15);
    o = fresh();
    assert_ok(scdc_options_preset(&o, "pinwheel"));
    assert_int_equal(o.components, 15);
    assert_int_equal(o.hidden[0], 40);
    assert_int_equal(o.epochs, 20);
    assert_true(o.learning_rate == 1e-3 && o.momentum == 0.9 && o.global_rate == 1e-4);
    assert_int_equal(o.scaling, SCDC_SCALING_NONE);
    assert_int_equal(o.net_start, SCDC_NET_START_LINEAR);
    assert_int_equal(o.natgrad, SCDC_NATGRAD_FULL);
    assert_true(fabs(o.prior_alpha - 1 - 0.05 / 15) < 1e-15);
    o = fresh();
    assert_ok(scdc_options_preset(&o, "face"));
    assert_int_equal(o.model, SCDC_MODEL_AMORTIZED); /* that experiment is SCDC's */
    assert_int_equal(o.optimizer, SCDC_OPTIMIZER_ADAM);
    assert_true(o.start_coins == 0.9 && o.start_spread < 0.1); /* answers come first */
    assert_fails(scdc_options_preset(&o, "moon"), SCDC_ERR_ARGUMENT,
                 "pinwheel, face, mnist, cifar10");
}

/* How much annotated items count, and how long a fit waits, follows from the data. */
static void weight_and_patience_follow_the_data(void **state)
{
    (void)state;
    const struct {
        problem_size p;
        double weight;
        size_t patience;
    } cases[] = {
        {{.items = 60000, .dims = 784, .answers = 57330, .annotated = 2759, .workers = 48}, 10, 5},
        {{.items = 60000, .dims = 784}, 1, 5},
        {{.items = 500, .dims = 2, .answers = 980, .annotated = 100, .workers = 20}, 2.5, 60},
        {{.items = 500, .dims = 2, .answers = 50, .annotated = 100, .workers = 5}, 2, 60},
        {{.items = 500, .dims = 2, .answers = 5000, .annotated = 500, .workers = 5}, 1, 60},
        {{.items = 3000, .dims = 2, .answers = 2, .annotated = 4, .workers = 1}, 2, 10},
        {{.items = 1, .dims = 1}, 1, 60},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scdc_options o = fresh();
        assert_ok(options_resolve(&o, &cases[i].p));
        assert_true(fabs(o.annotated_weight - cases[i].weight) < 1e-12);
        assert_int_equal(o.patience, cases[i].patience);
    }
}

static void automatic_values_are_filled_in(void **state)
{
    (void)state;
    scdc_options o = fresh();
    problem_size p = {.items = 60000,
                      .dims = 784,
                      .answers = 57330,
                      .annotated = 2759,
                      .workers = 48,
                      .image = true};
    assert_ok(options_resolve(&o, &p));
    assert_true(o.components > 10 && o.latent > 1 && o.n_hidden > 0 && o.batch > 1);
    assert_true(o.epochs > 0 && o.iterations > 0 && o.global_rate > 0 && o.prior_alpha > 0);
    o = fresh();
    o.components = 11;
    p = (problem_size){.items = 10, .dims = 2};
    assert_fails(options_resolve(&o, &p), SCDC_ERR_ARGUMENT, "at most the number of items (10)");
    o = fresh();
    o.clusters = 3;
    o.recipe = SCDC_RECIPE_PAPER;
    p = (problem_size){.items = 10, .dims = 2};
    assert_fails(options_resolve(&o, &p), SCDC_ERR_ARGUMENT, "default recipe");
    o = fresh();
    p = (problem_size){.items = 1, .dims = 1};
    assert_ok(options_resolve(&o, &p));
    assert_int_equal(o.components, 1);
    assert_int_equal(o.batch, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_sets_every_field),
        cmocka_unit_test(values_survive_a_round_trip),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(the_validator_sees_direct_writes),
        cmocka_unit_test(presets_carry_the_papers_settings),
        cmocka_unit_test(weight_and_patience_follow_the_data),
        cmocka_unit_test(automatic_values_are_filled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
