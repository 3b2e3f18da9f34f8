#!/usr/bin/env python3
"""What processes cost in a step: sums of made-up hosts, and a model fitted to them.

Usage: bench/mpi_cost.py [-o DIR] [--program BENCH_SUMS] [--repeat N]
Hosts are network namespaces on one bridge, whose links `tc` limits to a rate (tbf; needs root, and
Open MPI). The exchange of a step takes b (R - 1) + V (c + e / w) seconds: waking each other,
adding up and copying V bytes, sending them at w bytes a second (but what a link lets pass at once, in
each of the two rounds). b, c and e are fitted by least squares of errors as shares of what was
measured; every setting counts with the fastest of its sums, which a busy machine disturbs least. DIR
gets cost.json; what is there is not run again. Needs nothing but Python, and
`ninja -C build bench/bench_sums`.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys

VALUES = [20000, 200000, 1300000]  # of networks, 4 bytes each
PROCESSES = [2, 4, 8]
RATES = [0, 400, 200, 100]  # Mbit/s; 0: no limit
FLOOR = 2e-3  # seconds that an error may have anyway: what being woken late costs
BURST = 4e-3  # seconds of a rate that may go at once: below, a busy machine does not reach the rate


def run(*words, check=True, patience=None):
    return subprocess.run(words, check=check, text=True, capture_output=True, timeout=patience).stdout


def run_surely(*words):
    """Links take a moment to come up, and a daemon of MPI that finds none waits forever."""
    for patience in (60, 120, 240):
        try:
            return run(*words, patience=patience)
        except subprocess.TimeoutExpired:
            pass
    raise RuntimeError("mpirun does not come back: " + " ".join(words))


class Hosts:
    """So many namespaces, each with one link to a bridge that mpirun can reach."""

    def __init__(self, count, rate, folder):
        self.count = count
        self.agent = os.path.join(folder, "agent")
        self.remove()
        run("ip", "link", "add", "scdc-br", "type", "bridge")
        run("ip", "addr", "add", "10.77.0.254/24", "dev", "scdc-br")
        run("ip", "link", "set", "scdc-br", "up")
        for i in range(count):
            space, link = f"scdc{i}", f"scdc-v{i}"
            run("ip", "netns", "add", space)
            run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
            run("ip", "link", "set", link, "master", "scdc-br", "up")
            inside = ("ip", "-n", space)
            run(*inside, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
            run(*inside, "link", "set", "eth0", "up")
            run(*inside, "link", "set", "lo", "up")
            if rate:
                run("ip", "netns", "exec", space, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate",
                    f"{rate}mbit", "burst", str(int(rate * 125e3 * BURST)), "latency", "500ms")
        with open(self.agent, "w", encoding="utf-8") as stream:
            stream.write('#!/bin/sh\nhost=$1\nshift\nexec ip netns exec scdc$((${host##*.} - 1)) sh -c "$*"\n')
        os.chmod(self.agent, 0o755)

    def remove(self):
        for i in range(16):
            run("ip", "netns", "del", f"scdc{i}", check=False)
        run("ip", "link", "del", "scdc-br", check=False)

    def mpirun(self):
        hosts = ",".join(f"10.77.0.{i + 1}" for i in range(self.count))
        words = "--mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24"
        return ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "--host", hosts, "--mca",
                "plm_rsh_agent", self.agent, "--mca", "plm_rsh_no_tree_spawn", "1", *words.split()]


def measure(options, processes, rate):
    """What bench_sums prints, the fastest of each size."""
    best = {}
    hosts = Hosts(processes, rate, options.output)
    for _ in range(options.repeat):
        for line in run_surely(*hosts.mpirun(), os.path.abspath(options.program), *map(str, VALUES)).splitlines():
            found = json.loads(line)
            kept = best.setdefault(str(found["values"]), found)
            if found["best"] < kept["best"]:
                best[str(found["values"])] = found
    hosts.remove()
    return best


def solve(rows, right):
    """Least squares by the normal equations."""
    n = len(rows[0])
    a = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * y for r, y in zip(rows, right))]
         for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for k in range(n):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", default="mpi-cost")
    parser.add_argument("--program", default="build/bench/bench_sums")
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    record = os.path.join(options.output, "cost.json")
    known = {}
    if os.path.exists(record):
        with open(record, encoding="utf-8") as stream:
            known = json.load(stream)
    settings = list(itertools.product(PROCESSES, RATES))
    for processes, rate in settings:
        name = f"{processes}/{rate}"
        if name not in known:
            known[name] = measure(options, processes, rate)
            print(name, known[name], file=sys.stderr)
            with open(record, "w", encoding="utf-8") as stream:
                json.dump(known, stream, indent=1)
    rows, seconds, names = [], [], []
    for (processes, rate), values in itertools.product(settings, VALUES):
        it = known[f"{processes}/{rate}"][str(values)]
        rows.append([processes - 1, it["sent"], max(0, it["sent"] / (rate * 125e3) - 2 * BURST) if rate else 0])
        seconds.append(it["best"])
        names.append((processes, rate or "no limit", it["sent"] / 1e6))
    b, c, e = solve([[x / (y + FLOOR) for x in row] for row, y in zip(rows, seconds)],
                    [y / (y + FLOOR) for y in seconds])
    print(f"exchange = {1e3 * b:.2f} ms (R - 1) + V ({1e9 * c:.2f} ns + {e:.2f} / w)")
    off = []
    for (processes, rate, sent), row, y in zip(names, rows, seconds):
        told = sum(x * k for x, k in zip(row, (b, c, e)))
        off.append((told - y) / (y + FLOOR))
        print(f"| {processes} | {rate} | {sent:.2f} MB | {1e3 * y:.2f} | {1e3 * told:.2f} |")
    print(f"off by {100 * (sum(x * x for x in off) / len(off)) ** .5:.0f} % (root mean square)")


if __name__ == "__main__":
    main()
