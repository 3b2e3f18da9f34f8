/* Sums over shards that come out the same, bit for bit, whoever computed which shard.
 *
 * The summands are the leaves of a fixed binary tree: [0, S) is the sum of its two halves, and so
 * on. A process that has neighbouring shards adds up the whole subtrees among them as they come
 * (tree_sum_add); the rest is done with what the others bring, each process a stretch of the
 * values (tree_sum_finish): with 2, 4, 8, ... processes that moves no more than a plain reduction.
 */
#ifndef SCDC_BASE_TREE_SUM_H
#define SCDC_BASE_TREE_SUM_H

#include "base/memory.h"
#include "base/real.h"

#include <stdbool.h>

typedef struct tree_node {
    size_t begin, end; /* leaves */
    double *doubles;
    real *reals;
} tree_node;

/* Nodes that neighbouring shards may add up to: twice the depth of the tree. */
enum { TREE_DEEPEST = 64, MOST_SHARDS = 1024 };

typedef struct tree_sum {
    size_t shards, doubles, reals; /* S, and how many values of each kind a summand has */
    size_t used_doubles, used_reals;
    bool spread;                  /* shards are spread over processes; else this one has all */
    size_t begin, end;            /* its shards */
    tree_node node[TREE_DEEPEST]; /* [nodes] as far as added up; the rest are spare */
    size_t nodes;
    unsigned char *to, *from, *all; /* what goes and comes */
    size_t *to_bytes, *from_bytes;
    arena memory;
} tree_sum;

/* Of summands of at most so many values; `spread`: over the processes of this thread. */
int tree_sum_create(tree_sum *out, size_t shards, size_t doubles, size_t reals, bool spread);
void tree_sum_free(tree_sum *t);
/* A new sum, of summands of so many values. */
void tree_sum_begin(tree_sum *t, size_t doubles, size_t reals);
/* The next one of this process's shards. */
void tree_sum_add(tree_sum *t, const double *doubles, const real *reals);
/* The sum of all shards; called by all processes. */
int tree_sum_finish(double *doubles, real *reals, tree_sum *t);

#endif
