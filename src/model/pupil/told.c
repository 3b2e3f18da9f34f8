/* What a pupil says of the items of the fit: told once, and kept with it. */
#include "base/status.h"
#include "model/pupil/teach.h"
#include "model/use/walk.h"

#include <string.h>
#include <zlib.h>

uint32_t pupil_checksum(const pupil *f)
{
    const void *values = f->block.params;
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), values, f->block.count * sizeof(real));
}

bool pupil_knows(const pupil *f, const scdc_data *data)
{
    return f->word && f->items == data->rows && f->data == scdc_data_checksum(data);
}

int pupil_make_room(pupil *f, const scdc_data *data)
{
    f->items = data->rows;
    f->data = scdc_data_checksum(data);
    f->word = arena_new(&f->memory, f->items, f->classes * sizeof *f->word, "a network's word");
    return arena_status(&f->memory);
}

typedef struct telling {
    pupil *by;
    size_t first;
} telling;

static int ask(void *context, const chunk *c)
{
    pupil_place(c->z, ((const telling *)context)->by, c->o, c->rows);
    return SCDC_OK;
}

static int note(void *context, const chunk *c)
{
    const telling *t = context;
    size_t C = t->by->classes;
    float *word = t->by->word + (t->first + c->first) * C;
    for (size_t i = 0; i < c->rows * C; i++) word[i] = (float)c->z[i];
    return SCDC_OK;
}

int pupil_tell(const scdc_model *model, const scdc_data *data, size_t first)
{
    pupil *f = model->pupil;
    telling t = {f, first};
    size_t count = f->items - first, row = f->classes * sizeof *f->word;
    uint32_t *item;
    SCDC_TRY(mem_zeroed(&item, count, sizeof *item, "items"));
    for (size_t i = 0; i < count; i++) item[i] = (uint32_t)(first + i);
    int status = walk_items(&(walk){.model = model,
                                    .data = data,
                                    .count = count,
                                    .items = item,
                                    .place = ask,
                                    .take = note,
                                    .context = &t,
                                    .result = {{f->word + first * f->classes, row}}});
    mem_free(item);
    return status;
}

/* Columns of the last layer, and of what it said: output c of `to` is output from[c] of so many or
 * more. */
void pupil_take(pupil *to, const pupil *earlier, const size_t *from)
{
    size_t C = to->classes, outputs = earlier->classes;
    const layer *last = to->net.layers[to->net.depth - 1],
                *old = earlier->net.layers[earlier->net.depth - 1];
    size_t inputs = shape_size(last->in);
    /* All before the last layer, which comes last in the block. */
    size_t before = (size_t)(dense_weights(last) - to->block.params);
    memcpy(to->block.params, earlier->block.params, before * sizeof *to->block.params);
    for (size_t c = 0; c < C; c++) {
        for (size_t i = 0; i < inputs; i++)
            dense_weights(last)[i * C + c] = dense_weights(old)[i * outputs + from[c]];
        dense_biases(last)[c] = dense_biases(old)[from[c]];
    }
    for (size_t i = 0; i < earlier->items && to->word && earlier->word; i++) {
        for (size_t c = 0; c < C; c++) to->word[i * C + c] = earlier->word[i * outputs + from[c]];
    }
}
