#!/usr/bin/env python3
"""What the constants of src/model/tuning.h do: fits with one of them changed, beside fits as they are.

Usage: bench/ablations.py [-o DIR] [--build DIR] [--data DIR] [--seeds N] [--jobs N] [--cases WORDS] [--constants WORDS] [--answers WORDS] [--table]
Builds the program once with -DSCDC_ABLATIONS (constants then come from the environment) and fits small data, with
networks or without, whichever a constant acts in. Finished cells are kept in DIR/cells.jsonl and not repeated; --table
only prints the tables (DIR/constants.md). Labels are used to simulate workers and to score, never to fit. Needs
scikit-learn; --data as for bench/strangers.py.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import strangers

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Data, how many of its items, numbers of answers, options of the fit; new: every fourth item is kept from the fit, and what is
# predicted of these is scored.
Case = collections.namedtuple("Case", "data items answers words new", defaults=[False])


def with_networks(data, answers, *words):
    """Networks are small, so that a fit takes seconds."""
    return Case(data, 3000, [answers], ["--net", "mlp", *words])


def without(data, items, answers=("0", "100", "10x12")):
    """The default for tables: a fraction of a second."""
    return Case(data, items, list(answers), ["--net", "linear"])


def new_items(data, items, answers, *words):
    return Case(data, items, [answers], ["--net", "mlp", "--classifier", "none", *words], True)


CASES = {
    "pinwheel": with_networks("pinwheel", "980", "-k", "15"),
    "wine": with_networks("wine", "300"),
    "iris": with_networks("iris", "300"),
    "breast": with_networks("breast", "300"),
    "digits": with_networks("digits", "1000", "--hidden", "40,40", "--set", "warmup=60", "--epochs", "60"),
    "blobs30": with_networks("blobs30", "3000", "--hidden", "40,40", "--set", "warmup=30", "--epochs", "40"),
    "faces": with_networks("faces", "1000", "--hidden", "40,40", "--set", "warmup=60", "--epochs", "30"),
    "mnist": with_networks("mnist", "3000", "--hidden", "64,64", "--set", "warmup=20", "--epochs", "20"),
    "iris table": without("iris", 150),
    "wine table": without("wine", 178),
    "breast table": without("breast", 300),
    "moons": without("moons", 300, ["0", "100"]),
    "circles": without("circles", 300),
    "anisotropic": without("anisotropic", 300, ["0", "100"]),
    "blobs": without("varied", 300),
    "sparse": without("sparse", 300, ["0", "300"]),
    "digits table": without("digits", 300, ["0", "300"]),
    "new pinwheel": new_items("pinwheel", 3000, "980", "-k", "15"),
    "new digits": new_items("digits", 3000, "3000", "--hidden", "40,40", "--set", "warmup=30", "--epochs", "20"),
    "new faces": new_items("faces", 3000, "1000", "--hidden", "40,40", "--set", "warmup=30", "--epochs", "15"),
    "new mnist": new_items("mnist", 1500, "3000", "--hidden", "64,64", "--set", "warmup=20", "--epochs", "10"),
    "pinwheel amortized": with_networks("pinwheel", "980", "-k", "15", "--model", "amortized"),
    "wine amortized": with_networks("wine", "300", "--model", "amortized"),
    "iris amortized": with_networks("iris", "300", "--model", "amortized"),
}
# Where constants act.
GROUPING, CLASSES = ["pinwheel", "wine", "iris", "breast", "digits", "blobs30"], ["pinwheel", "wine", "iris", "breast", "digits", "faces"]
TIME = ["pinwheel", "wine", "iris", "breast"]
LATENTS = ["wine table", "sparse", "digits table"]
CHOICE = ["iris table", "wine table", "breast table", "moons", "circles", "anisotropic", "blobs", "digits table"]
EXPERTS = ["iris table", "wine table", "breast table", "circles", "blobs", "digits table"]
LEARNED = ["iris table", "wine table", "breast table", "circles", "blobs", "digits table"]
PILES = ["iris table", "wine table", "breast table", "circles", "blobs"]
NEW, NEW_MANY = ["new pinwheel", "new digits", "new faces", "new mnist"], ["new digits", "new faces", "new mnist"]
AMORTIZED = ["pinwheel amortized", "wine amortized", "iris amortized"]
# The value in use, others to try, and the cases it can matter for.
CONSTANTS = {
    "LIVE_SHARE": (0.002, [0.0005, 0.01], GROUPING),
    "LEAST_WORD": (2, [0, 8], GROUPING),
    "STRENGTH_USUAL": (-6.6, [-3, -10], GROUPING),
    "STRENGTH_SPREAD": (3, [1, 10], GROUPING),
    "REGROUP_EVERY": (40, [10, 1000000], GROUPING),
    "CLEARLY_MORE": (1.5, [1, 3], CLASSES),
    "LEAST_GAIN": (3, [0, 30], CLASSES),
    "STEADY_SHARE": (0.02, [0.005, 0.05], TIME),
    "SETBACK": (10, [1, 1000], TIME),
    "WARM_UP_ITEMS": (400000, [100000, 1600000], TIME),
    "EPOCHS_ITEMS": (2000000, [500000, 8000000], TIME),
    "PATIENCE_ITEMS": (30000, [5000, 60000], TIME),
    "ALL_COLUMNS": (16, [2, 100], LATENTS),
    "VARIANCE_KEPT": (0.9, [0.6, 0.99], LATENTS),
    "LINEAR_MOST": (32, [4, 64], LATENTS),
    "ITEMS_PER_LATENT": (10, [3, 40], LATENTS),
    "FIT_ITEMS": (2500, [120], CHOICE),
    "LINK_ITEMS": (4000, [120], CHOICE),
    "MOST_ANSWERS": (6000, [60], CHOICE),
    "EM_ITERATIONS": (60, [10], CHOICE),
    "KMEANS_STARTS": (3, [1], CHOICE),
    "KMEANS_ITERATIONS": (100, [10], CHOICE),
    "VARIANCE_FLOOR": (1e-3, [1e-5, 1e-2], CHOICE),
    "ITEMS_PER_COMPONENT": (8, [3, 20], CHOICE),
    "FOUND_AGAIN": (0.9, [0.75, 0.97], CHOICE),
    "JOIN_UNUSUAL": (2, [0, 5], CHOICE),
    "STRAY": (0.05, [0.01, 0.2], CHOICE),
    "JOIN_CLUSTERS": (6, [0, 15], CHOICE),
    "NOT_SHOWN_AGAIN": (2, [0, 5], CHOICE),
    "OVERLAP_LEAST": (0.025, [0.005, 0.1], CHOICE),
    "ISLAND_GAP": (3, [1.5, 10], CHOICE),
    "ISLAND_CLOSE": (0.15, [0.03, 0.5], CHOICE),
    "ISLAND_HEAP": (0.8, [0.6, 0.99], CHOICE),
    "LINKED_LEAST": (15, [5, 40], CHOICE),
    "CROWD_TOSSES": (4, [0, 30], PILES),
    "PAIRS_IN_COMPANY": (0.65, [0.3, 1], PILES),
    "FIRST_OF_CLUSTER": (0.5, [0, 1], PILES),
    "EXPERT_MUST_GAIN": (2, [0, 10], EXPERTS),
    "TAUGHT_LEAST": (2, [0, 5], EXPERTS),
    "EXPERT_LEAST_WEIGHT": (1e-3, [0, 0.1], EXPERTS),
    "EXPERT_LEAST": (1e-6, [1e-12, 1e-3], EXPERTS),
    "EXPERT_ROUNDS": (5, [2, 15], EXPERTS),
    "EXPERT_SWEEPS": (3, [1, 10], EXPERTS),
    "HOOD_ROUNDS": (8, [3, 25], EXPERTS),
}
CONSTANTS |= {
    "USUAL_DOUBT": (0.05, [0.01, 0.2], EXPERTS),
    "DOUBT_SPREAD": (0.25, [0.1, 0.6], EXPERTS),
    "GUESSED_CLASSES": (16, [8, 32], LEARNED),
    "CLASSES_ROUNDS": (15, [5, 40], LEARNED),
    "CLASSES_MERGE_EVERY": (5, [2, 100], LEARNED),
    "CLASSES_SWEEPS": (3, [1, 10], LEARNED),
    "GUESS_STARTS": (5, [1, 15], LEARNED),
    "GUESS_FOLDS": (5, [3, 10], LEARNED),
    "GUESS_DIRECTIONS": (32, [16, 64], LEARNED),
    "GUESS_LEAST_VARIANCE": (1e-3, [1e-6, 0.1], LEARNED),
    "GUESS_FIRST_RATE": (0.9, [0.7, 0.99], LEARNED),
    "GUESS_ROUNDS": (6, [2, 20], LEARNED),
    "GUESS_STEPS": (12, [4, 40], LEARNED),
    "CONTEST_FOLDS": (5, [3, 10], LEARNED),
    "ALONE_UNUSUAL": (0.5, [0, 5], NEW),
    "ALONE_DOUBTED": (20, [0, 200], NEW),
    "ALONE_FIRST_DOUBT": (0.02, [0.001, 0.2], NEW),
    "KEPT_BACK_OF": (10, [4, 30], NEW_MANY),
    "KEPT_BACK_ITEMS": (300, [50], NEW_MANY),
    "KEPT_BACK_ANSWERS": (3000, [300], NEW_MANY),
    "KEPT_BACK_LEAST": (500, [100, 5000], NEW_MANY),
    "EPOCHS_ITEMS_AMORTIZED": (800000, [200000, 3200000], AMORTIZED),
}
# Numbers of answers a constant can matter for, where not all.
NEEDS_ANSWERS = [c for c in CONSTANTS if c.startswith(("EXPERT", "GUESS", "CLASSES", "CONTEST")) or c in ("MOST_ANSWERS", "USUAL_DOUBT")]
ONLY = {**{c: ["10x12"] for c in ("CROWD_TOSSES", "PAIRS_IN_COMPANY", "FIRST_OF_CLUSTER")},
        **{c: ["100", "300", "10x12"] for c in NEEDS_ANSWERS}}
# Those that say how sure labels are: their cells are changes of the calibration error.
OF_PROBABILITIES = ["USUAL_DOUBT", "DOUBT_SPREAD", "ALONE_UNUSUAL", "ALONE_DOUBTED", "ALONE_FIRST_DOUBT"]
LOST = 0.02  # of NMI: what counts as a difference
AS_IT_IS = "as it is"


def build(folder):
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, ROOT, "-Dtests=false", "-Dbench=false", "-Dc_args=-DSCDC_ABLATIONS"],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "scdc"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "scdc")


# ---- fits ----------------------------------------------------------------------------------------

def pinwheel(scdc, folder):
    path, truth = os.path.join(folder, "wheel.npy"), os.path.join(folder, "wheel.csv")
    subprocess.run([scdc, "simulate", "data", "pinwheel", "-o", path, "--labels", truth, "--seed", "3", "-q"], check=True)
    return np.load(path), np.genfromtxt(truth, delimiter=",", skip_header=1)[:, -1].astype(int)


def prepare(o, scdc, case, folder):
    """Writes the items and all answers; returns the classes of what is scored, None when the data is not here."""
    c = CASES[case]
    loaded = pinwheel(scdc, folder) if c.data == "pinwheel" else strangers.load(c.data, o.data)
    if loaded is None:
        print(f"{c.data}: not here, left out (tools/get-data)", file=sys.stderr)
        return None
    x, y = np.asarray(loaded[0]), np.unique(loaded[1], return_inverse=True)[1]
    chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:c.items]) if len(y) > c.items else np.arange(len(y))
    x, y = x[chosen] if x.dtype == np.uint8 else x[chosen].astype(np.float32), y[chosen]
    scored = y
    if c.new:
        kept = np.arange(len(y)) % 4 == 3
        np.save(os.path.join(folder, case + "-new.npy"), np.ascontiguousarray(x[kept]))
        scored, x, y = y[kept], x[~kept], y[~kept]
    np.save(os.path.join(folder, case + ".npy"), np.ascontiguousarray(x))
    for said in c.answers:
        for seed in range(o.seeds if said != "0" else 0):
            strangers.write_answers(os.path.join(folder, f"{case}-{said}-{seed}.csv"), y, said, seed)
    return scored


def fit(scdc, folder, cell, y):
    case, said, seed = cell["case"], cell["answers"], cell["seed"]
    asked = [] if said == "0" else ["-a", os.path.join(folder, f"{case}-{said}-{seed}.csv")]
    env = {} if cell["value"] is None else {"SCDC_" + cell["constant"]: str(cell["value"])}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        run = os.path.join(place, "run")
        done = subprocess.run([scdc, "fit", os.path.join(folder, case + ".npy"), *asked, "-o", run, "-q", "--threads", "1", "--seed", str(seed + 1),
                               *CASES[case].words], check=False, capture_output=True, text=True, env={**os.environ, **env})
        if done.returncode:
            print(f"{key(cell)}: {done.stderr.strip()[-200:]}", file=sys.stderr)
            return None
        told = os.path.join(run, "labels.csv")
        if CASES[case].new:
            told = os.path.join(place, "told.csv")
            subprocess.run([scdc, "predict", run, os.path.join(folder, case + "-new.npy"), "-o", told, "-q", "--threads", "1"], check=True,
                           env={**os.environ, **env})
        told = np.genfromtxt(told, delimiter=",", skip_header=1)
        labels = told[:, 1].astype(int)
        with open(os.path.join(run, "log.jsonl"), encoding="utf-8") as stream:
            epochs = sum(1 for _ in stream)
    return {**cell, **strangers.score(labels, told[:, 2], y), "clusters": len(set(labels)), "epochs": epochs,
            "seconds": time.perf_counter() - began}


def key(cell):
    return tuple(cell[k] for k in ("case", "answers", "constant", "value", "seed"))


def wanted_cells(o):
    """Those of the first seed come first, so that a run cut short has all constants."""
    for seed, part in itertools.product(range(o.seeds), (("0", "100"), ("300", "10x12"))):
        for constant, value in [(AS_IT_IS, None)] + [(c, v) for c in o.constants for v in CONSTANTS[c][1]]:
            for case in o.cases:
                used = [c for c in o.constants if case in CONSTANTS[c][2]]
                if not used or (value is not None and constant not in used):
                    continue
                networks = "mlp" in CASES[case].words
                for said in CASES[case].answers:
                    if networks and part[0] != "0" or not networks and said not in part:
                        continue
                    if said in ONLY.get(constant, CASES[case].answers) and (not o.answers or said in o.answers):
                        yield {"case": case, "answers": said, "constant": constant, "value": value, "seed": seed}


def run_cells(o, cells, write):
    scdc, folder = build(o.build), tempfile.mkdtemp(prefix="ablations-")
    done = {key(c) for c in cells}
    waiting = [c for c in wanted_cells(o) if key(c) not in done]
    try:
        classes = {case: prepare(o, scdc, case, folder) for case in dict.fromkeys(c["case"] for c in waiting)}
        waiting = [c for c in waiting if classes[c["case"]] is not None]
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            for n, cell in enumerate(pool.map(lambda c: fit(scdc, folder, c, classes[c["case"]]), waiting)):
                if cell is None:
                    continue
                write(cell)
                print(f"{n + 1}/{len(waiting)} {key(cell)}: {cell['nmi']:.3f}, {cell['clusters']} clusters", file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- tables --------------------------------------------------------------------------------------

def change(cells, of, case, said, constant, value):
    """Mean NMI (or what the constant is about) minus that of the fits as they are, on the same seeds, and epochs likewise; None: not run."""
    pairs = [(c, of.get((case, said, AS_IT_IS, None, c["seed"]))) for c in cells
             if (c["case"], c["answers"], c["constant"], c["value"]) == (case, said, constant, value)]
    pairs = [(a, b) for a, b in pairs if b]
    if not pairs:
        return None
    measure = "ece" if constant in OF_PROBABILITIES else "nmi"
    return [np.mean([a[k] - (b[k] if value is not None else 0) for a, b in pairs]) for k in (measure, "epochs", "clusters", "ece")]


def shown(cells, of, case, constant, value):
    words, networks = [], "mlp" in CASES[case].words
    for said in CASES[case].answers:
        found = change(cells, of, case, said, constant, value)
        if found is None:
            words.append("")
        elif value is None:
            words.append(f"{found[0]:.3f}" + (f" ({found[2]:.3g} clusters, {found[1]:.0f} epochs)" if networks else f" (ECE {found[3]:.2f})"))
        else:
            mark = "**" if abs(found[0]) > LOST else ""
            word = f"{mark}{found[0]:+.3f}{mark}" if abs(found[0]) >= 0.0005 else "0"
            words.append(word + (f", {found[1]:+.0f} epochs" if networks and abs(found[1]) >= 1 else ""))
    return " / ".join(words) if any(words) else ""


def table(cells, networks):
    """A row per constant and value; several numbers of answers stand side by side in a cell."""
    of = {key(c): c for c in cells}
    cases = [case for case in CASES if ("mlp" in CASES[case].words) == networks and any(c["case"] == case for c in cells)]
    lines = ["| constant | value | " + " | ".join(cases) + " |", "|---|---|" + "---|" * len(cases)]
    lines.append("| as they are | | " + " | ".join(shown(cells, of, case, AS_IT_IS, None) for case in cases) + " |")
    for constant, (usual, values, _) in CONSTANTS.items():
        for value in values:
            row = [shown(cells, of, case, constant, value) for case in cases]
            if any(row):
                lines.append(f"| {constant} ({usual:g}) | {value:g} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n" if cases else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="ablations")
    parser.add_argument("--build", default="build-ablations")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--constants", nargs="+", default=list(CONSTANTS), choices=list(CONSTANTS))
    parser.add_argument("--answers", nargs="+", help="numbers of answers, of those the cases have")
    parser.add_argument("--table", action="store_true")
    o = parser.parse_args()
    os.makedirs(o.output, exist_ok=True)
    kept = os.path.join(o.output, "cells.jsonl")
    cells = [json.loads(line) for line in open(kept, encoding="utf-8")] if os.path.exists(kept) else []
    if not o.table:
        with open(kept, "a", encoding="utf-8") as stream:
            def write(cell):
                cells.append(cell)
                print(json.dumps(cell), file=stream, flush=True)
            run_cells(o, cells, write)
    tables = "\n".join(filter(None, (table(cells, True), table(cells, False))))
    with open(os.path.join(o.output, "constants.md"), "w", encoding="utf-8") as stream:
        stream.write(tables)
    print(tables)


if __name__ == "__main__":
    main()
