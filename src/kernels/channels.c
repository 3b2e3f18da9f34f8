/* Passes over the pixels of images, channel by channel. */
#include "kernels/channels.h"

void channels_sum(real *restrict sum, const real *restrict x, size_t pixels, size_t channels)
{
    for (size_t p = 0; p < pixels; p++, x += channels) {
        for (size_t c = 0; c < channels; c++) sum[c] += x[c];
    }
}

void channels_squares(real *restrict sum, const real *restrict x, const real *restrict centre,
                      size_t pixels, size_t channels)
{
    for (size_t p = 0; p < pixels; p++, x += channels) {
        for (size_t c = 0; c < channels; c++) {
            real away = x[c] - centre[c];
            sum[c] += away * away;
        }
    }
}

static void normalise(real *y, const real *x, const real *restrict centre,
                      const real *restrict rate, const real *restrict gamma,
                      const real *restrict beta, size_t channels)
{
    for (size_t c = 0; c < channels; c++)
        y[c] = gamma[c] * ((x[c] - centre[c]) * rate[c]) + beta[c];
}

void channels_normalise(real *y, const real *x, const channel_norm *n, size_t pixels)
{
    size_t C = n->channels;
    for (size_t p = 0; p < pixels; p++, y += C, x += C) {
        normalise(y, x, n->centre, n->rate, n->gamma, n->beta, C);
        for (size_t c = 0; c < C && n->relu; c++) y[c] = y[c] < 0 ? 0 : y[c];
    }
}

static void add_slopes(real *restrict along, real *restrict sum, const real *restrict d,
                       const real *restrict x, const real *restrict centre,
                       const real *restrict rate, size_t channels)
{
    for (size_t c = 0; c < channels; c++) {
        along[c] += d[c] * ((x[c] - centre[c]) * rate[c]);
        sum[c] += d[c];
    }
}

void channels_slopes(real *along, real *sum, real *d, const real *y, const real *x,
                     const channel_norm *n, size_t pixels)
{
    size_t C = n->channels;
    for (size_t p = 0; p < pixels; p++, d += C, y += C, x += C) {
        for (size_t c = 0; c < C && n->relu; c++) d[c] = y[c] == 0 ? 0 : d[c];
        add_slopes(along, sum, d, x, n->centre, n->rate, C);
    }
}

static void back(real *restrict d_x, const real *restrict d, const real *restrict x,
                 const real *restrict along, const real *restrict sum, const real *restrict centre,
                 const real *restrict rate, const real *restrict gamma, size_t channels)
{
    for (size_t c = 0; c < channels; c++) {
        real unit = (x[c] - centre[c]) * rate[c];
        d_x[c] = gamma[c] * rate[c] * (d[c] - sum[c] - unit * along[c]);
    }
}

void channels_back(real *d_x, const real *d, const real *x, const real *along, const real *sum,
                   const channel_norm *n, size_t pixels)
{
    size_t C = n->channels;
    for (size_t p = 0; p < pixels; p++, d_x += C, d += C, x += C)
        back(d_x, d, x, along, sum, n->centre, n->rate, n->gamma, C);
}
