/* Convolution by oneDNN, in the layouts it likes best. */
#include "conv_peer.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef SCDC_HAVE_DNNL
#include <dnnl.h>

/* Of the OpenMP it was built with. */
extern void omp_set_num_threads(int threads) __attribute__((weak));

static void need(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "oneDNN: %s failed (%d)\n", what, (int)status);
    exit(EXIT_FAILURE);
}

typedef struct part {
    dnnl_primitive_t run;
    dnnl_exec_arg_t arguments[4];
    int count;
} part;

struct conv_peer {
    part forward, by_input, by_weights;
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;

const char *conv_peer_name(void)
{
    return "oneDNN";
}

static void start(void)
{
    if (engine) return;
    if (omp_set_num_threads) omp_set_num_threads(1);
    need(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine");
    need(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "stream");
}

static dnnl_memory_desc_t any(int dims, const dnnl_dims_t size)
{
    dnnl_memory_desc_t out;
    need(dnnl_memory_desc_init_by_tag(&out, dims, size, dnnl_f32, dnnl_format_tag_any), "layout");
    return out;
}

static void give(part *p, const_dnnl_primitive_desc_t how, int argument, dnnl_query_t which)
{
    dnnl_memory_t memory;
    need(dnnl_memory_create(&memory, dnnl_primitive_desc_query_md(how, which, 0), engine,
                            DNNL_MEMORY_ALLOCATE),
         "memory");
    p->arguments[p->count++] = (dnnl_exec_arg_t){argument, memory};
}

static part make(dnnl_primitive_desc_t *how, const dnnl_convolution_desc_t *what,
                 const_dnnl_primitive_desc_t hint)
{
    part p = {0};
    need(dnnl_primitive_desc_create(how, what, NULL, engine, hint), "convolution");
    need(dnnl_primitive_create(&p.run, *how), "convolution");
    return p;
}

conv_peer *conv_peer_create(const conv_shape *s, size_t images, bool back)
{
    start();
    conv_peer *p = calloc(1, sizeof *p);
    if (!p) exit(EXIT_FAILURE);
    dnnl_dim_t step = (dnnl_dim_t)s->stride, edge = (dnnl_dim_t)s->pad, n = (dnnl_dim_t)images;
    dnnl_dims_t strides = {step, step}, pad = {edge, edge};
    dnnl_memory_desc_t in = any(
        4, (dnnl_dims_t){n, (dnnl_dim_t)s->channels, (dnnl_dim_t)s->height, (dnnl_dim_t)s->width});
    dnnl_memory_desc_t out =
        any(4, (dnnl_dims_t){n, (dnnl_dim_t)s->filters, (dnnl_dim_t)s->out_height,
                             (dnnl_dim_t)s->out_width});
    dnnl_memory_desc_t w = any(4, (dnnl_dims_t){(dnnl_dim_t)s->filters, (dnnl_dim_t)s->channels,
                                                (dnnl_dim_t)s->side, (dnnl_dim_t)s->side});
    dnnl_memory_desc_t bias = any(1, (dnnl_dims_t){(dnnl_dim_t)s->filters});
    dnnl_convolution_desc_t what;
    dnnl_primitive_desc_t forward, how;
    /* What is padded behind may be less than before: the window's last place need not be used. */
    dnnl_dim_t behind =
        (dnnl_dim_t)((s->out_height - 1) * s->stride + s->side - s->height - s->pad);
    dnnl_dims_t rest = {behind, behind};
    need(dnnl_convolution_forward_desc_init(&what, dnnl_forward_training, dnnl_convolution_direct,
                                            &in, &w, &bias, &out, strides, pad, rest),
         "forward");
    p->forward = make(&forward, &what, NULL);
    give(&p->forward, forward, DNNL_ARG_SRC, dnnl_query_src_md);
    give(&p->forward, forward, DNNL_ARG_WEIGHTS, dnnl_query_weights_md);
    p->forward.arguments[p->forward.count++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, NULL};
    need(dnnl_memory_create(&p->forward.arguments[2].memory,
                            dnnl_primitive_desc_query_md(forward, dnnl_query_weights_md, 1), engine,
                            DNNL_MEMORY_ALLOCATE),
         "memory");
    give(&p->forward, forward, DNNL_ARG_DST, dnnl_query_dst_md);
    need(dnnl_convolution_backward_weights_desc_init(&what, dnnl_convolution_direct, &in, &w, NULL,
                                                     &out, strides, pad, rest),
         "backward by weights");
    p->by_weights = make(&how, &what, forward);
    give(&p->by_weights, how, DNNL_ARG_SRC, dnnl_query_src_md);
    give(&p->by_weights, how, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md);
    give(&p->by_weights, how, DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md);
    if (!back) return p;
    need(dnnl_convolution_backward_data_desc_init(&what, dnnl_convolution_direct, &in, &w, &out,
                                                  strides, pad, rest),
         "backward by input");
    p->by_input = make(&how, &what, forward);
    give(&p->by_input, how, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md);
    give(&p->by_input, how, DNNL_ARG_WEIGHTS, dnnl_query_weights_md);
    give(&p->by_input, how, DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md);
    return p;
}

static void run(const part *p)
{
    if (!p->run) return;
    need(dnnl_primitive_execute(p->run, stream, p->count, p->arguments), "run");
    need(dnnl_stream_wait(stream), "run");
}

void conv_peer_forward(conv_peer *p)
{
    run(&p->forward);
}

void conv_peer_backward(conv_peer *p)
{
    run(&p->by_weights);
    run(&p->by_input);
}
#else
const char *conv_peer_name(void)
{
    return NULL;
}

conv_peer *conv_peer_create(const conv_shape *s, size_t images, bool back)
{
    (void)s, (void)images, (void)back;
    return NULL;
}

void conv_peer_forward(conv_peer *p)
{
    (void)p;
}

void conv_peer_backward(conv_peer *p)
{
    (void)p;
}
#endif
