/* Teaching a pupil at the end of a fit. */
#include "model/pupil/teach.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/pupil/judge.h"
#include "model/tuning.h"

enum { LEAST_SIDE = 8 }; /* of an image */

static const char CONV[] = "conv32,conv48/2,conv64/2,drop0.3";
static const char RESNET[] = "conv32,res32/2,res64/2,res128/2,mean";
static const char DENSE[] = "dense256,drop0.3,dense128,drop0.3";

/* The layers a model's pupil is to have; NULL: it has none. */
static const char *choose_words(const scdc_model *model)
{
    const core_spec *s = &model->core->spec;
    bool image = s->height >= LEAST_SIDE && s->width >= LEAST_SIDE;
    if (!model->clusters || model->n_clusters < 2 || model->n_clusters > MOST_CLASSES) return NULL;
    switch (s->options.classifier) {
    case SCDC_CLASSIFIER_AUTO:
        return image && model_annotated(model) && !model_is_judged(model) &&
                       s->items >= PUPIL_LEAST_ITEMS
                   ? CONV
                   : NULL;
    case SCDC_CLASSIFIER_DENSE: return DENSE;
    case SCDC_CLASSIFIER_CONV: return CONV;
    case SCDC_CLASSIFIER_RESNET: return RESNET;
    default: return NULL;
    }
}

/* Digits and letters are not what they are when mirrored, photographs are. */
static scdc_augment choose_views(const core_spec *s)
{
    if (s->options.augment != SCDC_AUGMENT_AUTO) return s->options.augment;
    if (s->height < LEAST_SIDE || s->width < LEAST_SIDE) return SCDC_AUGMENT_NONE;
    return s->channels == 1 ? SCDC_AUGMENT_AFFINE : SCDC_AUGMENT_CROP;
}

static size_t choose_epochs(const scdc_options *o, size_t items)
{
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
    lesson_plan plan;
    bool judged; /* it must be better than what was there */
    kept_answers kept;
    double before; /* fit of the answers kept, without the pupil */
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

static int open_school(school *s)
{
    const scdc_options *o = &s->model->core->spec.options;
    size_t n = s->data->rows;
    arena *m = &s->memory;
    s->items = (lesson_items){.items = n};
    s->items.label = arena_new(m, n, sizeof *s->items.label, "labels");
    s->items.probability = arena_new(m, n, sizeof *s->items.probability, "labels");
    s->items.kept_out = arena_new(m, n, sizeof *s->items.kept_out, "items");
    SCDC_TRY(arena_status(m));
    s->plan = (lesson_plan){.data = s->data,
                            .input = &s->model->input,
                            .augment = choose_views(&s->model->core->spec),
                            .seed = o->seed,
                            .epochs = choose_epochs(o, n),
                            .rate = PUPIL_RATE};
    SCDC_TRY(label_items(s));
    s->judged = o->classifier == SCDC_CLASSIFIER_AUTO;
    if (!s->judged) return SCDC_OK;
    SCDC_TRY(kept_answers_create(&s->kept, s->items.kept_out, s->model, s->items.label,
                                 s->items.probability));
    return s->kept.count ? kept_answers_fit(&s->before, &s->kept, s->model, s->data) : SCDC_OK;
}

/* All epochs; the model has the pupil from here on, and labels are its own after a few. */
static int run_lessons(school *s)
{
    uint64_t number = 0;
    net_init(&s->model->pupil->net, s->plan.seed, &number);
    for (size_t epoch = 0; epoch < s->plan.epochs; epoch++) {
        if ((double)epoch >= PUPIL_BY_FIT) SCDC_TRY(label_items(s));
        SCDC_TRY(pupil_epoch(s->model->pupil, &s->items, &s->plan, epoch));
    }
    return SCDC_OK;
}

/* Whether the pupil stays. */
static int examine(bool *passed, school *s)
{
    double after;
    *passed = true;
    if (!s->judged) return SCDC_OK;
    *passed = false;
    if (!s->kept.count) return SCDC_OK;
    SCDC_TRY(kept_answers_fit(&after, &s->kept, s->model, s->data));
    *passed = after > s->before;
    return SCDC_OK;
}

int teach_pupil(scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    const char *words = choose_words(model);
    school s = {.model = model, .data = data, .crowd = crowd};
    bool passed = false;
    int status;
    if (!words) return SCDC_OK;
    stage before = stage_enter(STAGE_CLASSIFIER);
    SCDC_TRY_OR(done, status, open_school(&s));
    SCDC_TRY_OR(done, status, model_create_pupil(model, words, PUPIL_ROWS));
    status = run_lessons(&s);
    if (status == SCDC_OK) status = examine(&passed, &s);
    /* A network that ran away is no reason to lose the fit. */
    if (status == SCDC_ERR_NUMERIC) status = SCDC_OK;
    if (!passed) model_drop_pupil(model);
done:
    kept_answers_free(&s.kept);
    arena_free(&s.memory);
    stage_enter(before);
    return status;
}
