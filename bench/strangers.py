#!/usr/bin/env python3
"""Data the program was not made with: how good its clusters are beside what anybody could do.

Usage: bench/strangers.py [-o DIR] [--scdc PROGRAM] [--data DIR] [--seeds N] [--sets WORDS] [--answers WORDS]
                          [--methods WORDS] [--threads N] [--table]
Every cell is a data set, a number of answers and a seed: the program's default recipe beside simple methods that are
told the true number of clusters. Method `held` is the default recipe on four fifths of the items: how it places the
others, and how well it foretells answers that it was not given. Finished cells are kept in DIR/cells.jsonl and not repeated; --table only prints
tables (DIR/strangers.md) and the heat map (DIR/strangers.svg) from them. True classes are used to simulate workers
and to score, never to fit. Sets `develop` were looked at while the recipe was made, sets `once` were not.
Needs scikit-learn; --data is a folder with mnist/, fashion/, faces/ and cifar10/ (tools/get-data); what is not
there is left out with a message.
"""
import argparse
import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn import datasets as sets
from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.metrics import normalized_mutual_info_score as nmi_of
from sklearn.mixture import GaussianMixture

DEVELOP = ["iris", "wine", "digits", "moons", "anisotropic", "blobs30", "fashion", "varied"]
ONCE = ["breast", "circles", "mnist", "faces", "persons", "cifar", "swiss", "uneven", "sparse"]
ANSWERS = ["0", "100", "300", "1000", "3000", "10x12", "30x12", "10x36", "30x36"]
OURS = ["scdc", "held"]
SIMPLE = ["kmeans", "gmm", "kmeans-scaled", "gmm-scaled", "mpckmeans", "itml", "semicrowd", "cspa", "mcvc", "vote"]
WORKERS = [0.7, 0.76, 0.83, 0.89, 0.95]
HELD = 5  # of so many items one is kept from the fit
ASKED = 2000  # answers that are not given to it
IMAGES = 6000  # of MNIST and Fashion-MNIST, so that a cell takes a minute
LOSS = 0.02    # of NMI: what counts as losing


# ---- data ----------------------------------------------------------------------------------------

def read_idx(path):
    if not os.path.exists(path):
        path += ".gz"
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as stream:
        data = stream.read()
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def images(folder):
    x, y = read_idx(folder + "/train-images-idx3-ubyte"), read_idx(folder + "/train-labels-idx1-ubyte")
    chosen = np.sort(np.random.default_rng(0).permutation(len(x))[:IMAGES])
    return x[chosen], y[chosen]


def faces(folder, what):
    def pgm(path):
        with open(path, "rb") as stream:
            data = stream.read()
        width, height, most = (int(word) for word in data.split(None, 4)[1:4])
        pixels = np.frombuffer(data[-width * height:], np.uint8).reshape(height, width)
        return (pixels.astype(float) * 255 / most).astype(np.uint8)

    with open(folder + "/index.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    places = [folder + "/faces_4/", folder + "/"]
    base = next(place for place in places if os.path.exists(place + rows[0]["file"]))
    return np.array([pgm(base + row["file"]) for row in rows]), np.unique([row[what] for row in rows], return_inverse=True)[1]


def cifar(folder, count=5000, words=128):
    """k-means patch features (Coates, Ng and Lee 2011) of CIFAR-10, summed over quarters: 512 values."""
    raw = np.fromfile(folder + "/data_batch_1.bin", np.uint8).reshape(-1, 3073)[:count]
    pictures = raw[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).astype(np.float32)
    rng = np.random.default_rng(0)

    def normal(patches):
        return (patches - patches.mean(1, keepdims=True)) / np.sqrt(patches.var(1, keepdims=True) + 10)

    spots = [(rng.integers(count), *rng.integers(27, size=2)) for _ in range(20000)]
    patches = normal(np.array([pictures[i, r:r + 6, c:c + 6].ravel() for i, r, c in spots]))
    centre = patches.mean(0)
    axes, scale, _ = np.linalg.svd(np.cov((patches - centre).T))
    white = axes @ np.diag(1 / np.sqrt(scale + 0.1)) @ axes.T
    code = MiniBatchKMeans(words, random_state=0, n_init=1).fit((patches - centre) @ white).cluster_centers_
    features = []
    for picture in pictures:
        views = np.lib.stride_tricks.sliding_window_view(picture, (6, 6), (0, 1))[::2, ::2]
        view = (normal(views.transpose(0, 1, 3, 4, 2).reshape(196, -1)) - centre) @ white
        far = np.sqrt(np.maximum(0, (view ** 2).sum(1)[:, None] + (code ** 2).sum(1) - 2 * view @ code.T))
        near = np.maximum(0, far.mean(1, keepdims=True) - far).reshape(14, 14, -1)
        features.append(np.concatenate([near[:7, :7].sum((0, 1)), near[7:, :7].sum((0, 1)), near[:7, 7:].sum((0, 1)),
                                        near[7:, 7:].sum((0, 1))]))
    return np.array(features), raw[:, 0]


def made(name):
    rng = np.random.default_rng(0)
    if name == "moons":
        return sets.make_moons(800, noise=0.08, random_state=0)
    if name == "circles":
        return sets.make_circles(800, noise=0.06, factor=0.5, random_state=0)
    if name == "anisotropic":
        x, y = sets.make_blobs(900, centers=3, random_state=170)
        return x @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y
    if name == "varied":
        return sets.make_blobs(900, centers=3, cluster_std=[1, 2.5, 0.5], random_state=170)
    if name == "blobs30":
        return sets.make_blobs(3000, centers=30, n_features=8, center_box=(-6, 6), cluster_std=1.3, random_state=1)
    if name == "uneven":  # clusters of very different sizes
        return sets.make_blobs([600, 200, 60, 20], n_features=4, center_box=(-8, 8), random_state=5)
    if name == "sparse":  # five telling columns among fifty
        x, y = sets.make_blobs(1500, centers=6, n_features=5, center_box=(-5, 5), random_state=3)
        return np.hstack([x, rng.normal(size=(1500, 45))]), y
    if name == "swiss":  # three bands of a rolled sheet
        x, along = sets.make_swiss_roll(1200, noise=0.3, random_state=0)
        return x, np.digitize(along, np.quantile(along, [1 / 3, 2 / 3]))
    return None


def load(name, folder):
    """Items and classes, or None when they are not here."""
    tables = {"iris": sets.load_iris, "wine": sets.load_wine, "digits": sets.load_digits, "breast": sets.load_breast_cancer}
    if name in tables:
        table = tables[name]()
        return table.data, table.target
    if made(name) is not None:
        return made(name)
    try:
        if name in ("mnist", "fashion"):
            return images(os.path.join(folder, name))
        if name in ("faces", "persons"):
            place = next(p for p in ("faces", "cmu_faces") if os.path.exists(os.path.join(folder, p)))
            return faces(os.path.join(folder, place), "pose" if name == "faces" else "person")
        return cifar(os.path.join(folder, "cifar10"))
    except (FileNotFoundError, StopIteration):
        return None


# ---- answers -------------------------------------------------------------------------------------

def pairs(y, count, seed):
    rng = np.random.default_rng(seed)
    left = rng.integers(len(y), size=count)
    right = (left + 1 + rng.integers(len(y) - 1, size=count)) % len(y)
    worker = rng.integers(len(WORKERS), size=count)
    same = y[left] == y[right]
    wrong = rng.random(count) > np.array(WORKERS)[worker]
    return worker, left, right, np.where(wrong, ~same, same)


def tasks(y, count, size, seed):
    """Each item of a task is put on a wrong pile as often as its worker is wrong."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(count):
        items = rng.permutation(len(y))[:size]
        worker, piles = task % len(WORKERS), y[items].copy()
        kinds = np.unique(piles)
        for i in range(len(items)):
            if len(kinds) > 1 and rng.random() > WORKERS[worker]:
                piles[i] = rng.choice(kinds[kinds != piles[i]])
        rows += [(worker, task, item, pile) for item, pile in zip(items, piles)]
    return rows


def write_answers(path, y, answers, seed):
    """The file, and the answers as pairs for methods that know nothing else."""
    with open(path, "w", encoding="utf-8") as stream:
        if "x" not in answers:
            worker, left, right, same = pairs(y, int(answers), seed)
            stream.write("worker,left,right,label\n")
            stream.writelines(f"w{w},{a},{b},{int(s)}\n" for w, a, b, s in zip(worker, left, right, same))
            return left, right, same
        count, size = map(int, answers.split("x"))
        rows = tasks(y, count, size, seed)
        stream.write("worker,task,item,group\n")
        stream.writelines(f"w{w},{t},{i},{g}\n" for w, t, i, g in rows)
    left, right, same = [], [], []
    for a, (_, task, item, pile) in enumerate(rows):
        for _, other_task, other, other_pile in rows[a + 1:a + size]:
            if other_task == task:
                left.append(item), right.append(other), same.append(pile == other_pile)
    return np.array(left), np.array(right), np.array(same)


# ---- methods -------------------------------------------------------------------------------------

def flat(x):
    return np.asarray(x, float).reshape(len(x), -1)


def scaled(x):
    width = x.std(0)
    return (x - x.mean(0)) / np.where(width > 0, width, 1)


def gmm(x, k, seed):
    if x.shape[1] > 64:
        centred = x - x.mean(0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        x = centred @ axes[:, -32:]
    return GaussianMixture(k, random_state=seed, reg_covar=1e-4 * x.var()).fit_predict(x)


def vote(n, told, k, seed):
    """Majority vote of each pair, then spectral clustering of the annotated items; others by nobody."""
    left, right, same = told
    items = np.unique(np.concatenate([left, right]))
    place = np.searchsorted(items, np.arange(n))
    votes = np.zeros((len(items), len(items)))
    np.add.at(votes, (place[left], place[right]), np.where(same, 1.0, -1.0))
    likeness = ((votes + votes.T) > 0).astype(float) + 1e-3
    labels = np.zeros(n, int)
    labels[items] = SpectralClustering(k, affinity="precomputed", random_state=seed).fit_predict(likeness)
    return labels


class Bench:
    def __init__(self, options):
        self.o = options
        self.folder = tempfile.mkdtemp(prefix="strangers-")

    def scdc(self, *words):
        return subprocess.run([self.o.scdc, *words], text=True, capture_output=True, check=False,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})

    def must(self, *words):
        done = self.scdc(*words)
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-300:])
        return done.stdout

    def fit(self, items, answers, seed):
        """The directory of a fit, and what the program tells of it."""
        run = os.path.join(self.folder, "run")
        shutil.rmtree(run, ignore_errors=True)
        words = ["fit", items, "-o", run, "-q", "--json", "--seed", str(seed + 1), "--threads", str(self.o.threads)]
        told = self.must(*words, *(["--annotations", answers] if answers else []))
        return run, json.loads(told.strip().split("\n")[-1])

    def default(self, items, answers, seed, y):
        run, result = self.fit(items, answers, seed)
        labels, probability = labels_of(os.path.join(run, "labels.csv"))
        return {**score(labels, probability, y), "clusters": len(set(labels)), "seconds": result["seconds"]}

    def held(self, x, y, answers, seed):
        """A fit of some of the items with answers about these: the other items, placed one by one, and other answers."""
        chosen = np.random.default_rng(1000 + seed).permutation(len(y))
        out, kept = np.sort(chosen[:len(y) // HELD]), np.sort(chosen[len(y) // HELD:])
        items, others, told, matrix, placed = (os.path.join(self.folder, name) for name in (
            "kept.npy", "others.npy", "kept.csv", "matrix.npy", "placed.csv"))
        np.save(items, x[kept]), np.save(others, x[out])
        if answers != "0":
            write_answers(told, y[kept], answers, seed)
        run, _ = self.fit(items, told if answers != "0" else None, seed)
        threads = ["--threads", str(self.o.threads), "-q"]
        self.must("predict", run, others, "-o", placed, *threads)
        labels, probability = labels_of(placed)
        kind_of = matched(labels_of(os.path.join(run, "labels.csv"))[0], y[kept])
        cell = score(labels, probability, y[out], kind_of)
        if answers != "0":
            self.must("predict", run, items, "-a", told, "--together", "--proba", matrix, "-o", placed, *threads)
            cell.update(foretold(np.load(matrix), workers_of(run), y[kept], seed))
        return cell

    def simple(self, method, x, k, items, answers, told, seed):
        x = flat(x)
        if method.startswith("kmeans"):
            return KMeans(k, n_init=10, random_state=seed).fit_predict(scaled(x) if "scaled" in method else x)
        if method.startswith("gmm"):
            return gmm(scaled(x) if "scaled" in method else x, k, seed)
        if method == "vote":
            return vote(len(x), told, k, seed)
        out = os.path.join(self.folder, "baseline.csv")
        self.must("baseline", method, items, "--annotations", answers, "-k", str(k), "-o", out, "-q", "--threads",
                  str(self.o.threads), "--seed", str(seed + 1))
        return labels_of(out)[0]


def labels_of(path):
    """Clusters of a file of labels, and probabilities where it has them."""
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    return table[:, 1].astype(int), table[:, 2] if table.shape[1] > 2 else None


def workers_of(run):
    """Sensitivity and specificity of the workers as the fit has them, by their numbers in WORKERS."""
    with open(os.path.join(run, "workers.csv"), encoding="utf-8") as stream:
        return {int(row["worker"][1:]): (float(row["sensitivity"]), float(row["specificity"]))
                for row in csv.DictReader(stream)}


# ---- scores --------------------------------------------------------------------------------------

def matched(labels, y):
    """The kind that each cluster stands for."""
    size = max(labels.max(), y.max()) + 1
    table = np.zeros((size, size))
    np.add.at(table, (labels, y), 1)
    return dict(zip(*linear_sum_assignment(-table)))


def reliability(probability, right):
    """[10][3]: how many items there are of each tenth, what they are promised, how many are right."""
    bins = np.minimum((probability * 10).astype(int), 9)
    return [[int((bins == b).sum()), float(probability[bins == b].sum()), int(right[bins == b].sum())] for b in range(10)]


def calibration_error(table):
    table = np.asarray(table)
    return float(np.abs(table[:, 1] - table[:, 2]).sum() / table[:, 0].sum())


def score(labels, probability, y, kind_of=None):
    kind_of = matched(labels, y) if kind_of is None else kind_of
    right = np.array([kind_of.get(label) == kind for label, kind in zip(labels, y)])
    out = {"nmi": nmi_of(y, labels), "acc": float(right.mean())}
    if probability is not None:
        out["reliability"] = reliability(probability, right)
        out["ece"] = calibration_error(out["reliability"])
    return out


def foretold(matrix, workers, y, seed):
    """Fresh pairs: the nats that an answer is less likely by the fit than by the true classes and the workers' true
    rates."""
    worker, left, right, same = pairs(y, ASKED, 2000 + seed)
    known = np.array([w in workers for w in worker])
    worker, left, right, same = worker[known], left[known], right[known], same[known]
    rate = np.array(WORKERS)[worker]
    true = np.where(y[left] == y[right], rate, 1 - rate)
    one = (matrix[left] * matrix[right]).sum(1)
    coins = np.array([workers[w] for w in worker])
    said = np.clip(one * coins[:, 0] + (1 - one) * (1 - coins[:, 1]), 1e-6, 1 - 1e-6)
    nats = [np.log(np.where(same, p, 1 - p)).mean() for p in (said, true)]
    return {"nats_lost": float(nats[1] - nats[0])}


# ---- cells ---------------------------------------------------------------------------------------

def run_cells(o, cells):
    bench = Bench(o)
    done = {(c["set"], c["answers"], c["seed"], c["method"]) for c in cells}
    try:
        with open(os.path.join(o.output, "cells.jsonl"), "a", encoding="utf-8") as stream:
            for name in o.sets:
                loaded = load(name, o.data)
                if loaded is None:
                    print(f"{name}: not here, left out (tools/get-data)", file=sys.stderr)
                    continue
                run_set(bench, name, loaded, done, lambda cell: print(json.dumps(cell), file=stream, flush=True))
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)


def run_set(bench, name, loaded, done, write):
    x, y = np.asarray(loaded[0]), np.unique(loaded[1], return_inverse=True)[1]
    items, k = os.path.join(bench.folder, name + ".npy"), len(np.unique(y))
    np.save(items, np.ascontiguousarray(x if x.dtype == np.uint8 else x.astype(np.float32)))
    for answers in bench.o.answers:
        for seed in range(bench.o.seeds):
            path, told = None, None
            if answers != "0":
                path = os.path.join(bench.folder, "answers.csv")
                told = write_answers(path, y, answers, seed)
            for method in ["scdc", *bench.o.methods]:
                alone = method.split("-")[0] in ("kmeans", "gmm")
                if (name, answers, seed, method) in done or (answers == "0" and not alone and method not in OURS):
                    continue
                if alone and answers != "0":
                    continue  # the same as without answers
                cell = {"set": name, "answers": answers, "seed": seed, "method": method}
                try:
                    if method == "scdc":
                        cell.update(bench.default(items, path, seed, y))
                    elif method == "held":
                        cell.update(bench.held(np.load(items), y, answers, seed))
                    else:
                        cell.update(score(bench.simple(method, x, k, items, path, told, seed), None, y))
                except Exception as error:  # a method that cannot do a cell has no figure there
                    cell["error"] = str(error)
                write(cell)
                print(f"{name} {answers} {seed} {method}: {cell.get('nmi', cell.get('error'))}", file=sys.stderr)


# ---- tables --------------------------------------------------------------------------------------

FIGURES = ("nmi", "acc", "ece", "clusters", "seconds", "nats_lost")


def means(cells):
    """(set, answers, method): mean over seeds of each figure; calibration of items kept out over the items of all."""
    groups = {}
    for c in cells:
        if "nmi" in c:
            groups.setdefault((c["set"], c["answers"], c["method"]), []).append(c)
    out = {key: {f: float(np.mean([c[f] for c in group if f in c])) for f in FIGURES if any(f in c for c in group)}
           for key, group in groups.items()}
    for key, group in groups.items():
        if key[2] == "held":  # few items each: all seeds together
            out[key]["ece"] = calibration_error(np.sum([c["reliability"] for c in group], axis=0))
    return out


def best_simple(m, name, answers):
    """The best simple method of a cell; k-means and mixtures do not look at answers."""
    found = {}
    for (s, a, method), value in m.items():
        if s == name and method not in OURS and a in (answers, "0"):
            if a == answers or method.split("-")[0] in ("kmeans", "gmm"):
                found[method] = value["nmi"]
    return max(found.items(), key=lambda kv: kv[1]) if found else None


def tables(o, cells):
    m = means(cells)
    lines, grid, lost, tied, count = [], {}, [], 0, 0
    lines.append("| data | " + " | ".join(ANSWERS) + " |\n|---|" + "---|" * len(ANSWERS))
    for name in DEVELOP + ONCE:
        row = []
        for answers in ANSWERS:
            mine, other = m.get((name, answers, "scdc")), best_simple(m, name, answers)
            if not mine or not other:
                row.append("")
                continue
            difference = mine["nmi"] - other[1]
            grid[name, answers] = difference
            count += 1
            tied += difference >= -LOSS
            if difference < -LOSS:
                lost.append(f"{name} {answers}: {mine['nmi']:.3f}, {other[0]} {other[1]:.3f}")
            row.append(f"{mine['nmi']:.2f} ({difference:+.2f})")
        if any(row):
            lines.append(f"| {name} | " + " | ".join(row) + " |")
    if count:
        lines.append(f"\nNMI of the default (difference to the best simple method with the true K). {count} cells: "
                     f"{100 * tied / count:.0f} % best or within {LOSS}, {100 * len(lost) / count:.0f} % lost.\n")
    lines += [f"* lost: {line}" for line in lost]
    lines += falls(m) + ["", *calibration(m)]
    text = "\n".join(lines) + "\n"
    with open(os.path.join(o.output, "strangers.md"), "w", encoding="utf-8") as stream:
        stream.write(text)
    heat_map(os.path.join(o.output, "strangers.svg"), grid)
    print(text)


def calibration(m):
    """Calibration errors of all cells; what becomes of items and answers that were kept from a fit."""
    lines = ["| data | " + " | ".join(ANSWERS) + " |\n|---|" + "---|" * len(ANSWERS)]
    for name in DEVELOP + ONCE:
        row = []
        for answers in ANSWERS:
            mine, held = m.get((name, answers, "scdc")), m.get((name, answers, "held"))
            figures = [f"{mine['ece']:.3f}" if mine else ""]
            if held:
                figures.append(f"{held['nmi']:.2f}, {held['ece']:.3f}")
                figures += [f"{held['nats_lost']:.3f}"] if "nats_lost" in held else []
            row.append("; ".join(figures))
        if any(row):
            lines.append(f"| {name} | " + " | ".join(row) + " |")
    lines.append("\nCalibration error of the fit's items; NMI and calibration error of items kept from a fit of the others; "
                 "nats by which answers kept from it are less likely than by the truth.\n")
    for label, wanted in (("1,000 answers or more, groupings of 36", ("1000", "3000", "10x36", "30x36")), ("no answers", ("0",))):
        for method, whose in (("scdc", "items of the fit"), ("held", "items kept from it")):
            values = [v["ece"] for (_, a, by), v in m.items() if by == method and a in wanted]
            if values:
                most = 0.10 if wanted == ("0",) else 0.03
                lines.append(f"* calibration error, {label}, {whose}: mean {np.mean(values):.3f}, worst {np.max(values):.3f}; "
                             f"{sum(v > most for v in values)} of {len(values)} cells above {most}")
    return lines


def falls(m):
    """Cells in which more answers, or any, gave a lower mean than fewer, or none."""
    out = []
    for name in DEVELOP + ONCE:
        for series in (ANSWERS[:5], ["0"] + ANSWERS[5:7], ["0"] + ANSWERS[7:]):
            have = [(a, m[name, a, "scdc"]["nmi"]) for a in series if (name, a, "scdc") in m]
            for (a, low), (b, high) in zip(have, have[1:]):
                if high < low - 0.01:
                    out.append(f"* falls: {name} {a} {low:.3f} -> {b} {high:.3f}")
            for b, high in have[1:]:
                if have[0][0] == "0" and high < have[0][1] - 0.01:
                    out.append(f"* below none: {name} {b} {high:.3f}, none {have[0][1]:.3f}")
    return out


def heat_map(path, grid):
    names = [n for n in DEVELOP + ONCE if any((n, a) in grid for a in ANSWERS)]
    wide, high = 64, 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {120 + wide * len(ANSWERS)} {40 + high * len(names)}" '
             'font-family="sans-serif" font-size="11">']
    for j, answers in enumerate(ANSWERS):
        parts.append(f'<text x="{120 + wide * j + wide / 2}" y="20" text-anchor="middle">{answers}</text>')
    for i, name in enumerate(names):
        y = 30 + high * i
        parts.append(f'<text x="112" y="{y + 16}" text-anchor="end">{name}</text>')
        for j, answers in enumerate(ANSWERS):
            if (name, answers) not in grid:
                continue
            value = grid[name, answers]
            strength = min(1, abs(value) / 0.3)
            colour = [int(255 - strength * (255 - c)) for c in ((38, 120, 80) if value >= -LOSS else (190, 60, 40))]
            parts.append(f'<rect x="{120 + wide * j}" y="{y}" width="{wide - 2}" height="{high - 2}" fill="rgb{tuple(colour)}"/>')
            parts.append(f'<text x="{120 + wide * j + wide / 2}" y="{y + 16}" text-anchor="middle">{value:+.2f}</text>')
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("\n".join(parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="strangers")
    parser.add_argument("--scdc", default="build/scdc")
    parser.add_argument("--data", default=os.path.expanduser("~/.cache/scdc"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", default=",".join(DEVELOP + ONCE), help="names, or develop, once")
    parser.add_argument("--answers", default=",".join(ANSWERS))
    parser.add_argument("--methods", default=",".join(SIMPLE + ["held"]))
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--table", action="store_true")
    o = parser.parse_args()
    o.sets = {"develop": DEVELOP, "once": ONCE}.get(o.sets, o.sets.split(","))
    o.answers, o.methods = o.answers.split(","), [m for m in o.methods.split(",") if m]
    os.makedirs(o.output, exist_ok=True)
    path, cells = os.path.join(o.output, "cells.jsonl"), []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            cells = [json.loads(line) for line in stream]
    if not o.table:
        run_cells(o, cells)
        with open(path, encoding="utf-8") as stream:
            cells = [json.loads(line) for line in stream]
    tables(o, cells)


if __name__ == "__main__":
    main()
