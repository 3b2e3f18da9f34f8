/* What answers teach a pupil. */
#include "model/pupil/lesson_answers.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Coins this near to guessing teach nothing. */
#define LEAST_TOLD 0.05

/* Items of a unit of pairs that are no task. */
enum { UNIT_ITEMS = 32 };

/* By task; pairs of their own come last, as they were asked: those asked one after the other are
 * often about the same items. */
static int by_task(const void *x, const void *y)
{
    const scdc_answer *a = *(const scdc_answer *const *)x, *b = *(const scdc_answer *const *)y;
    if (a->task != b->task) return a->task < b->task ? -1 : 1;
    return (a > b) - (a < b);
}

/* A unit that is being filled. */
typedef struct open_unit {
    uint32_t item[UNIT_ITEMS];
    size_t items; /* of a task it is not known which */
    bool task;
} open_unit;

/* Items of a grouping of so many pairs, were it a whole one. */
static double items_of(size_t pairs)
{
    return 0.5 + sqrt(0.25 + 2 * (double)pairs);
}

static bool add_item(open_unit *u, uint32_t item)
{
    for (size_t i = 0; i < u->items; i++) {
        if (u->item[i] == item) return true;
    }
    if (u->items == UNIT_ITEMS) return false;
    u->item[u->items++] = item;
    return true;
}

static lesson_pair pair_of(const scdc_answer *a, const double coins[2])
{
    double same = a->same ? coins[0] : 1 - coins[0], apart = a->same ? 1 - coins[1] : coins[1];
    return (lesson_pair){a->left, a->right, (float)same, (float)apart, 1};
}

/* A pair of a grouping counts as placements do; one that was asked by itself counts fully. */
static void close_unit(lesson_answers *out, open_unit *u)
{
    size_t first = out->start[out->units], pairs = out->pairs - first;
    double items = u->task ? items_of(pairs) : (double)u->items;
    if (!pairs) return;
    for (size_t p = first; p < out->pairs; p++)
        out->pair[p].weight = u->task ? (float)(2 / items) : 1;
    out->rows += (size_t)ceil(items);
    out->start[++out->units] = out->pairs;
    *u = (open_unit){.items = 0};
}

/* A unit with room for the pair. */
static void make_room(lesson_answers *out, open_unit *u, const scdc_answer *a)
{
    if (u->task || !add_item(u, a->left) || !add_item(u, a->right)) {
        close_unit(out, u);
        add_item(u, a->left), add_item(u, a->right);
    }
}

int lesson_answers_create(lesson_answers *out, const scdc_answer *answers, size_t count,
                          const bool *kept_out, const double (*coins)[2])
{
    open_unit u = {.items = 0};
    *out = (lesson_answers){0};
    out->pair = arena_new(&out->memory, count, sizeof *out->pair, "answers");
    out->start = arena_new(&out->memory, count + 1, sizeof *out->start, "answers");
    const scdc_answer **order = arena_new(&out->memory, count, sizeof *order, "answers");
    SCDC_TRY(arena_status(&out->memory));
    for (size_t i = 0; i < count; i++) order[i] = &answers[i];
    qsort(order, count, sizeof *order, by_task);
    for (size_t i = 0; i < count; i++) {
        const scdc_answer *a = order[i];
        bool task = a->task != SCDC_NO_TASK;
        if (task && (i == 0 || a->task != order[i - 1]->task)) close_unit(out, &u);
        const double *coin = coins[a->worker];
        bool tells = coin[0] + coin[1] - 1 >= LEAST_TOLD; /* not where nothing is known: NaN */
        if (kept_out[a->left] || kept_out[a->right] || !tells) continue;
        if (!task) make_room(out, &u, a);
        u.task = task;
        out->pair[out->pairs++] = pair_of(a, coin);
    }
    close_unit(out, &u);
    return SCDC_OK;
}

void lesson_answers_free(lesson_answers *a)
{
    arena_free(&a->memory);
    *a = (lesson_answers){0};
}

static size_t row_of(answer_batch *b, uint32_t item)
{
    if (!b->row_of[item]) {
        b->item[b->rows++] = item;
        b->row_of[item] = (uint32_t)b->rows;
    }
    return b->row_of[item] - 1;
}

static size_t new_rows(const answer_batch *b, const lesson_pair *p)
{
    return (size_t)!b->row_of[p->left] + (size_t)!b->row_of[p->right];
}

/* Takes a unit; false, leaving it, when it does not fit beside those before it. */
static bool take_unit(answer_batch *b, const lesson_answers *a, size_t unit, size_t most)
{
    size_t rows = b->rows, pairs = b->pairs;
    for (size_t p = a->start[unit]; p < a->start[unit + 1]; p++) {
        const lesson_pair *pair = &a->pair[p];
        if (b->rows + new_rows(b, pair) > most) {
            if (!pairs) continue; /* larger than a minibatch: the part that fits */
            while (b->rows > rows) b->row_of[b->item[--b->rows]] = 0;
            b->pairs = pairs;
            return false;
        }
        lesson_pair here = *pair;
        here.left = (uint32_t)row_of(b, pair->left);
        here.right = (uint32_t)row_of(b, pair->right);
        b->pair[b->pairs++] = here;
    }
    return true;
}

void answer_batch_fill(answer_batch *b, size_t *next, const lesson_answers *a,
                       const uint32_t *order, size_t most_rows)
{
    b->rows = b->pairs = 0;
    while (*next < a->units && take_unit(b, a, order[*next], most_rows)) ++*next;
    for (size_t r = 0; r < b->rows; r++) b->row_of[b->item[r]] = 0;
}

double answers_gradient(real *d_q, const real *q, const lesson_pair *pair, size_t pairs,
                        size_t rows, size_t C)
{
    double sum = 0;
    memset(d_q, 0, rows * C * sizeof *d_q);
    for (size_t p = 0; p < pairs; p++) {
        const real *left = q + pair[p].left * C, *right = q + pair[p].right * C;
        real *d_left = d_q + pair[p].left * C, *d_right = d_q + pair[p].right * C, s = 0;
        for (size_t c = 0; c < C; c++) s += left[c] * right[c];
        real same = (real)pair[p].if_same, apart = (real)pair[p].if_different;
        real likelihood = apart + (same - apart) * s;
        real slope = (real)pair[p].weight * (same - apart) / (likelihood * (real)rows);
        sum += (double)pair[p].weight * log((double)likelihood);
        for (size_t c = 0; c < C; c++) {
            d_left[c] += slope * right[c];
            d_right[c] += slope * left[c];
        }
    }
    /* Back through the softmax. */
    for (size_t r = 0; r < rows; r++) {
        const real *own = q + r * C;
        real *d = d_q + r * C, mean = 0;
        for (size_t c = 0; c < C; c++) mean += own[c] * d[c];
        for (size_t c = 0; c < C; c++) d[c] = own[c] * (d[c] - mean);
    }
    return sum;
}
