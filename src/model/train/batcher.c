/* Drawing and gathering minibatches. */
#include "model/train/batcher.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "base/stages.h"
#include "base/status.h"
#include "crowd/renumber.h"
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

size_t shard_stretch(size_t items, size_t shards, size_t shard)
{
    return items / shards * shard + items % shards * shard / shards;
}

/* Items [begin, end) of the data that a shard's rows come from. */
static size_t stretch_begin(const batcher *b, size_t shard)
{
    return shard_stretch(b->spec.data->rows, b->spec.shards, shard);
}

/* Annotated items before this one, or so many places for it among them. */
static size_t touched_before(const batcher *b, size_t item)
{
    size_t low = 0, high = b->n_touched;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->touched[middle] < item) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Which items answers touch, and how many do. */
static int list_touched(batcher *b)
{
    size_t count = b->spec.n_answers;
    renumbering ranks = {0};
    if (!count) return SCDC_OK;
    uint32_t *ends;
    SCDC_TRY(mem_zeroed(&ends, 2 * count, sizeof *ends, "the ends of answers"));
    for (size_t a = 0; a < count; a++) {
        ends[2 * a] = b->spec.answers[a].left;
        ends[2 * a + 1] = b->spec.answers[a].right;
    }
    int status = renumber(&ranks, ends, 2 * count);
    if (status == SCDC_OK) {
        b->touched = arena_new(&b->memory, ranks.count, sizeof *b->touched, "annotated items");
        b->degree = arena_new(&b->memory, ranks.count, sizeof *b->degree, "answers per item");
        status = arena_status(&b->memory);
    }
    if (status == SCDC_OK) {
        b->n_touched = ranks.count;
        memcpy(b->touched, ranks.value, ranks.count * sizeof *b->touched);
        for (size_t e = 0; e < 2 * count; e++) b->degree[ends[e]]++;
    }
    renumber_free(&ranks);
    mem_free(ends);
    return status;
}

/* The items of the item stream: how many each shard has, and which the own ones have. */
static int build_pool(batcher *b)
{
    size_t own = 0;
    b->in_shard = arena_new(&b->memory, b->spec.shards + 1, sizeof *b->in_shard, "shards");
    SCDC_TRY(arena_status(&b->memory));
    SCDC_TRY(list_touched(b));
    bool all = b->spec.plan == PLAN_ITEMS || b->spec.plan == PLAN_HALVES;
    for (size_t s = 0; s < b->spec.shards; s++) {
        size_t begin = stretch_begin(b, s), end = stretch_begin(b, s + 1);
        size_t apart = all ? 0 : touched_before(b, end) - touched_before(b, begin);
        b->in_shard[s + 1] = b->in_shard[s] + (end - begin) - apart;
    }
    size_t room = b->in_shard[b->end] - b->in_shard[b->begin];
    b->pool = arena_new(&b->memory, room, sizeof *b->pool, "the order of items");
    SCDC_TRY(arena_status(&b->memory));
    size_t next = all ? b->n_touched : touched_before(b, stretch_begin(b, b->begin));
    for (size_t i = stretch_begin(b, b->begin); i < stretch_begin(b, b->end); i++) {
        if (next < b->n_touched && b->touched[next] == i) next++;
        else b->pool[own++] = (uint32_t)i;
    }
    return SCDC_OK;
}

static int build_annotated(batcher *b)
{
    if (b->spec.plan != PLAN_REMEMBERED) return SCDC_OK;
    b->n_annotated = b->n_touched;
    b->annotated_order =
        arena_new(&b->memory, b->n_annotated, sizeof *b->annotated_order, "annotated items");
    SCDC_TRY(arena_status(&b->memory));
    if (b->spec.annotated_batch > b->n_annotated) b->spec.annotated_batch = b->n_annotated;
    return SCDC_OK;
}

/* Rows of the item stream in a shard before a step. */
static size_t rows_before(const batcher *b, size_t shard, size_t step)
{
    size_t count = b->in_shard[shard + 1] - b->in_shard[shard];
    return count * step / b->steps;
}

static size_t plain_rows(const batcher *b, size_t shard, size_t step)
{
    return rows_before(b, shard, step + 1) - rows_before(b, shard, step);
}

static size_t annotated_before(const batcher *b, size_t shard)
{
    return b->n_annotated ? b->spec.annotated_batch * shard / b->spec.shards : 0;
}

/* The most rows of a shard, and of the own shards together. */
static void measure_rows(batcher *b, size_t *own)
{
    size_t n = b->spec.data->rows;
    *own = 0;
    for (size_t step = 0; step < b->steps; step++) {
        size_t answers = answers_in(b, step), together = 0;
        if (answers > b->max_answers) b->max_answers = answers;
        for (size_t s = 0; s < b->spec.shards; s++) {
            size_t touched = 2 * answers < n ? 2 * answers : n;
            if (b->n_annotated) touched = annotated_before(b, s + 1) - annotated_before(b, s);
            size_t rows = plain_rows(b, s, step) + touched;
            if (rows > b->max_rows) b->max_rows = rows;
            if (s >= b->begin && s < b->end) together += rows;
        }
        if (together > *own) *own = together;
    }
}

int batcher_create(batcher *out, const batcher_spec *spec)
{
    batcher b = {.spec = *spec};
    size_t n = spec->data->rows, rows, most;
    int status;
    if (!spec->shards) b.spec.shards = 1;
    b.end = b.spec.shards;
    b.steps = (n + spec->batch - 1) / spec->batch;
    if (spec->shards > 1) ranks_own(&b.begin, &b.end, spec->shards);
    SCDC_TRY_OR(error, status, build_pool(&b));
    SCDC_TRY_OR(error, status, build_annotated(&b));
    measure_rows(&b, &most);
    b.order = arena_new(&b.memory, b.in_shard[b.end] - b.in_shard[b.begin], sizeof *b.order,
                        "the order of items");
    if (b.max_answers) b.row_of = arena_new(&b.memory, n, sizeof *b.row_of, "the rows of items");
    b.answer_order =
        arena_new(&b.memory, spec->n_answers, sizeof *b.answer_order, "the order of answers");
    b.item = arena_new(&b.memory, most, sizeof *b.item, "a minibatch");
    b.weight = arena_new(&b.memory, most, sizeof *b.weight, "a minibatch");
    b.answer = arena_new(&b.memory, b.max_answers, sizeof *b.answer, "a minibatch's answers");
    b.first_row = arena_new(&b.memory, b.spec.shards + 1, sizeof *b.first_row, "shards");
    b.first_annotated = arena_new(&b.memory, b.spec.shards + 1, sizeof *b.first_row, "shards");
    SCDC_TRY_OR(error, status, arena_status(&b.memory));
    if (!size_mul(&rows, most, spec->data->cols)) {
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
    size_t own = b->in_shard[b->begin];
    for (size_t s = b->begin; s < b->end; s++) {
        size_t first = b->in_shard[s] - own, count = b->in_shard[s + 1] - b->in_shard[s];
        rng_init(&r, b->spec.seed, RNG_SHUFFLE_ITEMS, epoch, s);
        rng_permutation(&r, b->order + first, count);
        for (size_t i = first; i < first + count; i++) b->order[i] = b->pool[first + b->order[i]];
    }
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

static void weigh_halves(batcher *b, minibatch *m)
{
    double half = 0.5 * (double)b->spec.data->rows, touched = (double)(m->rows - m->plain);
    for (size_t row = 0; row < m->plain; row++) b->weight[row] = half / (double)m->plain;
    for (size_t row = m->plain; row < m->rows; row++) b->weight[row] = half / touched;
    m->answer_weight *= 0.5;
}

static void draw_answers(batcher *b, minibatch *m, size_t step)
{
    size_t count = answers_in(b, step), n = b->spec.n_answers;
    if (!count) return;
    bool parts = answers_in_parts(b);
    size_t begin = parts ? answers_begin(b, step) : step * count;
    m->answer_weight = parts ? (double)b->steps : (double)n / (double)count;
    m->answers = count;
    m->visit = (uint32_t)(step + 1) & 0xFFFFFF; /* streams have room for 24 bits */
    for (size_t s = 0; s < count; s++) {
        const scdc_answer *a = &b->spec.answers[b->answer_order[(begin + s) % n]];
        uint32_t left = row_for(b, m, a->left), right = row_for(b, m, a->right);
        b->answer[s] = (batch_answer){left, right, a->worker, a->same};
        if (b->spec.plan == PLAN_RELATIONAL) {
            b->weight[left] += m->answer_weight / b->degree[touched_before(b, a->left)];
            b->weight[right] += m->answer_weight / b->degree[touched_before(b, a->right)];
        }
    }
    for (size_t row = m->plain; row < m->rows; row++) b->row_of[b->item[row]] = 0;
    if (b->spec.plan == PLAN_HALVES) weigh_halves(b, m);
}

/* Annotated item s of a step's slice; the order is gone through again and again in an epoch. */
static uint32_t annotated_item(const batcher *b, size_t step, size_t s)
{
    size_t place = (step * b->spec.annotated_batch + s) % b->n_annotated;
    return b->touched[b->annotated_order[place]];
}

static void draw_annotated(batcher *b, minibatch *m, size_t step, size_t shard)
{
    size_t count = b->spec.annotated_batch, end = annotated_before(b, shard + 1);
    double weight = count ? b->spec.annotated_weight * (double)b->n_annotated / (double)count : 0;
    for (size_t s = annotated_before(b, shard); s < end; s++) {
        b->item[m->rows] = annotated_item(b, step, s);
        b->weight[m->rows++] = weight;
    }
}

static void draw_shard(batcher *b, minibatch *m, size_t step, size_t shard)
{
    size_t before = b->in_shard[shard] - b->in_shard[b->begin] + rows_before(b, shard, step);
    size_t count = plain_rows(b, shard, step);
    b->first_row[shard] = m->rows;
    for (size_t row = 0; row < count; row++) {
        b->item[m->rows] = b->order[before + row];
        b->weight[m->rows++] = (double)b->steps;
    }
    b->first_annotated[shard] = m->rows;
    m->plain += count;
    draw_answers(b, m, step);
    if (b->n_annotated) draw_annotated(b, m, step, shard);
}

typedef struct row_job {
    const batcher *b;
    const minibatch *m;
} row_job;

/* Rows drawn as zeros and ones: bytes straight from the data, others from what was gathered. */
static void draw_rows(void *context, size_t begin, size_t end, size_t piece)
{
    const row_job *j = context;
    const batcher *b = j->b;
    const scdc_data *data = b->spec.data;
    (void)piece;
    for (size_t row = begin; row < end; row++) {
        real *out = b->o + row * data->cols;
        uint64_t stream = row_stream(j->m, row);
        if (b->bytes) {
            const uint8_t *pixels = data_row(data, b->item[row]);
            binarise_u8(out, pixels, data->cols, b->spec.seed, b->epoch, stream);
        } else {
            binarise_row(out, data->cols, b->spec.seed, b->epoch, stream);
        }
    }
}

static void fill_inputs(batcher *b, const minibatch *m)
{
    const scdc_data *data = b->spec.data;
    bool binarise = b->spec.input.binarise;
    if (!binarise || !b->bytes) input_gather(b->o, data, &b->spec.input, b->item, m->rows);
    if (!binarise) return;
    stage_enter(STAGE_BINARISE);
    kernel_for(m->rows, rows_per_piece(data->cols, PIECE_VALUES), draw_rows, &(row_job){b, m});
}

bool batcher_next(minibatch *out, batcher *b)
{
    if (b->position == b->steps) return false;
    size_t step = b->position++;
    minibatch m = {.seed = b->spec.seed, .epoch = b->epoch};
    for (size_t s = b->begin; s < b->end; s++) draw_shard(b, &m, step, s);
    b->first_row[b->end] = m.rows;
    stage before = stage_enter(STAGE_GATHER);
    m.item = b->item;
    fill_inputs(b, &m);
    stage_enter(before);
    m.weight = b->weight;
    m.o = b->o;
    m.answer = b->answer;
    if (b->spec.shards > 1) {
        m.plain = 0;
        for (size_t s = 0; s < b->spec.shards; s++) m.plain += plain_rows(b, s, step);
        m.rows = m.plain + (b->n_annotated ? b->spec.annotated_batch : 0);
    }
    *out = m;
    return true;
}

minibatch batcher_shard(const batcher *b, const minibatch *whole, size_t shard)
{
    size_t first = b->first_row[shard];
    minibatch m = *whole;
    m.rows = b->first_row[shard + 1] - first;
    m.plain = b->first_annotated[shard] - first;
    m.item = b->item + first;
    m.weight = b->weight + first;
    m.o = b->o + first * b->spec.data->cols;
    return m;
}

size_t batcher_annotated(size_t *first, const batcher *b, size_t shard)
{
    *first = annotated_before(b, shard);
    return annotated_before(b, shard + 1) - *first;
}

void batcher_annotated_items(uint32_t *item, const batcher *b)
{
    for (size_t s = 0; b->n_annotated && s < b->spec.annotated_batch; s++)
        item[s] = annotated_item(b, b->position - 1, s);
}

size_t batcher_first_shard(const batcher *b)
{
    size_t s = 0;
    while (s + 1 < b->spec.shards && !plain_rows(b, s, b->position - 1) &&
           annotated_before(b, s + 1) == annotated_before(b, s))
        s++;
    return s;
}
