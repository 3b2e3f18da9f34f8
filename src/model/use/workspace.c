/* Views of a model. No lock: a child of fork must not wait for a thread it does not have. */
#include "model/use/workspace.h"
#include "model/pupil/pupil.h"
#include "base/status.h"

typedef struct model_view {
    scdc_model model; /* first: a view is a model */
    core *reader;
    double *proportions;
    real *product; /* of the classifier, for so many items */
    size_t items;
    pupil pupil; /* a reader of the model's */
} model_view;

static void view_free(model_view *v)
{
    if (!v) return;
    if (v->reader) v->reader->ops->free(v->reader);
    mem_free(v->proportions);
    mem_free(v->product);
    pupil_free(&v->pupil);
    mem_free(v);
}

static int view_create(model_view **out, const scdc_model *model)
{
    model_view *v;
    int status;
    SCDC_TRY(mem_zeroed(&v, 1, sizeof *v, "a workspace"));
    SCDC_TRY_OR(error, status, model->core->ops->reader(&v->reader, model->core));
    SCDC_TRY_OR(error, status,
                mem_zeroed(&v->proportions, model->core->spec.components, sizeof *v->proportions,
                           "a workspace"));
    *out = v;
    return SCDC_OK;
error:
    view_free(v);
    return status;
}

static int give_classifier(model_view *v, const classifier *from)
{
    if (v->items < from->items) {
        mem_free(v->product);
        v->product = NULL;
        v->items = 0;
        SCDC_TRY(mem_zeroed(&v->product, from->items, CLASSIFIER_ROWS * sizeof *v->product,
                            "a workspace"));
        v->items = from->items;
    }
    v->model.classifier.product = v->product;
    return SCDC_OK;
}

static int give_pupil(model_view *v, const pupil *from)
{
    if (!pupil_reads(&v->pupil, from)) {
        pupil_free(&v->pupil);
        SCDC_TRY(pupil_reader(&v->pupil, from));
    }
    v->model.pupil = &v->pupil;
    return SCDC_OK;
}

/* The model as it is now: it may have been trained further since the view was made. */
static int view_refresh(model_view *v, const scdc_model *model)
{
    v->model = *model;
    v->model.core = v->reader;
    v->model.proportions = v->proportions;
    v->reader->spec = model->core->spec;
    SCDC_TRY(give_classifier(v, &model->classifier));
    return model->pupil ? give_pupil(v, model->pupil) : SCDC_OK;
}

int workspace_take(scdc_model **out, const scdc_model *model)
{
    struct workspaces *w = model->workspaces;
    if (!atomic_exchange(&w->model_taken, true)) {
        *out = (scdc_model *)(uintptr_t)model; /* only its workspace is written */
        return SCDC_OK;
    }
    model_view *v = NULL;
    for (size_t i = 0; i < WORKSPACES_KEPT && !v; i++) v = atomic_exchange(&w->spare[i], NULL);
    if (!v) SCDC_TRY(view_create(&v, model));
    int status = view_refresh(v, model);
    if (status == SCDC_OK) *out = &v->model;
    else view_free(v);
    return status;
}

void workspace_give(scdc_model *view, const scdc_model *model)
{
    struct workspaces *w = model->workspaces;
    if (view == model) {
        atomic_store(&w->model_taken, false);
        return;
    }
    model_view *v = (model_view *)(void *)view;
    for (size_t i = 0; i < WORKSPACES_KEPT; i++) {
        model_view *none = NULL;
        if (atomic_compare_exchange_strong(&w->spare[i], &none, v)) return;
    }
    view_free(v);
}

void workspaces_free(struct workspaces *w)
{
    for (size_t i = 0; w && i < WORKSPACES_KEPT; i++)
        view_free(atomic_exchange(&w->spare[i], NULL));
}
