/* The pupil's network, and placing items by it. */
#include "model/pupil/pupil.h"
#include "base/status.h"
#include "kernels/activation.h"
#include "model/pupil/views.h"

#include <stdio.h>
#include <string.h>

/* Activations of all layers together, at most (a quarter of a gigabyte). */
enum { MOST_VALUES = 1 << 26 };

/* Rows for which the network has room enough. */
static int choose_rows(size_t *rows, const char *words, shape in, size_t classes)
{
    arena memory = {0};
    net n;
    size_t values = 1;
    int status = net_by_words(&n, &memory, in, words, classes, 1);
    for (size_t l = 0; l < n.depth && status == SCDC_OK; l++)
        values += shape_size(n.layers[l]->out);
    arena_free(&memory);
    if (*rows > MOST_VALUES / values) *rows = MOST_VALUES / values;
    if (*rows == 0) *rows = 1;
    return status;
}

/* Without parameters. */
static int create_net(pupil *f, const char *words, shape in, size_t classes, size_t rows)
{
    if (strlen(words) >= sizeof f->words)
        return fail_with(SCDC_ERR_ARGUMENT, "a network of more than %d letters", PUPIL_WORDS - 1);
    SCDC_TRY(choose_rows(&rows, words, in, classes));
    *f = (pupil){.in = in, .classes = classes, .rows = rows};
    strcpy(f->words, words);
    SCDC_TRY(net_by_words(&f->net, &f->memory, in, words, classes, rows));
    f->o = arena_new(&f->memory, rows, shape_size(in) * sizeof *f->o, "a network's input");
    return arena_status(&f->memory);
}

int pupil_create(pupil *out, const char *words, shape in, size_t classes, size_t rows)
{
    pupil f = {.classes = classes};
    size_t at = 0;
    int status = create_net(&f, words, in, classes, rows);
    if (status == SCDC_OK) status = param_block_create(&f.block, &f.memory, net_room(&f.net));
    if (status == SCDC_OK) {
        net_bind(&f.net, &f.block, &at);
        *out = f;
    } else {
        pupil_free(&f);
    }
    return status;
}

void pupil_free(pupil *f)
{
    arena_free(&f->memory);
    *f = (pupil){.classes = 0};
}

int pupil_reader(pupil *out, const pupil *owner)
{
    pupil f = {.classes = 0};
    size_t at = 0;
    int status = create_net(&f, owner->words, owner->in, owner->classes, PUPIL_PLACED);
    if (status != SCDC_OK) {
        pupil_free(&f);
        return status;
    }
    f.block = owner->block;
    f.word = owner->word;
    f.items = owner->items;
    f.data = owner->data;
    net_bind(&f.net, &f.block, &at);
    *out = f;
    return SCDC_OK;
}

bool pupil_reads(const pupil *reader, const pupil *owner)
{
    return reader->block.params == owner->block.params && reader->word == owner->word &&
           reader->classes == owner->classes && strcmp(reader->words, owner->words) == 0 &&
           memcmp(&reader->in, &owner->in, sizeof owner->in) == 0;
}

tensor_ref pupil_tensor(pupil *f)
{
    return (tensor_ref){"pupil.parameters", param_dtype, 1, {f->block.count}, f->block.params};
}

void pupil_place(double *p, pupil *f, const real *o, size_t rows)
{
    size_t D = shape_size(f->in), C = f->classes;
    size_t most = f->rows < PUPIL_PLACED ? f->rows : PUPIL_PLACED;
    net_set_mode(&f->net, &(net_mode){.training = false});
    for (size_t first = 0; first < rows; first += most) {
        size_t count = rows - first < most ? rows - first : most;
        view_as_it_is(f->o, o + first * D, f->in, count);
        real *out = net_forward(&f->net, f->o, count);
        softmax_rows(out, out, count, C);
        for (size_t i = 0; i < count * C; i++) p[first * C + i] = (double)out[i];
    }
}
