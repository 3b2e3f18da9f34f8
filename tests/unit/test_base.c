/* base: status text, allocation, Philox known answers, draws by moments, fixed-piece loops. */
#include "base/memory.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void status_names_and_messages(void **state)
{
    (void)state;
    for (int code = SCDC_ERR_INTERNAL; code <= SCDC_OK; code++) {
        assert_true(strncmp(scdc_status_name(code), "SCDC_", 5) == 0);
    }
    assert_string_equal(scdc_status_name(1), "unknown status");
    assert_string_equal(scdc_status_name(-1000), "unknown status");
    assert_int_equal(fail_with(SCDC_ERR_INPUT, "line %d", 7), SCDC_ERR_INPUT);
    assert_string_equal(scdc_last_error(), "line 7");
    assert_int_equal(fail_prefix(SCDC_ERR_INPUT, "file %s", "a.csv"), SCDC_ERR_INPUT);
    assert_string_equal(scdc_last_error(), "file a.csv: line 7");
    /* A message may quote the message before it. */
    fail_with(SCDC_ERR_INPUT, "again: %s", scdc_last_error());
    assert_string_equal(scdc_last_error(), "again: file a.csv: line 7");
    char *huge = malloc(5000);
    memset(huge, 'x', 4999);
    huge[4999] = 0;
    fail_with(SCDC_ERR_INPUT, "%s", huge);
    fail_prefix(SCDC_ERR_INPUT, "%s", huge);
    assert_true(strlen(scdc_last_error()) < 1024);
    free(huge);
}

static void memory_is_checked_and_aligned(void **state)
{
    (void)state;
    size_t n = 5;
    assert_false(size_mul(&n, SIZE_MAX / 2, 3));
    assert_false(size_add(&n, SIZE_MAX, 1));
    assert_int_equal(n, 5);
    char *block;
    assert_int_equal(mem_zeroed(&block, SIZE_MAX / 2, 4, "a test"), SCDC_ERR_MEMORY);
    assert_non_null(strstr(scdc_last_error(), "a test"));
    assert_int_equal(mem_zeroed(&block, 3, 5, "a test"), SCDC_OK);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (int i = 0; i < 15; i++) assert_int_equal(block[i], 0);
    mem_free(block);

    arena a = {0};
    for (int i = 1; i < 200; i++) {
        double *values = arena_new(&a, (size_t)i * 37, sizeof *values, "values");
        assert_ok(arena_status(&a));
        assert_int_equal((uintptr_t)values % 64, 0);
        for (int j = 0; j < i * 37; j++) assert_true(values[j] == 0);
        memset(values, 255, (size_t)i * 37 * sizeof *values);
    }
    for (size_t large = 1 << 19; large <= 1 << 23;
         large <<= 2) { /* huge pages, of the heap and not */
        double *values = arena_new(&a, large + 3, sizeof *values, "values");
        assert_ok(arena_status(&a));
        assert_int_equal((uintptr_t)values % 64, 0);
        for (size_t j = 0; j < large + 3; j++) assert_true(values[j] == 0);
        memset(values, 255, (large + 3) * sizeof *values);
    }
    assert_string_equal(arena_string(&a, "name and more", 4), "name");
    /* A failure stays until the arena is freed. */
    assert_null(arena_new(&a, SIZE_MAX / 2, 4, "far too much"));
    assert_int_equal(arena_status(&a), SCDC_ERR_MEMORY);
    assert_non_null(strstr(scdc_last_error(), "far too much"));
    assert_null(arena_new(&a, 1, 1, "a byte"));
    assert_null(arena_string(&a, "name", 4));
    assert_int_equal(arena_status(&a), SCDC_ERR_MEMORY);
    arena_free(&a);
    assert_ok(arena_status(&a));
    assert_non_null(arena_new(&a, 1, 1, "a byte"));
    arena_free(&a);

    int *array = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(mem_reserve(&array, &capacity, i + 1, sizeof *array, "array"), SCDC_OK);
        array[i] = (int)i;
    }
    assert_int_equal(array[999], 999);
    assert_true(capacity >= 1000 && capacity < 4000);
    free(array);
}

/* The known-answer vectors published with Random123 (kat_vectors, philox4x32 10 rounds). */
static void philox_known_answers(void **state)
{
    (void)state;
    static const uint32_t cases[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        philox4x32(out, cases[i], cases[i] + 4);
        assert_memory_equal(out, cases[i] + 6, sizeof out);
    }
}

static void streams_differ_by_name(void **state)
{
    (void)state;
    rng a, b;
    rng_init(&a, 1, RNG_TEST, 0, 0);
    uint64_t first = rng_u64(&a);
    uint64_t seeds[] = {2, 1ull << 32 | 1};
    for (int i = 0; i < 2; i++) {
        rng_init(&b, seeds[i], RNG_TEST, 0, 0);
        assert_true(rng_u64(&b) != first);
    }
    rng_init(&b, 1, RNG_PINWHEEL, 0, 0);
    assert_true(rng_u64(&b) != first);
    rng_init(&b, 1, RNG_TEST, 1, 0);
    assert_true(rng_u64(&b) != first);
    rng_init(&b, 1, RNG_TEST, 0, 1ull << 32);
    assert_true(rng_u64(&b) != first);
    rng_init(&b, 1, RNG_TEST, 0, 0);
    assert_true(rng_u64(&b) == first);
}

/* Mean and variance of n draws lie within 5 standard errors of what they should be. */
typedef double (*draw)(rng *);
static void check_moments(draw next, double mean, double variance, double fourth)
{
    enum { DRAWS = 200000 };
    rng r;
    rng_init(&r, 42, RNG_TEST, 0, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = next(&r) - mean;
        sum += x;
        squares += x * x;
    }
    assert_close(sum / DRAWS, 0, 5 * sqrt(variance / DRAWS));
    assert_close(squares / DRAWS, variance, 5 * sqrt((fourth - variance * variance) / DRAWS));
}
static double gamma_small(rng *r)
{
    return rng_gamma(r, 0.3);
}
static double gamma_large(rng *r)
{
    return rng_gamma(r, 7.5);
}
static double beta_draw(rng *r)
{
    return rng_beta(r, 2, 5);
}
static double below_six(rng *r)
{
    return (double)rng_below(r, 6);
}
static double category(rng *r)
{
    static const double p[] = {0, 1, 0, 3, 4, 0};
    return (double)rng_categorical(r, p, 6);
}
static double gamma_fourth(double shape)
{
    return 3 * shape * shape + 6 * shape;
}

static void draws_have_their_moments(void **state)
{
    (void)state;
    check_moments(rng_uniform, 0.5, 1.0 / 12, 1.0 / 80);
    check_moments(rng_normal, 0, 1, 3);
    check_moments(gamma_small, 0.3, 0.3, gamma_fourth(0.3));
    check_moments(gamma_large, 7.5, 7.5, gamma_fourth(7.5));
    /* Beta(2,5): fourth central moment from its excess kurtosis -0.12. */
    check_moments(beta_draw, 2.0 / 7, 10.0 / 392, (3 - 0.12) * (10.0 / 392) * (10.0 / 392));
    check_moments(below_six, 2.5, 35.0 / 12, 14.729166666666666);
    /* values 1, 3, 4 with weights 1/8, 3/8, 1/2 */
    check_moments(category, 3.25, 0.9375, 3.38671875);
}

static void bulk_draws_match_single_ones(void **state)
{
    (void)state;
    float bulk[11];
    rng a, b;
    rng_init(&a, 3, RNG_TEST, 0, 0);
    rng_init(&b, 3, RNG_TEST, 0, 0);
    rng_fill_normal_f32(&a, bulk, 11);
    for (int i = 0; i < 11; i++) assert_true(bulk[i] == (float)rng_normal(&b));
    rng_fill_uniform_f32(&a, bulk, 11);
    for (int i = 0; i < 11; i++) assert_true(bulk[i] >= 0 && bulk[i] < 1);
}

static void permutations_are_uniform(void **state)
{
    (void)state;
    int seen[6] = {0};
    for (uint64_t item = 0; item < 60000; item++) {
        rng r;
        uint32_t p[3];
        rng_init(&r, 9, RNG_TEST, 0, item);
        rng_permutation(&r, p, 3);
        assert_true(p[0] != p[1] && p[1] != p[2] && p[0] != p[2] && p[0] + p[1] + p[2] == 3);
        seen[p[0] * 2 + (p[1] > p[2])]++;
    }
    for (int i = 0; i < 6; i++) assert_close(seen[i], 10000, 5 * sqrt(60000 * 5.0 / 36));
}

static double harmonic(void *context, size_t begin, size_t end)
{
    double sum = 0, base = *(double *)context;
    for (size_t i = begin; i < end; i++) sum += 1 / (base + (double)i);
    return sum;
}
struct cover {
    unsigned char seen[1000];
};
static void mark(void *context, size_t begin, size_t end, size_t piece)
{
    struct cover *c = context;
    assert_int_equal(begin, piece * 7);
    for (size_t i = begin; i < end; i++) c->seen[i]++;
}

static void sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    double base = 1, first = 0;
    for (int threads = 1; threads <= 5; threads++) {
        parallel_set_threads(threads);
        double sum = parallel_sum(1000003, 1000, harmonic, &base);
        if (threads == 1) first = sum;
        assert_true(sum == first);
        struct cover c = {{0}};
        parallel_for(1000, 7, mark, &c);
        for (int i = 0; i < 1000; i++) assert_int_equal(c.seen[i], 1);
    }
    parallel_set_threads(0);
    assert_close(first, log(1000003) + 0.5772156649, 1e-5);
    parallel_for(0, 7, mark, NULL);
}

static void the_first_of_the_largest_is_found(void **state)
{
    (void)state;
    const double x[] = {-3, 2, 7, 7, -INFINITY};
    float y[] = {0, -1, 0.5f};
    assert_int_equal(argmax(x, 5), 2);
    assert_int_equal(argmax(x, 2), 1);
    assert_int_equal(argmax(x, 0), 0);
    assert_int_equal(argmax(y, 3), 2);
}

static void log_sum_exp_is_stable(void **state)
{
    (void)state;
    double x[] = {1000, 1000 + log(3), -INFINITY}, p[3];
    assert_close(log_sum_exp(x, 3), 1000 + log(4), 1e-12);
    assert_true(log_sum_exp(x, 0) == -INFINITY);
    assert_close(softmax(p, x, 3), 1000 + log(4), 1e-12);
    assert_close(p[0], 0.25, 1e-12);
    assert_true(p[2] == 0);
    assert_true(all_finite(p, 3));
    assert_false(all_finite(x, 3));
    float f[] = {1, NAN};
    assert_true(all_finite_f32(f, 1));
    assert_false(all_finite_f32(f, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_names_and_messages),
        cmocka_unit_test(memory_is_checked_and_aligned),
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(streams_differ_by_name),
        cmocka_unit_test(draws_have_their_moments),
        cmocka_unit_test(bulk_draws_match_single_ones),
        cmocka_unit_test(permutations_are_uniform),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(the_first_of_the_largest_is_found),
        cmocka_unit_test(log_sum_exp_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
