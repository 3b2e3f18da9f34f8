/* Gradients of the layers of images by finite differences: every word of nets/words.h, alone and in
 * small networks. */
#include "base/parallel.h"
#include "nets/words.h"
#include "support/net_case.h"

enum { ROWS = 9, OUT = 3 };

static void check_words(const char *words, shape in, bool training)
{
    net_case c = {.rows = ROWS, .inputs = shape_size(in), .outputs = OUT};
    assert_ok(net_by_words(&c.n, &c.a, in, words, OUT, ROWS));
    net_set_mode(&c.n, &(net_mode){training, 5, 6});
    net_case_check(&c, words, 1e-6);
}

static void each_layer(void **state)
{
    (void)state;
    const char *words[] = {"conv4", "conv4/2", "wide3/3", "norm2",  "max2",   "mean2", "mean",
                           "up2",   "drop0.5", "res3",    "res4/2", "dense7", "norm4"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        check_words(words[i], (shape){4, 6, 5}, true);
        check_words(words[i], (shape){4, 6, 5}, false);
    }
}

static void whole_networks(void **state)
{
    (void)state;
    check_words("conv4,conv6/2,norm3,conv5/2,drop0.3", (shape){1, 8, 8}, true);
    check_words("conv4,res4/2,norm2,res6/2,res6,mean", (shape){3, 8, 8}, true);
    check_words("dense12,up2,conv3", (shape){2, 3, 3}, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer),
        cmocka_unit_test(whole_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
