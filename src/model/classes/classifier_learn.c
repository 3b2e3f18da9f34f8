/* The classifier's lesson: kernel ridge regression with closed-form leave-one-out. With M = (kernel
 * + ridge)^-1 and targets y, alpha = M y, and what item i would get from all others is y_i -
 * alpha_i / M_ii. M is kept as its half: M = H^T H. */
#include "model/classes/classifier.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/factor.h"
#include "kernels/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEDIAN_PAIRS = 4096 };

static const double RIDGES[] = {0.01, 0.03, 0.1};
enum { RIDGE_COUNT = sizeof RIDGES / sizeof *RIDGES };

static const double SHARPNESS[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16};
enum { SHARPNESSES = sizeof SHARPNESS / sizeof *SHARPNESS };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the squared distances of pairs spread evenly over all. */
static double median_distance(const classifier *j)
{
    double found[MEDIAN_PAIRS];
    size_t n = j->items, pairs = n * (n - 1) / 2,
           count = pairs < MEDIAN_PAIRS ? pairs : MEDIAN_PAIRS;
    size_t a = 0, b = 0, row_ends = 0, used = 0;
    for (size_t s = 0; s < count; s++) {
        size_t pair = (size_t)((double)s * (double)pairs / (double)count);
        while (pair >= row_ends) row_ends += ++a; /* pairs (a, 0 .. a-1) end there */
        b = pair - (row_ends - a);
        found[used++] = classifier_distance(j, j->x + a * j->dims, j->x + b * j->dims, 0, 0);
    }
    qsort(found, used, sizeof *found, compare);
    return used ? found[used / 2] : 0;
}

/* Rows of the kernel whose products with all items up to them are at hand. */
typedef struct stretch {
    const lesson *l;
    size_t first, others; /* the first row; products of each */
} stretch;

static void kernel_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const stretch *s = context;
    const classifier *j = s->l->classifier;
    for (size_t row = begin; row < end; row++) {
        size_t a = s->first + row;
        const real *product = j->product + row * s->others;
        double *kernel = s->l->kernel + a * j->items;
        for (size_t b = 0; b <= a; b++) {
            double distance = classifier_distance(j, j->x + a * j->dims, j->x + b * j->dims,
                                                  j->square[a] + j->square[b], (double)product[b]);
            kernel[b] = exp(-j->scale[CLASSIFIER_WIDTH] * distance);
        }
    }
}

/* The kernel of each item with itself and those before it, CLASSIFIER_ROWS rows at a time. */
static void fill_kernel(lesson *l)
{
    classifier *j = l->classifier;
    for (size_t first = 0; first < j->items; first += CLASSIFIER_ROWS) {
        size_t left = j->items - first, rows = left < CLASSIFIER_ROWS ? left : CLASSIFIER_ROWS;
        stretch s = {l, first, first + rows};
        gemm(GEMM_NONE, GEMM_TRANSPOSED, rows, s.others, j->dims, 1, j->x + first * j->dims, j->x,
             0, j->product);
        parallel_for(rows, 16, kernel_rows, &s);
    }
}

static int create_room(lesson *l, bool once)
{
    size_t n = l->classifier->items, C = l->classifier->classes;
    arena *m = &l->memory;
    l->most = C;
    l->once = once;
    l->kernel = arena_new(m, n, n * sizeof *l->kernel, "a kernel");
    bool in_place = once && n > RIDGE_ITEMS;
    l->half = in_place ? l->kernel : arena_new(m, n, n * sizeof *l->half, "a kernel");
    l->diagonal = arena_new(m, n, sizeof *l->diagonal, "a lesson");
    l->product = arena_new(m, n, C * sizeof *l->product, "a lesson");
    l->others = arena_new(m, n, C * sizeof *l->others, "a lesson");
    l->target = arena_new(m, n, C * sizeof *l->target, "a lesson");
    return arena_status(m);
}

int lesson_create(lesson *out, classifier *j, bool once)
{
    lesson l = {.classifier = j};
    int status;
    SCDC_TRY_OR(error, status, create_room(&l, once));
    classifier_restore(j);
    double median = median_distance(j);
    j->scale[CLASSIFIER_WIDTH] = median > 0 ? 1 / (2 * median) : 1;
    fill_kernel(&l);
    *out = l;
    return SCDC_OK;
error:
    arena_free(&l.memory);
    return status;
}

static void ridges_free(ridge_trials *t);

void lesson_free(lesson *l)
{
    ridges_free(l->ridges);
    arena_free(&l->memory);
}

int lesson_set_ridge(lesson *l, double ridge)
{
    size_t n = l->classifier->items;
    if (l->half != l->kernel) memcpy(l->half, l->kernel, n * n * sizeof *l->half);
    for (size_t i = 0; i < n; i++) l->half[i * n + i] += ridge;
    int info = factor_inverse(l->half, n);
    if (info) return fail_with(SCDC_ERR_NUMERIC, "the kernel has no inverse (LAPACK %d)", info);
    memset(l->diagonal, 0, n * sizeof *l->diagonal);
    for (size_t a = 0; a < n; a++) {
        const double *row = l->half + a * n;
        for (size_t b = 0; b <= a; b++) l->diagonal[b] += row[b] * row[b];
    }
    l->ridge = ridge;
    return SCDC_OK;
}

/* Columns of a matrix with more of them. */
typedef struct columns {
    double *at;
    size_t stride;
} columns;

/* target = r - base, where base [C] are the shares of the classes. */
static void set_target(columns target, double *base, const double *r, size_t n, size_t C)
{
    memset(base, 0, C * sizeof *base);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) base[c] += r[i * C + c] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) target.at[i * target.stride + c] = r[i * C + c] - base[c];
    }
}

/* What each item would get from all others. */
static void leave_one_out(double *others, const lesson *l, const double *base, columns target,
                          columns alpha)
{
    size_t n = l->classifier->items, C = l->classifier->classes;
    for (size_t i = 0; i < n; i++) {
        const double *wanted = target.at + i * target.stride, *got = alpha.at + i * alpha.stride;
        for (size_t c = 0; c < C; c++)
            others[i * C + c] = base[c] + wanted[c] - got[c] / l->diagonal[i];
    }
}

/* Of r under the softmax of the leave-one-out values, at this sharpness. */
static double fit_of(const double *others, const double *r, size_t n, size_t C, double sharpness)
{
    double sum = 0, logits[64];
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < C; c++) logits[c] = sharpness * others[i * C + c];
        double all = log_sum_exp(logits, C);
        for (size_t c = 0; c < C; c++) sum += r[i * C + c] * (logits[c] - all);
    }
    return sum / (double)n;
}

/* Values become probabilities, by the sharpness that explains r best; returns that fit. */
static double sharpen(double *others, double *sharpness, const double *r, size_t n, size_t C)
{
    double best = -INFINITY;
    for (size_t s = 0; s < SHARPNESSES; s++) {
        double fit = fit_of(others, r, n, C, SHARPNESS[s]);
        if (!(fit > best)) continue;
        best = fit;
        *sharpness = SHARPNESS[s];
    }
    for (size_t i = 0; i < n; i++) {
        double *p = others + i * C;
        for (size_t c = 0; c < C; c++) p[c] *= *sharpness;
        softmax(p, p, C);
    }
    return best;
}

double lesson_learn(lesson *l, const double *r)
{
    classifier *j = l->classifier;
    size_t n = j->items, C = j->classes;
    columns target = {l->target, C}, alpha = {j->alpha, C};
    set_target(target, j->base, r, n, C);
    factor_apply(l->product, l->half, l->target, n, C);
    factor_apply_transposed(j->alpha, l->half, l->product, n, C);
    leave_one_out(l->others, l, j->base, target, alpha);
    return sharpen(l->others, &j->scale[CLASSIFIER_SHARPNESS], r, n, C);
}

/* ---- several at once ---- */

int lesson_make_room(lesson *l, size_t count)
{
    size_t n = l->classifier->items, row = count * l->classifier->classes * sizeof(double);
    l->wide_target = arena_new(&l->memory, n, row, "lessons");
    l->wide_product = arena_new(&l->memory, n, row, "lessons");
    l->wide_alpha = arena_new(&l->memory, n, row, "lessons");
    l->wide_base = arena_new(&l->memory, 1, row, "lessons");
    return arena_status(&l->memory);
}

typedef struct telling {
    const lesson *l;
    double *const *others;
    const double *const *r;
    size_t width; /* columns of all */
} telling;

static columns part_of(double *wide, const telling *t, size_t number)
{
    return (columns){wide + number * t->l->classifier->classes, t->width};
}

static void set_targets(void *context, size_t begin, size_t end, size_t piece)
{
    (void)end;
    (void)piece;
    const telling *t = context;
    const lesson *l = t->l;
    size_t n = l->classifier->items, C = l->classifier->classes;
    set_target(part_of(l->wide_target, t, begin), l->wide_base + begin * C, t->r[begin], n, C);
}

static void tell_others(void *context, size_t begin, size_t end, size_t piece)
{
    (void)end;
    (void)piece;
    const telling *t = context;
    const lesson *l = t->l;
    size_t n = l->classifier->items, C = l->classifier->classes;
    double sharpness = 1;
    leave_one_out(t->others[begin], l, l->wide_base + begin * C, part_of(l->wide_target, t, begin),
                  part_of(l->wide_alpha, t, begin));
    sharpen(t->others[begin], &sharpness, t->r[begin], n, C);
}

void lesson_foretell(lesson *l, double *const *others, const double *const *r, size_t count)
{
    size_t n = l->classifier->items;
    telling t = {l, others, r, count * l->classifier->classes};
    parallel_for(count, 1, set_targets, &t);
    factor_apply(l->wide_product, l->half, l->wide_target, n, t.width);
    factor_apply_transposed(l->wide_alpha, l->half, l->wide_product, n, t.width);
    parallel_for(count, 1, tell_others, &t);
}

/* ---- the ridge ---- */

/* The items that ridges are tried with, all or some, and their inverse under each: it hangs on no
 * class, so that whoever chooses again and again makes it once. */
struct ridge_trials {
    size_t count;
    size_t *item; /* [count] among the lesson's */
    classifier classifier;
    lesson lesson;
    double *half[RIDGE_COUNT], *diagonal[RIDGE_COUNT];
    size_t made;     /* of these */
    double *targets; /* [count][C] */
    /* Of all items under the ridges that were chosen so far, where these fit into MOST_KEPT. */
    double *kept[RIDGE_COUNT];
};

/* Bytes of inverses that wait to be chosen again. */
#define MOST_KEPT ((size_t)256 << 20)

static void ridges_free(ridge_trials *t)
{
    if (!t) return;
    arena_free(&t->lesson.memory);
    classifier_free(&t->classifier);
    mem_free(t);
}

/* One item from each of `count` equal stretches of all. */
static void draw_items(size_t *item, size_t count, size_t n)
{
    rng r;
    rng_init(&r, 0, RNG_RIDGE_ITEMS, 0, n);
    for (size_t a = 0; a < count; a++) {
        size_t first = a * n / count, end = (a + 1) * n / count;
        item[a] = first + (size_t)rng_below(&r, end - first);
    }
}

/* Ridge i, whose inverse is made unless it was kept. */
static int turn_to(ridge_trials *t, size_t i)
{
    lesson *some = &t->lesson;
    some->half = t->half[some->once ? 0 : i];
    some->diagonal = t->diagonal[some->once ? 0 : i];
    if (!some->once && i < t->made) return SCDC_OK;
    t->made = i + 1;
    return lesson_set_ridge(some, RIDGES[i]);
}

/* The inverse of the kernel of the items chosen, under each ridge; where one is chosen once, they
 * are made when they are tried. */
static int invert_each(ridge_trials *t, const lesson *l)
{
    size_t n = l->classifier->items, count = t->count;
    lesson *some = &t->lesson;
    for (size_t a = 0; a < count; a++) {
        const double *kernel = l->kernel + t->item[a] * n; /* items rise */
        for (size_t b = 0; b <= a; b++) some->kernel[a * count + b] = kernel[t->item[b]];
    }
    some->once = l->once;
    for (size_t i = 0; i < RIDGE_COUNT && !some->once; i++) SCDC_TRY(turn_to(t, i));
    return SCDC_OK;
}

static int ridges_create(ridge_trials **out, const lesson *l)
{
    size_t n = l->classifier->items, C = l->most;
    ridge_trials *t;
    SCDC_TRY(mem_zeroed(&t, 1, sizeof *t, "a lesson"));
    size_t count = t->count = n < RIDGE_ITEMS ? n : RIDGE_ITEMS;
    arena *m = &t->lesson.memory;
    t->lesson.classifier = &t->classifier;
    int status;
    SCDC_TRY_OR(error, status, classifier_create(&t->classifier, count, 1, C));
    SCDC_TRY_OR(error, status, create_room(&t->lesson, false));
    t->half[0] = t->lesson.half;
    t->diagonal[0] = t->lesson.diagonal;
    for (size_t i = 1; i < RIDGE_COUNT && !l->once; i++) {
        t->half[i] = arena_new(m, count, count * sizeof **t->half, "a kernel");
        t->diagonal[i] = arena_new(m, count, sizeof **t->diagonal, "a lesson");
    }
    t->targets = arena_new(m, count, C * sizeof *t->targets, "a lesson");
    t->item = arena_new(m, count, sizeof *t->item, "a lesson");
    SCDC_TRY_OR(error, status, arena_status(m));
    draw_items(t->item, count, n);
    SCDC_TRY_OR(error, status, invert_each(t, l));
    *out = t;
    return SCDC_OK;
error:
    ridges_free(t);
    return status;
}

/* The ridge under which the items chosen tell r best. */
static int try_ridges(size_t *chosen, ridge_trials *t, const double *r, size_t C)
{
    double best = -INFINITY;
    *chosen = 0;
    t->classifier.classes = C;
    for (size_t a = 0; a < t->count; a++)
        memcpy(t->targets + a * C, r + t->item[a] * C, C * sizeof *t->targets);
    for (size_t i = 0; i < RIDGE_COUNT; i++) {
        SCDC_TRY(turn_to(t, i));
        double fit = lesson_learn(&t->lesson, t->targets);
        if (!(fit > best)) continue;
        best = fit;
        *chosen = i;
    }
    return SCDC_OK;
}

/* The inverse for all items, made or found again. */
static int take_ridge(lesson *l, size_t chosen)
{
    ridge_trials *t = l->ridges;
    size_t n = l->classifier->items, bytes = (n + 1) * n * sizeof *l->half;
    double **kept = &t->kept[chosen];
    if (l->ridge == RIDGES[chosen]) return SCDC_OK;
    if (*kept) {
        memcpy(l->half, *kept, n * n * sizeof *l->half);
        memcpy(l->diagonal, *kept + n * n, n * sizeof *l->diagonal);
        l->ridge = RIDGES[chosen];
        return SCDC_OK;
    }
    SCDC_TRY(lesson_set_ridge(l, RIDGES[chosen]));
    if (l->once || bytes > MOST_KEPT / RIDGE_COUNT) return SCDC_OK;
    *kept = arena_new(&t->lesson.memory, n + 1, n * sizeof **kept, "a kernel");
    SCDC_TRY(arena_status(&t->lesson.memory));
    memcpy(*kept, l->half, n * n * sizeof *l->half);
    memcpy(*kept + n * n, l->diagonal, n * sizeof *l->diagonal);
    return SCDC_OK;
}

int lesson_choose_ridge(lesson *l, const double *r)
{
    if (!l->ridges) SCDC_TRY(ridges_create(&l->ridges, l));
    ridge_trials *t = l->ridges;
    size_t chosen;
    SCDC_TRY(try_ridges(&chosen, t, r, l->classifier->classes));
    if (t->count < l->classifier->items) return take_ridge(l, chosen);
    if (l->once) return lesson_set_ridge(l, RIDGES[chosen]);
    memcpy(l->half, t->half[chosen], t->count * t->count * sizeof *l->half);
    memcpy(l->diagonal, t->diagonal[chosen], t->count * sizeof *l->diagonal);
    l->ridge = RIDGES[chosen];
    return SCDC_OK;
}
