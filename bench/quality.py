#!/usr/bin/env python3
"""How good the clusters are: runs fits with the program, scores them, prints a table.

Usage: bench/quality.py [-o DIR] [--scdc PROGRAM] [--data DIR] [--seeds R] [--threads N] [NAME...]
DIR gets quality.json and quality.md; finished fits are kept in it and not repeated. --data is a
folder with mnist/ and mnist_crowd/ (tools/get-data); what is not there is left out with a message.
Names: mnist mnist-alone mnist-amortized mnist-flipped mnist-time pinwheel few few-mnist hostile
restarts coverage (default: those of the targets: the first four and pinwheel). True labels are only used to
score. Needs nothing but Python.
"""
import argparse
import csv
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

PINWHEEL = ["-k", "15"]
FEW = [0, 50, 200, 1000, 5000]
HOSTILE = [0, 10, 20, 30, 40, 50]
RATES = ("sensitivity", "specificity")


class Bench:
    def __init__(self, options):
        self.o = options
        os.makedirs(options.output, exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.o.output, *parts)

    def scdc(self, *arguments):
        done = subprocess.run([self.o.scdc, *arguments], text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"scdc {' '.join(arguments)}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def fit(self, name, data, truth, arguments, held_out=None, held_rate=None):
        """The scores of a fit, made unless it is there already; RUN is kept as long as that."""
        record = self.path(name + ".json")
        if os.path.exists(record):
            with open(record, encoding="utf-8") as stream:
                return json.load(stream)
        run = self.path(name)
        shutil.rmtree(run, ignore_errors=True)
        print(f"fitting {name}", file=sys.stderr)
        threads = ["--threads", str(self.o.threads)] if self.o.threads else []
        result = json.loads(self.scdc("fit", data, "--truth", truth, "-o", run, "--json", "-q", *threads,
                                      *arguments))
        keep = {"acc": result["scores"]["acc"], "nmi": result["scores"]["nmi"],
                "clusters": result["clusters"], "bound": result["bound"], "epochs": result["epochs"],
                "seconds": result["seconds"]}
        with open(os.path.join(run, "log.jsonl"), encoding="utf-8") as stream:
            keep["foretold"] = json.loads(stream.readlines()[-1])["foretold"]
        if held_out:
            labels = self.path("held-out.csv")
            self.scdc("predict", run, held_out[0], "-q", "-o", labels)
            scores = json.loads(self.scdc("eval", labels, held_out[1], "--json"))
            keep["held_out_acc"], keep["held_out_nmi"] = scores["acc"], scores["nmi"]
        if held_rate:
            with open(os.path.join(run, "workers.csv"), encoding="utf-8") as stream:
                workers = list(csv.DictReader(stream))
            for kind in RATES:
                keep[kind] = [float(w[kind + "_low"]) <= held_rate <= float(w[kind + "_high"]) for w in workers]
        if not self.o.keep:
            shutil.rmtree(run)
        with open(record + ".part", "w", encoding="utf-8") as stream:
            json.dump(keep, stream)
        os.replace(record + ".part", record)
        return keep

    def pinwheel(self, seed):
        items, truth = self.path(f"wheel-{seed}.npy"), self.path(f"wheel-{seed}.csv")
        if not os.path.exists(truth):
            self.scdc("simulate", "data", "pinwheel", "-o", items, "-l", truth, "--seed", str(seed), "-q")
        return items, truth

    def answers(self, name, truth, seed, *arguments):
        path = self.path(name)
        if not os.path.exists(path):
            self.scdc("simulate", "answers", truth, "-o", path, "--seed", str(seed), "-q", *arguments)
        return path

    def mnist(self):
        folder = os.path.join(self.o.data, "mnist")
        names = [f"{part}-{what}.gz" for part in ("train", "t10k")
                 for what in ("images-idx3-ubyte", "labels-idx1-ubyte")]
        paths = [os.path.join(folder, n) for n in names]
        crowd = os.path.join(self.o.data, "mnist_crowd", "pairs.npy")
        missing = [p for p in paths + [crowd] if not os.path.exists(p)]
        if missing:
            raise FileNotFoundError(f"{missing[0]} is not there (tools/get-data)")
        return paths, crowd


def rows_of_mnist(b, label, arguments, target, paper, crowd=None):
    (images, labels, test, test_labels), real = b.mnist()
    runs = []
    for seed in range(1, b.o.seeds + 1):
        answers = ["-a", real] if crowd == "real" else []
        if crowd == "flipped":
            answers = ["-a", b.answers(f"flipped-{seed}.csv", labels, seed, "-w", "3", "-a", "0.7", "-b",
                                       "0.7", "-p", "9000")]
        runs.append(b.fit(f"{label}-{seed}", images, labels, [*answers, "--seed", str(seed), *arguments],
                          (test, test_labels)))
    return [{"name": label, "target": target, "paper": paper, "runs": runs}]


def mnist(b):
    return rows_of_mnist(b, "mnist", [], "ACC .97, NMI .92, 10 clusters", ".8424 / .8120", "real")


def mnist_alone(b):
    return rows_of_mnist(b, "mnist-alone", [], "ACC .85, NMI .82", ".7764 / .7944")


def mnist_amortized(b):
    return rows_of_mnist(b, "mnist-amortized", ["--model", "amortized"], "ACC .93, NMI .86",
                         ".8187 / .7657", "real")


def mnist_flipped(b):
    return rows_of_mnist(b, "mnist-flipped", [], "ACC .92", "", "flipped")


def mnist_time(b):
    """Seconds of fitting until ACC .96 is first passed, looking after every epoch."""
    (images, labels, _, _), real = b.mnist()
    run, spent = b.path("mnist-time"), 0.0
    shutil.rmtree(run, ignore_errors=True)
    threads = ["--threads", str(b.o.threads)] if b.o.threads else []
    for epoch in range(1, 21):
        arguments = ["fit", images, "-a", real, "-o", run, "-q", "--json", "--epochs", str(epoch), *threads]
        begun = time.monotonic()
        b.scdc(*arguments, *(["--resume"] if epoch > 1 else []))
        spent += time.monotonic() - begun
        scores = json.loads(b.scdc("eval", os.path.join(run, "labels.csv"), labels, "--json"))
        if scores["acc"] >= 0.96:
            break
    shutil.rmtree(run)
    return [{"name": "mnist, until ACC .96", "target": "", "paper": "",
             "runs": [{"acc": scores["acc"], "nmi": scores["nmi"], "clusters": scores["clusters"],
                       "epochs": epoch, "seconds": spent}]}]


def pinwheel(b):
    runs = []
    for seed in range(1, 2 * b.o.seeds + 1):
        items, truth = b.pinwheel(seed)
        answers = b.answers(f"wheel-answers-{seed}.csv", truth, seed, "-p", "980", "-n", "100")
        runs.append(b.fit(f"pinwheel-{seed}", items, truth, ["-a", answers, "--seed", str(seed), *PINWHEEL]))
    return [{"name": "pinwheel, 980 answers", "target": "ACC .99, NMI .97, 5 clusters",
             "paper": ".966 / .94, 6 clusters", "runs": runs}]


def few(b):
    """The pinwheel with few answers about all of its items."""
    rows = []
    for count in FEW:
        runs = []
        for seed in range(1, 2 * b.o.seeds + 1):
            items, truth = b.pinwheel(seed)
            answers = ["-a", b.answers(f"few-{count}-{seed}.csv", truth, seed, "-w", "5", "-p",
                                       str(count))] if count else []
            runs.append(b.fit(f"few-{count}-{seed}", items, truth,
                              [*answers, "--seed", str(seed), *PINWHEEL]))
        rows.append({"name": f"pinwheel, {count} answers", "target": "", "paper": "", "runs": runs})
    return rows


def some_of(b, name, crowd, count, seed):
    """A csv file with `count` of the crowd's answers, drawn at random."""
    path = b.path(name)
    if not os.path.exists(path):
        with open(crowd, encoding="utf-8") as stream:
            header, *answers = stream.readlines()
        with open(path + ".part", "w", encoding="utf-8") as stream:
            stream.writelines([header, *random.Random(seed).sample(answers, count)])
        os.replace(path + ".part", path)
    return path


def few_mnist(b):
    """MNIST with some of the real answers, and with all."""
    (images, labels, test, test_labels), real = b.mnist()
    rows = []
    for count in [*FEW, None]:
        runs = []
        for seed in range(1, b.o.seeds + 1):
            name, answers = f"few-mnist-{count}-{seed}", []
            if count == 0:
                name = f"mnist-alone-{seed}"
            elif count is None:
                name, answers = f"mnist-{seed}", ["-a", real]
            else:
                answers = ["-a", some_of(b, name + ".csv", real[:-3] + "csv", count, seed)]
            runs.append(b.fit(name, images, labels, [*answers, "--seed", str(seed)], (test, test_labels)))
        rows.append({"name": f"mnist, {'all' if count is None else count} answers", "target": "", "paper": "",
                     "runs": runs})
    return rows


def hostile(b):
    """20 workers, a growing share of them guessing, always answering the same, or inverting."""
    kinds = {"guessing": ("0.5", "0.5"), "always same": ("0.99", "0.01"), "inverted": ("0.1", "0.1")}
    rows = []
    for kind, (sensitivity, specificity) in kinds.items():
        for share in HOSTILE:
            bad = 20 * share // 100
            a = ",".join([sensitivity] * bad + ["0.9"] * (20 - bad))
            s = ",".join([specificity] * bad + ["0.9"] * (20 - bad))
            for coins in ("own", "shared"):
                runs = []
                for seed in range(1, b.o.seeds + 1):
                    items, truth = b.pinwheel(seed)
                    name = f"hostile-{kind.replace(' ', '-')}-{share}-{seed}"
                    answers = b.answers(name + ".csv", truth, seed, "-a", a, "-b", s, "-p", "980", "-n", "100")
                    runs.append(b.fit(f"{name}-{coins}", items, truth,
                                      ["-a", answers, "--seed", str(seed), "--set", f"coins={coins}",
                                       *PINWHEEL]))
                rows.append({"name": f"pinwheel, {share} % {kind}, {coins} coins", "target": "", "paper": "",
                             "runs": runs})
    return rows


def rank(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    for place, i in enumerate(order):
        ranks[i] = place
    return ranks


def correlation(x, y):
    """Spearman's, as Pearson's of the ranks (ties in order of appearance)."""
    return statistics.correlation(rank(x), rank(y)) if len(set(x)) > 1 and len(set(y)) > 1 else 0.0


def mean_of(runs, key):
    values = [r[key] for r in runs if key in r]
    return (statistics.mean(values), statistics.pstdev(values)) if values else (None, None)


def restarts(b):
    """Which label-free score foretells quality: 10 starts on the same wheel with 200 answers. The bound,
    or how well an answer is foretold by the items and all other answers."""
    rows = []
    for wheel in range(1, b.o.seeds + 1):
        items, truth = b.pinwheel(wheel)
        answers = b.answers(f"restart-answers-{wheel}.csv", truth, wheel, "-p", "200", "-n", "100")
        runs = [b.fit(f"restart-{wheel}-{seed}", items, truth, ["-a", answers, "--seed", str(seed), *PINWHEEL])
                for seed in range(1, 11)]
        nmi = [r["nmi"] for r in runs]
        bound, foretold = (correlation([r[k] for r in runs], nmi) for k in ("bound", "foretold"))
        best = {k: max(runs, key=lambda r, k=k: r[k])["nmi"] for k in ("bound", "foretold")}
        rows.append({"name": f"restarts on wheel {wheel}: NMI by best bound {best['bound']:.3f} (rank correlation "
                             f"{bound:.2f}), by answers foretold {best['foretold']:.3f} ({foretold:.2f})",
                     "target": "", "paper": "", "runs": runs})
    return rows


def coverage(b):
    """How often the 95 % intervals of workers hold their rates: four clear blobs, ten workers, pairs and groupings."""
    rate, rows = 0.85, []
    crowds = {"20 tasks of 20": ["--scheme", "grid", "-t", "20", "--grid", "20"],
              "10 tasks of 36": ["--scheme", "grid", "-t", "10", "--grid", "36"], "1,000 pairs": ["-p", "1000"]}
    for label, arguments in crowds.items():
        runs = []
        for seed in range(20, 20 + 8 * b.o.seeds):
            items, truth = b.path(f"blobs-{seed}.npy"), b.path(f"blobs-{seed}.csv")
            if not os.path.exists(truth):
                b.scdc("simulate", "data", "blobs", "-k", "4", "-n", "400", "-d", "6", "-o", items, "-l", truth, "--seed",
                       str(seed), "-q")
            name = f"coverage-{label.replace(' ', '-')}-{seed}"
            answers = b.answers(name + ".csv", truth, seed, "-w", "10", "-a", str(rate), "-b", str(rate), *arguments)
            runs.append(b.fit(name, items, truth, ["-a", answers, "--seed", str(seed)], held_rate=rate))
        held = [100 * statistics.mean(held for r in runs for held in r[kind]) for kind in RATES]
        rows.append({"name": f"blobs, {label}: {sum(len(r[RATES[0]]) for r in runs)} workers, intervals that hold the "
                             f"sensitivity {held[0]:.1f} %, the specificity {held[1]:.1f} %",
                     "target": "92 to 98 %", "paper": "", "runs": runs})
    return rows


EXPERIMENTS = {"mnist": mnist, "mnist-alone": mnist_alone, "mnist-amortized": mnist_amortized,
               "mnist-flipped": mnist_flipped, "pinwheel": pinwheel, "mnist-time": mnist_time, "few": few,
               "few-mnist": few_mnist, "hostile": hostile, "restarts": restarts, "coverage": coverage}
TARGETS = ["mnist", "mnist-alone", "mnist-amortized", "mnist-flipped", "pinwheel"]


def markdown(rows):
    lines = ["| data | runs | ACC | NMI | clusters | held-out ACC / NMI | seconds | target | paper |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        runs = row["runs"]
        acc, nmi, held, held_nmi = (mean_of(runs, k) for k in ("acc", "nmi", "held_out_acc", "held_out_nmi"))
        counts = sorted({r["clusters"] for r in runs})
        clusters = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        apart = f"{held[0]:.4f} / {held_nmi[0]:.4f}" if held[0] is not None else ""
        lines.append(f"| {row['name']} | {len(runs)} | {acc[0]:.4f} ± {acc[1]:.4f} | {nmi[0]:.4f} ± {nmi[1]:.4f} "
                     f"| {clusters} | {apart} | {mean_of(runs, 'seconds')[0]:.1f} | {row['target']} "
                     f"| {row['paper']} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Quality of the clusters, as a table.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("-o", "--output", default="quality", help="folder for results (default: quality)")
    parser.add_argument("--scdc", default="build/scdc", help="the program (default: build/scdc)")
    parser.add_argument("--data", default=os.environ.get("SCDC_DATA", "data"), help="folder with mnist/")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="keep the RUN directories")
    options = parser.parse_args()
    wrong = [n for n in options.names if n not in EXPERIMENTS]
    if wrong:
        parser.error(f"there is no experiment '{wrong[0]}' (there are {', '.join(EXPERIMENTS)})")
    bench, rows, missing = Bench(options), [], 0
    for name in options.names or TARGETS:
        try:
            rows += EXPERIMENTS[name](bench)
        except FileNotFoundError as error:
            print(f"quality: {name} is left out: {error}", file=sys.stderr)
            missing += 1
    if rows:
        with open(bench.path("quality.json"), "w", encoding="utf-8") as stream:
            json.dump(rows, stream, indent=1)
            stream.write("\n")
        with open(bench.path("quality.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(rows))
        print(markdown(rows), end="")
    return 0 if rows and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
