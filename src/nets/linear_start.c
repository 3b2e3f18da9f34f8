/* First weights with which rectified layers compute a linear map. */
#include "nets/linear_start.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>

/* ---- small matrices, row-major ---- */

static double inner(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Takes from row `i` its part along the rows before it. Returns the length of what is left. */
static double remove_earlier(double *rows, size_t i, size_t n)
{
    for (size_t j = 0; j < i; j++) {
        double along = inner(rows + i * n, rows + j * n, n);
        for (size_t c = 0; c < n; c++) rows[i * n + c] -= along * rows[j * n + c];
    }
    return sqrt(inner(rows + i * n, rows + i * n, n));
}

void orthonormal_rows(double *rows, size_t count, size_t n, uint64_t seed, uint64_t number)
{
    rng r;
    rng_init(&r, seed, RNG_INIT_WEIGHTS, 1, number);
    for (size_t i = 0; i < count; i++) {
        double length;
        do { /* a row that lies almost within the others is drawn again */
            for (size_t c = 0; c < n; c++) rows[i * n + c] = rng_normal(&r);
            remove_earlier(rows, i, n);
            length = remove_earlier(rows, i, n); /* twice is enough for double precision */
        } while (length < 1e-6);
        for (size_t c = 0; c < n; c++) rows[i * n + c] /= length;
    }
}

/* ---- one layer ---- */

/* What a layer must compute, as a matrix [inputs][outputs] of which only products are needed:
 * left [inputs][rank] (NULL: the identity) times right [rank][outputs] (NULL: the identity). */
typedef struct product {
    const double *left, *right;
    size_t rank, inputs, outputs;
    bool left_transposed; /* left is stored [rank][inputs] */
} product;

static double entry(const product *p, size_t i, size_t o)
{
    double sum = 0;
    for (size_t k = 0; k < p->rank; k++) {
        double left = !p->left             ? (double)(i == k)
                      : p->left_transposed ? p->left[k * p->inputs + i]
                                           : p->left[i * p->rank + k];
        sum += left * (p->right ? p->right[k * p->outputs + o] : (double)(k == o));
    }
    return sum;
}

/* Pairs of units hold max(0, u) and max(0, -u), whose difference is u. `from_pairs`: the inputs are
 * such pairs (the second half holds the mirror images); `to_pairs`: so are the outputs. A unit
 * without a partner keeps its drawn weights and is not listened to. */
static void fill_layer(layer *l, const product *p, bool from_pairs, bool to_pairs)
{
    size_t inputs = shape_size(l->in), outputs = shape_size(l->out);
    real *w = dense_weights(l);
    for (size_t i = 0; from_pairs && i < inputs; i++) {
        for (size_t o = 0; o < outputs; o++) w[i * outputs + o] = 0;
    }
    for (size_t i = 0; i < p->inputs; i++) {
        for (size_t o = 0; o < p->outputs; o++) {
            real value = (real)entry(p, i, o);
            w[i * outputs + o] = value;
            if (to_pairs) w[i * outputs + p->outputs + o] = -value;
            if (from_pairs) w[(p->inputs + i) * outputs + o] = -value;
            if (from_pairs && to_pairs) w[(p->inputs + i) * outputs + p->outputs + o] = value;
        }
    }
}

/* ---- the net ---- */

int net_start_linear(net *n, const double *map, size_t outputs, uint64_t seed, uint64_t *number)
{
    size_t inputs = shape_size(net_in(n)), rank = inputs < outputs ? inputs : outputs;
    double *before = NULL, *after = NULL; /* [rank][pairs]: how the layers' pairs code the signal */
    bool narrows = inputs > outputs;
    size_t before_pairs = 0;
    arena memory = {0};
    int status = SCDC_OK;
    for (size_t l = 0; l < n->depth; l++) {
        bool first = l == 0, last = l + 1 == n->depth;
        size_t pairs = last ? outputs : shape_size(n->layers[l]->out) / 2;
        if (!last && pairs < rank) {
            status = fail_with(SCDC_ERR_ARGUMENT,
                               "net_start linear needs hidden layers of %zu units or more (twice "
                               "the smaller of item and latent size), not %zu",
                               2 * rank, shape_size(n->layers[l]->out));
            goto done;
        }
        if (!last) {
            after = arena_new(&memory, rank * pairs, sizeof *after, "weights");
            SCDC_TRY_OR(done, status, arena_status(&memory));
            orthonormal_rows(after, rank, pairs, seed, (*number)++);
        }
        /* The map sits where it needs the least width: before the first pairs when it narrows,
         * behind the last ones when it widens. */
        product p = {.left = first ? (narrows ? map : NULL) : before,
                     .right = last ? (narrows ? NULL : map) : after,
                     .rank = rank,
                     .inputs = first ? inputs : before_pairs,
                     .outputs = pairs,
                     .left_transposed = !first};
        fill_layer(n->layers[l], &p, !first, !last);
        before = after;
        before_pairs = pairs;
    }
    layer *last = n->layers[n->depth - 1];
    if (shape_size(net_out(n)) > outputs) last->ops->clear_outputs(last, outputs);
done:
    arena_free(&memory);
    return status;
}
