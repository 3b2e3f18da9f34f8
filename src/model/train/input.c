/* Choosing likelihood and scaling. */
#include "model/train/input.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>

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

static double deviation(const scdc_data *data, double mean)
{
    struct spread s = {data, mean};
    double sum = parallel_sum(data->rows, 256, squares, &s);
    return sqrt(sum / ((double)data->rows * (double)data->cols));
}

int input_choose(input_scale *out, scdc_likelihood *likelihood, scdc_scaling scaling,
                 const scdc_data *data)
{
    scdc_data_info info;
    SCDC_TRY(scdc_data_get_info(&info, data));
    bool bytes = data->dtype == SCDC_U8, unit = info.min >= 0 && info.max <= 1;
    if (*likelihood == SCDC_LIKELIHOOD_AUTO) {
        *likelihood = bytes || unit ? SCDC_LIKELIHOOD_BERNOULLI : SCDC_LIKELIHOOD_GAUSSIAN;
    }
    if (*likelihood == SCDC_LIKELIHOOD_GAUSSIAN && scaling == SCDC_SCALING_NONE) {
        *out = (input_scale){1, 0, false};
        return SCDC_OK;
    }
    if (*likelihood == SCDC_LIKELIHOOD_GAUSSIAN) {
        double width = deviation(data, info.mean);
        if (!(width > 0)) width = 1;
        *out = (input_scale){(float)(1 / width), (float)(-info.mean / width), false};
        return SCDC_OK;
    }
    if (!bytes && !unit) {
        return fail_with(
            SCDC_ERR_ARGUMENT,
            "likelihood bernoulli needs values in [0,1] (or bytes), these go from %g to "
            "%g: use likelihood gaussian or scale the data",
            info.min, info.max);
    }
    *out = (input_scale){bytes && info.max > 1 ? 1.0f / 255 : 1.0f, 0, true};
    return SCDC_OK;
}

void input_gather(real *o, const scdc_data *data, const input_scale *input, const uint32_t *items,
                  size_t rows)
{
    data_gather(o, data, items, rows, (double)input->scale, (double)input->shift);
}
