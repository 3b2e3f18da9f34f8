/* The classifier: places items into classes by what annotated items taught it, where the classes
 * are not groups that the items form by themselves. Kernel ridge regression of the classes of n
 * annotated items, then a softmax:
 *     f(o) = base + sum_i k(o, x_i) alpha_i,  k(o, x) = exp(-width |o - x|^2),
 *     p(class | o) = softmax(sharpness f(o)).
 * Knows items and classes, nothing of workers or components. */
#ifndef SCDC_MODEL_CLASSIFIER_H
#define SCDC_MODEL_CLASSIFIER_H

#include "model/core.h"

#include <scdc/limits.h>

/* Zeroed: taught by no items, which all of these functions but placing take. */
typedef struct classifier {
    size_t items, dims, classes; /* n, D, C */
    real *x;                     /* [n][D] inputs of the items it learned from */
    double *alpha;               /* [n][C] */
    double *base;                /* [C] shares of the classes */
    double *scale;               /* width, sharpness */
    int64_t *item;               /* [n] their numbers among the items of the fit */
    double *others;              /* [n][C] what each is taken for when taught by the others alone */
    double *square;              /* [n] |x|^2 */
    real *product;               /* [CLASSIFIER_ROWS][n] scratch */
    arena memory;
} classifier;

enum { CLASSIFIER_WIDTH, CLASSIFIER_SHARPNESS, CLASSIFIER_SCALES };
enum { MOST_CLASSES = SCDC_LIMIT_CLUSTERS };
enum { CLASSIFIER_ROWS = 256, CLASSIFIER_MOST_ITEMS = SCDC_LIMIT_TAUGHT, CLASSIFIER_TENSORS = 6 };

int classifier_create(classifier *out, size_t items, size_t dims, size_t classes);
void classifier_free(classifier *j);
/* What it knows, by name, for saving; and what follows from it after it was written. */
size_t classifier_tensors(tensor_ref out[CLASSIFIER_TENSORS], classifier *j);
void classifier_restore(classifier *j);
/* Class c becomes class number[c]; what it learned about several of one number adds up. Numbers
 * from `kept` on: is forgotten. */
void classifier_renumber(classifier *j, const uint32_t *number, size_t kept);
/* What was written from outside gives probabilities, whatever the items. */
bool classifier_valid(const classifier *j);
/* The place of an item of the fit among those it learned from; SIZE_MAX: it is none of them. */
size_t classifier_find(const classifier *j, size_t item);

/* |a - b|^2 of two inputs [D] from their squares and their product. Where these cancel, as with
 * values far from 0 or one item far from all others, it is computed from the differences: a kernel
 * of rounding errors has no inverse. */
double classifier_distance(const classifier *j, const real *a, const real *b, double squares,
                           double product);
/* p [rows][C] of inputs o [rows][D]. */
void classifier_place(double *p, const classifier *j, const real *o, size_t rows);

typedef struct ridge_trials ridge_trials;

/* Learning: the kernel of the classifier's items, and what each of them would be taken for by the
 * others alone (leave-one-out, in closed form). */
typedef struct lesson {
    classifier *classifier;
    size_t most;      /* classes that there is room for */
    bool once;        /* the ridge is chosen one time */
    double *kernel;   /* [n][n], the half up to the diagonal */
    double *half;     /* [n][n] H, where (kernel + ridge)^-1 = H^T H; may be where the kernel was */
    double *diagonal; /* [n] of that inverse */
    double ridge;
    ridge_trials *ridges;     /* NULL: none was chosen yet */
    double *others;           /* [n][C] probabilities by all other items */
    double *target, *product; /* [n][C] scratch */
    /* Scratch of several lessons: [n][count][C], and [count][C] */
    double *wide_target, *wide_product, *wide_alpha, *wide_base;
    arena memory;
} lesson;

/* classifier->x is set: chooses the width, the median of the squared distances. once: the ridge is
 * chosen one time, so that the inverse may take the place of a large kernel. */
int lesson_create(lesson *out, classifier *j, bool once);
void lesson_free(lesson *l);
int lesson_set_ridge(lesson *l, double ridge);
/* The ridge of a few under which items with classes r are best told by the others. Many items are
 * represented by RIDGE_ITEMS of them: the time of an inverse grows with their cube. */
enum { RIDGE_ITEMS = 1000 };
int lesson_choose_ridge(lesson *l, const double *r);
/* The classifier learns r [n][C], probabilities of its items' classes: base, alpha, and the
 * sharpness under which `others` explain r best. Returns that log likelihood per item. The number
 * of classes may be lower than at creation: classifier->classes is what counts. */
double lesson_learn(lesson *l, const double *r);
/* others[i] [n][C]: what `others` would be after learning r[i] [n][C], i < count. The kernel is
 * gone through once for all of them; the classifier stays what it is. Needs room for `count`, made
 * once.
 */
int lesson_make_room(lesson *l, size_t count);
void lesson_foretell(lesson *l, double *const *others, const double *const *r, size_t count);

#endif
