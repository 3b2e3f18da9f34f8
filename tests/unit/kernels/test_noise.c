/* Binarisation, noise and first weights. */
#include "kernels/binarise.h"
#include "kernels/noise.h"
#include "kernels/reference.h"
#include "base/parallel.h"
#include "support/values.h"

static void binarisation_matches_the_reference(void **state)
{
    (void)state;
    enum { N = 784 };
    uint8_t pixels[N];
    real probability[N], fast[N + 1], plain[N], from_units[N];
    for (size_t i = 0; i < N; i++) {
        pixels[i] = (uint8_t)(i % 256);
        probability[i] = (real)pixels[i] / REAL(255.0);
    }
    static const size_t lengths[] = {1, 7, 8, 63, 64, 65, 128, 700, N};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        size_t n = lengths[l];
        for (uint64_t item = 0; item < 20; item++) {
            fast[n] = 7;
            binarise_u8(fast, pixels, n, 1ull << 40 | 5, 3, item);
            reference_binarise_u8(plain, pixels, n, 1ull << 40 | 5, 3, item);
            memcpy(from_units, probability, sizeof probability);
            binarise_row(from_units, n, 1ull << 40 | 5, 3, item);
            assert_memory_equal(fast, plain, n * sizeof *fast);
            assert_memory_equal(fast, from_units, n * sizeof *fast);
            assert_true(fast[n] == 7);
        }
    }
}

static void binarisation_has_its_probabilities(void **state)
{
    (void)state;
    enum { N = 256, DRAWS = 40000 };
    uint8_t pixels[N];
    real out[N], first[N];
    double count[N] = {0}, pairs = 0;
    for (size_t i = 0; i < N; i++) pixels[i] = (uint8_t)i;
    for (uint64_t item = 0; item < DRAWS; item++) {
        binarise_u8(out, pixels, N, 9, 0, item);
        for (size_t i = 0; i < N; i++) {
            assert_true(out[i] == 0 || out[i] == 1);
            count[i] += (double)out[i];
        }
        pairs += (out[127] == 1) == (out[128] == 1);
    }
    assert_true(count[0] == 0 && count[255] == DRAWS);
    for (size_t i = 0; i < N; i++) {
        double p = (double)i / 255;
        assert_close(count[i] / DRAWS, p, 5 * sqrt(p * (1 - p) / DRAWS));
    }
    assert_close(pairs / DRAWS, 0.5, 5 * 0.5 / sqrt(DRAWS)); /* neighbours are independent */
    memset(pixels, 128, N);
    binarise_u8(first, pixels, N, 9, 0, 0);
    binarise_u8(out, pixels, N, 9, 1, 0);
    assert_memory_not_equal(first, out, sizeof out); /* another epoch, other bits */
}

static void out_of_range_probabilities_are_clamped(void **state)
{
    (void)state;
    for (uint64_t item = 0; item < 100; item++) {
        real p[4] = {-1, 2, NAN, INFINITY};
        binarise_row(p, 4, 1, 0, item);
        assert_true(p[0] == 0 && p[1] == 1 && p[2] == 0 && p[3] == 1);
    }
}

static void noise_vectors_stand_alone(void **state)
{
    (void)state;
    enum { D = 7, K = 5 };
    real all[K][D], one[D];
    for (size_t k = 0; k < K; k++) normal_noise(all[k], D, 3, RNG_LATENT_NOISE, 2, 11, k);
    normal_noise(one, D, 3, RNG_LATENT_NOISE, 2, 11, 3);
    assert_memory_equal(one, all[3], sizeof one);
    for (size_t j = 0; j < K; j++) {
        for (size_t k = 0; k < j; k++) {
            for (size_t i = 0; i < D * D; i++) assert_true(all[j][i % D] != all[k][i / D]);
        }
    }
}

static void first_weights_have_their_variance(void **state)
{
    (void)state;
    enum { IN = 300, OUT = 200, N = IN * OUT };
    real *w = random_values(N, 0, 0), *other = random_values(N, 0, 0);
    init_he(w, N, IN, 5, 0);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++) sum += (double)w[i], squares += (double)w[i] * (double)w[i];
    assert_close(sum / N, 0, 5 * sqrt(2.0 / IN / N));
    assert_near(squares / N * IN, 2.0, 0.02);
    init_glorot(other, N, IN, OUT, 5, 0);
    assert_near((double)(other[17] / w[17]), sqrt((double)IN / (IN + OUT)), 1e-5);
    init_he(other, N, IN, 5, 1);
    assert_true(other[0] != w[0]);
    mem_free(w), mem_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binarisation_matches_the_reference),
        cmocka_unit_test(binarisation_has_its_probabilities),
        cmocka_unit_test(out_of_range_probabilities_are_clamped),
        cmocka_unit_test(noise_vectors_stand_alone),
        cmocka_unit_test(first_weights_have_their_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
