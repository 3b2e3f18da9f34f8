"""Training steps of the two networks of images in PyTorch, at its best number of threads, beside ours at the best of
the same numbers, from bench_conv of the same build (forward and backward of the whole network, without an optimiser):
images.py BUILD [--quick]. Prints one JSON object per network. Images lie in memory as PyTorch likes
them best, the better of both ways. On one thread times are processor time, on more by the clock, so other programs
disturb these: `times_faster_on_one` compares one thread each. Optional: needs PyTorch; ends with status 77 without it."""
import json
import os
import subprocess
import sys

from steps import best_of, torch
from torch import nn


class Residual(nn.Module):
    """A block of two convolutions whose channels are normalised, and a convolution around them."""

    def __init__(self, inputs, filters):
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(inputs, filters, 3, 2, 1), nn.BatchNorm2d(filters), nn.ReLU(inplace=True),
            nn.Conv2d(filters, filters, 3, 1, 1), nn.BatchNorm2d(filters))
        self.shortcut = nn.Conv2d(inputs, filters, 1, 2)

    def forward(self, x):
        return torch.relu(self.branch(x) + self.shortcut(x))


def small():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, 1, 1), nn.ReLU(inplace=True), nn.Conv2d(32, 48, 3, 2, 1), nn.ReLU(inplace=True),
        nn.Conv2d(48, 64, 3, 2, 1), nn.ReLU(inplace=True), nn.Dropout(0.3), nn.Flatten(), nn.Linear(7 * 7 * 64, 10))


def residual():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, 1, 1), nn.BatchNorm2d(32), nn.ReLU(inplace=True), Residual(32, 32), Residual(32, 64),
        Residual(64, 128), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


class Steps:
    def __init__(self, net, layout):
        self.net = net.to(memory_format=layout)
        self.layout = layout

    def step(self, o):
        for p in self.net.parameters():
            p.grad = None
        self.net(o.contiguous(memory_format=self.layout)).sum().backward()


def our_steps(build, threads, quick):
    """Milliseconds of a step of each network, by name."""
    words = [os.path.join(build, "bench", "bench_conv"), "--threads", str(threads)] + ["--quick"] * quick
    lines = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    return {row["name"]: row["whole_step_ms"] for row in map(json.loads, lines)}


def their_steps(make, o, threads, quick):
    """Milliseconds of a step, by how images lie in memory."""
    layouts = {"planes": torch.contiguous_format, "pixels": torch.channels_last}
    return {name: 1e3 * best_of(Steps(make(), layout), o, threads, 1 if quick else 7, 1)
            for name, layout in layouts.items()}


def main():
    build, quick = sys.argv[1], "--quick" in sys.argv
    torch.manual_seed(1)
    numbers = sorted({1, len(os.sched_getaffinity(0))})
    ours = {threads: our_steps(build, threads, quick) for threads in numbers}
    images = [4, 4] if quick else [128, 144]
    nets = [(small, torch.rand(images[0], 1, 28, 28)), (residual, torch.rand(images[1], 3, 32, 32))]
    for name, (make, o) in zip(ours[1], nets):
        theirs = {threads: their_steps(make, o, threads, quick) for threads in numbers}
        step = {threads: min(theirs[threads].values()) for threads in numbers}
        best, own = min(step, key=step.get), min(numbers, key=lambda threads: ours[threads][name])
        print(json.dumps({
            "name": "peer, " + name, "peer": f"PyTorch {torch.__version__}", "peer_threads": best,
            "peer_step_ms": round(step[best], 3), "threads": own, "step_ms": ours[own][name],
            **{f"peer_{n}_threads_{layout}_ms": round(t, 3) for n in numbers for layout, t in theirs[n].items()},
            **{f"step_{n}_threads_ms": ours[n][name] for n in numbers},
            "times_faster": round(step[best] / ours[own][name], 2),
            "times_faster_on_one": round(step[1] / ours[1][name], 2)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
