/* The model file: the core's tensors, the record of epochs, the clusters and all options, as
 * safetensors. Loading gives a model that predicts and that resumes bit for bit. */
#include "base/numeric.h"
#include "base/status.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "model/model.h"
#include "model/options.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Raised when a file of an older version could be misread. */
enum { FORMAT_VERSION = 1, MAX_TENSORS = CORE_MAX_TENSORS + 5 };
enum { EPOCH_COLUMNS = 14 };
#define FORMAT_NAME "scdc-model"

/* ---- epochs as a table of doubles, without their seconds: the same fit gives the same file ----
 */

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

static scdc_epoch epoch_from_row(const double *row)
{
    return (scdc_epoch){.epoch = (size_t)row[0],
                        .bound = row[1],
                        .reconstruction = row[2],
                        .kl_z = row[3],
                        .kl_x = row[4],
                        .answers = row[5],
                        .kl_global = row[6],
                        .live_components = (size_t)row[7],
                        .clusters = (size_t)row[8],
                        .shortened_steps = (size_t)row[9],
                        .learning_rate = row[10],
                        .skipped = row[11],
                        .moved = row[12],
                        .foretold = row[13],
                        .seconds = NAN};
}

/* ---- metadata: sizes and numbers as text ---- */

struct number {
    const char *key;
    double value; /* written with 17 digits: reads back exactly */
};

static void put_number(json_t *meta, const char *key, double value)
{
    json_object_set_new(meta, key, json_sprintf("%.17g", value));
}

static int get_number(double *out, const safetensors_file *st, const char *key)
{
    const char *text = safetensors_meta(st, key);
    char *end;
    if (text) *out = strtod(text, &end);
    if (!text || end == text || *end) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: '%s' is missing or no number", st->file.path,
                         key);
    }
    return SCDC_OK;
}

static int get_size(size_t *out, const safetensors_file *st, const char *key, size_t low,
                    size_t high)
{
    double value = 0;
    SCDC_TRY(get_number(&value, st, key));
    if (!(value >= (double)low && value <= (double)high)) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: %s is %g, expected %zu to %zu",
                         st->file.path, key, value, low, high);
    }
    *out = (size_t)value;
    return SCDC_OK;
}

static void put_state(json_t *meta, const scdc_model *m)
{
    put_number(meta, "warm_epoch", (double)m->warm_epoch);
    put_number(meta, "begun", m->begun);
    put_number(meta, "annotated", m->clusters ? (double)m->clusters->remembered.nodes : 0);
    put_number(meta, "judge.items", m->classifier ? (double)m->classifier->items : 0);
    put_number(meta, "experts.weighed", m->weighed);
    put_number(meta, "experts.doubt", m->experts.doubt);
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        char name[32];
        snprintf(name, sizeof name, "experts.weight%zu", w);
        put_number(meta, name, m->experts.weight[w]);
    }
    put_number(meta, "epoch", (double)m->epoch);
    put_number(meta, "batch", (double)m->batch);
    put_number(meta, "finished", m->finished);
    put_number(meta, "sum.reconstruction", m->sums.reconstruction);
    put_number(meta, "sum.kl_z", m->sums.kl_z);
    put_number(meta, "sum.kl_x", m->sums.kl_x);
    put_number(meta, "sum.answers", m->sums.answers);
    put_number(meta, "sum.kl_global", m->sums.kl_global);
    put_number(meta, "sum.skipped", m->sums.skipped);
    put_number(meta, "rate_scale", m->rate_scale);
    put_number(meta, "best_bound", m->best_bound);
    put_number(meta, "epochs_without_rise", (double)m->epochs_without_rise);
    put_number(meta, "steady_epochs", (double)m->steady_epochs);
    put_number(meta, "clusters", (double)m->n_clusters);
    put_number(meta, "input.scale", (double)m->input.scale);
    put_number(meta, "input.shift", (double)m->input.shift);
}

static int get_state(scdc_model *m, const safetensors_file *st)
{
    size_t finished, begun;
    double scale, shift;
    SCDC_TRY(get_size(&m->warm_epoch, st, "warm_epoch", 0, UINT32_MAX));
    SCDC_TRY(get_size(&begun, st, "begun", 0, 1));
    m->begun = begun;
    SCDC_TRY(get_size(&m->epoch, st, "epoch", 0, UINT32_MAX));
    SCDC_TRY(get_size(&m->batch, st, "batch", 0, UINT32_MAX));
    SCDC_TRY(get_size(&finished, st, "finished", 0, 1));
    m->finished = finished;
    SCDC_TRY(get_number(&m->sums.reconstruction, st, "sum.reconstruction"));
    SCDC_TRY(get_number(&m->sums.kl_z, st, "sum.kl_z"));
    SCDC_TRY(get_number(&m->sums.kl_x, st, "sum.kl_x"));
    SCDC_TRY(get_number(&m->sums.answers, st, "sum.answers"));
    SCDC_TRY(get_number(&m->sums.kl_global, st, "sum.kl_global"));
    SCDC_TRY(get_number(&m->sums.skipped, st, "sum.skipped"));
    SCDC_TRY(get_number(&m->rate_scale, st, "rate_scale"));
    SCDC_TRY(get_number(&m->best_bound, st, "best_bound"));
    SCDC_TRY(get_size(&m->epochs_without_rise, st, "epochs_without_rise", 0, UINT32_MAX));
    SCDC_TRY(get_size(&m->steady_epochs, st, "steady_epochs", 0, UINT32_MAX));
    SCDC_TRY(get_size(&m->n_clusters, st, "clusters", 1, m->core->spec.components));
    SCDC_TRY(get_number(&scale, st, "input.scale"));
    SCDC_TRY(get_number(&shift, st, "input.shift"));
    m->input.scale = (float)scale;
    m->input.shift = (float)shift;
    m->input.binarise = m->core->spec.likelihood == SCDC_LIKELIHOOD_BERNOULLI;
    return SCDC_OK;
}

static void put_spec(json_t *meta, const core_spec *s)
{
    put_number(meta, "items", (double)s->items);
    put_number(meta, "channels", (double)s->channels);
    put_number(meta, "height", (double)s->height);
    put_number(meta, "width", (double)s->width);
    put_number(meta, "workers", (double)s->workers);
    put_number(meta, "answers", (double)s->answers);
    put_number(meta, "max_rows", (double)s->max_rows);
    put_number(meta, "max_answers", (double)s->max_answers);
    const char *name;
    for (size_t i = 0; (name = scdc_options_key(i, NULL)); i++) {
        char key[64], value[256];
        /* Of the process, not of the model: the same fit gives the same file. */
        if (strcmp(name, "threads") == 0) continue;
        snprintf(key, sizeof key, "option.%s", name);
        if (scdc_options_get(value, sizeof value, &s->options, name) == SCDC_OK) {
            json_object_set_new(meta, key, json_string(value));
        }
    }
}

static int get_spec(core_spec *s, const safetensors_file *st)
{
    const char *name;
    scdc_options_init(&s->options);
    for (size_t i = 0; (name = scdc_options_key(i, NULL)); i++) {
        char key[64];
        snprintf(key, sizeof key, "option.%s", name);
        const char *value = safetensors_meta(st, key);
        if (!value) continue; /* an option younger than the file keeps its default */
        int status = scdc_options_set(&s->options, name, value);
        if (status != SCDC_OK) return fail_prefix(SCDC_ERR_INPUT, "%s", st->file.path);
    }
    SCDC_TRY(get_size(&s->items, st, "items", 1, UINT32_MAX));
    SCDC_TRY(get_size(&s->channels, st, "channels", 1, 1 << 30));
    SCDC_TRY(get_size(&s->height, st, "height", 1, 1 << 20));
    SCDC_TRY(get_size(&s->width, st, "width", 1, 1 << 20));
    SCDC_TRY(get_size(&s->workers, st, "workers", 0, UINT32_MAX));
    SCDC_TRY(get_size(&s->answers, st, "answers", 0, UINT32_MAX));
    SCDC_TRY(get_size(&s->max_rows, st, "max_rows", 1, 1 << 24));
    SCDC_TRY(get_size(&s->max_answers, st, "max_answers", 0, 1 << 28));
    /* What a file does not tell (an option younger than it, or one that somebody took out) is
     * chosen as for a new fit: nothing automatic is left to be divided by. */
    problem_size problem = {.items = s->items,
                            .dims = s->channels * s->height * s->width,
                            .answers = s->answers,
                            .workers = s->workers,
                            .image = s->height > 1 || s->width > 1};
    if (options_resolve(&s->options, &problem) != SCDC_OK)
        return fail_prefix(SCDC_ERR_INPUT, "%s", st->file.path);
    s->likelihood = s->options.likelihood;
    s->latent = s->options.latent;
    s->components = s->options.components;
    return SCDC_OK;
}

/* A lying header must not make us allocate more than the file can justify: every core stores at
 * least its decoder's last layer, of width D, so D floats must fit into the file. */
static int check_plausible(const core_spec *s, const safetensors_file *st)
{
    size_t width, hidden = s->options.n_hidden ? s->options.hidden[s->options.n_hidden - 1] : 1,
                  weights;
    if (s->latent && s->components && s->likelihood != SCDC_LIKELIHOOD_AUTO &&
        size_mul(&width, s->channels, s->height) && size_mul(&width, width, s->width) &&
        size_mul(&weights, width, hidden) && weights <= st->file.size &&
        s->components <= st->file.size && s->workers <= st->file.size && s->max_rows <= 1 << 20) {
        return SCDC_OK;
    }
    return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: its sizes do not fit its length",
                     st->file.path);
}

/* Scales of columns and the classifier are made once and do not change: they are no part of the
 * state that training restores. */
static size_t file_tensors(tensor_ref out[CORE_MAX_TENSORS], scdc_model *model)
{
    size_t count = model_tensors(out, model), D = model_width(model);
    const input_scale *in = &model->input;
    if (in->centre) {
        out[count++] = (tensor_ref){"input.centre", SCDC_F64, 1, {D}, in->centre};
        out[count++] = (tensor_ref){"input.width", SCDC_F64, 1, {D}, in->width};
    }
    if (model->classifier) count += classifier_tensors(out + count, model->classifier);
    return count;
}

/* ---- save ---- */

static void view_of(tensor_view *out, const char *name, scdc_dtype dtype, const void *values,
                    size_t ndim, const size_t *shape)
{
    *out =
        (tensor_view){.dtype = dtype, .ndim = ndim, .values = values, .bytes = dtype_size(dtype)};
    snprintf(out->name, sizeof out->name, "%.63s", name);
    for (size_t a = 0; a < ndim; a++) {
        out->shape[a] = shape[a];
        out->bytes *= shape[a];
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
    view_of(&views[count++], "epochs", SCDC_F64, epochs, 2,
            (size_t[]){model->epoch, EPOCH_COLUMNS});
    if (!model_has_cluster_level(&model->core->spec)) {
        view_of(&views[count++], "epochs.proportions", SCDC_F64, model->shares, 2,
                (size_t[]){model->epoch, components});
    }
    json_t *meta = json_pack("{s:s, s:s}", "format", FORMAT_NAME, "scdc", scdc_version());
    put_number(meta, "format_version", FORMAT_VERSION);
    put_spec(meta, &model->core->spec);
    put_state(meta, model);
    status = safetensors_write(path, views, count, meta);
    json_decref(meta);
done:
    mem_free(packed);
    mem_free(counts);
    mem_free(epochs);
    return status;
}

/* ---- load ---- */

static int find_tensor(const tensor_view **out, const safetensors_file *st, const char *name,
                       scdc_dtype dtype, size_t ndim, const size_t *shape)
{
    const tensor_view *t = safetensors_find(st, name);
    if (!t)
        return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: tensor %s is missing",
                         st->file.path, name);
    bool fits = t->dtype == dtype && t->ndim == ndim;
    for (size_t a = 0; a < ndim && fits; a++) fits = t->shape[a] == shape[a];
    if (!fits) {
        return fail_with(
            SCDC_ERR_INPUT,
            "%s: not a usable model file: tensor %s has another type or shape than the options say",
            st->file.path, name);
    }
    *out = t;
    return SCDC_OK;
}

static bool finite_values(const tensor_ref *t)
{
    size_t count = tensor_bytes(t) / dtype_size(t->dtype);
    if (t->dtype == SCDC_F32) return all_finite_f32(t->values, count);
    return t->dtype != SCDC_F64 || all_finite(t->values, count);
}

/* Tensors that files of version 0.1.0 do not have: what they hold at creation will do. */
static bool is_newer(const tensor_ref *t)
{
    return strcmp(t->name, "judge.item") == 0 || strcmp(t->name, "judge.others") == 0;
}

static int get_tensors(scdc_model *model, const safetensors_file *st)
{
    tensor_ref refs[CORE_MAX_TENSORS];
    size_t count = file_tensors(refs, model);
    const tensor_view *t = NULL;
    for (size_t i = 0; i < count; i++) {
        if (is_newer(&refs[i]) && !safetensors_find(st, refs[i].name)) continue;
        SCDC_TRY(find_tensor(&t, st, refs[i].name, refs[i].dtype, refs[i].ndim, refs[i].shape));
        memcpy(refs[i].values, t->values, t->bytes);
        if (!finite_values(&refs[i])) {
            return fail_with(
                SCDC_ERR_INPUT,
                "%s: not a usable model file: tensor %s holds values that are not finite",
                st->file.path, refs[i].name);
        }
    }
    if (model->clusters && !cluster_level_valid(model->clusters)) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: it remembers components that do not exist",
                         st->file.path);
    }
    return SCDC_OK;
}

static int get_workers(scdc_model *model, const safetensors_file *st)
{
    size_t workers = model->core->spec.workers;
    const tensor_view *text = safetensors_find(st, "worker.names"), *counts;
    if (!text || text->dtype != SCDC_U8)
        return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: worker names are missing",
                         st->file.path);
    SCDC_TRY(find_tensor(&counts, st, "worker.answers", SCDC_I64, 1, &workers));
    const char *next = text->values, *end = next + text->bytes;
    for (size_t m = 0; m < workers; m++) {
        const char *stop = next < end ? memchr(next, '\0', (size_t)(end - next)) : NULL;
        if (!stop)
            return fail_with(SCDC_ERR_INPUT,
                             "%s: not a usable model file: it names %zu of %zu workers",
                             st->file.path, m, workers);
        model->worker_names[m] = arena_string(&model->memory, next, (size_t)(stop - next));
        if (!model->worker_names[m]) return SCDC_ERR_MEMORY;
        int64_t answers;
        memcpy(&answers, (const char *)counts->values + m * sizeof answers, sizeof answers);
        model->worker_answers[m] = answers > 0 ? (size_t)answers : 0;
        next = stop + 1;
    }
    return SCDC_OK;
}

static int get_epochs_and_clusters(scdc_model *model, const safetensors_file *st)
{
    size_t components = model->core->spec.components, epochs = model->epoch;
    const tensor_view *t = NULL, *shares = NULL;
    SCDC_TRY(find_tensor(&t, st, "cluster_of_component", SCDC_I64, 1, &components));
    memcpy(model->cluster_of, t->values, t->bytes);
    for (size_t k = 0; k < components; k++) {
        if (model->cluster_of[k] < -1 || model->cluster_of[k] >= (int64_t)model->n_clusters) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: not a usable model file: component %zu is in cluster %" PRId64
                             " of %zu",
                             st->file.path, k, model->cluster_of[k], model->n_clusters);
        }
    }
    SCDC_TRY(find_tensor(&t, st, "epochs", SCDC_F64, 2, (size_t[]){epochs, EPOCH_COLUMNS}));
    if (!model_has_cluster_level(&model->core->spec)) {
        SCDC_TRY(find_tensor(&shares, st, "epochs.proportions", SCDC_F64, 2,
                             (size_t[]){epochs, components}));
    }
    model->epoch = 0;
    for (size_t e = 0; e < epochs; e++) {
        double row[EPOCH_COLUMNS];
        if (shares) {
            memcpy(model->proportions,
                   (const char *)shares->values + e * components * sizeof(double),
                   components * sizeof(double));
        }
        memcpy(row, (const char *)t->values + e * sizeof row, sizeof row);
        scdc_epoch epoch = epoch_from_row(row);
        SCDC_TRY(model_append_epoch(model, &epoch, model->proportions));
    }
    return SCDC_OK;
}

/* Room for the cluster level, whose tensors must then be in the file. */
static int get_cluster_level(scdc_model *model, const safetensors_file *st)
{
    size_t annotated;
    if (!model_has_cluster_level(&model->core->spec)) return SCDC_OK;
    SCDC_TRY(get_size(&annotated, st, "annotated", 0, model->core->spec.items));
    if (annotated > st->file.size || model->core->spec.answers > (size_t)1 << 28) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: its sizes do not fit its length",
                         st->file.path);
    }
    return model_create_clusters(model, annotated);
}

/* Room for the scales of columns, if the file has them. */
static int get_columns(scdc_model *model, const safetensors_file *st)
{
    if (!safetensors_find(st, "input.centre")) return SCDC_OK;
    return input_make_columns(&model->input, model_width(model));
}

static int check_columns(const scdc_model *model, const safetensors_file *st)
{
    for (size_t c = 0; model->input.width && c < model_width(model); c++) {
        if (model->input.width[c] > 0) continue;
        return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: column %zu has width %g",
                         st->file.path, c, model->input.width[c]);
    }
    return SCDC_OK;
}

/* Room for a classifier, if there is one; it has as many classes as the model has clusters. */
static int get_classifier(scdc_model *model, const safetensors_file *st)
{
    size_t items;
    if (!safetensors_meta(st, "judge.items")) return SCDC_OK; /* older than classifiers */
    SCDC_TRY(get_size(&items, st, "judge.items", 0, CLASSIFIER_MOST_ITEMS));
    if (!items) return SCDC_OK;
    const core_spec *s = &model->core->spec;
    bool fits = items * s->channels * s->height * s->width <= st->file.size / sizeof(real);
    if (!model->clusters || model->n_clusters > MOST_CLASSES || !fits) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: a classifier of %zu clusters", st->file.path,
                         model->n_clusters);
    }
    return model_create_classifier(model, items, model->n_clusters);
}

/* What mixture and classifier count. */
static int get_experts(scdc_model *model, const safetensors_file *st)
{
    size_t weighed = 0;
    experts *e = &model->experts;
    double sum = 0;
    if (!safetensors_meta(st, "experts.weighed")) return SCDC_OK; /* older than experts */
    SCDC_TRY(get_size(&weighed, st, "experts.weighed", 0, 1));
    SCDC_TRY(get_number(&e->doubt, st, "experts.doubt"));
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        char name[32];
        snprintf(name, sizeof name, "experts.weight%zu", w);
        SCDC_TRY(get_number(&e->weight[w], st, name));
        sum += e->weight[w] >= 0 ? e->weight[w] : NAN;
    }
    model->weighed = weighed;
    bool valid = e->doubt >= 0 && e->doubt <= 1 && sum > 0.5 && sum < 2 &&
                 (!experts_need_classifier(e) || model->classifier);
    if (!weighed || valid) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: not a usable model file: weights of experts that are none",
                     st->file.path);
}

/* A classifier and clusters that are given go together, and every class has a component. */
static int check_classifier(const scdc_model *model, const safetensors_file *st)
{
    if (!model->clusters || (!model->classifier && !cluster_level_fixed(model->clusters)))
        return SCDC_OK;
    /* Latents without networks: clusters are chosen with the components. */
    if (!model->classifier && model->core->spec.options.net == SCDC_NET_LINEAR) return SCDC_OK;
    if (model->weighed && model->classifier) {
        if (classifier_valid(model->classifier)) return SCDC_OK;
        return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: a classifier without sense",
                         st->file.path);
    }
    const grouping *g = &model->clusters->groups;
    bool seen[MOST_CLASSES] = {false};
    bool valid = model->classifier && cluster_level_fixed(model->clusters) &&
                 classifier_valid(model->classifier) && g->clusters == model->n_clusters;
    for (size_t k = 0; k < g->components && valid; k++) {
        valid = g->cluster[k] >= 0 && g->cluster[k] == model->cluster_of[k];
        if (valid) seen[g->cluster[k]] = true;
    }
    for (size_t c = 0; c < model->n_clusters && valid; c++) valid = seen[c];
    if (valid) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: not a usable model file: its classifier does not fit its clusters",
                     st->file.path);
}

static int check_format(const safetensors_file *st)
{
    const char *format = safetensors_meta(st, "format");
    double version = 0;
    if (!format || strcmp(format, FORMAT_NAME) != 0) {
        return fail_with(SCDC_ERR_INPUT, "%s is a safetensors file, but not a model of scdc",
                         st->file.path);
    }
    SCDC_TRY(get_number(&version, st, "format_version"));
    if (version > FORMAT_VERSION) {
        return fail_with(
            SCDC_ERR_INPUT,
            "%s was written by a newer scdc (format %g, this one reads up to %d): please update",
            st->file.path, version, FORMAT_VERSION);
    }
    return SCDC_OK;
}

int scdc_model_load(scdc_model **out, const char *path)
{
    if (!out || !path) return fail_with(SCDC_ERR_ARGUMENT, "out and path must not be NULL");
    safetensors_file st;
    core_spec spec = {0};
    scdc_model *model = NULL;
    int status;
    SCDC_TRY(safetensors_open(&st, path));
    SCDC_TRY_OR(done, status, check_format(&st));
    SCDC_TRY_OR(done, status, get_spec(&spec, &st));
    SCDC_TRY_OR(done, status, check_plausible(&spec, &st));
    SCDC_TRY_OR(done, status, model_create(&model, &spec));
    SCDC_TRY_OR(done, status, get_state(model, &st));
    SCDC_TRY_OR(done, status, get_cluster_level(model, &st));
    SCDC_TRY_OR(done, status, get_classifier(model, &st));
    SCDC_TRY_OR(done, status, get_columns(model, &st));
    SCDC_TRY_OR(done, status, get_experts(model, &st));
    SCDC_TRY_OR(done, status, get_tensors(model, &st));
    SCDC_TRY_OR(done, status, check_columns(model, &st));
    if (model->classifier) classifier_restore(model->classifier);
    status = model_restored(model);
    if (status != SCDC_OK) {
        status = fail_prefix(SCDC_ERR_INPUT, "%s: not a usable model file", path);
        goto done;
    }
    SCDC_TRY_OR(done, status, get_workers(model, &st));
    SCDC_TRY_OR(done, status, get_epochs_and_clusters(model, &st));
    SCDC_TRY_OR(done, status, check_classifier(model, &st));
    *out = model;
done:
    if (status != SCDC_OK) scdc_model_free(model);
    safetensors_close(&st);
    return status;
}
