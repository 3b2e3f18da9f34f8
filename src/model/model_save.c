/* Saving a model. */
#include "base/status.h"
#include "io/npy.h"
#include "model/model_file.h"
#include "model/pupil/pupil.h"
#include "model/use/kept.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TENSORS = CORE_MAX_TENSORS + 6 };

static void epoch_to_row(double *row, const scdc_epoch *e)
{
    double values[EPOCH_COLUMNS] = {(double)e->epoch,
                                    e->bound,
                                    e->reconstruction,
                                    e->kl_z,
                                    e->kl_x,
                                    e->answers,
                                    e->kl_global,
                                    (double)e->live_components,
                                    (double)e->clusters,
                                    (double)e->shortened_steps,
                                    e->learning_rate,
                                    e->skipped,
                                    e->moved,
                                    e->foretold};
    memcpy(row, values, sizeof values);
}

/* Scales of columns and the classifier are made once and do not change: they are no part of the
 * state that training restores. */
size_t file_tensors(tensor_ref out[CORE_MAX_TENSORS], scdc_model *model)
{
    size_t count = model_tensors(out, model), D = model_width(model);
    const input_scale *in = &model->input;
    if (in->centre) {
        out[count++] = (tensor_ref){"input.centre", SCDC_F64, 1, {D}, in->centre};
        out[count++] = (tensor_ref){"input.width", SCDC_F64, 1, {D}, in->width};
    }
    count += classifier_tensors(out + count, &model->classifier);
    if (model->pupil) out[count++] = pupil_tensor(model->pupil);
    return count + kept_tensors(out + count, model->kept);
}

static void view_of(tensor_view *out, const char *name, scdc_dtype dtype, const void *values,
                    size_t ndim, const size_t *sizes)
{
    *out =
        (tensor_view){.dtype = dtype, .ndim = ndim, .values = values, .bytes = dtype_size(dtype)};
    snprintf(out->name, sizeof out->name, "%.63s", name);
    for (size_t a = 0; a < ndim; a++) {
        out->shape[a] = sizes[a];
        out->bytes *= sizes[a];
    }
}

/* Worker names one after the other, each ended by a NUL. */
static int pack_names(char **out, size_t *size, const scdc_model *model)
{
    size_t bytes = 0;
    for (size_t m = 0; m < model->core->spec.workers; m++)
        bytes += strlen(model->worker_names[m]) + 1;
    SCDC_TRY(mem_zeroed(out, bytes, 1, "worker names"));
    char *next = *out;
    for (size_t m = 0; m < model->core->spec.workers; m++)
        next = stpcpy(next, model->worker_names[m]) + 1;
    *size = bytes;
    return SCDC_OK;
}

int scdc_model_save(const scdc_model *model, const char *path)
{
    if (!model || !path) return fail_with(SCDC_ERR_ARGUMENT, "model and path must not be NULL");
    tensor_ref refs[CORE_MAX_TENSORS];
    tensor_view views[MAX_TENSORS];
    char *packed = NULL;
    double *epochs = NULL;
    int64_t *counts = NULL;
    size_t names_size = 0, workers = model->core->spec.workers,
           components = model->core->spec.components;
    size_t count = file_tensors(refs, (scdc_model *)(uintptr_t)model); /* only read */
    int status;
    for (size_t i = 0; i < count; i++) {
        view_of(&views[i], refs[i].name, refs[i].dtype, refs[i].values, refs[i].ndim,
                refs[i].shape);
    }
    SCDC_TRY_OR(done, status, pack_names(&packed, &names_size, model));
    SCDC_TRY_OR(done, status, mem_zeroed(&counts, workers, sizeof *counts, "answers per worker"));
    SCDC_TRY_OR(
        done, status,
        mem_zeroed(&epochs, model->epoch * EPOCH_COLUMNS, sizeof *epochs, "the record of epochs"));
    for (size_t m = 0; m < workers; m++) counts[m] = (int64_t)model->worker_answers[m];
    for (size_t e = 0; e < model->epoch; e++)
        epoch_to_row(epochs + e * EPOCH_COLUMNS, &model->history[e]);
    view_of(&views[count++], "worker.names", SCDC_U8, packed, 1, &names_size);
    view_of(&views[count++], "worker.answers", SCDC_I64, counts, 1, &workers);
    view_of(&views[count++], "cluster_of_component", SCDC_I64, model->cluster_of, 1, &components);
    if (model->updates)
        view_of(&views[count++], "cluster.numbers", SCDC_I64, model->number, 1, &model->n_clusters);
    view_of(&views[count++], "epochs", SCDC_F64, epochs, 2,
            (size_t[]){model->epoch, EPOCH_COLUMNS});
    if (!model_has_cluster_level(&model->core->spec)) {
        view_of(&views[count++], "epochs.proportions", SCDC_F64, model->shares, 2,
                (size_t[]){model->epoch, components});
    }
    json_t *meta = json_pack("{s:s, s:s}", "format", FORMAT_NAME, "scdc", scdc_version());
    file_put_spec(meta, &model->core->spec);
    file_put_state(meta, model);
    status = safetensors_write(path, views, count, meta);
    json_decref(meta);
done:
    mem_free(packed);
    mem_free(counts);
    mem_free(epochs);
    return status;
}
