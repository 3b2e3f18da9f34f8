/* Plain kernels to compare the fast ones with. */
#include "kernels/reference.h"
#include "base/rng.h"
#include "kernels/lanes.h"
#include "kernels/likelihood.h"

void reference_gemm(gemm_op op_a, gemm_op op_b, size_t m, size_t n, size_t k, real alpha,
                    const real *a, const real *b, real beta, real *c)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++) {
                real left = op_a == GEMM_TRANSPOSED ? a[l * m + i] : a[i * k + l];
                real right = op_b == GEMM_TRANSPOSED ? b[j * k + l] : b[l * n + j];
                sum += (double)left * (double)right;
            }
            double old = beta == 0 ? 0 : (double)beta * (double)c[i * n + j];
            c[i * n + j] = (real)((double)alpha * sum + old);
        }
    }
}

void reference_bias_add(real *y, const real *bias, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++) y[r * cols + c] += bias[c];
    }
}

void reference_bias_relu(real *y, const real *bias, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < cols; c++) {
            real v = y[r * cols + c] + bias[c];
            y[r * cols + c] = v > 0 ? v : 0;
        }
    }
}

void reference_column_sums(real *out, bool add, const real *x, size_t rows, size_t cols)
{
    for (size_t c = 0; c < cols; c++) {
        double sum = add ? (double)out[c] : 0;
        for (size_t r = 0; r < rows; r++) sum += (double)x[r * cols + c];
        out[c] = (real)sum;
    }
}

void reference_relu_backward(real *d, real *d_bias, bool add, const real *y, size_t rows,
                             size_t cols)
{
    for (size_t i = 0; i < rows * cols; i++) {
        if (y[i] == 0) d[i] = 0;
    }
    reference_column_sums(d_bias, add, d, rows, cols);
}

void reference_channels_sum(real *sum, const real *x, size_t pixels, size_t channels)
{
    reference_column_sums(sum, true, x, pixels, channels);
}

void reference_channels_squares(real *sum, const real *x, const real *centre, size_t pixels,
                                size_t channels)
{
    for (size_t c = 0; c < channels; c++) {
        double all = (double)sum[c];
        for (size_t p = 0; p < pixels; p++) {
            double away = (double)x[p * channels + c] - (double)centre[c];
            all += away * away;
        }
        sum[c] = (real)all;
    }
}

static double unit_of(const channel_norm *n, const real *x, size_t c)
{
    return ((double)x[c] - (double)n->centre[c]) * (double)n->rate[c];
}

void reference_channels_normalise(real *y, const real *x, const channel_norm *n, size_t pixels)
{
    for (size_t i = 0; i < pixels * n->channels; i++) {
        size_t c = i % n->channels;
        double v = (double)n->gamma[c] * unit_of(n, x + i - c, c) + (double)n->beta[c];
        y[i] = (real)(n->relu && v < 0 ? 0 : v);
    }
}

void reference_channels_slopes(real *along, real *sum, real *d, const real *y, const real *x,
                               const channel_norm *n, size_t pixels)
{
    for (size_t c = 0; c < n->channels; c++) {
        double by_gamma = (double)along[c], by_beta = (double)sum[c];
        for (size_t i = c; i < pixels * n->channels; i += n->channels) {
            if (n->relu && y[i] == 0) d[i] = 0;
            by_gamma += (double)d[i] * unit_of(n, x + i - c, c);
            by_beta += (double)d[i];
        }
        along[c] = (real)by_gamma;
        sum[c] = (real)by_beta;
    }
}

void reference_channels_back(real *d_x, const real *d, const real *x, const real *along,
                             const real *sum, const channel_norm *n, size_t pixels)
{
    for (size_t i = 0; i < pixels * n->channels; i++) {
        size_t c = i % n->channels;
        double left = (double)d[i] - (double)sum[c] - unit_of(n, x + i - c, c) * (double)along[c];
        d_x[i] = (real)((double)n->gamma[c] * (double)n->rate[c] * left);
    }
}

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

void reference_softplus_values(real *out, const real *in, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = (real)softplus((double)in[i]);
}

static double row_total(const real *x, size_t cols)
{
    double top = (double)x[0], sum = 0;
    /* No fmax: GCC 12 for arm64 breaks down over it. */
    for (size_t c = 1; c < cols; c++) top = top < (double)x[c] ? (double)x[c] : top;
    for (size_t c = 0; c < cols; c++) sum += exp((double)x[c] - top);
    return top + log(sum);
}

void reference_softmax_rows(real *p, const real *x, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, p += cols, x += cols) {
        double total = row_total(x, cols);
        for (size_t c = 0; c < cols; c++) p[c] = (real)exp((double)x[c] - total);
    }
}

void reference_log_softmax_rows(real *out, const real *x, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, out += cols, x += cols) {
        double total = row_total(x, cols);
        for (size_t c = 0; c < cols; c++) out[c] = (real)((double)x[c] - total);
    }
}

void reference_log_sum_exp_rows(real *out, const real *x, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) out[r] = (real)row_total(x + r * cols, cols);
}

void reference_bernoulli(double *value, real *gradient, const real *logits, const real *weight,
                         const real *o, const uint32_t *of, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        const real *seen = o + (of ? of[r] : r) * cols;
        value[r] = 0;
        for (size_t c = 0; c < cols; c++) {
            double l = (double)logits[r * cols + c], v = (double)seen[c];
            value[r] += v * l - softplus(l);
            if (!gradient) continue;
            gradient[r * cols + c] = (real)((weight ? (double)weight[r] : 1) * (v - sigmoid(l)));
        }
    }
}

void reference_gaussian(double *value, real *gradient, const real *outputs, const real *weight,
                        const real *o, const uint32_t *of, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        const real *mean = outputs + r * 2 * cols, *raw = mean + cols;
        const real *seen = o + (of ? of[r] : r) * cols;
        value[r] = 0;
        for (size_t c = 0; c < cols; c++) {
            double variance = softplus((double)raw[c]) + (double)GAUSSIAN_LEAST_VARIANCE;
            double error = (double)seen[c] - (double)mean[c];
            value[r] -= 0.5 * (error * error / variance + log(2 * M_PI * variance));
            if (!gradient) continue;
            double scale = weight ? (double)weight[r] : 1;
            double d_variance = 0.5 * (error * error / variance - 1) / variance;
            gradient[r * 2 * cols + c] = (real)(scale * error / variance);
            gradient[(r * 2 + 1) * cols + c] = (real)(scale * d_variance * sigmoid((double)raw[c]));
        }
    }
}

/* ln of the probability of o and its slopes by mean and width. */
static double logistic_step(double *d_mean, double *d_width, double o, double mean, double width)
{
    double below = (o - mean - 1 / 510.0) / width, above = (o - mean + 1 / 510.0) / width;
    double step = above - below;
    if (o < 1 / 510.0) {
        *d_mean = -sigmoid(-above) / width;
        *d_width = above * *d_mean;
        return -softplus(-above);
    }
    if (o > 1 - 1 / 510.0) {
        *d_mean = sigmoid(below) / width;
        *d_width = below * *d_mean;
        return -softplus(below);
    }
    *d_mean = (sigmoid(below) - sigmoid(-above)) / width;
    *d_width = (below * sigmoid(below) - above * sigmoid(-above) - step / expm1(step)) / width;
    return log(-expm1(-step)) - softplus(-above) - softplus(below);
}

void reference_logistic(double *value, real *gradient, const real *outputs, const real *weight,
                        const real *o, const uint32_t *of, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        const real *mean = outputs + r * 2 * cols, *raw = mean + cols;
        const real *seen = o + (of ? of[r] : r) * cols;
        double scale = weight ? (double)weight[r] : 1, d_mean, d_width;
        value[r] = 0;
        for (size_t c = 0; c < cols; c++) {
            double width =
                (double)LOGISTIC_WIDTH * softplus((double)raw[c]) + (double)LOGISTIC_LEAST_WIDTH;
            value[r] +=
                logistic_step(&d_mean, &d_width, (double)seen[c], 0.5 + (double)mean[c], width);
            if (!gradient) continue;
            gradient[r * 2 * cols + c] = (real)(scale * d_mean);
            gradient[(r * 2 + 1) * cols + c] =
                (real)(scale * d_width * (double)LOGISTIC_WIDTH * sigmoid((double)raw[c]));
        }
    }
}

void reference_adam_step(real *params, real *m, real *v, const real *gradient, size_t n,
                         double rate, int64_t t)
{
    for (size_t i = 0; i < n; i++) {
        double g = (double)gradient[i];
        double new_m = 0.9 * (double)m[i] + 0.1 * g, new_v = 0.999 * (double)v[i] + 0.001 * g * g;
        double m_hat = new_m / (1 - pow(0.9, (double)t)),
               v_hat = new_v / (1 - pow(0.999, (double)t));
        params[i] = (real)((double)params[i] + rate * m_hat / (sqrt(v_hat) + 1e-8));
        m[i] = (real)new_m;
        v[i] = (real)new_v;
    }
}

void reference_momentum_step(real *params, real *velocity, const real *gradient, size_t n,
                             double rate, double momentum)
{
    for (size_t i = 0; i < n; i++) {
        double speed = momentum * (double)velocity[i] + (double)gradient[i];
        params[i] = (real)((double)params[i] + rate * speed);
        velocity[i] = (real)speed;
    }
}

void reference_binarise_u8(real *out, const uint8_t *pixels, size_t n, uint64_t seed,
                           uint32_t epoch, uint64_t item)
{
    rng r;
    rng_init(&r, seed, RNG_BINARISE, epoch, item);
    for (size_t c = 0; c < n; c++) {
        /* Column c: group of 64, block c % 8 of the group's 8 blocks, 16-bit half c / 8. */
        size_t group = c / 64, block = c % 8, half = c % 64 / 8;
        uint32_t words[4],
            counter[4] = {(uint32_t)(group * 8 + block), r.counter[1], r.counter[2], r.counter[3]};
        philox4x32(words, counter, r.key);
        uint32_t bits = half % 2 ? words[half / 2] >> 16 : words[half / 2] & 0xFFFF;
        out[c] = (real)(bits < (uint32_t)lround(65536.0 * pixels[c] / 255) ? 1 : 0);
    }
}

void reference_lanes_add_product(double *out, const double *w, size_t w_length, const double *x,
                                 size_t inner, size_t features)
{
    for (size_t j = 0; j < features; j++) {
        for (size_t l = 0; l < LANES; l++) {
            for (size_t i = 0; i < inner; i++) {
                out[j * LANES + l] += w[i * w_length + j] * x[i * LANES + l];
            }
        }
    }
}

void reference_gather_rows(double *out, const double *rows, size_t width, const double *weight,
                           const gather_term *term, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < width; c++)
            out[c] += weight[term[i].weight] * rows[term[i].row * width + c];
    }
}

void reference_lanes_softmax(double *x, size_t n)
{
    for (size_t l = 0; l < LANES; l++) {
        double top = -INFINITY, sum = 0;
        for (size_t i = 0; i < n; i++) top = fmax(top, x[i * LANES + l]);
        for (size_t i = 0; i < n; i++) sum += exp(x[i * LANES + l] - top);
        for (size_t i = 0; i < n; i++) x[i * LANES + l] = exp(x[i * LANES + l] - top) / sum;
    }
}

/* ---- convolution ---- */

/* A pair of an output and an input value that meet in it, with their weight. */
typedef struct meeting {
    size_t out, in, weight, filter;
} meeting;

static void each_meeting(const conv_shape *s, size_t images,
                         void (*visit)(void *context, meeting m), void *context)
{
    size_t outputs = images * s->out_height * s->out_width * s->filters;
    for (size_t o = 0; o < outputs; o++) {
        size_t f = o % s->filters, x = o / s->filters % s->out_width;
        size_t y = o / s->filters / s->out_width % s->out_height;
        size_t image = o / s->filters / s->out_width / s->out_height;
        for (size_t i = 0; i < s->side; i++) {
            for (size_t k = 0; k < s->side; k++) {
                size_t line = y * s->stride + i - s->pad, column = x * s->stride + k - s->pad;
                if (line >= s->height || column >= s->width) continue; /* wraps below 0 */
                for (size_t c = 0; c < s->channels; c++) {
                    visit(context,
                          (meeting){
                              o, ((image * s->height + line) * s->width + column) * s->channels + c,
                              ((i * s->side + k) * s->channels + c) * s->filters + f, f});
                }
            }
        }
    }
}

typedef struct plain_conv {
    real *out, *d_in, *dw;
    const real *in, *w, *d_out;
} plain_conv;

static void add_output(void *context, meeting m)
{
    const plain_conv *p = context;
    p->out[m.out] += p->in[m.in] * p->w[m.weight];
}

static void add_gradient(void *context, meeting m)
{
    const plain_conv *p = context;
    p->dw[m.weight] += p->in[m.in] * p->d_out[m.out];
    if (p->d_in) p->d_in[m.in] += p->w[m.weight] * p->d_out[m.out];
}

void reference_conv_forward(real *out, const conv_shape *s, const real *in, const real *w,
                            const real *bias, size_t images, bool relu)
{
    size_t outputs = images * s->out_height * s->out_width * s->filters;
    for (size_t o = 0; o < outputs; o++) out[o] = bias[o % s->filters];
    each_meeting(s, images, add_output, &(plain_conv){.out = out, .in = in, .w = w});
    for (size_t o = 0; o < outputs && relu; o++) out[o] = out[o] < 0 ? 0 : out[o];
}

void reference_conv_backward(real *d_in, real *dw, real *db, bool add, const conv_shape *s,
                             real *d_out, const real *out, const real *in, const real *w,
                             size_t images)
{
    size_t outputs = images * s->out_height * s->out_width * s->filters;
    size_t weights = s->side * s->side * s->channels * s->filters;
    for (size_t i = 0; i < weights && !add; i++) dw[i] = 0;
    for (size_t f = 0; f < s->filters && !add; f++) db[f] = 0;
    for (size_t i = 0; d_in && i < images * s->height * s->width * s->channels; i++) d_in[i] = 0;
    for (size_t o = 0; o < outputs; o++) {
        if (out && out[o] == 0) d_out[o] = 0;
        db[o % s->filters] += d_out[o];
    }
    each_meeting(s, images, add_gradient,
                 &(plain_conv){.d_in = d_in, .dw = dw, .in = in, .w = w, .d_out = d_out});
}
