/* A model at MNIST size (784 values, nets 500-500, d 8, batch 128) and minibatches for it, for
 * timing single training steps. */
#ifndef SCDC_BENCH_SETTING_H
#define SCDC_BENCH_SETTING_H

#include "bench.h"
#include "model/core.h"

enum {
    BATCH = 128,
    DIMS = 784,
    HIDDEN = 500,
    LATENT = 8,
    ITEMS = 60000,
    /* of a minibatch with answers: answers, and the further rows they touch */
    TOUCHED = 240,
    ANSWERS = 122
};

typedef struct setting {
    core *core;
    arena memory;
    minibatch *batch; /* [batches] */
    size_t batches, step;
    bound_terms terms;
} setting;

/* The mnist preset's options with K components; workers and answers only when asked for. */
core_spec setting_spec(scdc_model_kind model, size_t components, bool answers);
setting *setting_create(const core_spec *spec, size_t batches);
void setting_free(setting *s);
/* One training step on the next minibatch (a bench_body). */
void setting_step(void *s);
/* setting_step with one thread, and with all that were asked for. */
void setting_step_alone(void *s);

/* A step beside the bare products of its networks, which `run` makes through our gemm (context
 * `ours`) and through the BLAS library (`library`). Prints the figure, with `count` of what the
 * step works on under the name `of`. */
typedef struct setting_rivals {
    bench_body run;
    void *ours, *library;
    const char *of;
    size_t count;
} setting_rivals;
void setting_report_step(const char *name, setting *s, const setting_rivals *rivals, int repeats,
                         const bench_options *o);

/* Times steps of two models, one with one thread and one with all, and their efficiency; ends the
 * program when they are not bitwise the same afterwards. */
void setting_compare_threads(const char *name, const core_spec *spec, int rounds, int repeats);

#endif
