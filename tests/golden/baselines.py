#!/usr/bin/env python3
"""Golden numbers of tests/unit/baselines, each by another way than the C code takes: spectral
clustering with the whole similarity matrix, the metric of ITML as a constrained optimum, robust
completion by proximal steps on whole matrices, the bound of MCVC from its definition.

Run: python3 tests/golden/baselines.py > tests/golden/baselines.h
"""
import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, digamma


def spectral():
    """Inertia of the embedding of Ng, Jordan and Weiss around the three planted groups."""
    i = np.arange(90)
    length = 1 + 5 * np.abs(np.cos(7.0 * i))
    y = np.stack([length * ((i % 3 == c) + 0.15 * np.sin(1.7 * i + 2.1 * c)) for c in range(4)], 1)
    similarity = y @ y.T
    degree = similarity.sum(1)
    values, vectors = np.linalg.eigh(similarity / np.sqrt(np.outer(degree, degree)))
    rows = vectors[:, -3:]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    inertia = sum(((rows[i % 3 == g] - rows[i % 3 == g].mean(0)) ** 2).sum() for g in range(3))
    print(f"static const double golden_spectral_inertia = {inertia:.17g};\n")


def itml():
    """min D(A, I) + gamma sum D(xi, xi0), both LogDet, over A and xi with the constraints met."""
    pairs = [((2, 0.5), 1), ((1, -1), 1), ((0.3, 1), -1), ((0.7, 0.6), -1)]
    near, far, gamma = 1.0, 4.0, 2.5
    start = np.array([near if sign > 0 else far for _, sign in pairs])

    def unpack(p):
        factor = np.array([[np.exp(p[0]), 0], [p[1], np.exp(p[2])]])
        return factor @ factor.T, np.exp(p[3:])

    def objective(p):
        a, xi = unpack(p)
        ratio = xi / start
        return np.trace(a) - np.log(np.linalg.det(a)) - 2 + gamma * (ratio - np.log(ratio) - 1).sum()

    def slack(p):
        a, xi = unpack(p)
        return [sign * (x - np.array(v) @ a @ np.array(v)) for (v, sign), x in zip(pairs, xi)]

    best = minimize(objective, np.concatenate([np.zeros(3), np.log(start)]), method="SLSQP",
                    constraints={"type": "ineq", "fun": slack},
                    options={"maxiter": 2000, "ftol": 1e-13})
    assert best.success, best.message
    a, _ = unpack(best.x)
    print("/* near 1, far 4, slack 2.5: same (2, .5), (1, -1); different (.3, 1), (.7, .6) */")
    print(f"static const double golden_itml[3] = {{{a[0, 0]:.10g}, {a[0, 1]:.10g}, {a[1, 1]:.10g}}};\n")


def completion():
    """trace(L) + lambda |E|_1 over the known entries by Douglas-Rachford splitting."""
    n, blocks = 18, 3
    known = np.array([[i == j or (i * 7 + j * 7 + i * j) % 5 < 3 for j in range(n)] for i in range(n)])
    value = np.array([[float(i % blocks == j % blocks) for j in range(n)] for i in range(n)])
    for i, j in ((0, 1), (4, 7), (9, 14)):
        known[i, j] = known[j, i] = True
        value[i, j] = value[j, i] = 1 - value[i, j]
    count = (known.sum() + n) / 2
    cost = 1 / np.sqrt(2 * count / n)
    z = np.zeros((n, n))
    for _ in range(200000):
        # errors: prox of cost |value - L| on the known entries
        gap = value - z
        low = np.where(known, value - np.sign(gap) * np.maximum(np.abs(gap) - cost, 0), z)
        w, v = np.linalg.eigh(2 * low - z)
        x = (v * np.maximum(w - 1, 0)) @ v.T
        step = x - low
        z = z + step
        if np.abs(step).max() < 1e-13:
            break
    objective = np.trace(x) + cost * np.abs(np.where(known, value - x, 0)).sum()
    print("/* 18 items, entry known when (7i + 7j + ij) % 5 < 3, three blocks, 3 errors */")
    print(f"static const double golden_completion = {objective:.10g};\n")


def mcvc():
    """The bound of MCVC from its definition: two views, three workers."""
    n, d, k, views, workers = 5, 2, 3, 2, 3
    x = np.sin(np.arange(n * d) + 1.0).reshape(n, d)
    x = np.hstack([x, np.ones((n, 1))])
    mean = 0.5 * np.cos(0.7 * np.arange(views * (d + 1) * k)).reshape(views, d + 1, k)
    log_deviation = (-1 + 0.1 * (np.arange(views * (d + 1) * k) % 5)).reshape(views, d + 1, k)
    view = np.array([[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]])
    sensitivity = np.array([[9.0, 2.0], [5.0, 4.0], [12.0, 1.0]])
    specificity = np.array([[8.0, 1.0], [3.0, 3.0], [10.0, 2.0]])
    stick = np.array([2.4, 2.6])
    answers = [(0, 1, 0, 1), (1, 2, 0, 0), (2, 3, 1, 1), (3, 4, 1, 0), (0, 4, 2, 1), (1, 3, 2, 0),
               (0, 2, 2, 1)]

    def logs(b):
        return digamma(b) - digamma(b.sum())

    def beta_kl(q, p):
        return betaln(*p) - betaln(*q) + ((q - p) * logs(q)).sum()

    logits = np.einsum("nd,gdk->gnk", x, mean)
    eta = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    variance = np.einsum("nd,gdk->gnk", x ** 2, np.exp(2 * log_deviation))
    # E ln p(z | x, W) with the denominator's bound, less E ln q(z)
    bound = (eta * logits).sum() - np.log(np.exp(logits + variance / 2).sum(-1)).sum()
    bound -= (eta * np.log(eta)).sum()
    squares = np.exp(2 * log_deviation)
    bound -= (0.5 * (squares + mean ** 2 - 1) - log_deviation).sum()
    weights_only = bound
    for left, right, worker, same in answers:
        a, b = logs(sensitivity[worker]), logs(specificity[worker])
        for g in range(views):
            s = eta[g, left] @ eta[g, right]
            term = s * (a[0] if same else a[1]) + (1 - s) * (b[1] if same else b[0])
            bound += view[worker, g] * term
    with_answers = bound
    prior = np.array([10.0, 1.0])
    share = np.array([logs(stick)[0], logs(stick)[1]])
    for m in range(workers):
        bound -= beta_kl(sensitivity[m], prior) + beta_kl(specificity[m], prior)
        bound += (view[m] * (share - np.log(view[m]))).sum()
    bound -= beta_kl(stick, np.array([1.0, 1.0]))
    print("/* weights alone, with the answers, everything */")
    print(f"static const double golden_mcvc[3] = {{{weights_only:.17g}, {with_answers:.17g}, "
          f"{bound:.17g}}};")


print("/* Made by baselines.py: do not edit. */\n/* clang-format off */\n#ifndef SCDC_GOLDEN_BASELINES_H\n"
      "#define SCDC_GOLDEN_BASELINES_H\n")
spectral()
itml()
completion()
mcvc()
print("\n#endif")
