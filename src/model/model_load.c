/* Loading a model: nothing a file says is believed before it was checked. */
#include "base/numeric.h"
#include "base/status.h"
#include "io/npy.h"
#include "model/image_nets.h"
#include "model/model_file.h"
#include "model/classes/alone.h"
#include "model/pupil/pupil.h"
#include "model/use/kept.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Are the numbers that are counts such? */
static bool row_counts(const double *row)
{
    static const size_t counts[] = {0, 7, 8, 9};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double value = row[counts[i]];
        if (!(value >= 0 && value <= (double)((uint64_t)1 << 53))) return false;
    }
    return true;
}

/* Layers by words: their parameters must be in the file, and what a minibatch takes up is bounded.
 */
static int check_image_nets(const core_spec *s, const safetensors_file *st)
{
    enum { MOST_VALUES = 1 << 30 };
    image_nets_size size = {0};
    size_t values;
    bool small = s->latent && s->components && s->likelihood != SCDC_LIKELIHOOD_AUTO &&
                 size_mul(&values, s->channels, s->height) && size_mul(&values, values, s->width) &&
                 values <= st->file.size && s->components <= st->file.size &&
                 s->workers <= st->file.size;
    if (small && image_nets_measure(&size, s) != SCDC_OK)
        return fail_prefix(SCDC_ERR_INPUT, "%s: not a usable model file", st->file.path);
    if (small && size.params <= st->file.size && size.activations <= MOST_VALUES / s->max_rows)
        return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: its sizes do not fit its length",
                     st->file.path);
}

/* A lying header must not make us allocate more than the file can justify: every core stores at
 * least its decoder's last layer, of width D, so D floats must fit into the file. */
static int check_plausible(const core_spec *s, const safetensors_file *st)
{
    size_t width, hidden = s->options.n_hidden ? s->options.hidden[s->options.n_hidden - 1] : 1,
                  weights;
    if (image_nets_asked(&s->options)) return check_image_nets(s, st);
    if (s->latent && s->components && s->likelihood != SCDC_LIKELIHOOD_AUTO &&
        size_mul(&width, s->channels, s->height) && size_mul(&width, width, s->width) &&
        size_mul(&weights, width, hidden) && weights <= st->file.size &&
        s->components <= st->file.size && s->workers <= st->file.size && s->max_rows <= 1 << 20) {
        return SCDC_OK;
    }
    return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: its sizes do not fit its length",
                     st->file.path);
}

static int find_tensor(const tensor_view **out, const safetensors_file *st, const char *name,
                       scdc_dtype dtype, size_t ndim, const size_t *sizes)
{
    const tensor_view *t = safetensors_find(st, name);
    if (!t)
        return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: tensor %s is missing",
                         st->file.path, name);
    bool fits = t->dtype == dtype && t->ndim == ndim;
    for (size_t a = 0; a < ndim && fits; a++) fits = t->shape[a] == sizes[a];
    if (!fits) {
        return fail_with(
            SCDC_ERR_INPUT,
            "%s: not a usable model file: tensor %s has another type or sizes than the options say",
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
    static const char *const newer[] = {"judge.item", "judge.others", "second.views"};
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        if (strcmp(t->name, newer[i]) == 0) return true;
    }
    return false;
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
    const tensor_view *text = safetensors_find(st, "worker.names"), *counts = NULL;
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
    const tensor_view *record = safetensors_find(st, "epochs");
    bool timed = record && record->ndim == 2 && record->shape[1] == EPOCH_COLUMNS_0_1;
    size_t columns = timed ? EPOCH_COLUMNS_0_1 : EPOCH_COLUMNS;
    SCDC_TRY(find_tensor(&t, st, "epochs", SCDC_F64, 2, (size_t[]){epochs, columns}));
    if (!model_has_cluster_level(&model->core->spec)) {
        SCDC_TRY(find_tensor(&shares, st, "epochs.proportions", SCDC_F64, 2,
                             (size_t[]){epochs, components}));
    }
    model->epoch = 0;
    for (size_t e = 0; e < epochs; e++) {
        double row[EPOCH_COLUMNS_0_1], seconds = NAN;
        if (shares) {
            memcpy(model->proportions,
                   (const char *)shares->values + e * components * sizeof(double),
                   components * sizeof(double));
        }
        memcpy(row, (const char *)t->values + e * columns * sizeof *row, columns * sizeof *row);
        if (timed) {
            seconds = row[SECONDS_COLUMN_0_1];
            memmove(row + SECONDS_COLUMN_0_1, row + SECONDS_COLUMN_0_1 + 1,
                    (EPOCH_COLUMNS - SECONDS_COLUMN_0_1) * sizeof *row);
        }
        if (!row_counts(row)) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: not a usable model file: the record of epoch %zu holds counts "
                             "that are none",
                             st->file.path, e + 1);
        }
        scdc_epoch epoch = epoch_from_row(row);
        epoch.seconds = seconds;
        SCDC_TRY(model_append_epoch(model, &epoch, model->proportions));
    }
    return SCDC_OK;
}

/* Room for the cluster level, whose tensors must then be in the file. */
static int get_cluster_level(scdc_model *model, const safetensors_file *st)
{
    size_t annotated;
    if (!model_has_cluster_level(&model->core->spec)) return SCDC_OK;
    SCDC_TRY(file_size(&annotated, st, "annotated", 0, model->core->spec.items));
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
    SCDC_TRY(file_size(&items, st, "judge.items", 0, CLASSIFIER_MOST_ITEMS));
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

/* Room for a network that places items, if there is one: its layers stand in the file by words. */
static int get_pupil(scdc_model *model, const safetensors_file *st)
{
    const char *words = safetensors_meta(st, "pupil.layers");
    if (!words) return SCDC_OK;
    if (!model->clusters || model->n_clusters > MOST_CLASSES) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: a classifier of %zu clusters", st->file.path,
                         model->n_clusters);
    }
    int status = model_create_pupil(model, words, PUPIL_PLACED);
    if (status == SCDC_ERR_ARGUMENT)
        return fail_prefix(SCDC_ERR_INPUT, "%s: not a usable model file", st->file.path);
    return status;
}

/* Room for the fit's components, where an update took classes in their place. */
static int get_kept(scdc_model *model, const safetensors_file *st)
{
    if (!model->clusters || !safetensors_find(st, KEPT_LINKS)) return SCDC_OK;
    SCDC_TRY(kept_take(&model->kept, model));
    if (!safetensors_find(st, KEPT_STATE)) kept_forget_state(model->kept);
    return SCDC_OK;
}

/* How far the fit itself is doubted: not at all by files older than that. */
static int get_doubt(scdc_model *model, const safetensors_file *st)
{
    if (!safetensors_meta(st, "doubt")) return SCDC_OK;
    SCDC_TRY(file_number(&model->doubt, st, "doubt"));
    if (model->doubt >= 0 && model->doubt <= 1) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: doubt is %g, expected 0 to 1",
                     st->file.path, model->doubt);
}

/* How sure items are that are placed alone. */
static int get_alone(scdc_model *model, const safetensors_file *st)
{
    alone_word *a = &model->experts.alone;
    *a = alone_as_it_is();
    if (model->pupil) *a = (alone_word){.network = 1}; /* files older than its weight */
    if (!safetensors_meta(st, "alone.experts")) return SCDC_OK;
    SCDC_TRY(file_number(&a->experts, st, "alone.experts"));
    SCDC_TRY(file_number(&a->network, st, "alone.network"));
    SCDC_TRY(file_number(&a->doubt, st, "alone.doubt"));
    if (a->experts >= 0 && a->network >= 0 && a->doubt >= 0 && a->doubt <= 1 &&
        a->experts + a->network > 0 && isfinite(a->experts + a->network))
        return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: a word of experts that is none",
                     st->file.path);
}

/* What mixture and classifier count. */
static int get_experts(scdc_model *model, const safetensors_file *st)
{
    size_t weighed = 0;
    experts *e = &model->experts;
    double sum = 0, heard = 0;
    if (!safetensors_meta(st, "experts.weighed")) return SCDC_OK; /* older than experts */
    SCDC_TRY(file_size(&weighed, st, "experts.weighed", 0, 1));
    SCDC_TRY(file_number(&e->doubt, st, "experts.doubt"));
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        char name[32];
        snprintf(name, sizeof name, EXPERT_WEIGHT, w);
        SCDC_TRY(file_number(&e->weight[w], st, name));
        sum += e->weight[w] >= 0 ? e->weight[w] : NAN;
    }
    for (size_t i = 0; i < EXPERT_SHARES; i++) {
        char name[32];
        snprintf(name, sizeof name, EXPERT_HEARD, i);
        e->heard[i] = i == 0; /* files older than weighed neighbours */
        if (safetensors_meta(st, name)) SCDC_TRY(file_number(&e->heard[i], st, name));
        heard += e->heard[i] >= 0 ? e->heard[i] : NAN;
    }
    model->weighed = weighed;
    bool valid = e->doubt >= 0 && e->doubt <= 1 && sum > 0.5 && sum < 2 && heard > 0.5 &&
                 heard < 2 && (!experts_need_classifier(e) || model->classifier.items);
    if (!weighed || valid) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: not a usable model file: weights of experts that are none",
                     st->file.path);
}

/* Clusters of a model that was updated have numbers of their own, increasing. */
static int get_numbers(scdc_model *model, const safetensors_file *st)
{
    const tensor_view *t = NULL;
    size_t next;
    if (!safetensors_meta(st, "updates")) return SCDC_OK;
    SCDC_TRY(file_size(&model->updates, st, "updates", 1, UINT32_MAX));
    SCDC_TRY(file_size(&next, st, "next_cluster", model->n_clusters, UINT32_MAX));
    if (safetensors_meta(st, "fit_answers"))
        SCDC_TRY(file_size(&model->fit_answers, st, "fit_answers", 0, model->core->spec.answers));
    SCDC_TRY(find_tensor(&t, st, "cluster.numbers", SCDC_I64, 1, &model->n_clusters));
    memcpy(model->number, t->values, t->bytes);
    model->next_number = (int64_t)next;
    for (size_t c = 0; c < model->n_clusters; c++) {
        int64_t least = c ? model->number[c - 1] + 1 : 0;
        if (model->number[c] >= least && model->number[c] < model->next_number) continue;
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: cluster %zu has the number %" PRId64,
                         st->file.path, c, model->number[c]);
    }
    return SCDC_OK;
}

/* A classifier and clusters that are given go together, and every class has a component; one whose
 * class was dropped is in none. */
static int check_classifier(const scdc_model *model, const safetensors_file *st)
{
    bool given = model->clusters && cluster_level_fixed(model->clusters);
    bool judged = model_is_judged(model);
    if (!classifier_valid(&model->classifier)) {
        return fail_with(SCDC_ERR_INPUT, "%s: not a usable model file: a classifier without sense",
                         st->file.path);
    }
    /* Latents without networks: clusters are chosen with the components; or a network learned
     * them. */
    if (!judged && (model->classifier.items || !given ||
                    model->core->spec.options.net == SCDC_NET_LINEAR || model_is_led(model))) {
        return SCDC_OK;
    }
    const grouping *g = &model->clusters->groups;
    bool seen[MOST_CLASSES] = {false};
    bool valid = judged && given && g->clusters == model->n_clusters;
    for (size_t k = 0; k < g->components && valid; k++) {
        valid = g->cluster[k] == model->cluster_of[k];
        if (valid && g->cluster[k] >= 0) seen[g->cluster[k]] = true;
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
    SCDC_TRY(file_number(&version, st, "format_version"));
    if (version > FORMAT_VERSION) {
        return fail_with(
            SCDC_ERR_INPUT,
            "%s was written by a newer scdc (format %g, this one reads up to %d): please update",
            st->file.path, version, FORMAT_VERSION);
    }
    return SCDC_OK;
}

int model_read(scdc_model **out, file_bytes file)
{
    safetensors_file st;
    core_spec spec = {0};
    scdc_model *model = NULL;
    int status;
    SCDC_TRY(safetensors_parse(&st, file));
    SCDC_TRY_OR(done, status, check_format(&st));
    SCDC_TRY_OR(done, status, file_get_spec(&spec, &st));
    SCDC_TRY_OR(done, status, check_plausible(&spec, &st));
    SCDC_TRY_OR(done, status, model_create(&model, &spec));
    SCDC_TRY_OR(done, status, file_get_state(model, &st));
    SCDC_TRY_OR(done, status, get_cluster_level(model, &st));
    SCDC_TRY_OR(done, status, get_classifier(model, &st));
    SCDC_TRY_OR(done, status, get_pupil(model, &st));
    SCDC_TRY_OR(done, status, get_kept(model, &st));
    SCDC_TRY_OR(done, status, get_columns(model, &st));
    SCDC_TRY_OR(done, status, get_experts(model, &st));
    SCDC_TRY_OR(done, status, get_doubt(model, &st));
    SCDC_TRY_OR(done, status, get_alone(model, &st));
    SCDC_TRY_OR(done, status, get_tensors(model, &st));
    SCDC_TRY_OR(done, status, check_columns(model, &st));
    classifier_restore(&model->classifier);
    status = model_restored(model);
    if (status != SCDC_OK) {
        status = fail_prefix(SCDC_ERR_INPUT, "%s: not a usable model file", st.file.path);
        goto done;
    }
    SCDC_TRY_OR(done, status, get_workers(model, &st));
    SCDC_TRY_OR(done, status, get_epochs_and_clusters(model, &st));
    SCDC_TRY_OR(done, status, get_numbers(model, &st));
    SCDC_TRY_OR(done, status, check_classifier(model, &st));
    *out = model;
done:
    if (status != SCDC_OK) scdc_model_free(model);
    safetensors_close(&st);
    return status;
}

int scdc_model_load(scdc_model **out, const char *path)
{
    file_bytes file;
    if (!out || !path) return fail_with(SCDC_ERR_ARGUMENT, "out and path must not be NULL");
    SCDC_TRY(file_open(&file, path));
    return model_read(out, file);
}
