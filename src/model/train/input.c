/* Choosing likelihood and scaling. */
#include "model/train/input.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/status.h"

#include <math.h>

/* Beyond so many widths a column's values grow like a logarithm: a few far values shall not decide
 * who is near whom. Of a normal column that is 5 % of the values, which hardly move. */
#define NEAR 2.0

/* ---- one scale for all ---- */

struct spread {
    const scdc_data *data;
    double mean;
};

/* Sum of squared deviations of rows [begin, end). */
static double squares(void *context, size_t begin, size_t end)
{
    const struct spread *s = context;
    double sum = 0;
    for (size_t row = begin; row < end; row++) {
        for (size_t c = 0; c < s->data->cols; c++) {
            double value = data_value(s->data, row, c) - s->mean;
            sum += value * value;
        }
    }
    return sum;
}

static int unit_scale(input_scale *out, const scdc_data *data, double mean)
{
    struct spread s = {data, mean};
    double sum;
    SCDC_TRY(ranks_sum(&sum, data->rows, 256, squares, &s));
    double width = sqrt(sum / ((double)data->rows * (double)data->cols));
    if (!(width > 0)) width = 1;
    *out = (input_scale){.scale = (float)(1 / width), .shift = (float)(-mean / width)};
    return SCDC_OK;
}

/* ---- columns of one kind ---- */

enum { LEAST_OF_ONE_KIND = 16, LOOKED_AT = 1024 };

/* Embeddings are often brought to length 1. */
static int rows_have_length_one(bool *out, const scdc_data *data)
{
    size_t rows = data->rows < LOOKED_AT ? data->rows : LOOKED_AT;
    scdc_data *sample;
    SCDC_TRY(data_sample(&sample, data, rows));
    *out = true;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < data->cols; c++) {
            double x = data_value(sample, i, c);
            sum += x * x;
        }
        if (!(fabs(sqrt(sum) - 1) < 0.01)) *out = false;
    }
    scdc_data_free(sample);
    return SCDC_OK;
}

/* How far apart columns are: standard deviations of the logarithms of their widths, and of their
 * centres against the width they have together. Constant columns are left out. */
static void differences(double *of_widths, double *of_centres, const scdc_column *c, size_t D)
{
    double n = 0, width = 0, width2 = 0, centre = 0, centre2 = 0, together = 0;
    for (size_t i = 0; i < D; i++) {
        if (!(c[i].width > 0)) continue;
        n++;
        width += log(c[i].width);
        centre += c[i].centre;
        together += c[i].width * c[i].width;
    }
    *of_widths = *of_centres = 0;
    if (n == 0) return;
    for (size_t i = 0; i < D; i++) {
        if (!(c[i].width > 0)) continue;
        width2 += pow(log(c[i].width) - width / n, 2);
        centre2 += pow(c[i].centre - centre / n, 2);
    }
    *of_widths = sqrt(width2 / n);
    *of_centres = sqrt(centre2 / together);
}

/* Whole numbers, most columns from the same least to the same greatest one: pixels. */
static bool share_a_range(const scdc_column *c, size_t D)
{
    double low = INFINITY, high = -INFINITY;
    size_t full = 0;
    for (size_t i = 0; i < D; i++) {
        if (!c[i].whole) return false;
        low = fmin(low, c[i].min);
        high = fmax(high, c[i].max);
    }
    for (size_t i = 0; i < D; i++) full += c[i].min == low && c[i].max == high;
    return high - low > 1 && 2 * full > D;
}

/* Whether the width of a column tells how much it matters, so that proportions are to be kept. */
static int of_one_kind(bool *out, const scdc_column *c, const scdc_data *data)
{
    double of_widths, of_centres;
    *out = data->height > 1 || data->width > 1;
    if (*out || data->cols < LEAST_OF_ONE_KIND) return SCDC_OK;
    *out = data->dtype == SCDC_U8;
    if (!*out) SCDC_TRY(rows_have_length_one(out, data));
    if (*out) return SCDC_OK;
    differences(&of_widths, &of_centres, c, data->cols);
    /* Columns of one range whose widths differ are pixels, some of them near the border. */
    *out = of_widths < 0.5 ? of_centres < 0.5 : share_a_range(c, data->cols);
    return SCDC_OK;
}

/* ---- each column by itself ---- */

int input_make_columns(input_scale *input, size_t D)
{
    SCDC_TRY(mem_zeroed(&input->centre, D, sizeof *input->centre, "the scales of columns"));
    int status = mem_zeroed(&input->width, D, sizeof *input->width, "the scales of columns");
    if (status != SCDC_OK) {
        input_free(input);
        return status;
    }
    for (size_t c = 0; c < D; c++) input->width[c] = 1;
    return SCDC_OK;
}

void input_free(input_scale *input)
{
    mem_free(input->centre);
    mem_free(input->width);
    input->centre = input->width = NULL;
}

static int column_scale(input_scale *out, const scdc_column *columns, size_t D)
{
    *out = (input_scale){.scale = 1};
    SCDC_TRY(input_make_columns(out, D));
    for (size_t c = 0; c < D; c++) {
        out->centre[c] = columns[c].centre;
        if (columns[c].width > 0) out->width[c] = columns[c].width;
    }
    return SCDC_OK;
}

static int choose_gaussian(input_scale *out, scdc_scaling *scaling, const scdc_data *data,
                           double mean, bool paper)
{
    if (*scaling == SCDC_SCALING_AUTO && paper) *scaling = SCDC_SCALING_UNIT;
    if (*scaling == SCDC_SCALING_UNIT) return unit_scale(out, data, mean);
    if (*scaling == SCDC_SCALING_NONE) *out = (input_scale){.scale = 1};
    if (*scaling == SCDC_SCALING_NONE) return SCDC_OK;
    scdc_column *columns;
    SCDC_TRY(mem_zeroed(&columns, data->cols, sizeof *columns, "a look at the columns"));
    int status = scdc_data_columns(columns, data->cols, data);
    if (status == SCDC_OK && *scaling == SCDC_SCALING_AUTO) {
        bool one_kind = false;
        status = of_one_kind(&one_kind, columns, data);
        *scaling = one_kind ? SCDC_SCALING_UNIT : SCDC_SCALING_COLUMNS;
    }
    if (status == SCDC_OK && *scaling == SCDC_SCALING_UNIT) status = unit_scale(out, data, mean);
    if (status == SCDC_OK && *scaling == SCDC_SCALING_COLUMNS)
        status = column_scale(out, columns, data->cols);
    mem_free(columns);
    return status;
}

/* ---- all of it ---- */

int input_choose(input_scale *out, scdc_likelihood *likelihood, scdc_scaling *scaling,
                 const scdc_data *data, bool paper)
{
    scdc_data_info info;
    SCDC_TRY(scdc_data_get_info(&info, data));
    bool bytes = data->dtype == SCDC_U8, unit = info.min >= 0 && info.max <= 1;
    if (*likelihood == SCDC_LIKELIHOOD_AUTO) {
        *likelihood = bytes || unit ? SCDC_LIKELIHOOD_BERNOULLI : SCDC_LIKELIHOOD_GAUSSIAN;
    }
    if (*likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        return choose_gaussian(out, scaling, data, info.mean, paper);
    }
    bool logistic = *likelihood == SCDC_LIKELIHOOD_LOGISTIC;
    if (!bytes && !unit) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "likelihood %s needs values in [0,1] (or bytes), these go from %g to "
                         "%g: use likelihood gaussian or scale the data",
                         logistic ? "logistic" : "bernoulli", info.min, info.max);
    }
    *scaling = SCDC_SCALING_NONE;
    *out = (input_scale){.scale = bytes && info.max > 1 ? 1.0f / 255 : 1.0f, .binarise = !logistic};
    return SCDC_OK;
}

static real draw_in(real o)
{
    real size = real_fabs(o), near = (real)NEAR;
    if (!(size > near)) return o;
    size = near + real_log1p(size - near);
    return o < 0 ? -size : size;
}

/* What is beyond anything seen stays finite. */
static double draw_out(double o)
{
    double size = fabs(o);
    if (size <= NEAR) return o;
    size = NEAR + expm1(fmin(size - NEAR, 40));
    return o < 0 ? -size : size;
}

void input_gather(real *o, const scdc_data *data, const input_scale *input, const uint32_t *items,
                  size_t rows)
{
    if (!input->centre) {
        data_gather(o, data, items, rows, (double)input->scale, (double)input->shift);
        return;
    }
    data_gather_columns(o, data, items, rows, input->centre, input->width);
    for (size_t i = 0; i < rows * data->cols; i++) o[i] = draw_in(o[i]);
}

void input_restore(float *out, const real *o, const input_scale *input, size_t D)
{
    for (size_t c = 0; c < D; c++) {
        double value = (double)o[c];
        if (input->centre) value = draw_out(value) * input->width[c] + input->centre[c];
        else if (!input->binarise) value = (value - (double)input->shift) / (double)input->scale;
        out[c] = (float)value;
    }
}
