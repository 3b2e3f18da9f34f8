/* What is known of items as a file beside the model's. A memory, not a result: whoever finds it
 * missing, damaged or of another model makes it anew. */
#include "base/status.h"
#include "io/safetensors.h"
#include "model/pupil/teach.h"
#include "model/use/known.h"

#include <math.h>
#include <scdc/update.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "scdc-items"
enum { TENSORS = 5, MOST_TENSORS };

/* ---- saving ---- */

static tensor_view view_of(const char *name, scdc_dtype dtype, const void *values, size_t rows,
                           size_t cols)
{
    size_t size = dtype == SCDC_I64 ? 8 : 4;
    tensor_view v = {.dtype = dtype,
                     .ndim = cols ? 2 : 1,
                     .shape = {rows, cols},
                     .values = values,
                     .bytes = rows * (cols ? cols : 1) * size};
    snprintf(v.name, sizeof v.name, "%s", name);
    return v;
}

int scdc_items_save(const char *path, const scdc_model *model)
{
    if (!path || !model) return fail_with(SCDC_ERR_ARGUMENT, "path and model must not be NULL");
    const known_items *k = model->known;
    if (!k) return SCDC_OK;
    size_t shares = (size_t)k->start[k->n];
    tensor_view tensors[MOST_TENSORS] = {view_of("latent", SCDC_F32, k->latent, k->n, k->d),
                                         view_of("near", SCDC_I32, k->near, k->n, k->k),
                                         view_of("start", SCDC_I64, k->start, k->n + 1, 0),
                                         view_of("component", SCDC_I32, k->component, shares, 0),
                                         view_of("share", SCDC_F32, k->share, shares, 0)};
    char data[16], of_model[16], components[32];
    snprintf(data, sizeof data, "%08x", (unsigned)k->data);
    snprintf(of_model, sizeof of_model, "%08x", (unsigned)k->model);
    snprintf(components, sizeof components, "%zu", k->components);
    json_t *meta = json_pack("{s:s,s:s,s:s,s:s}", "format", FORMAT, "data", data, "model", of_model,
                             "components", components);
    if (!meta) return fail_memory(256, "a JSON value");
    size_t count = TENSORS;
    const pupil *f = model->pupil;
    if (f && f->word && f->items == k->n) {
        char of_network[16];
        snprintf(of_network, sizeof of_network, "%08x", (unsigned)pupil_checksum(f));
        json_object_set_new(meta, "network", json_string(of_network));
        tensors[count++] = view_of("network", SCDC_F32, f->word, f->items, f->classes);
    }
    int status = safetensors_write(path, tensors, count, meta);
    json_decref(meta);
    return status;
}

/* ---- loading ---- */

static int damaged(const char *path)
{
    return fail_with(SCDC_ERR_INPUT, "%s: does not hold what is known of items", path);
}

static int copy_tensor(void *out, size_t *rows, size_t *cols, const safetensors_file *st,
                       const char *name, scdc_dtype dtype, size_t ndim, const char *path)
{
    const tensor_view *v = safetensors_find(st, name);
    void *block;
    if (!v || v->dtype != dtype || v->ndim != ndim) return damaged(path);
    *rows = v->shape[0];
    if (cols) *cols = v->shape[1];
    SCDC_TRY(mem_zeroed(&block, v->bytes, 1, "items"));
    memcpy(block, v->values, v->bytes);
    memcpy(out, &block, sizeof block);
    return SCDC_OK;
}

static uint32_t sum_of(const safetensors_file *st, const char *key)
{
    const char *text = safetensors_meta(st, key);
    return text ? (uint32_t)strtoul(text, NULL, 16) : 0;
}

/* The shares of every item are all there is, but for the small ones that are not kept. */
static bool shared_out(const known_items *k)
{
    for (size_t i = 0; i < k->n; i++) {
        double sum = 0;
        for (int64_t s = k->start[i]; s < k->start[i + 1]; s++) sum += k->share[s];
        if (!(sum > .5 && sum < 1.5)) return false;
    }
    return true;
}

/* Every number is one that may be followed. */
static bool valid(const known_items *k, size_t shares)
{
    if (k->start[0] != 0 || k->start[k->n] != (int64_t)shares) return false;
    for (size_t i = 0; i < k->n; i++) {
        if (k->start[i + 1] < k->start[i]) return false;
    }
    for (size_t i = 0; i < k->n * k->k; i++) {
        if (k->near[i] >= k->n) return false;
    }
    for (size_t i = 0; i < shares; i++) {
        if (k->component[i] < 0 || (size_t)k->component[i] >= k->components) return false;
        if (!(k->share[i] >= 0 && k->share[i] <= 1.01f)) return false;
    }
    for (size_t i = 0; i < k->n * k->d; i++) {
        if (!isfinite(k->latent[i])) return false;
    }
    return shared_out(k);
}

static int read_items(known_items *k, const safetensors_file *st, const char *path)
{
    size_t near_rows = 0, starts = 0, components = 0, shares = 0;
    const char *format = safetensors_meta(st, "format"),
               *count = safetensors_meta(st, "components");
    if (!format || strcmp(format, FORMAT) != 0 || !count) return damaged(path);
    k->components = strtoul(count, NULL, 10);
    k->data = sum_of(st, "data");
    k->model = sum_of(st, "model");
    SCDC_TRY(copy_tensor(&k->latent, &k->n, &k->d, st, "latent", SCDC_F32, 2, path));
    SCDC_TRY(copy_tensor(&k->near, &near_rows, &k->k, st, "near", SCDC_I32, 2, path));
    SCDC_TRY(copy_tensor(&k->start, &starts, NULL, st, "start", SCDC_I64, 1, path));
    SCDC_TRY(copy_tensor(&k->component, &components, NULL, st, "component", SCDC_I32, 1, path));
    SCDC_TRY(copy_tensor(&k->share, &shares, NULL, st, "share", SCDC_F32, 1, path));
    bool sizes = near_rows == k->n && starts == k->n + 1 && components == shares;
    return sizes && valid(k, shares) ? SCDC_OK : damaged(path);
}

/* What the network says of the items, if it is told and of this network. */
static int read_words(scdc_model *model, const scdc_data *data, const safetensors_file *st)
{
    pupil *f = model->pupil;
    const tensor_view *v = safetensors_find(st, "network");
    if (!f || !v || sum_of(st, "network") != pupil_checksum(f)) return SCDC_OK;
    if (v->dtype != SCDC_F32 || v->ndim != 2 || v->shape[0] != data->rows ||
        v->shape[1] != f->classes)
        return SCDC_OK;
    SCDC_TRY(pupil_make_room(f, data));
    memcpy(f->word, v->values, v->bytes);
    bool valid = true;
    for (size_t i = 0; i < data->rows * f->classes; i++)
        valid = valid && f->word[i] >= 0 && f->word[i] <= 1.01f;
    if (!valid) f->word = NULL;
    return SCDC_OK;
}

int scdc_items_load(scdc_model *model, const scdc_data *data, const char *path)
{
    safetensors_file st;
    known_items *k;
    if (!path || !model || !data)
        return fail_with(SCDC_ERR_ARGUMENT, "model, data and path must not be NULL");
    SCDC_TRY(mem_zeroed(&k, 1, sizeof *k, "items"));
    k->users = 1;
    int status = safetensors_open(&st, path);
    bool opened = status == SCDC_OK;
    if (opened) status = read_items(k, &st, path);
    if (status == SCDC_OK && !known_fits(k, model, data))
        status = fail_with(SCDC_ERR_INPUT, "%s: is of another model, or of other items", path);
    if (status == SCDC_OK) status = read_words(model, data, &st);
    if (opened) safetensors_close(&st);
    if (status == SCDC_OK) {
        known_free(model->known);
        model->known = k;
    } else {
        known_free(k);
    }
    return status;
}
