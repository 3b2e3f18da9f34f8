"""Training steps of BayesSCDC and SCDC at MNIST size (784 values, nets 500-500, d 8, K 50, batch 128)
written plainly in PyTorch, at its best number of threads, beside ours from bench_bayes and
bench_amortized of the same build: steps.py BUILD [--quick]. Prints one JSON object per figure.
Optional: needs PyTorch (Debian: python3-torch); ends with status 77 without it."""
import json
import os
import subprocess
import sys
import time

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    print("steps.py: no PyTorch here, skipped", file=sys.stderr)
    sys.exit(77)

ITEMS, BATCH, DIMS, HIDDEN, LATENT, K, ITERATIONS = 60000, 128, 784, 500, 8, 50, 4


def mlp(*sizes):
    layers = []
    for inputs, outputs in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1]))


def reconstruction(logits, o):
    return -functional.binary_cross_entropy_with_logits(logits, o, reduction="none").sum(-1)


class Bayes:
    """Local messages to a fixed number of iterations, gradients through them, natural gradients."""

    def __init__(self):
        self.encoder = mlp(DIMS, HIDDEN, HIDDEN, 2 * LATENT)
        self.decoder = mlp(LATENT, HIDDEN, HIDDEN, DIMS)
        parameters = list(self.encoder.parameters()) + list(self.decoder.parameters())
        self.optimiser = torch.optim.SGD(parameters, lr=1e-3, momentum=0.9)
        eye = torch.eye(LATENT)
        self.prior = {"alpha": torch.full((K,), 1.05), "kappa": torch.full((K,), 0.5),
                      "h": torch.zeros(K, LATENT), "s": eye.expand(K, -1, -1) * (LATENT + 0.5),
                      "nu": torch.full((K,), LATENT + 0.5)}
        self.eta = {name: value.clone() for name, value in self.prior.items()}
        self.eta["h"] = 3 * torch.randn(K, LATENT) * 0.5
        self.eta["s"] = self.prior["s"] + torch.einsum("ki,kj->kij", self.eta["h"], self.eta["h"]) / 0.5
        self.velocity = {name: torch.zeros_like(value) for name, value in self.prior.items()}

    def expectations(self):
        """E of ln pi, Sigma^-1 mu, Sigma^-1, mu' Sigma^-1 mu and ln|Sigma|."""
        e = self.eta
        log_pi = torch.digamma(e["alpha"]) - torch.digamma(e["alpha"].sum())
        mean = e["h"] / e["kappa"][:, None]
        scale = e["s"] - torch.einsum("ki,kj,k->kij", mean, mean, e["kappa"])
        factor = torch.linalg.cholesky(scale)
        precision = e["nu"][:, None, None] * torch.cholesky_inverse(factor)
        first = torch.einsum("kij,kj->ki", precision, mean)
        square = LATENT / e["kappa"] + (mean * first).sum(-1)
        halves = (e["nu"][:, None] - torch.arange(LATENT)) / 2
        log_det = (2 * torch.diagonal(factor, dim1=1, dim2=2).log().sum(-1)
                   - LATENT * torch.log(torch.tensor(2.0)) - torch.digamma(halves).sum(-1))
        return log_pi, first, precision, square, log_det

    def step(self, o):
        log_pi, first, precision, square, log_det = self.expectations()
        encoded = self.encoder(o)
        h, j = encoded[:, :LATENT], functional.softplus(encoded[:, LATENT:])
        z = torch.rand(len(o), K)
        z = z / z.sum(-1, keepdim=True)
        flat = precision.reshape(K, -1)
        for _ in range(ITERATIONS):
            natural = z @ first + h
            own = (z @ flat).reshape(-1, LATENT, LATENT) + torch.diag_embed(j)
            factor = torch.linalg.cholesky(own)
            covariance = torch.cholesky_inverse(factor)
            mean = (covariance @ natural[:, :, None])[:, :, 0]
            second = covariance + mean[:, :, None] * mean[:, None, :]
            logits = (log_pi + mean @ first.T - 0.5 * second.reshape(len(o), -1) @ flat.T
                      - 0.5 * square - 0.5 * log_det)
            z = torch.softmax(logits, -1)
        noise = torch.randn(len(o), LATENT, 1)
        x = mean + torch.linalg.solve_triangular(factor.transpose(1, 2), noise, upper=True)[:, :, 0]
        value = reconstruction(self.decoder(x), o)
        kl_z = (z * (z.clamp_min(1e-30).log() - log_pi)).sum(-1)
        entropy = -torch.diagonal(factor, dim1=1, dim2=2).log().sum(-1) + 0.5 * LATENT
        # E ln p(x | z, components), up to a constant, and the entropy of q(x)
        inside = (mean * (z @ first)).sum(-1) - 0.5 * (second.reshape(len(o), -1) * (z @ flat)).sum(-1)
        kl_x = -(inside - 0.5 * z @ (square + log_det)) - entropy
        loss = -(value - kl_z - kl_x).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        with torch.no_grad():
            self.natural_step(z, mean, second)
        return float(loss)

    def natural_step(self, z, mean, second):
        weight = ITEMS / len(z)
        count = weight * z.sum(0)
        statistics = {"alpha": count, "kappa": count, "nu": count, "h": weight * z.T @ mean,
                      "s": weight * (z.T @ second.reshape(len(z), -1)).reshape(K, LATENT, LATENT)}
        for name, value in statistics.items():
            gradient = self.prior[name] - self.eta[name] + value
            self.velocity[name] = 0.9 * self.velocity[name] + gradient
            self.eta[name] = self.eta[name] + 1e-4 * self.velocity[name]


class Amortized:
    """All components of all items through the networks, one sample each."""

    def __init__(self, shared):
        self.shared = shared  # the first layer's input part once per item, not once per pair
        self.z_net = mlp(DIMS, HIDDEN, HIDDEN, K)
        self.first = nn.Linear(DIMS + K, HIDDEN)
        self.rest = mlp(HIDDEN, HIDDEN, 2 * LATENT)
        self.decoder = mlp(LATENT, HIDDEN, HIDDEN, DIMS)
        self.pi = nn.Parameter(torch.zeros(K))
        self.mu = nn.Parameter(torch.randn(K, LATENT))
        self.log_scale = nn.Parameter(torch.zeros(K, LATENT))
        nets = (self.z_net, self.first, self.rest, self.decoder)
        parameters = [p for net in nets for p in net.parameters()] + [self.pi, self.mu, self.log_scale]
        self.optimiser = torch.optim.Adam(parameters, lr=1e-3)

    def hidden(self, o):
        if not self.shared:
            pairs = torch.cat((o[:, None, :].expand(-1, K, -1), torch.eye(K).expand(len(o), -1, -1)), -1)
            return torch.relu(self.first(pairs.reshape(-1, DIMS + K)))
        weight = self.first.weight
        base = functional.linear(o, weight[:, :DIMS], self.first.bias)
        return torch.relu(base[:, None, :] + weight[:, DIMS:].T[None]).reshape(-1, HIDDEN)

    def step(self, o):
        log_q = torch.log_softmax(self.z_net(o), -1)
        q = log_q.exp()
        outputs = self.rest(self.hidden(o))
        mean, log_variance = outputs[:, :LATENT], outputs[:, LATENT:]
        x = mean + (0.5 * log_variance).exp() * torch.randn_like(mean)
        seen = o[:, None, :].expand(-1, K, -1).reshape(-1, DIMS)
        value = reconstruction(self.decoder(x), seen).reshape(-1, K)
        distance = mean.reshape(-1, K, LATENT) - self.mu
        variance = log_variance.reshape(-1, K, LATENT)
        inverse = (-2 * self.log_scale).exp()
        kl_x = 0.5 * ((variance.exp() + distance ** 2) * inverse - 1 - variance + 2 * self.log_scale).sum(-1)
        kl_z = log_q - torch.log_softmax(self.pi, -1)
        loss = -(q * (value - kl_x - kl_z)).sum(-1).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return float(loss)


def best_of(model, o, threads, rounds, repeats):
    """Least seconds of a step: of the processor on one thread, else of the wall."""
    clock = time.process_time if threads == 1 else time.perf_counter
    torch.set_num_threads(threads)
    model.step(o)
    least = float("inf")
    for _ in range(rounds):
        begin = clock()
        for _ in range(repeats):
            model.step(o)
        least = min(least, (clock() - begin) / repeats)
    return least


def ours(build, program, threads, figures, quick):
    words = [os.path.join(build, "bench", program), "--threads", str(threads)] + ["--quick"] * quick
    lines = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    rows = {row["name"]: row for row in map(json.loads, lines)}
    return {name: rows[name]["step_ms"] * 1e-3 for name in figures}


def report(name, model, o, mine, counts, quick):
    repeats = 1 if quick else 8 if isinstance(model, Bayes) else 1
    times = {threads: best_of(model, o, threads, 1 if quick else 5, repeats) for threads in counts}
    fastest = min(times, key=times.get)
    print(json.dumps({
        "name": name, "peer": f"PyTorch {torch.__version__}", "peer_threads": fastest,
        "peer_step_ms": round(1e3 * times[fastest], 3),
        **{f"peer_{n}_threads_ms": round(1e3 * t, 3) for n, t in times.items()},
        "step_ms": round(1e3 * min(mine.values()), 3),
        **{f"ours_{n}_threads_ms": round(1e3 * t, 3) for n, t in mine.items()},
        "times_faster": round(times[fastest] / min(mine.values()), 2)}), flush=True)


def main():
    global K  # pylint: disable=global-statement
    build, quick = sys.argv[1], "--quick" in sys.argv
    torch.manual_seed(1)
    o = (torch.rand(BATCH, DIMS) < 0.2).float()
    cores = len(os.sched_getaffinity(0))
    counts = sorted({1, cores})
    bayes, exact = "bayes, no answers", "amortized, exact sum"
    mine = {n: ours(build, "bench_bayes", n, [bayes], quick)[bayes] for n in counts}
    report("peer, bayes step", Bayes(), o, mine, counts, quick)
    if quick:
        K = 5  # as bench_amortized --quick
    mine = {n: ours(build, "bench_amortized", n, [exact], quick)[exact] for n in counts}
    report("peer, amortized step", Amortized(False), o, mine, counts, quick)
    report("peer, amortized step, first layer shared", Amortized(True), o, mine, counts, quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
