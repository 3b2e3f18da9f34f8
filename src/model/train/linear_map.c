/* Principal components of the inputs. */
#include "model/train/linear_map.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/tuning.h"
#include "nets/params.h"

#include <math.h>

enum {
    MOST_ITEMS = 20000, /* that are looked at */
    MOST_WIDE = 2048,   /* ... when there are more columns than this */
};
#define NOTHING 1e-9 /* of the variance: rounding */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The inputs of evenly spaced items as a matrix of their own. */
static int scaled_items(scdc_data **out, const scdc_data *data, const input_scale *input)
{
    size_t rows = smaller(data->rows, data->cols > MOST_WIDE ? MOST_WIDE : MOST_ITEMS), values;
    uint32_t *items = NULL;
    scdc_data *sample = NULL;
    real *o = NULL;
    int status;
    if (!size_mul(&values, rows, data->cols)) return fail_memory(SIZE_MAX, "scaled items");
    SCDC_TRY_OR(done, status, data_sample(&sample, data, rows));
    SCDC_TRY_OR(done, status, mem_zeroed(&items, rows, sizeof *items, "scaled items"));
    SCDC_TRY_OR(done, status, mem_zeroed(&o, values, sizeof *o, "scaled items"));
    for (size_t i = 0; i < rows; i++) items[i] = (uint32_t)i;
    input_gather(o, sample, input, items, rows);
    status = scdc_data_from_memory(out, o, param_dtype, rows, data->cols, 1);
done:
    scdc_data_free(sample);
    mem_free(items);
    mem_free(o);
    return status;
}

/* Variances of the columns, whose means are known. */
static double column_variances(double *out, const scdc_data *data, const double *mean)
{
    double total = 0;
    for (size_t r = 0; r < data->rows; r++) {
        for (size_t c = 0; c < data->cols; c++) {
            double x = data_value(data, r, c) - mean[c];
            out[c] += x * x / (double)data->rows;
        }
    }
    for (size_t c = 0; c < data->cols; c++) total += out[c];
    return total;
}

/* How many sizes can be had, and how many are asked for at most. */
static size_t most_sizes(const scdc_data *data, size_t items)
{
    size_t side = smaller(data->rows, data->cols), by_items = items / ITEMS_PER_LATENT;
    if (data->cols <= ALL_COLUMNS) return side;
    return smaller(side, smaller(LINEAR_MOST, by_items > 2 ? by_items : 2));
}

static size_t choose_size(const double *variance, size_t most, double total, size_t columns)
{
    size_t least = smaller(most, 2), d = 0;
    double sum = 0, enough = columns <= ALL_COLUMNS ? 1 - NOTHING : VARIANCE_KEPT;
    while (d < most && (d < least || sum < enough * total)) {
        if (d > 0 && variance[d] <= NOTHING * total) break;
        sum += variance[d++];
    }
    return d;
}

static int find(linear_map *map, size_t *latent, const scdc_data *scaled, size_t items)
{
    size_t D = scaled->cols, most = *latent ? *latent : most_sizes(scaled, items), values;
    double *variance;
    if (most > smaller(scaled->rows, D)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "net linear has at most as many latent sizes as there are values (%zu) "
                         "and items (%zu), not %zu",
                         D, scaled->rows, most);
    }
    if (!size_mul(&values, most, D)) return fail_memory(SIZE_MAX, "a linear map");
    SCDC_TRY(mem_zeroed(&map->direction, values, sizeof(double), "a linear map"));
    SCDC_TRY(mem_zeroed(&map->mean, D, sizeof(double), "a linear map"));
    SCDC_TRY(mem_zeroed(&map->left, D, sizeof(double), "a linear map"));
    SCDC_TRY(mem_zeroed(&variance, most, sizeof *variance, "a linear map"));
    int status = data_principal(map->direction, map->mean, variance, scaled, most);
    if (status == SCDC_OK) {
        double total = column_variances(map->left, scaled, map->mean);
        if (!*latent) *latent = choose_size(variance, most, total, D);
        for (size_t a = 0; a < *latent; a++) {
            for (size_t c = 0; c < D; c++) {
                double along = map->direction[a * D + c];
                map->left[c] -= variance[a] * along * along;
            }
        }
    }
    mem_free(variance);
    return status;
}

int linear_map_find(linear_map *out, size_t *latent, const scdc_data *data,
                    const input_scale *input)
{
    linear_map map = {0};
    scdc_data *scaled;
    SCDC_TRY(scaled_items(&scaled, data, input));
    int status = find(&map, latent, scaled, data->rows);
    scdc_data_free(scaled);
    if (status != SCDC_OK) linear_map_free(&map);
    else *out = map;
    return status;
}

void linear_map_free(linear_map *map)
{
    mem_free(map->direction);
    mem_free(map->mean);
    mem_free(map->left);
    *map = (linear_map){0};
}
