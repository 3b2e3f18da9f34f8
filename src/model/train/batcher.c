/* Drawing and gathering minibatches. */
#include "model/train/batcher.h"
#include "base/rng.h"
#include "base/stages.h"
#include "base/status.h"
#include "kernels/loop.h"
#include "kernels/binarise.h"

#include <string.h>

/* Answers drawn per minibatch: exact parts of all answers unless a number was asked for or there
 * are fewer answers than minibatches. */
static size_t answers_begin(const batcher *b, size_t step)
{
    return b->spec.n_answers * step / b->steps;
}

static bool answers_in_parts(const batcher *b)
{
    return b->spec.answers_batch == 0 && b->spec.n_answers >= b->steps;
}

static size_t answers_in(const batcher *b, size_t step)
{
    if (!b->spec.n_answers || b->spec.plan == PLAN_REMEMBERED) return 0;
    if (answers_in_parts(b)) return answers_begin(b, step + 1) - answers_begin(b, step);
    size_t asked = b->spec.answers_batch ? b->spec.answers_batch : 1;
    return asked < b->spec.n_answers ? asked : b->spec.n_answers;
}

static int build_pool(batcher *b, size_t n)
{
    b->degree = arena_new(&b->memory, n, sizeof *b->degree, "answers per item");
    SCDC_TRY(arena_status(&b->memory));
    for (size_t a = 0; a < b->spec.n_answers; a++) {
        b->degree[b->spec.answers[a].left]++;
        b->degree[b->spec.answers[a].right]++;
    }
    b->pool = arena_new(&b->memory, n, sizeof *b->pool, "the order of items");
    SCDC_TRY(arena_status(&b->memory));
    for (size_t i = 0; i < n; i++) {
        if (b->spec.plan == PLAN_ITEMS || b->degree[i] == 0) b->pool[b->n_pool++] = (uint32_t)i;
    }
    if (b->spec.plan != PLAN_REMEMBERED) return SCDC_OK;
    b->n_annotated = n - b->n_pool;
    b->annotated = arena_new(&b->memory, b->n_annotated, sizeof *b->annotated, "annotated items");
    b->annotated_order =
        arena_new(&b->memory, b->n_annotated, sizeof *b->annotated_order, "annotated items");
    SCDC_TRY(arena_status(&b->memory));
    for (size_t i = 0, a = 0; i < n; i++) {
        if (b->degree[i]) b->annotated[a++] = (uint32_t)i;
    }
    if (b->spec.annotated_batch > b->n_annotated) b->spec.annotated_batch = b->n_annotated;
    return SCDC_OK;
}

int batcher_create(batcher *out, const batcher_spec *spec)
{
    batcher b = {.spec = *spec};
    size_t n = spec->data->rows, rows;
    int status;
    b.steps = (n + spec->batch - 1) / spec->batch;
    SCDC_TRY_OR(error, status, build_pool(&b, n));
    for (size_t step = 0; step < b.steps; step++) {
        size_t answers = answers_in(&b, step);
        size_t plain = b.n_pool * (step + 1) / b.steps - b.n_pool * step / b.steps;
        if (answers > b.max_answers) b.max_answers = answers;
        size_t touched = 2 * answers < n ? 2 * answers : n;
        if (b.n_annotated) touched = b.spec.annotated_batch;
        if (plain + touched > b.max_rows) b.max_rows = plain + touched;
    }
    b.order = arena_new(&b.memory, b.n_pool, sizeof *b.order, "the order of items");
    b.row_of = arena_new(&b.memory, n, sizeof *b.row_of, "the rows of items");
    b.answer_order =
        arena_new(&b.memory, spec->n_answers, sizeof *b.answer_order, "the order of answers");
    b.item = arena_new(&b.memory, b.max_rows, sizeof *b.item, "a minibatch");
    b.weight = arena_new(&b.memory, b.max_rows, sizeof *b.weight, "a minibatch");
    b.answer = arena_new(&b.memory, b.max_answers, sizeof *b.answer, "a minibatch's answers");
    SCDC_TRY_OR(error, status, arena_status(&b.memory));
    if (!size_mul(&rows, b.max_rows, spec->data->cols)) {
        status = fail_memory(SIZE_MAX, "a minibatch");
        goto error;
    }
    b.o = arena_new(&b.memory, rows, sizeof *b.o, "a minibatch's inputs");
    SCDC_TRY_OR(error, status, arena_status(&b.memory));
    b.bytes = spec->data->dtype == SCDC_U8 && spec->input.scale < 1;
    *out = b;
    return SCDC_OK;
error:
    arena_free(&b.memory);
    return status;
}

void batcher_free(batcher *b)
{
    if (b) arena_free(&b->memory);
}

void batcher_enter(batcher *b, uint32_t epoch, size_t position)
{
    rng r;
    b->epoch = epoch;
    b->position = position;
    rng_init(&r, b->spec.seed, RNG_SHUFFLE_ITEMS, epoch, 0);
    rng_permutation(&r, b->order, b->n_pool);
    for (size_t i = 0; i < b->n_pool; i++) b->order[i] = b->pool[b->order[i]];
    rng_init(&r, b->spec.seed, RNG_SHUFFLE_ANSWERS, epoch, 0);
    rng_permutation(&r, b->answer_order, b->spec.n_answers);
    rng_permutation(&r, b->annotated_order, b->n_annotated);
}

/* The row of an item in the relational part; a new one when it is not there yet. */
static uint32_t row_for(batcher *b, minibatch *m, uint32_t item)
{
    if (!b->row_of[item]) {
        b->item[m->rows] = item;
        b->weight[m->rows] = 0;
        b->row_of[item] = (uint32_t)++m->rows;
    }
    return b->row_of[item] - 1;
}

static void draw_answers(batcher *b, minibatch *m, size_t step)
{
    size_t count = answers_in(b, step), n = b->spec.n_answers;
    if (!count) return;
    bool parts = answers_in_parts(b);
    size_t begin = parts ? answers_begin(b, step) : step * count;
    m->answer_weight = parts ? (double)b->steps : (double)n / (double)count;
    m->answers = count;
    for (size_t s = 0; s < count; s++) {
        const scdc_answer *a = &b->spec.answers[b->answer_order[(begin + s) % n]];
        uint32_t left = row_for(b, m, a->left), right = row_for(b, m, a->right);
        b->answer[s] = (batch_answer){left, right, a->worker, a->same};
        if (b->spec.plan == PLAN_RELATIONAL) {
            b->weight[left] += m->answer_weight / b->degree[a->left];
            b->weight[right] += m->answer_weight / b->degree[a->right];
        }
    }
    for (size_t row = m->plain; row < m->rows; row++) b->row_of[b->item[row]] = 0;
}

/* The next slice of the annotated items; the order is gone through again and again in an epoch. */
static void draw_annotated(batcher *b, minibatch *m, size_t step)
{
    size_t count = b->spec.annotated_batch;
    double weight = count ? b->spec.annotated_weight * (double)b->n_annotated / (double)count : 0;
    for (size_t s = 0; s < count; s++) {
        size_t place = (step * count + s) % b->n_annotated;
        b->item[m->rows] = b->annotated[b->annotated_order[place]];
        b->weight[m->rows++] = weight;
    }
}

/* Rows of bytes drawn as zeros and ones, straight from the data. */
static void draw_rows(void *context, size_t begin, size_t end, size_t piece)
{
    const batcher *b = context;
    const scdc_data *data = b->spec.data;
    (void)piece;
    for (size_t row = begin; row < end; row++) {
        uint32_t item = b->item[row];
        binarise_u8(b->o + row * data->cols, data_row(data, item), data->cols, b->spec.seed,
                    b->epoch, item);
    }
}

static void fill_inputs(batcher *b, size_t rows)
{
    const scdc_data *data = b->spec.data;
    if (b->spec.input.binarise && b->bytes) {
        stage_enter(STAGE_BINARISE);
        kernel_for(rows, rows_per_piece(data->cols, PIECE_VALUES), draw_rows, b);
        return;
    }
    input_gather(b->o, data, &b->spec.input, b->item, rows);
    if (b->spec.input.binarise) {
        stage_enter(STAGE_BINARISE);
        binarise_rows(b->o, rows, data->cols, b->spec.seed, b->epoch, b->item);
    }
}

bool batcher_next(minibatch *out, batcher *b)
{
    if (b->position == b->steps) return false;
    size_t step = b->position++;
    size_t begin = b->n_pool * step / b->steps, end = b->n_pool * (step + 1) / b->steps;
    minibatch m = {
        .rows = end - begin, .plain = end - begin, .seed = b->spec.seed, .epoch = b->epoch};
    for (size_t row = 0; row < m.plain; row++) {
        b->item[row] = b->order[begin + row];
        b->weight[row] = (double)b->steps;
    }
    draw_answers(b, &m, step);
    if (b->n_annotated) draw_annotated(b, &m, step);
    stage before = stage_enter(STAGE_GATHER);
    fill_inputs(b, m.rows);
    stage_enter(before);
    m.item = b->item;
    m.weight = b->weight;
    m.o = b->o;
    m.answer = b->answer;
    *out = m;
    return true;
}
