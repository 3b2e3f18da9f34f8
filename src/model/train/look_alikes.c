/* Links between components that a network takes for one another. */
#include "model/train/look_alikes.h"
#include "base/numeric.h"
#include "base/status.h"
#include "kernels/activation.h"
#include "model/clusters/cluster_source.h"
#include "model/pupil/coins.h"
#include "model/pupil/teach.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <string.h>

static const char LAYERS[] = "conv32,conv48/2,conv64/2,drop0.3";

typedef struct looking {
    scdc_model *model;
    const scdc_data *data;
    lesson_items items; /* labels are components */
    lesson_plan plan;
    pupil f;
    size_t *component; /* [outputs] that hold items */
    size_t outputs;
    double *links; /* [K][K] */
    arena memory;
} looking;

static bool can_look(const scdc_model *model, size_t items, scdc_augment views)
{
    const cluster_level *t = model->clusters;
    return t && t->source == &grouped_components && t->state.has_links &&
           views != SCDC_AUGMENT_NONE && items >= PUPIL_LEAST_ITEMS;
}

/* Whether answers tell so much of the clusters that links have little to add. */
static int told_enough(bool *out, scdc_model *model)
{
    cluster_level *t = model->clusters;
    double(*coins)[2], told;
    *out = false;
    if (!t->unheard) return SCDC_OK;
    SCDC_TRY(cluster_level_told(&told, t));
    SCDC_TRY(mem_zeroed(&coins, model->core->spec.workers, sizeof *coins, "workers"));
    lesson_coins(coins, model->core, true);
    *out =
        told >= PUPIL_TOLD_ENOUGH * answers_could_tell(&t->remembered, (const double(*)[2])coins);
    mem_free(coins);
    return SCDC_OK;
}

static int looking_create(looking *s)
{
    size_t n = s->data->rows, K = s->model->core->spec.components;
    arena *m = &s->memory;
    s->items = (lesson_items){.items = n};
    s->items.label = arena_new(m, n, sizeof *s->items.label, "components");
    s->items.probability = arena_new(m, n, sizeof *s->items.probability, "components");
    s->items.kept_out = arena_new(m, n, sizeof *s->items.kept_out, "items");
    s->component = arena_new(m, K, sizeof *s->component, "components");
    s->links = arena_new(m, K, K * sizeof *s->links, "links");
    return arena_status(m);
}

/* ---- the components of all items ---- */

static int place_by_core(void *context, const chunk *c)
{
    core *by = ((const looking *)context)->model->core;
    return by->ops->place(c->z, NULL, by, c->o, c->rows, NULL);
}

static int note_component(void *context, const chunk *c)
{
    looking *s = context;
    size_t K = s->model->core->spec.components;
    for (size_t row = 0; row < c->rows; row++)
        s->items.label[c->first + row] = (int64_t)argmax(c->z + row * K, K);
    return SCDC_OK;
}

/* Labels are outputs from here on, one for each component that holds items. */
static int find_components(looking *s)
{
    size_t n = s->data->rows, K = s->model->core->spec.components;
    int64_t *output = arena_new(&s->memory, K, sizeof *output, "components");
    SCDC_TRY(arena_status(&s->memory));
    SCDC_TRY(walk_items(&(walk){.model = s->model,
                                .data = s->data,
                                .count = n,
                                .place = place_by_core,
                                .take = note_component,
                                .context = s,
                                .result = {{s->items.label, sizeof *s->items.label}}}));
    for (size_t i = 0; i < n; i++) output[s->items.label[i]] = 1;
    for (size_t k = 0; k < K; k++) {
        if (!output[k]) continue;
        output[k] = (int64_t)s->outputs;
        s->component[s->outputs++] = k;
    }
    for (size_t i = 0; i < n; i++) {
        s->items.label[i] = output[s->items.label[i]];
        s->items.probability[i] = 1;
    }
    return SCDC_OK;
}

/* ---- the network ---- */

static size_t choose_epochs(size_t items)
{
    size_t epochs = (size_t)(LOOK_VIEWS / (double)items);
    return epochs < LOOK_LEAST_EPOCHS  ? LOOK_LEAST_EPOCHS
           : epochs > LOOK_MOST_EPOCHS ? LOOK_MOST_EPOCHS
                                       : epochs;
}

static int teach(looking *s)
{
    const core_spec *spec = &s->model->core->spec;
    shape in = {spec->channels, spec->height, spec->width};
    uint64_t number = 0;
    SCDC_TRY(pupil_create(&s->f, LAYERS, in, s->outputs, PUPIL_ROWS));
    net_init(&s->f.net, s->plan.seed, &number);
    for (size_t epoch = 0; epoch < s->plan.epochs; epoch++)
        SCDC_TRY(pupil_epoch(&s->f, &s->items, &s->plan, epoch));
    return SCDC_OK;
}

/* What it takes a view for, added to the links of the component that the item is in. */
static void count_rows(looking *s, const real *word, const uint32_t *item, size_t rows)
{
    size_t K = s->model->core->spec.components;
    for (size_t row = 0; row < rows; row++) {
        size_t own = s->component[s->items.label[item[row]]];
        for (size_t u = 0; u < s->outputs; u++) {
            double half = (double)word[row * s->outputs + u] / 2;
            s->links[own * K + s->component[u]] += half;
            s->links[s->component[u] * K + own] += half;
        }
    }
}

/* Evenly chosen items, each in views that it was not taught. */
static int count_links(looking *s)
{
    pupil *f = &s->f;
    size_t n = s->data->rows, count = n < VIEWED_ITEMS ? n : VIEWED_ITEMS;
    size_t rounds = (VIEWED_ITEMS + count - 1) / count;
    real *o = arena_new(&s->memory, f->rows, shape_size(f->in) * sizeof *o, "items");
    uint32_t *item = arena_new(&s->memory, f->rows, sizeof *item, "items");
    SCDC_TRY(arena_status(&s->memory));
    net_set_mode(&f->net, &(net_mode){.training = false});
    for (size_t round = 0; round < rounds && round < VIEW_ROUNDS; round++) {
        for (size_t first = 0; first < count; first += f->rows) {
            size_t rows = count - first < f->rows ? count - first : f->rows;
            for (size_t i = 0; i < rows; i++) item[i] = (uint32_t)((first + i) * n / count);
            input_gather(o, s->data, s->plan.input, item, rows);
            view_rows(f->o, o, f->in, item, rows, s->plan.augment, s->plan.seed,
                      (uint32_t)(s->plan.epochs + round));
            real *word = net_forward(&f->net, f->o, rows);
            softmax_rows(word, word, rows, s->outputs);
            count_rows(s, word, item, rows);
        }
    }
    return SCDC_OK;
}

int link_look_alikes(scdc_model *model, const scdc_data *data)
{
    const core_spec *spec = &model->core->spec;
    const scdc_options *o = &spec->options;
    shape in = {spec->channels, spec->height, spec->width};
    looking s = {.model = model,
                 .data = data,
                 .plan = {.data = data,
                          .input = &model->input,
                          .augment = view_kind(o->augment, in),
                          .seed = o->seed,
                          .epochs = choose_epochs(data->rows),
                          .rate = PUPIL_RATE}};
    bool enough;
    if (!can_look(model, data->rows, s.plan.augment)) return SCDC_OK;
    SCDC_TRY(told_enough(&enough, model));
    if (enough) return SCDC_OK;
    int status = looking_create(&s);
    if (status == SCDC_OK) status = find_components(&s);
    if (status == SCDC_OK && s.outputs > 1) {
        SCDC_TRY_OR(done, status, teach(&s));
        SCDC_TRY_OR(done, status, count_links(&s));
        cluster_level_link_look_alikes(model->clusters, s.links);
        status = cluster_level_regroup(model->clusters, 2);
    }
done:
    pupil_free(&s.f);
    arena_free(&s.memory);
    /* A network that ran away is no reason to lose the fit. */
    return status == SCDC_ERR_NUMERIC ? SCDC_OK : status;
}
