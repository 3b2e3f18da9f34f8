#!/usr/bin/env python3
"""Golden numbers of tests/unit/data: points of the pinwheel and principal components (numpy SVD).

Matrices come from a small generator that the test repeats, so that only the results are stored.
Run: python3 tests/golden/data.py > tests/golden/data.h
"""
import numpy as np


def pinwheel():
    """The geometry of the public pinwheel of Johnson et al. 2016, for given features."""
    features = np.array([[1.0, 0.0], [0.4, 0.1], [1.7, -0.05], [-0.2, 0.3], [2.5, 0.02]])
    arms = np.array([0, 1, 2, 3, 4]) * 2 * np.pi / 5
    rate = 0.25
    angles = arms + rate * np.exp(features[:, 0])
    rotations = np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles])
    points = 10 * np.einsum("ti,tij->tj", features, rotations)
    print("/* along, across, arm angle, rate, x, y */")
    print(f"static const double golden_pinwheel[{len(points)}][6] = {{")
    for f, a, p in zip(features, arms, points):
        print("    {" + ", ".join(f"{v:.17g}" for v in (*f, a, rate, *p)) + "},")
    print("};\n")


def matrix(rows, cols, seed):
    """Values of a 64-bit linear congruential generator, correlated and with a large mean."""
    state = seed
    x = np.empty((rows, cols))
    for r in range(rows):
        common = 0.0
        for c in range(cols):
            state = (state * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
            u = (state >> 40) / 2.0**24 - 0.5
            common = 0.75 * common + u
            x[r, c] = 100 + (c % 7 + 1) * common
    return x


def pca(name, rows, cols, seed, components):
    x = matrix(rows, cols, seed)
    centred = x - x.mean(axis=0)
    _, s, vt = np.linalg.svd(centred, full_matrices=False)
    v = vt[:components]
    v = v * np.sign(v[np.arange(components), np.abs(v).argmax(axis=1)])[:, None]
    projection = centred @ v.T
    print(f"/* {rows} x {cols}, seed {seed}; singular values fall from {s[0]:.6g} to {s[-1]:.6g} */")
    print(f"static const double golden_pca_{name}[{rows}][{components}] = {{")
    for row in projection:
        print("    {" + ", ".join(f"{value:.12g}" for value in row) + "},")
    print("};\n")


print("/* Made by data.py: do not edit. */")
print("/* clang-format off */")
pinwheel()
pca("tall", 40, 9, 1, 4)
pca("wide", 9, 40, 2, 5)
pca("square", 6, 6, 3, 6)
