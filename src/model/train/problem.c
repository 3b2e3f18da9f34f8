/* Describing the problem before anything is learned. */
#include "model/train/problem.h"

#include "base/status.h"
#include "crowd/crowd.h"
#include "model/image_nets.h"
#include "model/options.h"
#include "model/recipe.h"
#include "model/train/input.h"
#include "model/train/scale_trial.h"

/* Values of an item above which fewer of them are placed at a time. */
enum { WIDE = 4096 };

const scdc_answer *crowd_answers_of(const scdc_crowd *crowd, size_t *count)
{
    *count = 0;
    return crowd ? scdc_crowd_answers(crowd, count) : NULL;
}

int crowd_check(const scdc_crowd *crowd, const scdc_data *data)
{
    size_t count;
    const scdc_answer *answers = crowd_answers_of(crowd, &count);
    for (size_t a = 0; a < count; a++) {
        uint32_t item = answers[a].left > answers[a].right ? answers[a].left : answers[a].right;
        if (item >= data->rows) {
            return fail_with(SCDC_ERR_ARGUMENT,
                             "answer %zu is about item %u, but there are only %zu items", a + 1,
                             item, data->rows);
        }
    }
    return SCDC_OK;
}

int crowd_annotated(size_t *out, const scdc_crowd *crowd)
{
    scdc_crowd_info info;
    *out = 0;
    if (!crowd) return SCDC_OK;
    SCDC_TRY(scdc_crowd_get_info(&info, crowd));
    *out = info.items;
    return SCDC_OK;
}

static bool like_pictures(const scdc_data *data, const scdc_data_info *info)
{
    bool shares = info->min >= 0 && info->max <= 1 && data->cols >= 64;
    return data->height > 1 || data->width > 1 || data->dtype == SCDC_U8 || shares;
}

void problem_free(problem *p)
{
    input_free(&p->input);
    linear_map_free(&p->map);
}

int problem_describe(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                     const scdc_options *options)
{
    core_spec *spec = &p->spec;
    SCDC_TRY(options_check(options));
    SCDC_TRY(crowd_check(crowd, data));
    scdc_data_info info;
    size_t answers = 0, workers = 0, annotated;
    SCDC_TRY(scdc_data_get_info(&info, data));
    SCDC_TRY(crowd_annotated(&annotated, crowd));
    if (crowd) {
        scdc_crowd_answers(crowd, &answers);
        while (scdc_crowd_worker_name(crowd, workers)) workers++;
    }
    *spec = (core_spec){.items = data->rows,
                        .channels = data->channels,
                        .height = data->height,
                        .width = data->width,
                        .workers = workers,
                        .answers = answers,
                        .likelihood = options->likelihood,
                        .options = *options};
    problem_size size = {.items = data->rows,
                         .dims = data->cols,
                         .answers = answers,
                         .annotated = annotated,
                         .workers = workers,
                         .image = like_pictures(data, &info)};
    SCDC_TRY(options_resolve(&spec->options, &size));
    spec->likelihood = spec->options.likelihood;
    SCDC_TRY(input_choose(&p->input, &spec->likelihood, &spec->options.scaling, data,
                          !recipe_of(options)->scales_columns));
    spec->options.likelihood = spec->likelihood;
    if (spec->options.net == SCDC_NET_LINEAR) {
        SCDC_TRY(linear_map_find(&p->map, &spec->options.latent, data, &p->input));
        SCDC_TRY(scale_by_answers(p, data, crowd, options));
        SCDC_TRY(size_by_trials(p, data, crowd, options));
    }
    spec->latent = spec->options.latent;
    spec->components = spec->options.components;
    if (!image_nets_asked(&spec->options)) return SCDC_OK;
    image_nets_size networks; /* words that do not fit are told before anything is made */
    return image_nets_measure(&networks, spec);
}

/* Rows that are placed at a time: threads meet less often when they are many, but wide ones take
 * room; networks of images have it for minibatches. */
static size_t placed_rows(const scdc_data *data, const scdc_options *o)
{
    return image_nets_asked(o) ? 1 : data->cols > WIDE ? 256 : 512;
}

/* Rows of items alone that a core gets at a time: a minibatch, or the largest of its shards. */
static size_t plain_rows(const core_spec *spec)
{
    size_t batch = spec->options.batch, shards = spec->options.shards, items = spec->items;
    if (shards < 2) return batch;
    size_t steps = (items + batch - 1) / batch, stretch = (items + shards - 1) / shards;
    return (stretch + steps - 1) / steps;
}

int problem_measure(core_spec *spec, const batcher_spec *batches, const scdc_data *data)
{
    batcher sizes;
    SCDC_TRY(batcher_create(&sizes, batches));
    /* The first stages take minibatches of items alone. */
    size_t plain = plain_rows(spec);
    spec->max_rows = sizes.max_rows > plain ? sizes.max_rows : plain;
    size_t placed = placed_rows(data, &spec->options);
    if (spec->max_rows < placed) spec->max_rows = placed;
    spec->max_answers = sizes.max_answers;
    batcher_free(&sizes);
    return SCDC_OK;
}
