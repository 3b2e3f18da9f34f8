/* The one way through items: a chunk at a time is gathered, placed and handed on. Everybody who
 * places items (training, its stops, predictions, items with answers) goes through here, so that
 * all of them hear the same: the mixture, the classifier where there is one, messages if any. */
#ifndef SCDC_MODEL_WALK_H
#define SCDC_MODEL_WALK_H

#include "model/model.h"

typedef struct chunk {
    size_t first, rows;   /* items [first, first + rows) of the walk */
    const uint32_t *item; /* [rows] their numbers */
    const real *o;        /* [rows][D] inputs: scaled, nothing drawn */
    double *z;            /* [rows][K] q(z) */
    double *x;            /* [rows][d] latent means; NULL unless asked for */
} chunk;

/* An array of results, `bytes` for each item of a walk in its order. */
typedef struct walk_result {
    void *values; /* NULL: not asked for */
    size_t bytes;
} walk_result;

enum { WALK_RESULTS = 5 };

/* Who has the results in the end: all processes, the first, or each its own part. Memory that
 * others do not write to costs nothing: it is there when it is touched. */
typedef enum walk_keeper { KEPT_BY_ALL, KEPT_BY_FIRST, KEPT_APART } walk_keeper;

typedef struct walk {
    const scdc_model *model;
    const scdc_data *data;
    size_t count;          /* items to go through: */
    const uint32_t *items; /* [count] these; NULL: 0 .. count - 1 */
    bool latent;           /* whether x is asked for */
    bool own;              /* items of the fit, by their numbers in it */
    /* Messages to the rows, [rows][K], in log space; NULL: none. */
    const double *(*hear)(void *context, const chunk *c);
    /* Another way to fill z and x, which have room for max(K, d) values a row; NULL: as above. */
    int (*place)(void *context, const chunk *c);
    int (*take)(void *context, const chunk *c);
    void *context;
    /* All that `take` writes to. Then processes that share a fit go through a part each, and in the
     * end all of it is where `kept_by` says; without it each goes through everything. */
    walk_result result[WALK_RESULTS];
    walk_keeper kept_by;
    /* end > 0, without `result`: only through chunks with some of the items [begin, end). */
    size_t begin, end;
} walk;

int walk_items(const walk *w);
/* Items [begin, end) of a walk with results that this process goes through. */
void walk_own(size_t *begin, size_t *end, const scdc_model *model, size_t count);

/* q(z) [rows][K] and latent means [rows][d] (may be NULL) of inputs. Clusters as mixture and
 * classifier say by their weights (before they are weighed: as the classifier says where there is
 * one), and the network that was taught at the end by what it counts beside them, where there is
 * one; the mixture chooses the component inside. own [rows]: numbers of items of the fit, or NULL.
 */
int place_rows(double *z, double *x, const scdc_model *model, const real *o, size_t rows,
               const double *messages, const uint32_t *own);

/* Whether messages are added to what items say by themselves, and not heard by the core. */
bool messages_come_last(const scdc_model *model);

/* z [K] with the clusters' probabilities p [C]; inside a cluster as it was. */
void set_clusters(double *z, const double *p, const scdc_model *model);

#endif
