#!/usr/bin/env python3
"""What the constants of src/model/tuning.h do: fits with one of them changed, beside fits as they are.

Usage: bench/ablations.py [-o DIR] [--build DIR] [--data DIR] [--seeds N] [--cases WORDS] [--constants WORDS] [--table]
Builds the program once with -DSCDC_ABLATIONS (constants then come from the environment) and fits small data with
networks, where all of the constants act: what is fitted without them chooses clusters by other means. Finished cells are kept
in DIR/cells.jsonl and not repeated; --table only prints the table (DIR/constants.md). Labels are used to simulate
workers and to score, never to fit. Needs scikit-learn; --data as for bench/strangers.py.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import strangers

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Data, answers, options of the fit. Networks are small, so that a fit takes seconds.
CASES = {
    "pinwheel": ("pinwheel", "980", ["-k", "15"]),
    "wine": ("wine", "300", []),
    "iris": ("iris", "300", []),
    "digits": ("digits", "1000", ["--hidden", "40,40", "--set", "warmup=60", "--epochs", "60"]),
    "blobs30": ("blobs30", "3000", ["--hidden", "40,40", "--set", "warmup=30", "--epochs", "40"]),
    "faces": ("faces", "1000", ["--hidden", "40,40", "--set", "warmup=60", "--epochs", "30"]),
    "mnist": ("mnist", "3000", ["--hidden", "64,64", "--set", "warmup=20", "--epochs", "20"]),
}
GROUPING, CLASSES = ["pinwheel", "wine", "iris", "digits", "blobs30"], ["pinwheel", "wine", "iris", "digits", "faces"]
TIME = ["pinwheel", "wine", "iris"]
# The value in use, others to try, and the cases it can matter for.
CONSTANTS = {
    "LIVE_SHARE": (0.002, [0.0005, 0.01], GROUPING),
    "LINKS_DOUBT": (6, [1, 30], GROUPING),
    "LEAST_WORD": (2, [0, 8], GROUPING),
    "STRENGTH_USUAL": (-6.6, [-3, -10], GROUPING),
    "STRENGTH_SPREAD": (3, [1, 10], GROUPING),
    "REGROUP_EVERY": (40, [10, 1000000], GROUPING),
    "CLEARLY_MORE": (1.5, [1, 3], CLASSES),
    "LEAST_GAIN": (3, [0, 30], CLASSES),
    "VERDICT_WEIGHT": (20, [1, 5], CLASSES),
    "STEADY_SHARE": (0.02, [0.005, 0.05], TIME),
    "SETBACK": (10, [1, 1000], TIME),
    "WARM_UP_ITEMS": (400000, [100000, 1600000], TIME),
    "EPOCHS_ITEMS": (2000000, [500000, 8000000], TIME),
    "PATIENCE_ITEMS": (30000, [5000, 60000], TIME),
    "ANNOTATED_MOST": (10, [1, 30], ["pinwheel", "wine", "iris", "mnist"]),
}
LOST = 0.02  # of NMI: what counts as a difference


def build(folder):
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, ROOT, "-Dtests=false", "-Dbench=false", "-Dc_args=-DSCDC_ABLATIONS"],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "scdc"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "scdc")


def pinwheel(scdc, folder):
    path, truth = os.path.join(folder, "wheel.npy"), os.path.join(folder, "wheel.csv")
    subprocess.run([scdc, "simulate", "data", "pinwheel", "-o", path, "--labels", truth, "--seed", "3", "-q"], check=True)
    return np.load(path), np.genfromtxt(truth, delimiter=",", skip_header=1)[:, -1].astype(int)


def fit(scdc, items, answers, words, seed, y, env):
    run = items + ".run"
    shutil.rmtree(run, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([scdc, "fit", items, "-a", answers, "-o", run, "-q", "--net", "mlp", "--threads", "1", "--seed", str(seed + 1), *words],
                   check=True, stdout=subprocess.DEVNULL, env={**os.environ, **env})
    table = np.genfromtxt(os.path.join(run, "labels.csv"), delimiter=",", skip_header=1)
    labels = table[:, 1].astype(int)
    with open(os.path.join(run, "log.jsonl"), encoding="utf-8") as stream:
        epochs = sum(1 for _ in stream)
    return {**strangers.score(labels, None, y), "clusters": len(set(labels)), "epochs": epochs,
            "seconds": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}


def run_case(o, scdc, case, folder, done, write):
    name, answers, words = CASES[case]
    loaded = pinwheel(scdc, folder) if name == "pinwheel" else strangers.load(name, o.data)
    if loaded is None:
        print(f"{name}: not here, left out (tools/get-data)", file=sys.stderr)
        return
    x, y = np.asarray(loaded[0])[:3000], np.unique(loaded[1][:3000], return_inverse=True)[1]
    items, said = os.path.join(folder, case + ".npy"), os.path.join(folder, case + ".csv")
    np.save(items, np.ascontiguousarray(x if x.dtype == np.uint8 else x.astype(np.float32)))
    variants = [("as it is", None)] + [(c, v) for c in o.constants for v in CONSTANTS[c][1] if case in CONSTANTS[c][2]]
    for constant, value in variants if len(variants) > 1 else []:
        for seed in range(o.seeds):
            if (case, constant, value, seed) in done:
                continue
            strangers.write_answers(said, y, answers, seed)
            env = {} if value is None else {"SCDC_" + constant: str(value)}
            cell = {"case": case, "constant": constant, "value": value, "seed": seed, **fit(scdc, items, said, words, seed, y, env)}
            write(cell)
            print(f"{case} {constant} {value} {seed}: {cell['nmi']:.3f}, {cell['clusters']} clusters, {cell['seconds']:.1f} s", file=sys.stderr)


def table(cells):
    """A row per constant and value: mean NMI minus that of the fits as they are, on the same seeds."""
    of = {(c["case"], c["constant"], c["value"], c["seed"]): c for c in cells}
    cases = [case for case in CASES if any(c["case"] == case for c in cells)]
    lines = ["| constant | value | " + " | ".join(cases) + " |", "|---|---|" + "---|" * len(cases)]

    def shown(case, constant, value):
        pairs = [(c, of[case, "as it is", None, c["seed"]]) for c in cells
                 if (c["case"], c["constant"], c["value"]) == (case, constant, value) and (case, "as it is", None, c["seed"]) in of]
        if not pairs:
            return ""
        nmi = np.mean([a["nmi"] for a, _ in pairs])
        if value is None:
            clusters = np.mean([a["clusters"] for a, _ in pairs])
            return f"{nmi:.3f} ({clusters:.3g} clusters, {np.mean([a['epochs'] for a, _ in pairs]):.0f} epochs)"
        change = np.mean([a["nmi"] - b["nmi"] for a, b in pairs])
        epochs = np.mean([a["epochs"] for a, _ in pairs]) - np.mean([b["epochs"] for _, b in pairs])
        mark = "**" if abs(change) > LOST else ""
        return f"{mark}{change:+.3f}{mark}" + (f", {epochs:+.0f} epochs" if abs(epochs) >= 1 else "")

    lines.append("| as they are | | " + " | ".join(shown(case, "as it is", None) for case in cases) + " |")
    for constant, (usual, values, _) in CONSTANTS.items():
        for value in values:
            if any(c["constant"] == constant and c["value"] == value for c in cells):
                lines.append(f"| {constant} ({usual:g}) | {value:g} | " + " | ".join(shown(case, constant, value) for case in cases) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="ablations")
    parser.add_argument("--build", default="build-ablations")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--constants", nargs="+", default=list(CONSTANTS), choices=list(CONSTANTS))
    parser.add_argument("--table", action="store_true")
    o = parser.parse_args()
    os.makedirs(o.output, exist_ok=True)
    kept = os.path.join(o.output, "cells.jsonl")
    cells = [json.loads(line) for line in open(kept, encoding="utf-8")] if os.path.exists(kept) else []
    if not o.table:
        scdc, folder = build(o.build), tempfile.mkdtemp(prefix="ablations-")
        done = {(c["case"], c["constant"], c["value"], c["seed"]) for c in cells}
        with open(kept, "a", encoding="utf-8") as stream:
            def write(cell):
                cells.append(cell)
                print(json.dumps(cell), file=stream, flush=True)
            try:
                for case in o.cases:
                    run_case(o, scdc, case, folder, done, write)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    with open(os.path.join(o.output, "constants.md"), "w", encoding="utf-8") as stream:
        stream.write(table(cells))
    print(table(cells))


if __name__ == "__main__":
    main()
