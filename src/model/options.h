/* Options of a fit: what is automatic becomes a number once the data are known. */
#ifndef SCDC_MODEL_OPTIONS_H
#define SCDC_MODEL_OPTIONS_H

#include <scdc/scdc.h>
#include <stdbool.h>

/* What automatic choices depend on: sizes only, never labels. */
typedef struct problem_size {
    size_t items, dims, answers, annotated, workers;
    bool image; /* pictures, bytes, or many values within [0,1] */
} problem_size;

/* Everything below works on the library's own version of the struct; options_public.c stands
 * between it and callers, whose version may be another. */
extern const scdc_options options_default;
int options_set(scdc_options *options, const char *key, const char *value);
int options_get(char *out, size_t size, const scdc_options *options, const char *key);
int options_check(const scdc_options *options);
int options_preset(scdc_options *options, const char *name);
/* The caller's options as the library's. */
int options_take(scdc_options *out, const scdc_options *theirs);

/* Replaces every automatic value and checks the result against the problem (K <= N and so on). */
int options_resolve(scdc_options *options, const problem_size *problem);

/* Range of the parameters of priors: beyond it digamma and log partition functions lose the digits
 * that differences need, and rates of workers round to 0 and 1. */
#define PRIOR_LEAST 1e-8
#define PRIOR_MOST 1e8

/* Processes that share a fit need a shard each. */
int options_fit_processes(const scdc_options *o);

#endif
