/* Convolutions of two networks, forward and backward: ours beside patches of the whole minibatch
 * and one product of the BLAS library each, and beside oneDNN where it was found when this was
 * built (with its own layouts, nothing converted in between); and whole training steps of the
 * classifiers they are the convolutions of (all layers, without the optimiser) beside the same. One
 * thread, in turns; with --threads N more than one ours alone, by the clock. */
#include "bare.h"
#include "bench.h"
#include "conv_peer.h"

#include "base/memory.h"
#include "kernels/conv.h"
#include "nets/words.h"

#include <string.h>

enum { MOST_LAYERS = 12 };

/* A convolution, and whether the gradient by its input is wanted (not for the first one). */
typedef struct conv_case {
    conv_shape s;
    bool back;
    real *in, *w, *bias, *out, *d_out, *d_in, *dw, *db, *scratch, *patches;
    conv_peer *peer;
} conv_case;

typedef struct network {
    const char *name, *words;
    size_t images, layers;
    conv_case layer[MOST_LAYERS];
    net whole;
    real *items, *slope;
} network;

static conv_shape shape_of(size_t side_in, size_t channels, size_t side, size_t stride,
                           size_t filters)
{
    size_t pad = side / 2, out = (side_in + 2 * pad - side) / stride + 1;
    return (conv_shape){side_in, side_in, channels, side, stride, pad, out, out, filters};
}

static real *room(arena *a, size_t count)
{
    real *values = arena_new(a, count, sizeof *values, "values");
    bench_need(arena_status(a));
    for (size_t i = 0; i < count; i++) values[i] = (real)(i % 17) / 17;
    return values;
}

static void add_layer(network *n, arena *a, conv_shape s)
{
    conv_case c = {.s = s, .back = n->layers > 0};
    size_t images = n->images, window = s.side * s.side * s.channels;
    size_t in = images * s.height * s.width * s.channels;
    size_t pixels = images * s.out_height * s.out_width;
    c.in = room(a, in), c.d_in = room(a, in);
    c.w = room(a, window * s.filters), c.dw = room(a, window * s.filters);
    c.bias = room(a, s.filters), c.db = room(a, s.filters);
    c.out = room(a, pixels * s.filters), c.d_out = room(a, pixels * s.filters);
    c.scratch = room(a, conv_scratch(&s));
    c.patches = room(a, pixels * window);
    c.peer = conv_peer_create(&s, images, c.back);
    n->layer[n->layers++] = c;
}

/* The network of the words, with ten outputs. */
static void add_whole(network *n, arena *a, shape in)
{
    param_block block;
    size_t at = 0;
    uint64_t number = 0;
    bench_need(net_by_words(&n->whole, a, in, n->words, 10, n->images));
    bench_need(param_block_create(&block, a, net_room(&n->whole)));
    net_bind(&n->whole, &block, &at);
    net_init(&n->whole, 1, &number);
    net_set_mode(&n->whole, &(net_mode){.training = true, .seed = 1});
    n->items = room(a, n->images * shape_size(in));
    n->slope = room(a, n->images * 10);
}

/* ---- the three ways ---- */

static void run_step(void *context)
{
    network *n = context;
    net_forward(&n->whole, n->items, n->images);
    net_backward(&n->whole, NULL, n->slope, n->items, n->images, false);
}

static void run_ours(void *context)
{
    network *n = context;
    for (size_t l = 0; l < n->layers; l++) {
        conv_case *c = &n->layer[l];
        conv_forward(c->out, &c->s, c->in, c->w, c->bias, n->images, true, c->scratch);
    }
    for (size_t l = n->layers; l-- > 0;) {
        conv_case *c = &n->layer[l];
        conv_backward(c->back ? c->d_in : NULL, c->dw, c->db, false, &c->s, c->d_out, c->out, c->in,
                      c->w, n->images, c->scratch);
    }
}

/* All patches of a minibatch, or what arrived at them added up. */
static void all_patches(const conv_case *c, size_t images, bool back)
{
    const conv_shape *s = &c->s;
    size_t C = s->channels, window = s->side * s->side * C;
    for (size_t p = 0; p < images * s->out_height * s->out_width; p++) {
        size_t x = p % s->out_width, y = p / s->out_width % s->out_height;
        size_t image = p / s->out_width / s->out_height;
        for (size_t k = 0; k < s->side * s->side; k++) {
            size_t line = y * s->stride + k / s->side - s->pad;
            size_t column = x * s->stride + k % s->side - s->pad;
            real *patch = c->patches + p * window + k * C;
            size_t at = ((image * s->height + line) * s->width + column) * C;
            bool inside = line < s->height && column < s->width; /* wraps below 0 */
            if (!back && inside) memcpy(patch, c->in + at, C * sizeof *patch);
            if (!back && !inside) memset(patch, 0, C * sizeof *patch);
            for (size_t i = 0; back && inside && i < C; i++) c->d_in[at + i] += patch[i];
        }
    }
}

static void run_library(void *context)
{
    network *n = context;
    for (size_t l = 0; l < n->layers; l++) {
        const conv_case *c = &n->layer[l];
        size_t pixels = n->images * c->s.out_height * c->s.out_width;
        size_t window = c->s.side * c->s.side * c->s.channels;
        all_patches(c, n->images, false);
        bare_library(GEMM_NONE, GEMM_NONE, pixels, c->s.filters, window, 1, c->patches, c->w, 0,
                     c->out);
    }
    for (size_t l = n->layers; l-- > 0;) {
        const conv_case *c = &n->layer[l];
        size_t pixels = n->images * c->s.out_height * c->s.out_width;
        size_t window = c->s.side * c->s.side * c->s.channels;
        all_patches(c, n->images, false);
        bare_library(GEMM_TRANSPOSED, GEMM_NONE, window, c->s.filters, pixels, 1, c->patches,
                     c->d_out, 0, c->dw);
        if (!c->back) continue;
        bare_library(GEMM_NONE, GEMM_TRANSPOSED, pixels, window, c->s.filters, 1, c->d_out, c->w, 0,
                     c->patches);
        memset(c->d_in, 0, n->images * c->s.height * c->s.width * c->s.channels * sizeof *c->d_in);
        all_patches(c, n->images, true);
    }
}

static void run_peer(void *context)
{
    network *n = context;
    for (size_t l = 0; l < n->layers; l++) conv_peer_forward(n->layer[l].peer);
    for (size_t l = n->layers; l-- > 0;) conv_peer_backward(n->layer[l].peer);
}

static double flops_of(const network *n)
{
    double sum = 0;
    for (size_t l = 0; l < n->layers; l++) {
        const conv_shape *s = &n->layer[l].s;
        double one = 2.0 * (double)(n->images * s->out_height * s->out_width) *
                     (double)(s->side * s->side * s->channels * s->filters);
        sum += one * (n->layer[l].back ? 3 : 2);
    }
    return sum;
}

static void report(network *n, const bench_options *o)
{
    const bench_body bodies[] = {run_ours, run_step, run_library, run_peer};
    void *contexts[] = {n, n, n, n};
    size_t count = o->threads > 1 ? 2 : conv_peer_name() ? 4 : 3;
    bench_time times[4];
    bench_compare(times, bodies, contexts, count, o->rounds, 1, o->threads);
    bench_figure("conv step, %s, %zu images", n->name, n->images);
    bench_put("threads", "%d", o->threads);
    bench_put("gflops", "%.1f", flops_of(n) / times[0].best * 1e-9);
    bench_put_time("ours", &times[0]);
    bench_put_time("whole_step", &times[1]);
    if (count > 2) bench_put_time("patches_and_blas", &times[2]);
    if (count == 4) {
        bench_put("peer", "\"%s\"", conv_peer_name());
        bench_put_time("peer", &times[3]);
        bench_put("ratio_to_peer", "%.3f", times[0].best / times[3].best);
        bench_put("step_to_peer", "%.3f", times[1].best / times[3].best);
    }
    bench_put("rounds", "%d", o->rounds);
    bench_end();
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 9);
    arena memory = {0};
    bare_library_threads(1);
    network small = {.name = "1-32-48-64 of 28 x 28",
                     .words = "conv32,conv48/2,conv64/2,drop0.3",
                     .images = o.quick ? 4 : 128};
    add_layer(&small, &memory, shape_of(28, 1, 3, 1, 32));
    add_layer(&small, &memory, shape_of(28, 32, 3, 2, 48));
    add_layer(&small, &memory, shape_of(14, 48, 3, 2, 64));
    add_whole(&small, &memory, (shape){1, 28, 28});
    report(&small, &o);
    network residual = {.name = "residual 32-32-64-128 of 3 x 32 x 32",
                        .words = "batch32,batchres32/2,batchres64/2,batchres128/2,mean",
                        .images = o.quick ? 4 : 144};
    add_layer(&residual, &memory, shape_of(32, 3, 3, 1, 32));
    for (size_t block = 0, side = 32, from = 32; block < 3; block++, side /= 2) {
        size_t filters = (size_t)32 << block;
        add_layer(&residual, &memory, shape_of(side, from, 3, 2, filters));
        add_layer(&residual, &memory, shape_of(side / 2, filters, 3, 1, filters));
        add_layer(&residual, &memory, shape_of(side, from, 1, 2, filters));
        from = filters;
    }
    add_whole(&residual, &memory, (shape){3, 32, 32});
    report(&residual, &o);
    arena_free(&memory);
    return EXIT_SUCCESS;
}
