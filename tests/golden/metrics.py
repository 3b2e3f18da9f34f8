#!/usr/bin/env python3
"""Golden scores of tests/unit/metrics/test_scores.c, from scikit-learn and scipy.

Labels come from a small generator that the test repeats, so that only the scores are stored.
Run: python3 tests/golden/metrics.py > tests/golden/metrics.h
"""
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import (adjusted_mutual_info_score, adjusted_rand_score,
                             normalized_mutual_info_score)
from sklearn.metrics.cluster import contingency_matrix

MASK = (1 << 64) - 1

# items, clusters, classes, noise in thousandths, skew (1: class sizes fall off), seed
CASES = [
    (1, 1, 1, 0, 0, 1),
    (2, 1, 2, 0, 0, 2),
    (10, 3, 2, 300, 0, 3),
    (50, 50, 3, 1000, 0, 4),
    (100, 4, 4, 100, 0, 5),
    (300, 7, 5, 250, 0, 6),
    (300, 5, 7, 1000, 0, 7),
    (1000, 1, 10, 0, 0, 8),
    (1000, 300, 10, 900, 1, 9),
    (2000, 15, 10, 50, 1, 10),
    (5000, 400, 350, 500, 0, 11),
    (5000, 3000, 3000, 1000, 0, 12),
    (20000, 50, 10, 200, 1, 13),
    (200000, 12, 10, 30, 0, 14),
    (200000, 2, 2, 500, 1, 15),
]


def labels_of(items, clusters, classes, noise, skew, seed):
    state = seed
    def draw(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        return (state >> 33) % n
    labels, truth = [], []
    for _ in range(items):
        t = draw(classes)
        if skew:
            t = min(t, draw(classes))
        labels.append(draw(clusters) if draw(1000) < noise else t % clusters)
        truth.append(t)
    return np.array(labels), np.array(truth)


def accuracy(labels, truth):
    table = contingency_matrix(labels, truth)
    rows, cols = linear_sum_assignment(-table)
    return table[rows, cols].sum() / len(labels)


print("/* Made by metrics.py: do not edit. */")
print("/* clang-format off */")
print("static const struct golden_scores {")
print("    uint32_t items, clusters, classes, noise, skew, seed;")
print("    uint32_t found_clusters, found_classes;")
print("    double acc, nmi, ami, ari;")
print("} golden_scores[] = {")
for case in CASES:
    labels, truth = labels_of(*case)
    scores = (accuracy(labels, truth), normalized_mutual_info_score(truth, labels),
              adjusted_mutual_info_score(truth, labels), adjusted_rand_score(truth, labels))
    head = ", ".join(str(v) for v in (*case, len(set(labels)), len(set(truth))))
    print("    {%s,\n     %s}," % (head, ", ".join("%.17g" % float(v) for v in scores)))
print("};")
