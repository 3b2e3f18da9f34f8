/* Gradients of the layers of images by finite differences: every word of nets/words.h, alone and in
 * small networks. */
#include "base/parallel.h"
#include "kernels/activation.h"
#include "model/pupil/lesson_answers.h"
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
    check_words("batch4,batchres4/2,batchres6,batchres6,mean", (shape){3, 8, 7}, true);
}

/* ---- what answers teach the classifier ---- */

enum { CLUSTERS = 4, PAIRS = 20 };

typedef struct answers_case {
    real *logits; /* [ROWS][CLUSTERS] */
    lesson_pair pair[PAIRS];
    real q[ROWS * CLUSTERS], slope[ROWS * CLUSTERS];
} answers_case;

static double answers_value(void *context)
{
    answers_case *c = context;
    softmax_rows(c->q, c->logits, ROWS, CLUSTERS);
    return answers_gradient(c->slope, c->q, c->pair, PAIRS, ROWS, CLUSTERS) / ROWS;
}

static void answers_alone(void **state)
{
    (void)state;
    answers_case c = {.logits = random_values(ROWS * CLUSTERS, 1, 3)};
    for (uint32_t p = 0; p < PAIRS; p++) {
        bool same = p % 3 == 0;
        c.pair[p] = (lesson_pair){p * 5 % ROWS, (p * 7 + 1) % ROWS, same ? 0.7F : 0.3F,
                                  same ? 0.1F : 0.9F, p % 2 ? 1 : 0.25F};
        if (c.pair[p].left == c.pair[p].right) c.pair[p].right = (c.pair[p].left + 1) % ROWS;
    }
    answers_value(&c);
    real *slope = copy_values(c.slope, ROWS * CLUSTERS);
    assert_gradient("answers", answers_value, &c, c.logits, slope, ROWS * CLUSTERS, 1e-7);
    mem_free(slope), mem_free(c.logits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer),
        cmocka_unit_test(whole_networks),
        cmocka_unit_test(answers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
