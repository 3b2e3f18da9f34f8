/* log p(o | decoder outputs), fused with its gradient. Sums run in LANES fixed partial sums, so
 * that the compiler may use vectors of any width and the result stays the same. */
#include "kernels/likelihood.h"
#include "kernels/loop.h"
#include "kernels/vmath.h"

#include <stdbool.h>

enum { LANES = 16 };

/* Likelihoods of two outputs a value, [mean][raw] in a row: the value of a row; the same, with both
 * outputs replaced by their slopes. */
typedef struct two_outputs {
    double (*row)(const real *outputs, const real *o, size_t n);
    double (*row_gradient)(real *mean, real *raw, const real *o, real weight, size_t n);
} two_outputs;

typedef struct outputs_job {
    const two_outputs *kind; /* NULL: one output a value */
    double *value;
    const real *outputs, *weight, *o;
    real *gradient; /* = outputs, or NULL */
    const uint32_t *of;
    size_t cols;
} outputs_job;

static const real *observed(const outputs_job *j, size_t r)
{
    return j->o + (j->of ? j->of[r] : r) * j->cols;
}

static void two_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const outputs_job *j = context;
    (void)piece;
    size_t cols = j->cols;
    for (size_t r = begin; r < end; r++) {
        real *slopes = j->gradient ? j->gradient + r * 2 * cols : NULL;
        real weight = j->weight ? j->weight[r] : 1;
        j->value[r] =
            slopes ? j->kind->row_gradient(slopes, slopes + cols, observed(j, r), weight, cols)
                   : j->kind->row(j->outputs + r * 2 * cols, observed(j, r), cols);
    }
}

static void run_two(const two_outputs *kind, double *value, const real *outputs, const real *o,
                    const uint32_t *of, size_t rows, size_t cols)
{
    outputs_job j = {
        .kind = kind, .value = value, .outputs = outputs, .o = o, .of = of, .cols = cols};
    kernel_for(rows, rows_per_piece(2 * cols, PIECE_VALUES), two_piece, &j);
}

static void run_two_gradient(const two_outputs *kind, double *value, real *outputs,
                             const real *weight, const real *o, const uint32_t *of, size_t rows,
                             size_t cols)
{
    outputs_job j = {.kind = kind,
                     .value = value,
                     .outputs = outputs,
                     .gradient = outputs,
                     .weight = weight,
                     .o = o,
                     .of = of,
                     .cols = cols};
    kernel_for(rows, rows_per_piece(2 * cols, PIECE_VALUES), two_piece, &j);
}

static double sum_lanes(const real *lanes)
{
    double sum = 0;
    for (size_t l = 0; l < LANES; l++) sum += (double)lanes[l];
    return sum;
}

/* o * logit - softplus(logit) */
static inline real bernoulli_value(real logit, real o)
{
    real u = vm_exp(-real_fabs(logit));
    return o * logit - ((logit > 0 ? logit : 0) + vm_log1p_unit(u));
}

static double bernoulli_row(const real *restrict logits, const real *restrict o, size_t n)
{
    real lanes[LANES] = {0};
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        for (size_t l = 0; l < LANES; l++) lanes[l] += bernoulli_value(logits[c + l], o[c + l]);
    }
    for (size_t l = 0; c + l < n; l++) lanes[l] += bernoulli_value(logits[c + l], o[c + l]);
    return sum_lanes(lanes);
}

/* Value, and the logit replaced by weight * (o - sigmoid(logit)). */
static inline real bernoulli_both(real *logit, real o, real weight)
{
    real x = *logit, u = vm_exp(-real_fabs(x));
    real sigmoid = (x >= 0 ? 1 : u) / (1 + u);
    *logit = weight * (o - sigmoid);
    return o * x - ((x > 0 ? x : 0) + vm_log1p_unit(u));
}

static double bernoulli_row_gradient(real *restrict logits, const real *restrict o, real weight,
                                     size_t n)
{
    real lanes[LANES] = {0};
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lanes[l] += bernoulli_both(&logits[c + l], o[c + l], weight);
        }
    }
    for (size_t l = 0; c + l < n; l++) {
        lanes[l] += bernoulli_both(&logits[c + l], o[c + l], weight);
    }
    return sum_lanes(lanes);
}

static void bernoulli_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const outputs_job *j = context;
    (void)piece;
    for (size_t r = begin; r < end; r++) {
        size_t at = r * j->cols;
        j->value[r] = j->gradient ? bernoulli_row_gradient(j->gradient + at, observed(j, r),
                                                           j->weight ? j->weight[r] : 1, j->cols)
                                  : bernoulli_row(j->outputs + at, observed(j, r), j->cols);
    }
}

void bernoulli_rows(double *value, const real *logits, const real *o, const uint32_t *of,
                    size_t rows, size_t cols)
{
    outputs_job j = {.value = value, .outputs = logits, .o = o, .of = of, .cols = cols};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), bernoulli_piece, &j);
}

void bernoulli_rows_gradient(double *value, real *logits, const real *weight, const real *o,
                             const uint32_t *of, size_t rows, size_t cols)
{
    outputs_job j = {.value = value,
                     .outputs = logits,
                     .gradient = logits,
                     .weight = weight,
                     .o = o,
                     .of = of,
                     .cols = cols};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), bernoulli_piece, &j);
}

static void sigmoid_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const outputs_job *j = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) j->gradient[i] = vm_sigmoid(j->outputs[i]);
}

void bernoulli_mean(real *out, const real *logits, size_t n)
{
    outputs_job j = {.outputs = logits, .gradient = out};
    kernel_for(n, PIECE_VALUES, sigmoid_piece, &j);
}

#define LOG_2_PI 1.8378770664093454836

/* -(o - mean)^2 / (2 variance) - ln(variance) / 2; the constant is added once per row. */
static inline real gaussian_value(real mean, real raw, real o)
{
    real variance = vm_softplus(raw) + GAUSSIAN_LEAST_VARIANCE, error = o - mean;
    return REAL(-0.5) * (error * error / variance + vm_log(variance));
}

static inline real gaussian_both(real *mean, real *raw, real o, real weight)
{
    real v = *raw, u = vm_exp(-real_fabs(v)), slope = (v >= 0 ? 1 : u) / (1 + u);
    real variance = (v > 0 ? v : 0) + vm_log1p_unit(u) + GAUSSIAN_LEAST_VARIANCE;
    real error = o - *mean, ratio = error / variance;
    *mean = weight * ratio;
    *raw = weight * slope * REAL(0.5) * (error * ratio - 1) / variance;
    return REAL(-0.5) * (error * ratio + vm_log(variance));
}

static double gaussian_row(const real *restrict outputs, const real *restrict o, size_t n)
{
    real lanes[LANES] = {0};
    const real *raw = outputs + n;
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lanes[l] += gaussian_value(outputs[c + l], raw[c + l], o[c + l]);
        }
    }
    for (size_t l = 0; c + l < n; l++) {
        lanes[l] += gaussian_value(outputs[c + l], raw[c + l], o[c + l]);
    }
    return sum_lanes(lanes) - 0.5 * LOG_2_PI * (double)n;
}

static double gaussian_row_gradient(real *restrict mean, real *restrict raw, const real *restrict o,
                                    real weight, size_t n)
{
    real lanes[LANES] = {0};
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lanes[l] += gaussian_both(&mean[c + l], &raw[c + l], o[c + l], weight);
        }
    }
    for (size_t l = 0; c + l < n; l++) {
        lanes[l] += gaussian_both(&mean[c + l], &raw[c + l], o[c + l], weight);
    }
    return sum_lanes(lanes) - 0.5 * LOG_2_PI * (double)n;
}

static const two_outputs gaussian = {gaussian_row, gaussian_row_gradient};

void gaussian_rows(double *value, const real *outputs, const real *o, const uint32_t *of,
                   size_t rows, size_t cols)
{
    run_two(&gaussian, value, outputs, o, of, rows, cols);
}

void gaussian_rows_gradient(double *value, real *outputs, const real *weight, const real *o,
                            const uint32_t *of, size_t rows, size_t cols)
{
    run_two_gradient(&gaussian, value, outputs, weight, o, of, rows, cols);
}

/* ---- discretised logistic ---- */

#define HALF_STEP REAL(0.00196078431372549) /* 1 / 510 */

typedef struct step_end {
    real log_inside, slope; /* ln s(x), s(-x) for s(x) = 1 / (1 + e^-x) */
} step_end;

static inline step_end step_end_of(real x)
{
    real u = vm_exp(-real_fabs(x)), small = u / (1 + u);
    return (step_end){(x < 0 ? x : 0) - vm_log1p_unit(u), x < 0 ? 1 - small : small};
}

/* s(b) - s(a) = s(b) s(-a) (1 - e^-(b - a)): a product, of which nothing is lost where both are
 * near 0 or 1. Beyond the ends of [0, 1] one of its factors is all there is. */
static inline real logistic_both(real *mean, real *raw, real o, real weight, bool slopes)
{
    real v = *raw, u = vm_exp(-real_fabs(v)), rise = (v >= 0 ? 1 : u) / (1 + u);
    real width = LOGISTIC_WIDTH * ((v > 0 ? v : 0) + vm_log1p_unit(u)) + LOGISTIC_LEAST_WIDTH;
    real error = o - *mean - REAL(0.5), below = (error - HALF_STEP) / width,
         above = (error + HALF_STEP) / width, step = 2 * HALF_STEP / width;
    step_end upper = step_end_of(above), lower = step_end_of(-below);
    bool first = o<HALF_STEP, last = o> 1 - HALF_STEP;
    /* ln(1 - e^-step) and its slope times step, which is never more than 4. */
    real rest = vm_exp(-step), inside = 1 - rest;
    bool fine = step < REAL(0.02);
    real log_inside = fine ? vm_log(step) - step / 2 + step * step / 24 : vm_log(inside);
    real of_step = fine ? 1 - step / 2 + step * step / 12 : step * rest / inside;
    real up = last ? 0 : upper.slope, down = first ? 0 : lower.slope;
    real value = (last ? 0 : upper.log_inside) + (first ? 0 : lower.log_inside) +
                 (first || last ? 0 : log_inside);
    if (slopes) {
        *mean = weight * (down - up) / width;
        *raw = weight * LOGISTIC_WIDTH * rise / width *
               (below * down - above * up - (first || last ? 0 : of_step));
    }
    return value;
}

static double logistic_row(const real *restrict outputs, const real *restrict o, size_t n)
{
    real lanes[LANES] = {0};
    for (size_t c = 0; c < n; c++) {
        real mean = outputs[c], raw = outputs[n + c];
        lanes[c % LANES] += logistic_both(&mean, &raw, o[c], 0, false);
    }
    return sum_lanes(lanes);
}

static double logistic_row_gradient(real *restrict mean, real *restrict raw, const real *restrict o,
                                    real weight, size_t n)
{
    real lanes[LANES] = {0};
    size_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        for (size_t l = 0; l < LANES; l++)
            lanes[l] += logistic_both(&mean[c + l], &raw[c + l], o[c + l], weight, true);
    }
    for (size_t l = 0; c + l < n; l++)
        lanes[l] += logistic_both(&mean[c + l], &raw[c + l], o[c + l], weight, true);
    return sum_lanes(lanes);
}

static const two_outputs logistic = {logistic_row, logistic_row_gradient};

void logistic_rows(double *value, const real *outputs, const real *o, const uint32_t *of,
                   size_t rows, size_t cols)
{
    run_two(&logistic, value, outputs, o, of, rows, cols);
}

void logistic_rows_gradient(double *value, real *outputs, const real *weight, const real *o,
                            const uint32_t *of, size_t rows, size_t cols)
{
    run_two_gradient(&logistic, value, outputs, weight, o, of, rows, cols);
}

void logistic_mean(real *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        real mean = values[i] + REAL(0.5);
        values[i] = mean < 0 ? 0 : mean > 1 ? 1 : mean;
    }
}
