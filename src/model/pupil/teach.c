/* Teaching a pupil at the end of a fit. */
#include "model/pupil/teach.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/pupil/by_answers.h"
#include "model/pupil/kept_answers.h"
#include "model/tuning.h"
#include "model/use/settled.h"
#include "model/use/weigh_alone.h"

#include <string.h>

static const char CONV[] = "conv32,conv48/2,conv64/2,drop0.3";
static const char RESNET[] = "batch32,batchres32/2,batchres64/2,batchres128/2,mean";
static const char DENSE[] = "dense256,drop0.3,dense128,drop0.3";

/* The layers a model's pupil is to have; NULL: it has none. */
static const char *choose_words(const scdc_model *model)
{
    const core_spec *s = &model->core->spec;
    bool image = shows_something((shape){s->channels, s->height, s->width});
    bool answers = model->clusters && model->clusters->unheard;
    if (!model->clusters) return NULL;
    switch (s->options.classifier) {
    case SCDC_CLASSIFIER_AUTO:
        if (!image || !answers || s->items < PUPIL_LEAST_ITEMS) return NULL;
        return s->channels == 1 ? CONV : RESNET;
    case SCDC_CLASSIFIER_DENSE: return DENSE;
    case SCDC_CLASSIFIER_CONV: return CONV;
    case SCDC_CLASSIFIER_RESNET: return RESNET;
    default: return NULL;
    }
}

/* Of clusters that it learned itself it needs but a few more. */
static size_t choose_epochs(const scdc_model *model, size_t items)
{
    const scdc_options *o = &model->core->spec.options;
    if (model_is_led(model)) return PUPIL_LEAST_EPOCHS;
    if (o->classifier_epochs) return o->classifier_epochs;
    size_t epochs = (size_t)(PUPIL_ITEMS / (double)items);
    return epochs < PUPIL_LEAST_EPOCHS  ? PUPIL_LEAST_EPOCHS
           : epochs > PUPIL_MOST_EPOCHS ? PUPIL_MOST_EPOCHS
                                        : epochs;
}

typedef struct school {
    scdc_model *model;
    const scdc_data *data;
    const scdc_crowd *crowd;
    lesson_items items;
    lesson_answers answers;
    lesson_plan plan;
    arena memory;
} school;

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

/* Coins as the fit found them: held, for learned beside a network that knows nothing yet they would
 * soon say that answers mean nothing. */
static int take_answers(school *s)
{
    const core *c = s->model->core;
    const remembered *all = &s->model->clusters->remembered;
    if (!s->model->clusters->has_answers) return SCDC_OK;
    double(*coins)[2] = arena_new(&s->memory, c->spec.workers, sizeof *coins, "workers");
    SCDC_TRY(arena_status(&s->memory));
    for (size_t m = 0; m < c->spec.workers; m++) {
        worker_estimate w;
        c->ops->worker(&w, c, m);
        coins[m][0] = w.sensitivity[0] / (w.sensitivity[0] + w.sensitivity[1]);
        coins[m][1] = w.specificity[0] / (w.specificity[0] + w.specificity[1]);
    }
    SCDC_TRY(lesson_answers_create(&s->answers, all->answers, all->n_answers, s->items.kept_out,
                                   (const double(*)[2])coins));
    s->plan.answers = &s->answers;
    return SCDC_OK;
}

static int open_school(school *s)
{
    const core_spec *c = &s->model->core->spec;
    const scdc_options *o = &c->options;
    size_t n = s->data->rows;
    arena *m = &s->memory;
    s->items = (lesson_items){.items = n};
    s->items.label = arena_new(m, n, sizeof *s->items.label, "labels");
    s->items.probability = arena_new(m, n, sizeof *s->items.probability, "labels");
    s->items.kept_out = arena_new(m, n, sizeof *s->items.kept_out, "items");
    SCDC_TRY(arena_status(m));
    s->plan =
        (lesson_plan){.data = s->data,
                      .input = &s->model->input,
                      .augment = view_kind(o->augment, (shape){c->channels, c->height, c->width}),
                      .seed = o->seed,
                      .epochs = choose_epochs(s->model, n),
                      .rate = PUPIL_RATE};
    keep_out(s->items.kept_out, s->model->clusters);
    SCDC_TRY(take_answers(s));
    return label_items(s);
}

/* All epochs; the model has the pupil from here on, and labels are its own after a few. */
static int run_lessons(school *s)
{
    for (size_t epoch = 0; epoch < s->plan.epochs; epoch++) {
        if ((double)epoch >= PUPIL_BY_FIT) SCDC_TRY(label_items(s));
        SCDC_TRY(pupil_epoch(s->model->pupil, &s->items, &s->plan, epoch));
    }
    return SCDC_OK;
}

/* How well it foretells the answers that were kept back. */
static int foretell(double *fit, school *s)
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

/* A network that learned its clusters from answers may lose some of them where it learns from its
 * own labels: it stays as it was unless it then foretells what was kept back better. */
static int run_lessons_on(school *s)
{
    param_block *b = &s->model->pupil->block;
    double before = 0, after = 0;
    real *kept = arena_new(&s->memory, b->count, sizeof *kept, "a network");
    SCDC_TRY(arena_status(&s->memory));
    memcpy(kept, b->params, b->count * sizeof *kept);
    SCDC_TRY(foretell(&before, s));
    int status = run_lessons(s);
    if (status == SCDC_OK) status = foretell(&after, s);
    bool worse = status == SCDC_OK && !(after > before);
    if (worse || status == SCDC_ERR_NUMERIC) memcpy(b->params, kept, b->count * sizeof *kept);
    return status == SCDC_ERR_NUMERIC ? SCDC_OK : status;
}

/* What it counts beside the experts, or how sure it may be where it was asked for by name. */
static int weigh(school *s, bool by_name)
{
    const remembered *all = &s->model->clusters->remembered;
    classes found = {0};
    if (!s->model->clusters->unheard) return SCDC_OK;
    int status = classes_take_answers(&found, all->answers, all->n_answers);
    if (status == SCDC_OK) status = weigh_alone(s->model, s->data, &found, by_name);
    classes_free(&found);
    return status;
}

/* It is asked about all items once more, and these are labelled with its help. */
static int settle_all(school *s)
{
    pupil *f = s->model->pupil;
    SCDC_TRY(pupil_make_room(f, s->data));
    SCDC_TRY(pupil_tell(s->model, s->data, 0));
    return settle_by_network(s->model, s->data);
}

/* A pupil that knows nothing yet. */
static int create_pupil(scdc_model *model, const char *words)
{
    uint64_t number = 0;
    SCDC_TRY(model_create_pupil(model, words, PUPIL_ROWS));
    net_init(&model->pupil->net, model->core->spec.options.seed, &number);
    return SCDC_OK;
}

/* Without a word of its own the pupil is dropped, but for one whose clusters these are. */
static int teach(const char *words, scdc_model *model, const scdc_data *data,
                 const scdc_crowd *crowd, bool by_name)
{
    school s = {.model = model, .data = data, .crowd = crowd};
    alone_word before = model->experts.alone;
    bool leads = model_is_led(model);
    int status;
    stage outside = stage_enter(STAGE_CLASSIFIER);
    if (leads) { /* labels are its own, and change while it learns */
        settled_free(model->settled);
        model->settled = NULL;
    }
    SCDC_TRY_OR(done, status, open_school(&s));
    if (!leads) SCDC_TRY_OR(done, status, create_pupil(model, words));
    model->experts.alone = (alone_word){.network = 1};
    status = leads ? run_lessons_on(&s) : run_lessons(&s);
    if (status == SCDC_OK) status = weigh(&s, by_name || leads);
    if (!leads && (status != SCDC_OK || model->experts.alone.network == 0)) {
        model_drop_pupil(model);
        model->experts.alone = before;
    } else if (status == SCDC_OK) {
        model->doubt = 0; /* of clusters without it; it is doubted by itself */
        status = settle_all(&s);
    }
    /* A network that ran away is no reason to lose the fit. */
    if (status == SCDC_ERR_NUMERIC) status = SCDC_OK;
done:
    lesson_answers_free(&s.answers);
    arena_free(&s.memory);
    stage_enter(outside);
    return status;
}

int teach_pupil(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    const char *words = choose_words(model);
    bool by_name = model->core->spec.options.classifier != SCDC_CLASSIFIER_AUTO;
    if (!words) return SCDC_OK;
    SCDC_TRY(learn_from_answers(words, model, data));
    bool possible = model->n_clusters > 1 && model->n_clusters <= MOST_CLASSES;
    return possible ? teach(words, model, data, crowd, by_name) : SCDC_OK;
}

/* from [C]: where the clusters were. false: some are new, or are no more. */
static bool are_the_same(size_t *from, const scdc_model *model, const scdc_model *before)
{
    if (model->n_clusters != before->n_clusters) return false;
    for (size_t c = 0; c < model->n_clusters; c++) {
        from[c] = model_cluster_of_number(before, model_number(model, (int64_t)c));
        if (from[c] == SIZE_MAX) return false;
    }
    return true;
}

/* The same network, which is asked about new items only. */
static int keep_pupil(scdc_model *model, const pupil *earlier, const size_t *from,
                      const scdc_data *data)
{
    model_drop_pupil(model);
    SCDC_TRY(model_create_pupil(model, earlier->words, PUPIL_PLACED));
    SCDC_TRY(pupil_make_room(model->pupil, data));
    pupil_take(model->pupil, earlier, from);
    return pupil_tell(model, data, earlier->word ? earlier->items : 0);
}

int teach_as_before(scdc_model *model, const scdc_model *before, const scdc_data *data)
{
    size_t same[MOST_CLASSES];
    for (size_t c = 0; c < model->n_clusters; c++) same[c] = c;
    SCDC_TRY(keep_pupil(model, before->pupil, same, data));
    model->experts.alone = before->experts.alone;
    return SCDC_OK;
}

int teach_again(scdc_model *model, const scdc_model *before, const scdc_data *data,
                const scdc_crowd *crowd, bool networks_stay)
{
    size_t from[MOST_CLASSES];
    bool possible = model->n_clusters > 1 && model->n_clusters <= MOST_CLASSES;
    bool stays = networks_stay || model_is_led(before);
    if (!before->pupil || !possible) return SCDC_OK;
    if (stays && are_the_same(from, model, before)) {
        SCDC_TRY(keep_pupil(model, before->pupil, from, data));
        model->experts.alone = before->experts.alone;
        return settle_by_network(model, data);
    }
    SCDC_TRY(teach(before->pupil->words, model, data, crowd, true));
    if (!model->pupil) return SCDC_OK;
    model->experts.alone = before->experts.alone;
    return settle_by_network(model, data);
}
