/* Making and asking what is known of items. */
#include "model/use/known.h"
#include "base/numeric.h"
#include "base/status.h"
#include "data/data.h"
#include "model/clusters/nearest.h"
#include "model/use/walk.h"

#include <string.h>
#include <zlib.h>

/* Of components with a smaller share nothing is kept: no label hangs on them. */
#define LEAST 1e-6

typedef struct making {
    const scdc_model *model;
    known_items *known;
    size_t room_components, room_shares;
    uint32_t *cell; /* [n] the likeliest component */
} making;

/* ---- what it was made from ---- */

static uint32_t model_checksum(const scdc_model *model)
{
    tensor_ref tensors[CORE_MAX_TENSORS];
    size_t count = model->core->ops->placing(tensors, model->core);
    uLong crc = crc32_z(0, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        crc = crc32_z(crc, tensors[i].values, tensor_bytes(&tensors[i]));
    }
    return (uint32_t)crc;
}

bool known_fits(const known_items *k, const scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    size_t near = data->rows - 1 < s->options.neighbours ? data->rows - 1 : s->options.neighbours;
    return k && k->n == data->rows && k->d == s->latent && k->k == near &&
           k->components == s->components && k->data == scdc_data_checksum(data) &&
           k->model == model_checksum(model);
}

/* ---- making ---- */

static int place_by_mixture(void *context, const chunk *c)
{
    const making *m = context;
    return m->model->core->ops->place(c->z, c->x, m->model->core, c->o, c->rows, NULL);
}

static int note_row(making *m, size_t item, const double *z)
{
    known_items *k = m->known;
    size_t K = k->components, at = (size_t)k->start[item];
    SCDC_TRY(mem_reserve(&k->component, &m->room_components, at + K, sizeof *k->component,
                         "components of items"));
    SCDC_TRY(
        mem_reserve(&k->share, &m->room_shares, at + K, sizeof *k->share, "components of items"));
    m->cell[item] = (uint32_t)argmax(z, K);
    for (size_t c = 0; c < K; c++) {
        if (!(z[c] >= LEAST)) continue;
        k->component[at] = (int32_t)c;
        k->share[at++] = (float)z[c];
    }
    k->start[item + 1] = (int64_t)at;
    return SCDC_OK;
}

static int note_chunk(void *context, const chunk *c)
{
    making *m = context;
    known_items *k = m->known;
    if (!all_finite(c->z, c->rows * k->components)) {
        return fail_with(SCDC_ERR_NUMERIC,
                         "items %zu to %zu: the model gives values that are not finite: its file "
                         "was changed, or the items are far from those it was fitted on",
                         c->first, c->first + c->rows - 1);
    }
    for (size_t row = 0; row < c->rows; row++)
        SCDC_TRY(note_row(m, c->first + row, c->z + row * k->components));
    for (size_t i = 0; i < c->rows * k->d; i++) k->latent[c->first * k->d + i] = (float)c->x[i];
    return SCDC_OK;
}

int known_make(known_items **out, const scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    making m = {.model = model};
    known_items *k;
    int status;
    SCDC_TRY(mem_zeroed(&k, 1, sizeof *k, "items"));
    m.known = k;
    k->users = 1;
    k->n = data->rows;
    k->d = s->latent;
    k->k = k->n - 1 < s->options.neighbours ? k->n - 1 : s->options.neighbours;
    k->components = s->components;
    k->data = scdc_data_checksum(data);
    k->model = model_checksum(model);
    SCDC_TRY_OR(done, status, mem_zeroed(&k->latent, k->n, k->d * sizeof *k->latent, "items"));
    SCDC_TRY_OR(done, status, mem_zeroed(&k->near, k->n, k->k * sizeof *k->near, "neighbours"));
    SCDC_TRY_OR(done, status, mem_zeroed(&k->start, k->n + 1, sizeof *k->start, "items"));
    SCDC_TRY_OR(done, status, mem_zeroed(&m.cell, k->n, sizeof *m.cell, "components of items"));
    SCDC_TRY_OR(done, status,
                walk_items(&(walk){.model = model,
                                   .data = data,
                                   .count = k->n,
                                   .latent = true,
                                   .place = place_by_mixture,
                                   .take = note_chunk,
                                   .context = &m}));
    status =
        nearest_items(k->near, k->k, k->latent, k->n, k->d, m.cell, k->components, s->options.seed);
done:
    mem_free(m.cell);
    if (status == SCDC_OK) *out = k;
    else known_free(k);
    return status;
}

known_items *known_share(known_items *k)
{
    if (k) k->users++;
    return k;
}

void known_free(known_items *k)
{
    if (!k || --k->users) return;
    mem_free(k->latent);
    mem_free(k->near);
    mem_free(k->start);
    mem_free(k->component);
    mem_free(k->share);
    mem_free(k);
}

int known_prepare(scdc_model *model, const scdc_data *data)
{
    if (known_fits(model->known, model, data)) return SCDC_OK;
    known_free(model->known);
    model->known = NULL;
    return known_make(&model->known, model, data);
}

void known_z(double *z, const known_items *k, size_t item)
{
    memset(z, 0, k->components * sizeof *z);
    for (int64_t i = k->start[item]; i < k->start[item + 1]; i++)
        z[k->component[i]] = (double)k->share[i];
}
