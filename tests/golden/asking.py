#!/usr/bin/env python3
"""Doubts between sampled partitions and what questions take away, in plain loops over all pairs of partitions.

Usage: tests/golden/asking.py > tests/golden/asking.h
"""
import math

SAMPLES, BLOCKS = 64, 5
MASS = [.1, .3, .25, .15, .2]
SENSITIVITY, SPECIFICITY = .9, .7


def group(s):
    """A partition: blocks by a made-up rule, groups numbered by their first block."""
    raw = [(s * (j + 3) + (s >> 2) * j * j) % (1 + s % 4) for j in range(BLOCKS)]
    seen = []
    for r in raw:
        if r not in seen:
            seen.append(r)
    return [seen.index(r) for r in raw]


def apart(a, b):
    """Share of the items outside the greatest overlap of each group, both ways."""
    def kept(x, y):
        total = 0
        for g in set(x):
            total += max(sum(MASS[j] for j in range(BLOCKS) if x[j] == g and y[j] == h) for h in set(y))
        return total
    return 1 - (kept(a, b) + kept(b, a)) / 2


def main():
    draws = [group(s) for s in range(SAMPLES)]
    overlap = math.sqrt(SENSITIVITY * (1 - SPECIFICITY)) + math.sqrt((1 - SENSITIVITY) * SPECIFICITY)
    edge = {(s, t): apart(draws[s], draws[t]) / SAMPLES ** 2 for s in range(SAMPLES) for t in range(SAMPLES)}

    def gain(p, q):
        return (1 - overlap) * sum(e for (s, t), e in edge.items()
                                   if (draws[s][p] == draws[s][q]) != (draws[t][p] == draws[t][q]))

    print("/* Made by tests/golden/asking.py. */")
    print(f"static const double golden_overlap = {overlap:.17g};")
    print(f"static const double golden_doubt = {sum(edge.values()):.17g};")
    pairs = [(p, q) for p in range(BLOCKS) for q in range(p + 1, BLOCKS)]
    print(f"static const double golden_gain[{len(pairs)}] = {{{', '.join(f'{gain(*pq):.17g}' for pq in pairs)}}};")
    for (s, t) in edge:  # the answer about blocks 0 and 1 is on its way
        if (draws[s][0] == draws[s][1]) != (draws[t][0] == draws[t][1]):
            edge[s, t] *= overlap
    print(f"static const double golden_after[{len(pairs)}] = {{{', '.join(f'{gain(*pq):.17g}' for pq in pairs)}}};")


if __name__ == "__main__":
    main()
