/* Components of images and of their views. */
#include "model/train/view_links.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/pupil/views.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <string.h>

/* Views of lessons are drawn by epoch; these come from a stream of their own. */
#define VIEW_LINKS_FROM UINT32_C(0x80000000)

typedef struct viewing {
    const scdc_model *model;
    shape shape;
    scdc_augment kind;
    uint32_t round;
    real *view, *plane; /* [max_rows][D]: pixel by pixel, and as the core takes them */
    uint32_t *own;      /* [count] component of each image */
    uint32_t *seen;     /* [count] of its view */
} viewing;

/* From pixel by pixel to channel by channel. */
static void as_planes(real *out, const real *view, shape s, size_t rows)
{
    size_t pixels = s.height * s.width, C = s.channels;
    for (size_t row = 0; row < rows; row++, out += pixels * C, view += pixels * C) {
        for (size_t p = 0; p < pixels; p++) {
            for (size_t c = 0; c < C; c++) out[c * pixels + p] = view[p * C + c];
        }
    }
}

static void note(uint32_t *component, const chunk *c, size_t K)
{
    for (size_t row = 0; row < c->rows; row++) {
        component[c->first + row] = (uint32_t)argmax(c->z + row * K, K);
    }
}

/* The image, noted, and then its view. */
static int place_view(void *context, const chunk *c)
{
    const viewing *v = context;
    core *by = v->model->core;
    SCDC_TRY(by->ops->place(c->z, NULL, by, c->o, c->rows, NULL));
    note(v->own, c, by->spec.components);
    view_rows(v->view, c->o, v->shape, c->item, c->rows, v->kind, by->spec.options.seed,
              VIEW_LINKS_FROM + v->round);
    as_planes(v->plane, v->view, v->shape, c->rows);
    return by->ops->place(c->z, NULL, by, v->plane, c->rows, NULL);
}

static int note_view(void *context, const chunk *c)
{
    const viewing *v = context;
    note(v->seen, c, v->model->core->spec.components);
    return SCDC_OK;
}

/* links [K][K] of `rounds` views of each of `count` evenly chosen items. */
static int count_links(double *links, viewing *v, const scdc_data *data, const uint32_t *item,
                       size_t count, size_t rounds)
{
    size_t K = v->model->core->spec.components;
    walk w = {.model = v->model,
              .data = data,
              .count = count,
              .items = item,
              .place = place_view,
              .take = note_view,
              .context = v,
              .result = {{v->own, sizeof *v->own}, {v->seen, sizeof *v->seen}}};
    for (size_t round = 0; round < rounds; round++) {
        v->round = (uint32_t)round;
        SCDC_TRY(walk_items(&w));
        for (size_t i = 0; i < count; i++) {
            links[v->own[i] * K + v->seen[i]] += 0.5;
            links[v->seen[i] * K + v->own[i]] += 0.5;
        }
    }
    return SCDC_OK;
}

int link_views(scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    viewing v = {.model = model,
                 .shape = {s->channels, s->height, s->width},
                 .kind = view_kind(s->options.augment, (shape){s->channels, s->height, s->width})};
    if (!model->clusters->state.has_links || v.kind == SCDC_AUGMENT_NONE) return SCDC_OK;
    size_t N = data->rows, count = N < VIEWED_ITEMS ? N : VIEWED_ITEMS;
    size_t rounds = (VIEWED_ITEMS + count - 1) / count, K = s->components, D = shape_size(v.shape);
    arena memory = {0};
    uint32_t *item = arena_new(&memory, count, sizeof *item, "items");
    double *links = arena_new(&memory, K, K * sizeof *links, "links");
    v.own = arena_new(&memory, count, sizeof *v.own, "components");
    v.seen = arena_new(&memory, count, sizeof *v.seen, "components");
    v.view = arena_new(&memory, s->max_rows, D * sizeof *v.view, "views");
    v.plane = arena_new(&memory, s->max_rows, D * sizeof *v.plane, "views");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        for (size_t i = 0; i < count; i++) item[i] = (uint32_t)(i * N / count);
        status =
            count_links(links, &v, data, item, count, rounds < VIEW_ROUNDS ? rounds : VIEW_ROUNDS);
    }
    if (status == SCDC_OK) cluster_level_link_views(model->clusters, links);
    arena_free(&memory);
    return status;
}
