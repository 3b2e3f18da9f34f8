/* The linear start: whatever the layers, the net is the map it was given. */
#include "base/status.h"
#include "nets/linear_start.h"
#include "support/values.h"

enum { ROWS = 7, MOST = 6 };

static void rows_are_orthonormal(void **state)
{
    (void)state;
    double rows[4 * 9], again[4 * 9];
    orthonormal_rows(rows, 4, 9, 5, 2);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            double sum = 0;
            for (size_t c = 0; c < 9; c++) sum += rows[i * 9 + c] * rows[j * 9 + c];
            assert_close(sum, i == j, 1e-14);
        }
    }
    orthonormal_rows(again, 4, 9, 5, 3);
    assert_true(memcmp(rows, again, sizeof rows) != 0);
}

/* A net of `extra` outputs more than the map has, and rows through it. */
static void check_map(size_t inputs, size_t outputs, size_t extra, const size_t *hidden,
                      size_t n_hidden)
{
    arena a = {0};
    net n;
    param_block b;
    size_t at = 0;
    uint64_t number = 0;
    double map[MOST * MOST];
    real in[ROWS * MOST];
    for (size_t i = 0; i < inputs * outputs; i++) map[i] = sin(1.3 * (double)i + 0.2);
    for (size_t i = 0; i < ROWS * inputs; i++) in[i] = (real)(5 * cos(2.1 * (double)i));
    assert_ok(net_mlp(&n, &a, shape_vector(inputs), hidden, n_hidden, outputs + extra, ROWS));
    assert_ok(param_block_create(&b, &a, net_room(&n)));
    net_bind(&n, &b, &at);
    net_init(&n, 3, &number);
    assert_ok(net_start_linear(&n, map, outputs, 3, &number));
    const real *out = net_forward(&n, in, ROWS);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t o = 0; o < outputs + extra; o++) {
            double wanted = 0;
            for (size_t i = 0; o < outputs && i < inputs; i++) {
                wanted += (double)in[r * inputs + i] * map[i * outputs + o];
            }
            assert_close((double)out[r * (outputs + extra) + o], wanted, 2e-5);
        }
    }
    arena_free(&a);
}

static void nets_compute_the_map(void **state)
{
    (void)state;
    static const size_t even[3] = {12, 20, 14}, odd[2] = {13, 15};
    for (size_t depth = 0; depth <= 3; depth++) {
        check_map(2, 2, 2, even, depth);
        check_map(6, 3, 3, even, depth);
        check_map(3, 6, 6, even, depth);
        check_map(1, 4, 0, even, depth);
    }
    check_map(6, 5, 1, odd, 2);
    check_map(4, 6, 0, odd, 2);
}

static void narrow_layers_are_refused(void **state)
{
    (void)state;
    arena a = {0};
    net n;
    param_block b;
    static const size_t hidden[2] = {12, 5};
    const double map[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    size_t at = 0;
    uint64_t number = 0;
    assert_ok(net_mlp(&n, &a, shape_vector(3), hidden, 2, 3, 1));
    assert_ok(param_block_create(&b, &a, net_room(&n)));
    net_bind(&n, &b, &at);
    assert_fails(net_start_linear(&n, map, 3, 1, &number), SCDC_ERR_ARGUMENT,
                 "hidden layers of 6 units or more");
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_orthonormal),
        cmocka_unit_test(nets_compute_the_map),
        cmocka_unit_test(narrow_layers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
