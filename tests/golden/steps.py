#!/usr/bin/env python3
"""Golden numbers of a hundred training steps of BayesSCDC in the paper's recipe: PyTorch with autograd in double precision.

Writes steps.h next to itself. Written after the paper's equations and published settings: q(z) started at random, T = 4,
momentum for the networks, first term of the natural gradient with momentum of its own. The library's streams of random
numbers are written out here as well, so that both see the same first values, minibatches and draws.
Needs python3-torch. Usage: steps.py
"""
import math
import os
import numpy as np
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
N, D, d, K, W, T, HIDDEN, PLAIN, ANSWERS, STEPS = 60, 12, 2, 6, 3, 4, (9, 7), 8, 5, 100
SEED, RATE, MOMENTUM, GLOBAL_RATE, ALPHA = 77, 2e-3, .9, 1e-3, 1.05
TEST, INIT_WEIGHTS, INIT_GLOBALS, LATENT_NOISE, START_Z = 0, 6, 7, 11, 12      # places in rng_purpose


class Stream:
    """A random stream named (seed, purpose, epoch, item)."""

    def __init__(self, purpose, epoch, item):
        self.key, self.counter = [SEED & 0xFFFFFFFF, SEED >> 32], [0, item, epoch, purpose << 24]
        self.words, self.spare = [], None

    def word(self):
        if not self.words:
            c, k = list(self.counter), list(self.key)
            for _ in range(10):
                p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
                c = [p1 >> 32 ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, p0 >> 32 ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
                k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
            self.words, self.counter[0] = c, self.counter[0] + 1
        return self.words.pop(0)

    def uniform(self):
        low = self.word()
        return ((self.word() << 32 | low) // 2048 + 0.5) * 2.0 ** -53

    def normal(self):
        if self.spare is not None:
            value, self.spare = self.spare, None
            return value
        radius, angle = math.sqrt(-2 * math.log(self.uniform())), 2 * math.pi * self.uniform()
        self.spare = radius * math.sin(angle)
        return radius * math.cos(angle)


# ---- networks: Glorot weights, zero biases ----
def mlp(sizes, number):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        stream, limit = Stream(INIT_WEIGHTS, 0, number), math.sqrt(6 / (inputs + outputs))
        w = [[limit * (2 * stream.uniform() - 1) for _ in range(outputs)] for _ in range(inputs)]
        layers.append((torch.tensor(w, requires_grad=True), torch.zeros(outputs, requires_grad=True)))
        number += 1
    return layers, number


def apply(layers, v):
    for n, (w, b) in enumerate(layers):
        v = v @ w + b
        if n < len(layers) - 1:
            v = torch.relu(v)
    return v


enc, number = mlp((D,) + HIDDEN + (2 * d,), 0)
dec, number = mlp((d,) + HIDDEN[::-1] + (D,), number)
params = [p for layer in enc + dec for p in layer]
sgd = torch.optim.SGD(params, RATE, momentum=MOMENTUM)


# ---- global parameters: natural parameters with full second moments ----
def niw(m, kappa, S, nu):
    return torch.cat([kappa * m, (S + kappa * m[:, None] * m[None, :]).flatten(), torch.tensor([kappa, nu + d + 2])])


eye, alpha, components = torch.eye(d), [], []
for k in range(K):
    stream = Stream(INIT_GLOBALS, 0, k)
    alpha.append(stream.uniform())                                              # alpha - 1
    components.append(niw(3 * torch.tensor([stream.normal() for _ in range(d)]), 1., (d + 1.) * eye, d + 1.))
g = [torch.tensor(alpha), torch.stack(components), torch.tensor([[9., 0.]]).repeat(W, 1), torch.tensor([[9., 0.]]).repeat(W, 1)]
prior = [torch.full((K,), ALPHA - 1), niw(torch.zeros(d), .5, (d + .5) * eye, d + .5).repeat(K, 1), torch.zeros(W, 2), torch.zeros(W, 2)]
velocity = [torch.zeros_like(v) for v in g]
psi = torch.digamma


def expected():
    a = g[0] + 1
    b, S, kappa, nu = g[1][:, :d], g[1][:, d:-2].reshape(-1, d, d), g[1][:, -2:-1], g[1][:, -1:] - d - 2
    m = b / kappa
    S = S - b[:, :, None] * m[:, None, :]
    P = torch.linalg.inv(S)
    first = nu * (P @ m[:, :, None]).squeeze(-1)
    last = .5 * (psi(.5 * nu - torch.arange(d) / 2).sum(-1, keepdim=True) + d * math.log(2) - torch.logdet(S)[:, None])
    niw_stats = torch.cat([first, (-.5 * nu[:, :, None] * P).flatten(1), -.5 * (d / kappa + (first * m).sum(-1, keepdim=True)), last], 1)
    coins = [psi(t + 1) - psi((t + 1).sum(1, keepdim=True)) for t in g[2:]]
    return psi(a) - psi(a.sum()), niw_stats, coins[0], coins[1]


# ---- data, minibatches, draws ----
def items():
    stream = Stream(TEST, 0, 0)
    return torch.tensor([[float(stream.uniform() < (.9 if v % 3 == n % 3 else .1)) for v in range(D)] for n in range(N)])


X = items()


def minibatch(t):
    """Items, weights of rows (their sum is N), answers (left row, right row, worker, same) and what each counts."""
    stream = Stream(TEST, 1 + t, 0)
    item = [(PLAIN * t + n) % N for n in range(PLAIN)] + [(7 * t + 11 * n) % N for n in range(ANSWERS + 1)]
    rows = len(item)
    weight = [.5 * N / PLAIN] * PLAIN + [.5 * N / (rows - PLAIN)] * (rows - PLAIN)
    answers = []
    for n in range(ANSWERS):
        left, right = PLAIN + n, PLAIN + n + 1
        same = int(item[left] % 3 == item[right] % 3)
        if stream.uniform() < .2:
            same = 1 - same
        answers.append((left, right, n % W, same))
    return item, torch.tensor(weight) / N, answers, 4. / N


def step(t):
    item, weight, answers, answer_weight = minibatch(t)
    e_pi, e_niw, e_sens, e_spec = expected()
    o = X[item]
    i, j, w, same = (torch.tensor(v) for v in zip(*answers))
    r = apply(enc, o)
    obs = torch.cat([r[:, :d], torch.diag_embed(-.5 * F.softplus(r[:, d:])).flatten(1)], 1)
    drawn = [Stream(START_Z, t, n) for n in item]
    z = torch.tensor([[s.uniform() for _ in range(K)] for s in drawn])
    z = z / z.sum(1, keepdim=True)
    wt = e_sens[w, 1] - e_spec[w, 0] + same * (e_sens[w, 0] - e_sens[w, 1] + e_spec[w, 0] - e_spec[w, 1])
    for _ in range(T):
        nat = z @ e_niw[:, :-2] + obs
        precision = -2 * nat[:, d:].reshape(-1, d, d)
        sigma = torch.linalg.inv(precision)
        mu = (sigma @ nat[:, :d, None]).squeeze(-1)
        xs = torch.cat([mu, (sigma + mu[:, :, None] * mu[:, None, :]).flatten(1)], 1)
        padded = torch.cat([xs, torch.ones(len(item), 2)], 1)
        message = torch.zeros_like(z).index_add(0, i, wt[:, None] * z[j]).index_add(0, j, wt[:, None] * z[i])
        logit = e_pi + padded @ e_niw.t() + message
        z = torch.softmax(logit, 1)
    noise = torch.tensor([[s.normal() for _ in range(d)] for s in (Stream(LATENT_NOISE, t, n) for n in item)])
    factor = torch.linalg.cholesky(precision)
    x = mu + torch.linalg.solve_triangular(factor.mT, noise[:, :, None], upper=True).squeeze(-1)
    rec = -F.binary_cross_entropy_with_logits(apply(dec, x), o, reduction='none').sum(1)
    kl_z = ((torch.log_softmax(logit, 1) - e_pi) * z).sum(1)
    kl_x = torch.logdet(precision) / 2 - d / 2 - (z * (padded @ e_niw.t())).sum(1)
    related = (z[i] * z[j]).sum(1)
    said = (wt * related + same * (e_spec[w, 1] - e_spec[w, 0]) + e_spec[w, 0]).sum()
    terms = [(weight * rec).sum(), (weight * kl_z).sum(), (weight * kl_x).sum(), answer_weight * said]
    sgd.zero_grad()
    (-(terms[0] - terms[1] - terms[2] + terms[3])).backward()
    sgd.step()
    z, padded, related = z.detach(), padded.detach(), related.detach()
    said_same = torch.stack([same, 1 - same], 1).double()
    up = [(weight[:, None] * z).sum(0), (weight[:, None] * z).t() @ padded,
          torch.zeros(W, 2).index_add(0, w, answer_weight * related[:, None] * said_same),
          torch.zeros(W, 2).index_add(0, w, answer_weight * (1 - related)[:, None] * said_same.flip(1))]
    for q in range(4):
        velocity[q] = MOMENTUM * velocity[q] + prior[q] - g[q] + N * up[q]
        g[q] = g[q] + GLOBAL_RATE * velocity[q]
    return [N * v.item() for v in terms]


out = []


def emit(name, values):
    text, lines, line = ', '.join('%.17g' % v for v in np.asarray(values).ravel()), [], '   '
    for word in text.split(' '):
        if len(line) + len(word) >= 98:
            lines.append(line)
            line = '   '
        line += ' ' + word
    lines.append(line)
    out.append('static const double golden_%s[%d] = {\n%s};\n' % (name, np.asarray(values).size, '\n'.join(lines)))


lower = [(a, b) for a in range(d) for b in range(a + 1)]
for t in range(STEPS):
    terms = step(t)
    if t + 1 in (1, 10, 100):
        emit('terms_%d' % (t + 1), terms)
        emit('encoder_%d' % (t + 1), enc[0][0].detach()[0])
        emit('decoder_%d' % (t + 1), dec[-1][1].detach())
        emit('pi_%d' % (t + 1), g[0])
        S = g[1][:, d:-2].reshape(-1, d, d)
        emit('niw_%d' % (t + 1), torch.cat([g[1][:, :d], torch.stack([S[:, a, b] for a, b in lower], 1), g[1][:, -2:]], 1))
        emit('sens_%d' % (t + 1), g[2])
        emit('spec_%d' % (t + 1), g[3])
        print(t + 1, terms, 'shares', (g[0] / g[0].sum()).numpy().round(3))

head = '''/* Golden numbers of training steps. Written by steps.py; do not edit. */
/* clang-format off */
#ifndef SCDC_TESTS_GOLDEN_STEPS_H
#define SCDC_TESTS_GOLDEN_STEPS_H

enum { STEPS_N = %d, STEPS_D = %d, STEPS_LATENT = %d, STEPS_K = %d, STEPS_W = %d, STEPS_T = %d };
enum { STEPS_HIDDEN_1 = %d, STEPS_HIDDEN_2 = %d, STEPS_PLAIN = %d, STEPS_ANSWERS = %d };
enum { STEPS_SEED = %d };
#define STEPS_RATE %.17g
#define STEPS_MOMENTUM %.17g
#define STEPS_GLOBAL_RATE %.17g
#define STEPS_ALPHA %.17g
''' % (N, D, d, K, W, T, HIDDEN[0], HIDDEN[1], PLAIN, ANSWERS, SEED, RATE, MOMENTUM, GLOBAL_RATE, ALPHA)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'steps.h'), 'w') as file:
    file.write(head + ''.join(out) + '\n#endif\n')
