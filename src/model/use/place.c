/* scdc_place: predictions and latent means into arrays whose lengths are known. */
#include "base/sized.h"
#include "base/status.h"
#include "data/data.h"
#include "model/use/predict.h"

static const scdc_placement nothing = {.size = sizeof nothing};

void scdc_placement_init_sized(scdc_placement *placement, size_t size)
{
    sized_init(placement, size, &nothing, sizeof nothing);
}

static int check_room(const scdc_placement *p, const scdc_model *model, const scdc_data *data)
{
    size_t latent = model->core->spec.latent;
    bool rows = p->labels || p->probability || p->component || p->proba || p->means;
    if (rows && p->rows < data->rows) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "rows: the arrays have room for %zu items, there are %zu", p->rows,
                         data->rows);
    }
    if (p->proba && p->clusters < model->n_clusters) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "clusters: a row of proba has room for %zu clusters, there are %zu",
                         p->clusters, model->n_clusters);
    }
    if (p->means && p->latent < latent) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "latent: a row of means has room for %zu values, there are %zu", p->latent,
                         latent);
    }
    return SCDC_OK;
}

int scdc_place(const scdc_placement *out, const scdc_model *model, const scdc_data *data)
{
    scdc_placement p = nothing;
    if (!out || !model || !data) {
        return fail_with(SCDC_ERR_ARGUMENT, "out, model and data must not be NULL");
    }
    SCDC_TRY(sized_take(&p, sizeof p, out, "scdc_placement_init"));
    if (p.together && p.of_fit)
        return fail_with(SCDC_ERR_ARGUMENT, "together and of_fit: only one of them can be");
    SCDC_TRY(check_room(&p, model, data));
    bool all = p.labels || p.probability || p.component || p.proba;
    if (!(p.together || p.of_fit) || !all) {
        placed once = {.labels = p.labels,
                       .component = p.component,
                       .probability = p.probability,
                       .proba = p.proba,
                       .latent = p.means,
                       .alone = true};
        return all || p.means ? place_by_view(&once, model, data, p.crowd) : SCDC_OK;
    }
    SCDC_TRY((p.of_fit ? scdc_model_labels : scdc_predict_together)(
        p.labels, p.probability, p.component, p.proba, model, data, p.crowd));
    return p.means ? scdc_embed(p.means, model, data) : SCDC_OK;
}
