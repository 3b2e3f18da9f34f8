/* Teaching a pupil at the end of a fit. */
#include "model/pupil/teach.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/pupil/by_answers.h"
#include "model/pupil/school.h"
#include "model/tuning.h"
#include "model/use/settled.h"
#include "model/use/weigh_alone.h"

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
    double doubt = model->doubt;
    bool leads = model_is_led(model);
    int status;
    stage outside = stage_enter(STAGE_CLASSIFIER);
    if (leads) { /* labels are its own, and change while it learns */
        settled_free(model->settled);
        model->settled = NULL;
    }
    model->doubt = 0; /* of all clusters; lessons ask which labels are surer than others */
    SCDC_TRY_OR(done, status, school_open(&s));
    if (!leads) SCDC_TRY_OR(done, status, create_pupil(model, words));
    model->experts.alone = (alone_word){.network = 1};
    status = school_run(&s);
    if (status == SCDC_OK) status = weigh(&s, by_name || leads);
    if (!leads && (status != SCDC_OK || model->experts.alone.network == 0)) {
        model_drop_pupil(model);
        model->experts.alone = before;
        model->doubt = doubt;
    } else if (status == SCDC_OK) { /* a network is doubted by itself */
        status = settle_all(&s);
    }
    /* A network that ran away is no reason to lose the fit. */
    if (status == SCDC_ERR_NUMERIC) status = SCDC_OK;
done:
    if (status != SCDC_OK && !leads) model->doubt = doubt;
    school_close(&s);
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
