/* Convolution: both ways to it against the plain loops on all kinds of windows, and bitwise the
 * same for any number of threads. */
#include "base/parallel.h"
#include "kernels/conv_ways.h"
#include "kernels/reference.h"
#include "support/sanitizers.h"
#include "support/values.h"

static conv_shape shape_of(size_t height, size_t width, size_t channels, size_t side, size_t stride,
                           size_t pad, size_t filters)
{
    return (conv_shape){height,
                        width,
                        channels,
                        side,
                        stride,
                        pad,
                        (height + 2 * pad - side) / stride + 1,
                        (width + 2 * pad - side) / stride + 1,
                        filters};
}

typedef struct one_case {
    conv_shape s;
    size_t images, inputs, outputs, weights;
    real *in, *w, *bias, *out, *d_out, *d_in, *dw, *db;
} one_case;

static one_case case_of(conv_shape s, size_t images)
{
    one_case c = {.s = s, .images = images};
    c.inputs = images * s.height * s.width * s.channels;
    c.outputs = images * s.out_height * s.out_width * s.filters;
    c.weights = s.side * s.side * s.channels * s.filters;
    c.in = random_values(c.inputs, 1, 1);
    c.w = random_values(c.weights, 1, 2);
    c.bias = random_values(s.filters, 1, 3);
    c.out = random_values(c.outputs, 1, 4);
    c.d_out = random_values(c.outputs, 1, 5);
    c.d_in = random_values(c.inputs, 1, 6);
    c.dw = random_values(c.weights, 1, 7);
    c.db = random_values(s.filters, 1, 8);
    return c;
}

static void case_free(one_case *c)
{
    mem_free(c->in), mem_free(c->w), mem_free(c->bias), mem_free(c->out), mem_free(c->d_out);
    mem_free(c->d_in), mem_free(c->dw), mem_free(c->db);
}

typedef struct way {
    __typeof__(conv_scratch) *scratch;
    __typeof__(conv_forward) *forward;
    __typeof__(conv_backward) *backward;
} way;

/* By patches, also where the processor can do better. */
static void patches_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s,
                             real *d_out, const real *out, const real *in, const real *w,
                             size_t images, real *scratch)
{
    size_t weights = s->side * s->side * s->channels * s->filters;
    for (size_t i = 0; i < weights && !add; i++) dw[i] = 0;
    for (size_t f = 0; f < s->filters && !add; f++) db[f] = 0;
    conv_patches_backward(d_in, dw, db, s, d_out, out, in, w, images, scratch);
}

static const way chosen = {conv_scratch, conv_forward, conv_backward};
static const way by_patches = {conv_patches_scratch, conv_patches_forward, patches_backward};

/* The copies for other processors, where the build has them (base/variant.h). */
#define COPY(suffix)                                                                               \
    extern __typeof__(conv_scratch) conv_scratch##suffix __attribute__((weak));                    \
    extern __typeof__(conv_forward) conv_forward##suffix __attribute__((weak));                    \
    extern __typeof__(conv_backward) conv_backward##suffix __attribute__((weak));                  \
    static way copy##suffix(void)                                                                  \
    {                                                                                              \
        return (way){conv_scratch##suffix, conv_forward##suffix, conv_backward##suffix};           \
    }
COPY(_any)
COPY(_wide)

static bool runs_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static void run_case(one_case *c, const way *w, bool relu, bool add)
{
    real *scratch = random_values(w->scratch(&c->s), 1, 9);
    w->forward(c->out, &c->s, c->in, c->w, c->bias, c->images, relu, scratch);
    w->backward(c->d_in, c->dw, c->db, add, &c->s, c->d_out, relu ? c->out : NULL, c->in, c->w,
                c->images, scratch);
    mem_free(scratch);
}

static void run_reference(one_case *c, bool relu, bool add)
{
    reference_conv_forward(c->out, &c->s, c->in, c->w, c->bias, c->images, relu);
    reference_conv_backward(c->d_in, c->dw, c->db, add, &c->s, c->d_out, relu ? c->out : NULL,
                            c->in, c->w, c->images);
}

static void assert_alike(const one_case *plain, const way *w, bool relu, bool add)
{
    one_case ours = case_of(plain->s, plain->images);
    double near = 2e-5 * sqrt((double)plain->weights);
    run_case(&ours, w, relu, add);
    assert_values_near(ours.out, plain->out, plain->outputs, near);
    assert_values_near(ours.d_in, plain->d_in, plain->inputs, near);
    assert_values_near(ours.dw, plain->dw, plain->weights, near);
    assert_values_near(ours.db, plain->db, plain->s.filters, near);
    case_free(&ours);
}

static void compare(conv_shape s, size_t images, bool relu, bool add)
{
    one_case plain = case_of(s, images);
    way any = copy_any(), wide = copy_wide();
    run_reference(&plain, relu, add);
    assert_alike(&plain, &chosen, relu, add);
    assert_alike(&plain, &by_patches, relu, add);
    if (any.forward) assert_alike(&plain, &any, relu, add);
    if (wide.forward && runs_wide()) assert_alike(&plain, &wide, relu, add);
    case_free(&plain);
}

static void matches_the_reference(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* sees several threads below */
    const conv_shape shapes[] = {
        shape_of(7, 9, 3, 3, 1, 1, 5), /* the common one */
        shape_of(8, 8, 4, 3, 2, 1, 6),    shape_of(7, 5, 1, 3, 2, 1, 8),
        shape_of(6, 6, 5, 1, 1, 0, 7), /* pixels are patches */
        shape_of(6, 7, 5, 1, 2, 0, 3),    shape_of(9, 9, 2, 3, 1, 0, 4),
        shape_of(3, 2, 2, 3, 1, 1, 4), /* no window lies inside from side to side */
        shape_of(9, 11, 2, 5, 3, 2, 4),   shape_of(1, 1, 3, 3, 1, 1, 2),
        shape_of(28, 28, 24, 3, 1, 1, 4), /* several chunks of lines */
        shape_of(9, 10, 7, 3, 2, 1, 33),  /* several vectors of filters, and a few more */
        shape_of(10, 7, 16, 3, 1, 1, 48), shape_of(8, 9, 13, 3, 2, 1, 24),
        shape_of(3, 4, 8, 3, 1, 2, 16), /* some windows see one pixel */
        shape_of(3, 3, 8, 2, 1, 3, 8),  /* some see none: more padding than window */
        shape_of(7, 8, 9, 2, 3, 0, 8),  /* some pixels are in no window */
        shape_of(11, 9, 6, 5, 2, 2, 17),  shape_of(6, 5, 8, 8, 1, 4, 9),
        shape_of(12, 11, 2, 9, 1, 4, 8), /* a large window */
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int kind = 0; kind < 4; kind++)
            compare(shapes[i], kind == 0 ? 1 : kind == 1 ? 3 : 11, kind & 1, kind & 2);
    }
    compare(shape_of(41, 39, 48, 3, 1, 1, 8), 2, true, false); /* images larger than a chunk */
    compare(shape_of(70, 3, 8, 3, 2, 1, 512), 2, true, false); /* many filters of few lines */
    compare(shape_of(4, 4, 8, 3, 1, 1, 16), 140, true, false); /* many images in a chunk */
    compare(shape_of(2, 2, 40, 3, 1, 1, 40), 37, false, true);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    conv_shape s = shape_of(14, 14, 8, 3, 2, 1, 20);
    one_case one = case_of(s, 21);
    parallel_set_threads(1);
    run_case(&one, &chosen, true, false);
    for (int threads = 2; threads <= 5; threads += 3) {
        one_case many = case_of(s, 21);
        parallel_set_threads(threads);
        run_case(&many, &chosen, true, false);
        assert_memory_equal(one.out, many.out, one.outputs * sizeof *one.out);
        assert_memory_equal(one.d_in, many.d_in, one.inputs * sizeof *one.d_in);
        assert_memory_equal(one.dw, many.dw, one.weights * sizeof *one.dw);
        assert_memory_equal(one.db, many.db, s.filters * sizeof *one.db);
        case_free(&many);
    }
    parallel_set_threads(0);
    case_free(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_reference),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
