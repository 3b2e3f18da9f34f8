/* The lessons of a pupil. */
#include "model/pupil/school.h"
#include "base/status.h"
#include "model/pupil/coins.h"
#include "model/clusters/kept_answers.h"
#include "model/pupil/mirrored.h"
#include "model/tuning.h"
#include "model/use/weigh_alone.h"

#include <string.h>

/* ---- what there is to learn ---- */

static size_t between(double value, size_t least, size_t most)
{
    return value < (double)least ? least : value > (double)most ? most : (size_t)value;
}

/* Of labels; of clusters that it learned itself it needs but a few more. */
static size_t choose_epochs(const scdc_model *model, size_t items)
{
    const scdc_options *o = &model->core->spec.options;
    if (model_is_led(model)) return PUPIL_FEW_EPOCHS;
    if (o->classifier_epochs) return o->classifier_epochs;
    return between(PUPIL_ITEMS / (double)items, PUPIL_LEAST_EPOCHS, PUPIL_MOST_EPOCHS);
}

/* Of answers alone: none where nothing was kept back that tells whether they helped. */
static size_t choose_alone(const school *s)
{
    if (model_is_led(s->model) || !s->model->clusters->unheard || !s->answers.units) return 0;
    return between(PUPIL_BETWEEN / (double)s->answers.rows, 1, PUPIL_MOST_BETWEEN);
}

/* Clusters by their place among the model's, not by the numbers that users see. */
static int label_items(school *s)
{
    int64_t *label = s->items.label;
    SCDC_TRY(
        scdc_model_labels(label, s->items.probability, NULL, NULL, s->model, s->data, s->crowd));
    for (size_t i = 0; i < s->items.items; i++) {
        label[i] = (int64_t)model_cluster_of_number(s->model, label[i]);
    }
    return SCDC_OK;
}

/* Items whose answers were kept back will tell how good it is. */
static void keep_out(bool *kept_out, const cluster_level *t)
{
    for (size_t i = 0; t->unheard && i < t->graph.nodes; i++) {
        if (t->unheard[i]) kept_out[t->graph.item[i]] = true;
    }
}

static int take_answers(school *s, bool trusted)
{
    const remembered *all = &s->model->clusters->remembered;
    lesson_coins(s->coins, s->model->core, trusted);
    lesson_answers_free(&s->answers);
    return lesson_answers_create(&s->answers, all->answers, all->n_answers, s->items.kept_out,
                                 (const double(*)[2])s->coins);
}

int school_open(school *s)
{
    const core_spec *c = &s->model->core->spec;
    const scdc_options *o = &c->options;
    size_t n = s->data->rows;
    arena *m = &s->memory;
    s->items = (lesson_items){.items = n};
    s->items.label = arena_new(m, n, sizeof *s->items.label, "labels");
    s->items.probability = arena_new(m, n, sizeof *s->items.probability, "labels");
    s->items.kept_out = arena_new(m, n, sizeof *s->items.kept_out, "items");
    s->coins = arena_new(m, c->workers, sizeof *s->coins, "workers");
    SCDC_TRY(arena_status(m));
    s->plan =
        (lesson_plan){.data = s->data,
                      .input = &s->model->input,
                      .augment = view_kind(o->augment, (shape){c->channels, c->height, c->width}),
                      .seed = o->seed,
                      .rate = PUPIL_RATE};
    keep_out(s->items.kept_out, s->model->clusters);
    if (s->model->clusters->has_answers) {
        SCDC_TRY(take_answers(s, false));
        s->plan.answers = &s->answers;
    }
    s->alone = choose_alone(s);
    s->plan.epochs = choose_epochs(s->model, n) + s->alone;
    return label_items(s);
}

void school_close(school *s)
{
    lesson_answers_free(&s->answers);
    arena_free(&s->memory);
}

/* ---- lessons ---- */

/* How well the network foretells the answers that were kept back. */
static int foretell(double *fit, const school *s)
{
    const crowd_graph *g = &s->model->clusters->graph;
    size_t C = s->model->n_clusters;
    kept_answers kept;
    double *word = NULL;
    int status = kept_answers_create(&kept, s->model->clusters);
    if (status == SCDC_OK)
        status = mem_zeroed(&word, g->nodes, C * sizeof *word, "clusters of items");
    if (status == SCDC_OK) status = words_alone(word, s->model, s->data, g, true);
    if (status == SCDC_OK) *fit = kept_answers_fit(&kept, word, C);
    mem_free(word);
    kept_answers_free(&kept);
    return status;
}

static int run_epochs(school *s, size_t end, bool by_itself)
{
    for (; s->next < end; s->next++) {
        if (by_itself) SCDC_TRY(label_items(s));
        SCDC_TRY(pupil_epoch(s->model->pupil, &s->items, &s->plan, s->next));
    }
    return SCDC_OK;
}

/* Nobody is sure of anything. Turned views would take many more epochs until what answers are about
 * is seen, and these are few. */
static int run_alone(school *s)
{
    const core_spec *c = &s->model->core->spec;
    scdc_augment usual = s->plan.augment;
    SCDC_TRY(take_answers(s, true));
    memset(s->items.probability, 0, s->items.items * sizeof *s->items.probability);
    s->plan.augment = view_gentle(c->options.augment, s->model->pupil->in);
    if (s->mirrored) s->plan.augment = view_mirrored(s->plan.augment);
    int status = run_epochs(s, s->next + s->alone, false);
    s->plan.augment = usual;
    return status;
}

/* Mirrored views from here on where answers kept back have nothing against them. */
static int choose_views(school *s)
{
    SCDC_TRY(may_be_mirrored(&s->mirrored, s->model->pupil, s->model, s->data));
    if (s->mirrored) s->plan.augment = view_mirrored(s->plan.augment);
    return SCDC_OK;
}

static int run_by_itself(school *s)
{
    return run_epochs(s, s->plan.epochs, true);
}

/* A part of the lessons after which what was kept back must be foretold better than before it by
 * more than so many nats; else the network stays as it was. */
static int try_part(bool *kept, school *s, int (*part)(school *s), double gain)
{
    param_block *b = &s->model->pupil->block;
    double before = 0, after = 0;
    bool judged = s->model->clusters->unheard != NULL;
    real *params = arena_new(&s->memory, b->count, sizeof *params, "a network");
    SCDC_TRY(arena_status(&s->memory));
    memcpy(params, b->params, b->count * sizeof *params);
    if (judged) SCDC_TRY(foretell(&before, s));
    int status = part(s);
    if (status == SCDC_OK && judged) status = foretell(&after, s);
    *kept = status == SCDC_OK && (!judged || after > before + gain);
    if (status != SCDC_OK && status != SCDC_ERR_NUMERIC) return status;
    if (!*kept) memcpy(b->params, params, b->count * sizeof *params);
    return SCDC_OK;
}

static int try_alone(school *s)
{
    bool kept;
    size_t end = s->next + s->alone;
    if (!s->alone) return SCDC_OK;
    SCDC_TRY(try_part(&kept, s, run_alone, 0));
    s->next = end;
    return kept ? SCDC_OK : take_answers(s, false);
}

/* Its own labels favour large clusters. One that learned its clusters from answers alone may lose
 * some of them by its own labels; of clusters of the fit own labels are right unless what was kept
 * back clearly contradicts. */
int school_run(school *s)
{
    bool kept;
    if (model_is_led(s->model)) {
        SCDC_TRY(choose_views(s));
        return try_part(&kept, s, run_by_itself, 0);
    }
    size_t by_fit = PUPIL_BY_FIT < s->plan.epochs ? PUPIL_BY_FIT : s->plan.epochs;
    SCDC_TRY(run_epochs(s, by_fit, false));
    SCDC_TRY(choose_views(s));
    SCDC_TRY(try_alone(s));
    return try_part(&kept, s, run_by_itself, -LEAST_GAIN);
}
