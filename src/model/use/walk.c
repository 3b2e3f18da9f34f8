/* Gather, place, hand on. */
#include "model/use/walk.h"
#include "model/classes/alone.h"
#include "model/pupil/pupil.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "base/stages.h"
#include "base/status.h"
#include "base/watch.h"

#include <math.h>

/* ---- placing ---- */

void set_clusters(double *z, const double *p, const scdc_model *model)
{
    size_t K = model->core->spec.components;
    for (size_t c = 0; c < model->n_clusters; c++) {
        double sum = 0;
        size_t members = 0;
        for (size_t k = 0; k < K; k++) {
            if (model->cluster_of[k] != (int64_t)c) continue;
            sum += z[k];
            members++;
        }
        for (size_t k = 0; k < K; k++) {
            if (model->cluster_of[k] != (int64_t)c) continue;
            z[k] = p[c] * (sum > 0 ? z[k] / sum : 1 / (double)members);
        }
    }
    for (size_t k = 0; k < K; k++) {
        if (model->cluster_of[k] < 0) z[k] = 0;
    }
}

/* q(z) times the exponential of the messages. */
static void add_messages(double *z, const double *messages, size_t K)
{
    for (size_t k = 0; k < K; k++) z[k] = z[k] > 0 ? log(z[k]) + messages[k] : -INFINITY;
    softmax(z, z, K);
}

/* The word of mixture and classifier on a row. An item of the fit that the classifier learned from
 * is told by the others: it would only repeat what it was taught about it. */
static void hear_experts(double *z, const scdc_model *model, const double *kernel,
                         const uint32_t *own)
{
    double mixing[MOST_CLASSES], p[MOST_CLASSES], word[MOST_CLASSES];
    const classifier *by = &model->classifier;
    size_t at = own ? classifier_find(by, *own) : SIZE_MAX;
    if (at != SIZE_MAX) kernel = by->others + at * by->classes;
    model_clusters_of_row(mixing, z, model);
    if (kernel) experts_defer(word, kernel, mixing, by->base, by->items, by->classes);
    experts_say(p, &model->experts, mixing, kernel ? word : NULL, model->n_clusters);
    set_clusters(z, p, model);
}

/* Clusters of rows as the network that was taught says, and the others (z) by what they count
 * beside it. */
static void hear_pupil(double *z, const scdc_model *model, const real *o, size_t rows)
{
    double p[CLASSIFIER_ROWS * MOST_CLASSES], word[MOST_CLASSES];
    size_t K = model->core->spec.components, C = model->n_clusters, D = model_width(model);
    for (size_t first = 0; first < rows; first += CLASSIFIER_ROWS) {
        size_t count = rows - first < CLASSIFIER_ROWS ? rows - first : CLASSIFIER_ROWS;
        pupil_place(p, model->pupil, o + first * D, count);
        for (size_t row = 0; row < count; row++) {
            double *mine = z + (first + row) * K;
            model_clusters_of_row(word, mine, model);
            alone_say(word, &model->experts.alone, word, p + row * C, C);
            set_clusters(mine, word, model);
        }
    }
}

/* Clusters of rows beyond what the mixture says. */
static void hear_all(double *z, const scdc_model *model, const real *o, size_t rows,
                     const uint32_t *own)
{
    double p[CLASSIFIER_ROWS * MOST_CLASSES];
    const classifier *by = &model->classifier;
    size_t K = model->core->spec.components, C = model->n_clusters;
    bool ask = model_asks_classifier(model);
    if (C > MOST_CLASSES) return; /* no classifier has so many */
    for (size_t first = 0; first < rows; first += CLASSIFIER_ROWS) {
        size_t count = rows - first < CLASSIFIER_ROWS ? rows - first : CLASSIFIER_ROWS;
        if (ask) classifier_place(p, by, o + first * by->dims, count);
        for (size_t row = 0; row < count; row++) {
            double *mine = z + (first + row) * K;
            if (!model->weighed) set_clusters(mine, p + row * C, model);
            else
                hear_experts(mine, model, ask ? p + row * C : NULL, own ? own + first + row : NULL);
        }
    }
}

bool messages_come_last(const scdc_model *model)
{
    return model_is_judged(model) || model->weighed || model->pupil;
}

int place_rows(double *z, double *x, const scdc_model *model, const real *o, size_t rows,
               const double *messages, const uint32_t *own)
{
    size_t K = model->core->spec.components;
    if (!messages_come_last(model))
        return model->core->ops->place(z, x, model->core, o, rows, messages);
    SCDC_TRY(model->core->ops->place(z, x, model->core, o, rows, NULL));
    bool others = !model->pupil || model->experts.alone.experts > 0;
    if (others && (model_is_judged(model) || model->weighed)) hear_all(z, model, o, rows, own);
    if (model->pupil) hear_pupil(z, model, o, rows);
    for (size_t row = 0; row < rows && messages; row++) {
        add_messages(z + row * K, messages + row * K, K);
    }
    return SCDC_OK;
}

/* ---- walking ---- */

/* Room for a chunk; chunk.item and chunk.o are written here only. */
typedef struct room {
    size_t rows;
    uint32_t *item;
    real *o;
    double *z, *x;
    arena memory;
} room;

static size_t rows_of_chunk(const scdc_model *model, size_t count)
{
    size_t most = model->core->spec.max_rows;
    return count < most ? count : most;
}

static int room_create(room *out, const walk *w)
{
    const core_spec *s = &w->model->core->spec;
    size_t width = s->channels * s->height * s->width;
    size_t most = s->latent > s->components ? s->latent : s->components;
    room r = {.rows = rows_of_chunk(w->model, w->count)};
    r.item = arena_new(&r.memory, r.rows, sizeof *r.item, "a chunk");
    r.o = arena_new(&r.memory, r.rows, width * sizeof *r.o, "a chunk");
    r.z = arena_new(&r.memory, r.rows, most * sizeof *r.z, "a chunk");
    if (w->latent) r.x = arena_new(&r.memory, r.rows, most * sizeof *r.x, "a chunk");
    *out = r;
    return arena_status(&r.memory);
}

static void gather(room *r, const walk *w, size_t first, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        r->item[row] = w->items ? w->items[first + row] : (uint32_t)(first + row);
    }
    stage before = stage_enter(STAGE_GATHER);
    input_gather(r->o, w->data, &w->model->input, r->item, rows);
    stage_enter(before);
}

static int place_chunk(const walk *w, const chunk *c)
{
    if (w->place) return w->place(w->context, c);
    const double *messages = w->hear ? w->hear(w->context, c) : NULL;
    return place_rows(c->z, c->x, w->model, c->o, c->rows, messages, w->own ? c->item : NULL);
}

static int walk_chunks(const walk *w, room *r, size_t begin, size_t end)
{
    for (size_t first = begin * r->rows; first < w->count && first < end * r->rows;
         first += r->rows) {
        size_t left = w->count - first, rows = left < r->rows ? left : r->rows;
        SCDC_TRY(watch_tick("placing items", first, w->count));
        gather(r, w, first, rows);
        chunk c = {first, rows, r->item, r->o, r->z, r->x};
        SCDC_TRY(place_chunk(w, &c));
        SCDC_TRY(w->take(w->context, &c));
    }
    return SCDC_OK;
}

static bool is_shared(const walk *w)
{
    bool any = false;
    for (size_t i = 0; i < WALK_RESULTS; i++) any = any || w->result[i].values;
    return any && scdc_ranks_count() > 1;
}

static int share_results(const walk *w, size_t per_chunk)
{
    if (w->kept_by == KEPT_APART) return SCDC_OK;
    for (size_t i = 0; i < WALK_RESULTS; i++) {
        const walk_result *r = &w->result[i];
        if (!r->values) continue;
        SCDC_TRY((w->kept_by == KEPT_BY_ALL ? ranks_share : ranks_bring)(r->values, r->bytes,
                                                                         w->count, per_chunk));
    }
    return SCDC_OK;
}

void walk_own(size_t *begin, size_t *end, const scdc_model *model, size_t count)
{
    size_t rows = rows_of_chunk(model, count);
    *begin = *end = 0;
    if (!count) return;
    ranks_own(begin, end, parallel_pieces(count, rows));
    *begin *= rows;
    *end *= rows;
    if (*end > count) *end = count;
    if (*begin > count) *begin = count;
}

int walk_items(const walk *w)
{
    room r;
    if (!w->count) return SCDC_OK;
    int status = room_create(&r, w);
    size_t begin = 0, end = parallel_pieces(w->count, r.rows);
    bool shared = is_shared(w);
    if (shared) ranks_own(&begin, &end, end);
    else if (w->end) {
        begin = w->begin / r.rows;
        end = parallel_pieces(w->end, r.rows);
    }
    if (status == SCDC_OK) status = walk_chunks(w, &r, begin, end);
    if (shared) status = ranks_settle(status);
    if (shared && status == SCDC_OK) status = share_results(w, r.rows);
    arena_free(&r.memory);
    return status;
}
