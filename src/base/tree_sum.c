/* Subtrees, and the exchange of their sums. */
#include "base/tree_sum.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "base/status.h"

#include <string.h>

enum { ADD_PIECE = 1 << 15 };

/* ---- the tree ---- */

/* Whether [begin, end) is a node whose halves meet at `middle`. */
static bool are_halves(size_t shards, size_t begin, size_t middle, size_t end)
{
    size_t low = 0, high = shards;
    while (low != begin || high != end) {
        size_t half = low + (high - low) / 2;
        if (high - low < 2) return false;
        if (end <= half) high = half;
        else if (begin >= half) low = half;
        else return false;
    }
    return middle == low + (high - low) / 2;
}

/* The nodes that shards [begin, end) add up to: their ends [TREE_DEEPEST]; most (may be NULL):
 * nodes at a time on the way. */
static size_t nodes_of(size_t *ends, size_t *most, size_t shards, size_t begin, size_t end)
{
    size_t count = 0;
    for (size_t s = begin; s < end; s++) {
        ends[count++] = s + 1;
        if (most && count > *most) *most = count;
        while (count > 1) {
            size_t first = count > 2 ? ends[count - 3] : begin;
            if (!are_halves(shards, first, ends[count - 2], ends[count - 1])) break;
            ends[count - 2] = ends[count - 1];
            count--;
        }
    }
    return count;
}

struct adding {
    double *to_d;
    const double *from_d;
    real *to_r;
    const real *from_r;
};

static void add_doubles(void *context, size_t begin, size_t end, size_t piece)
{
    const struct adding *a = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) a->to_d[i] += a->from_d[i];
}

static void add_reals(void *context, size_t begin, size_t end, size_t piece)
{
    const struct adding *a = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) a->to_r[i] += a->from_r[i];
}

static void copy_reals(void *context, size_t begin, size_t end, size_t piece)
{
    const struct adding *a = context;
    (void)piece;
    memcpy(a->to_r + begin, a->from_r + begin, (end - begin) * sizeof *a->to_r);
}

/* A node becomes its sum with the other half of the one above it. */
static void add_half(tree_node *left, const double *doubles, const real *reals, size_t n_doubles,
                     size_t n_reals)
{
    struct adding a = {left->doubles, doubles, left->reals, reals};
    parallel_for(n_doubles, ADD_PIECE, add_doubles, &a);
    parallel_for(n_reals, ADD_PIECE, add_reals, &a);
}

/* Adds up nodes on top of the stack while two of them are the halves of one. */
static void join_nodes(tree_sum *t, size_t doubles, size_t reals)
{
    while (t->nodes > 1) {
        tree_node *left = &t->node[t->nodes - 2], *right = left + 1;
        if (!are_halves(t->shards, left->begin, right->begin, right->end)) return;
        add_half(left, right->doubles, right->reals, doubles, reals);
        left->end = right->end;
        t->nodes--;
    }
}

/* ---- a sum ---- */

/* The values of which a process makes the sum: doubles, then reals; in bytes that keep what comes
 * behind them aligned. */
typedef struct stretch {
    size_t first_d, doubles, first_r, reals, bytes;
} stretch;

static stretch stretch_of(const tree_sum *t, size_t rank)
{
    stretch s = {.first_d = ranks_begin_of(t->used_doubles, rank),
                 .first_r = ranks_begin_of(t->used_reals, rank)};
    s.doubles = ranks_begin_of(t->used_doubles, rank + 1) - s.first_d;
    s.reals = ranks_begin_of(t->used_reals, rank + 1) - s.first_r;
    s.bytes = s.doubles * sizeof(double) + s.reals * sizeof(real);
    s.bytes = (s.bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return s;
}

static size_t shards_begin(const tree_sum *t, size_t rank)
{
    return ranks_begin_of(t->shards, rank);
}

static int create_exchange(tree_sum *t)
{
    size_t n = scdc_ranks_count(), ends[TREE_DEEPEST], own, sum = 0;
    size_t bytes = t->doubles * sizeof(double) + t->reals * sizeof(real) + 16 * n;
    own = nodes_of(ends, NULL, t->shards, t->begin, t->end);
    for (size_t r = 0; r < n; r++)
        sum += nodes_of(ends, NULL, t->shards, shards_begin(t, r), shards_begin(t, r + 1));
    t->to = arena_new(&t->memory, own, bytes, "sums of processes");
    t->from = arena_new(&t->memory, sum, bytes / n + 32, "sums of processes");
    t->all = arena_new(&t->memory, 1, bytes, "sums of processes");
    t->to_bytes = arena_new(&t->memory, n, sizeof(size_t), "sums of processes");
    t->from_bytes = arena_new(&t->memory, n, sizeof(size_t), "sums of processes");
    return arena_status(&t->memory);
}

int tree_sum_create(tree_sum *out, size_t shards, size_t doubles, size_t reals, bool spread)
{
    tree_sum t = {.shards = shards,
                  .doubles = doubles,
                  .reals = reals,
                  .spread = spread && scdc_ranks_count() > 1,
                  .end = shards};
    size_t ends[TREE_DEEPEST], own = 0;
    int status;
    if (t.spread) ranks_own(&t.begin, &t.end, shards);
    nodes_of(ends, &own, shards, t.begin, t.end);
    for (size_t i = 0; i < own; i++) {
        t.node[i].doubles = arena_new(&t.memory, doubles, sizeof(double), "sums of shards");
        t.node[i].reals = arena_new(&t.memory, reals, sizeof(real), "sums of shards");
    }
    if (t.spread) SCDC_TRY_OR(error, status, create_exchange(&t));
    SCDC_TRY_OR(error, status, arena_status(&t.memory));
    *out = t;
    return SCDC_OK;
error:
    arena_free(&t.memory);
    return status;
}

void tree_sum_free(tree_sum *t)
{
    arena_free(&t->memory);
}

void tree_sum_begin(tree_sum *t, size_t doubles, size_t reals)
{
    t->used_doubles = doubles;
    t->used_reals = reals;
    t->nodes = 0;
}

void tree_sum_add(tree_sum *t, const double *doubles, const real *reals)
{
    tree_node *n = &t->node[t->nodes], *left = n - 1;
    size_t begin = t->nodes ? left->end : t->begin;
    if (t->nodes && are_halves(t->shards, left->begin, begin, begin + 1)) {
        add_half(left, doubles, reals, t->used_doubles, t->used_reals);
        left->end++;
    } else {
        struct adding a = {.to_r = n->reals, .from_r = reals};
        n->begin = begin;
        n->end = begin + 1;
        memcpy(n->doubles, doubles, t->used_doubles * sizeof *doubles);
        parallel_for(t->used_reals, ADD_PIECE, copy_reals, &a);
        t->nodes++;
    }
    join_nodes(t, t->used_doubles, t->used_reals);
}

/* ---- with others ---- */

/* Every process gets its stretch of all nodes. */
static int give_stretches(tree_sum *t)
{
    size_t n = scdc_ranks_count(), ends[TREE_DEEPEST];
    unsigned char *to = t->to;
    stretch mine = stretch_of(t, scdc_ranks_rank());
    for (size_t r = 0; r < n; r++) {
        stretch s = stretch_of(t, r);
        t->to_bytes[r] = t->nodes * s.bytes;
        for (size_t i = 0; i < t->nodes; i++, to += s.bytes) {
            size_t bytes = s.doubles * sizeof(double);
            memcpy(to, t->node[i].doubles + s.first_d, bytes);
            memcpy(to + bytes, t->node[i].reals + s.first_r, s.reals * sizeof(real));
        }
        size_t brings = nodes_of(ends, NULL, t->shards, shards_begin(t, r), shards_begin(t, r + 1));
        t->from_bytes[r] = brings * mine.bytes;
    }
    return ranks_exchange(t->from, t->from_bytes, t->to, t->to_bytes);
}

/* Adds up this process's stretch of all nodes, in the places where they lie. */
static void add_stretches(tree_sum *t, const stretch *s)
{
    size_t ends[TREE_DEEPEST];
    unsigned char *from = t->from;
    tree_sum stack = {.shards = t->shards};
    for (size_t r = 0, begin = 0; r < scdc_ranks_count(); r++) {
        size_t brings = nodes_of(ends, NULL, t->shards, shards_begin(t, r), shards_begin(t, r + 1));
        for (size_t i = 0; i < brings; i++, from += s->bytes) {
            unsigned char *reals = from + s->doubles * sizeof(double);
            stack.node[stack.nodes++] =
                (tree_node){begin, ends[i], (double *)(void *)from, (real *)(void *)reals};
            begin = ends[i];
            join_nodes(&stack, s->doubles, s->reals);
        }
    }
}

static int take_all(double *doubles, real *reals, tree_sum *t)
{
    size_t n = scdc_ranks_count();
    unsigned char *place = t->all;
    for (size_t r = 0; r < n; r++) {
        t->to_bytes[r] = stretch_of(t, r).bytes;
        if (r == scdc_ranks_rank()) memcpy(place, t->from, t->to_bytes[r]);
        place += t->to_bytes[r];
    }
    SCDC_TRY(ranks_gather(t->all, t->to_bytes));
    place = t->all;
    for (size_t r = 0; r < n; r++) {
        stretch s = stretch_of(t, r);
        size_t bytes = s.doubles * sizeof(double);
        memcpy(doubles + s.first_d, place, bytes);
        memcpy(reals + s.first_r, place + bytes, s.reals * sizeof(real));
        place += s.bytes;
    }
    return SCDC_OK;
}

int tree_sum_finish(double *doubles, real *reals, tree_sum *t)
{
    if (!t->spread) {
        memcpy(doubles, t->node[0].doubles, t->used_doubles * sizeof *doubles);
        memcpy(reals, t->node[0].reals, t->used_reals * sizeof *reals);
        return SCDC_OK;
    }
    stretch mine = stretch_of(t, scdc_ranks_rank());
    SCDC_TRY(give_stretches(t));
    add_stretches(t, &mine);
    return take_all(doubles, reals, t);
}
