#!/usr/bin/env python3
"""Golden numbers of the local messages: a dense PyTorch version in double precision, with autograd.

Writes messages.h next to itself. Shares nothing with the library but the equations: the random
streams (Philox 4x32-10, Box-Muller) are written out here as well.
Needs python3-torch. Usage: messages.py
"""
import os
import numpy as np
import torch

torch.set_default_dtype(torch.float64)
d, K, ROWS, T, M = 3, 4, 5, 3, 2
P = d + d * (d + 1) // 2 + 2
SEED, EPOCH = 0x0123456789ABCDEF, 7
LATENT_NOISE, START_Z = 11, 12          # places in rng_purpose
rng = np.random.RandomState(20)


class Stream:
    """A random stream named (seed, purpose, epoch, item)."""

    def __init__(self, purpose, item):
        self.key = [SEED & 0xFFFFFFFF, SEED >> 32]
        self.counter = [0, item & 0xFFFFFFFF, EPOCH, purpose << 24 | item >> 32]
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
        radius, angle = np.sqrt(-2 * np.log(self.uniform())), 2 * np.pi * self.uniform()
        self.spare = radius * np.sin(angle)
        return radius * np.cos(angle)


lower = [(a, b) for a in range(d) for b in range(a + 1)]


def dense(rows):
    """Packed symmetric rows, off-diagonals doubled, to full matrices."""
    full = torch.zeros(len(rows), d, d)
    for n, (a, b) in enumerate(lower):
        full[:, a, b] += rows[:, n] / 2
        full[:, b, a] += rows[:, n] / 2
    return full


def stats_of(mu, sigma):
    """(E t(x), 1) with full second moments."""
    second = sigma + mu[:, :, None] * mu[:, None, :]
    return torch.cat([mu, second.flatten(1), torch.ones(len(mu), 2)], 1)


def local(enc, e_pi, e_niw, e_sens, e_spec, start):
    h, j = enc[:, :d], torch.nn.functional.softplus(enc[:, d:])
    component = torch.cat([e_niw[:, :d], dense(e_niw[:, d:-2]).flatten(1), e_niw[:, -2:]], 1)
    potential = torch.cat([h, torch.diag_embed(-j / 2).flatten(1)], 1)
    i, k, m, same = (torch.tensor(v) for v in zip(*answers))
    w = e_sens[m, 1] - e_spec[m, 0] + same * (e_sens[m, 0] - e_sens[m, 1] + e_spec[m, 0] - e_spec[m, 1])
    z = start
    if z is None:
        s = stats_of(h / (1 + j), torch.diag_embed(1 / (1 + j)))
        z = torch.softmax(e_pi + s @ component.t() + field, 1).detach()
    for _ in range(T):
        eta = z @ component[:, :-2] + potential
        precision = -2 * eta[:, d:].reshape(-1, d, d)
        sigma = torch.linalg.inv(precision)
        mu = (sigma @ eta[:, :d, None]).squeeze(-1)
        s = stats_of(mu, sigma)
        link = torch.zeros(ROWS, ROWS).index_put((i, k), w, True).index_put((k, i), w, True)
        logits = e_pi + s @ component.t() + link @ z + field
        z = torch.softmax(logits, 1)
    factor = torch.linalg.cholesky(precision)
    x = mu + torch.linalg.solve_triangular(factor.mT, noise[:, :, None], upper=True).squeeze(-1)
    kl_z = (z * (torch.log_softmax(logits, 1) - e_pi)).sum(1)
    # E KL(q(x) || p(x|z)): minus the entropy of q(x), minus E ln p(x|z), both without (2 pi)^(-d/2).
    entropy = d / 2 - torch.logdet(precision) / 2
    kl_x = -entropy - (z * (s @ component.t())).sum(1)
    related = (z[i] * z[k]).sum(1)
    relation = (w * related + same * (e_spec[m, 1] - e_spec[m, 0]) + e_spec[m, 0]).sum()
    return z, mu, x, kl_z, kl_x, relation


precisions = []
for _ in range(K):
    root = rng.randn(d, d)
    precisions.append(root @ root.T + 0.5 * np.eye(d))
means = 2 * rng.randn(K, d)
e_niw = np.zeros((K, P))
for n in range(K):
    e_niw[n, :d] = precisions[n] @ means[n]
    e_niw[n, d:-2] = [-0.5 * precisions[n][a, b] * (1 if a == b else 2) for a, b in lower]
    e_niw[n, -2] = -0.5 * (means[n] @ precisions[n] @ means[n] + 0.3)
    e_niw[n, -1] = 0.5 * np.linalg.slogdet(precisions[n])[1] - 0.1
answers = [(0, 2, 0, 1), (1, 2, 1, 0), (3, 4, 0, 0), (2, 4, 1, 1), (0, 2, 1, 1), (4, 1, 0, 1)]
inputs = {
    'encoded': rng.randn(ROWS, 2 * d) * 1.5, 'pi': np.log(rng.dirichlet(np.ones(K) * 3)), 'niw': e_niw,
    'sens': np.log([[0.8, 0.15], [0.7, 0.2]]), 'spec': np.log([[0.9, 0.08], [0.6, 0.3]]),
}
field = torch.tensor(rng.randn(ROWS, K))
weight = torch.tensor(rng.uniform(1, 9, ROWS))
answer_weight = 2.75
given = torch.tensor(rng.dirichlet(np.ones(K), ROWS))
item = [12, 40000, 0, 7, 59999]
streams = [Stream(LATENT_NOISE, n) for n in item]
noise = torch.tensor([[stream.normal() for _ in range(d)] for stream in streams])
drawn = torch.tensor([[stream.uniform() for _ in range(K)] for stream in (Stream(START_Z, n) for n in item)])
drawn = drawn / drawn.sum(1, keepdim=True)

out = []


def emit(name, values):
    flat = np.asarray(values).ravel()
    text = ', '.join('%.17g' % v for v in flat)
    lines, line = [], '   '
    for word in text.split(' '):
        if len(line) + len(word) >= 98:
            lines.append(line)
            line = '   '
        line += ' ' + word
    lines.append(line)
    out.append('static const double golden_%s[%d] = {\n%s};\n' % (name, len(flat), '\n'.join(lines)))


for name in inputs:
    emit(name, inputs[name])
for name, values in (('field', field), ('weight', weight), ('given', given)):
    emit(name, values)
for case, start in (('unit', None), ('random', drawn), ('given', given)):
    leaves = {name: torch.tensor(v, requires_grad=True) for name, v in inputs.items()}
    z, mu, x, kl_z, kl_x, relation = local(leaves['encoded'], leaves['pi'], leaves['niw'], leaves['sens'],
                                           leaves['spec'], start)
    # A stand-in for the decoder: reconstruction of a row = sum of sin x.
    row = torch.sin(x).sum(1) - kl_z - kl_x + (field * z).sum(1)
    ((weight * row).sum() + answer_weight * relation).backward()
    for key, values in (('z', z), ('mu', mu), ('x', x)):
        emit('%s_%s' % (case, key), values.detach())
    emit(case + '_terms', [(weight * kl_z).sum().item(), (weight * kl_x).sum().item(),
                           (answer_weight * relation + (weight * (field * z).sum(1)).sum() / 2).item()])
    for key in inputs:
        emit('%s_g%s' % (case, key), leaves[key].grad)

head = '''/* Golden numbers of the local messages. Written by messages.py; do not edit. */
/* clang-format off */
#ifndef SCDC_TESTS_GOLDEN_MESSAGES_H
#define SCDC_TESTS_GOLDEN_MESSAGES_H

#include <stdint.h>

enum { GOLDEN_D = %d, GOLDEN_K = %d, GOLDEN_ROWS = %d, GOLDEN_T = %d, GOLDEN_M = %d };
#define GOLDEN_SEED 0x%XULL
#define GOLDEN_EPOCH %d
#define GOLDEN_ANSWER_WEIGHT %.17g
static const uint32_t golden_item[%d] = {%s};
/* left, right, worker, same */
static const uint32_t golden_answer[%d][4] = {%s};
''' % (d, K, ROWS, T, M, SEED, EPOCH, answer_weight, ROWS, ', '.join(map(str, item)), len(answers),
       ', '.join('{%s}' % ', '.join(map(str, a)) for a in answers))
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'messages.h'), 'w') as file:
    file.write(head + ''.join(out) + '\n#endif\n')
