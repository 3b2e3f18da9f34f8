/* The same networks and components, in a model that has room for more. */
#include "base/status.h"
#include "crowd/crowd.h"
#include "model/train/fit.h"
#include "model/use/kept.h"
#include "model/update/update.h"

#include <string.h>

static int copy_input(input_scale *out, const input_scale *from, size_t D)
{
    *out = *from;
    out->centre = out->width = NULL;
    if (!from->centre) return SCDC_OK;
    SCDC_TRY(input_make_columns(out, D));
    memcpy(out->centre, from->centre, D * sizeof *out->centre);
    memcpy(out->width, from->width, D * sizeof *out->width);
    return SCDC_OK;
}

/* What links between components say is not the answers' word: it stays. */
static void copy_links(cluster_level *t, const cluster_level *from)
{
    size_t K = t->core->spec.components;
    memcpy(t->links, from->links, K * K * sizeof *t->links);
    memcpy(t->views, from->views, K * K * sizeof *t->views);
    take_links(&t->state, &from->state);
}

static int copy_history(scdc_model *model, const scdc_model *from)
{
    for (size_t e = 0; e < from->epoch; e++)
        SCDC_TRY(model_append_epoch(model, &from->history[e], NULL));
    model->warm_epoch = from->warm_epoch;
    model->begun = from->begun;
    model->rate_scale = from->rate_scale;
    model->best_bound = from->best_bound;
    model->epochs_without_rise = from->epochs_without_rise;
    model->steady_epochs = from->steady_epochs;
    model->finished = from->finished;
    model->stability = from->stability;
    return SCDC_OK;
}

bool update_was_taught(const scdc_model *from)
{
    return from->epoch && from->history[from->epoch - 1].foretold < 0;
}

/* Answers that networks and components learned from. */
static size_t answers_of_fit(const scdc_model *from)
{
    if (!update_was_taught(from)) return 0;
    return from->fit_answers ? from->fit_answers : from->core->spec.answers;
}

int update_grow(scdc_model **out, const scdc_model *from, const scdc_data *data,
                const scdc_crowd *crowd)
{
    problem p = {.spec = from->core->spec};
    core_spec *s = &p.spec;
    scdc_model *model = NULL;
    int status;
    s->items = data->rows;
    s->answers = crowd ? crowd->count : 0;
    s->workers = crowd ? crowd->workers.count : 0;
    SCDC_TRY_OR(done, status, copy_input(&p.input, &from->input, model_width(from)));
    batcher_spec batches = batches_of(s, &p.input, data, crowd);
    SCDC_TRY_OR(done, status, problem_measure(s, &batches, data));
    SCDC_TRY_OR(done, status, start_model(&model, &p, crowd));
    SCDC_TRY_OR(done, status, model->core->ops->adopt(model->core, from->core));
    SCDC_TRY_OR(done, status, copy_history(model, from));
    copy_links(model->clusters, from->clusters);
    model->clusters->updated = true;
    model->clusters->unasked = !update_was_taught(from);
    if (from->kept) SCDC_TRY_OR(done, status, kept_restore(model, from->kept));
    model->fit_answers = answers_of_fit(from);
    *out = model;
    model = NULL;
done:
    problem_free(&p);
    scdc_model_free(model);
    return status;
}
