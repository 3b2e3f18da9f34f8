"""Kills fits with SIGKILL at random moments and resumes them until they end: every file is then, to the last byte, that of a
fit nobody killed.

Usage: kills.py SCDC KILLS [--seed N] [--minutes M]

KILLS is how many kills are to hit a fit that is still at work, shared by all kinds of fits below; a fit may be killed several times
before it ends. Ends in a table of where the kills hit. Exit 1 with the folder kept when a file differs.
"""
import argparse
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

# Every stage of both models: networks with warm-up and start, without networks, with classes learned from answers, the paper's recipe.
NETWORK = ["--hidden", "10", "-k", "6", "--epochs", "12", "--set", "warmup=10", "--set", "patience=1000"]
FITS = {
    "bayes": ["--model", "bayes", *NETWORK],
    "amortized": ["--model", "amortized", *NETWORK],
    "bayes without networks": ["--model", "bayes", "--net", "linear"],
    "bayes, classes from answers": ["--model", "bayes", *NETWORK, "--set", "clusters_from=answers"],
    "bayes, paper": ["--model", "bayes", "--recipe", "paper", "--hidden", "10", "-k", "6", "--epochs", "15"],
    "amortized, paper": ["--model", "amortized", "--recipe", "paper", "--hidden", "10", "-k", "6", "--epochs", "15"],
}
COMMON = ["--threads", "1", "--set", "checkpoint=0.002", "-q"]
FILES = ("model.safetensors", "labels.csv", "workers.csv", "log.jsonl")


def run(words, folder, check=True):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}")
    return done


def content(folder, name):
    """Bytes of a file; the log without its times."""
    with open(os.path.join(folder, name), "rb") as stream:
        text = stream.read()
    return re.sub(rb',"seconds":[^,}]*', b"", text) if name == "log.jsonl" else text


def place(folder):
    """How far a killed fit had come, as its files tell."""
    model = os.path.join(folder, "model.safetensors")
    if not os.path.exists(os.path.join(folder, "run.json")):
        return "before the record"
    if not os.path.exists(model):
        return "before a checkpoint"
    with open(model, "rb") as stream:
        size, = struct.unpack("<Q", stream.read(8))
        meta = json.loads(stream.read(size))["__metadata__"]
    if float(meta["finished"]):
        return "results"
    if float(meta["begun"]):
        return "epochs"
    return "warm-up or start"


class Soak:
    def __init__(self, program, folder, chance):
        self.program, self.folder, self.chance = program, folder, chance
        self.usual = {}  # seconds that a fit takes, by kind
        self.hits = {}

    def command(self, kind, name):
        return [self.program, "fit", "items.npy", "-a", "answers.csv", "-o", name, *FITS[kind], *COMMON]

    def reference(self, kind):
        name = "whole-" + kind.replace(" ", "-").replace(",", "")
        began = time.monotonic()
        run(self.command(kind, name), self.folder)
        self.usual[kind] = time.monotonic() - began
        return {file: content(os.path.join(self.folder, name), file) for file in FILES}

    def start(self, kind, name):
        """Begins or goes on; None when it was killed, else the exit status."""
        words = self.command(kind, name)
        if os.path.exists(os.path.join(self.folder, name, "run.json")):
            words.append("--resume")
        began = time.monotonic()
        fit = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            fit.communicate(timeout=self.chance.uniform(0, self.usual[kind]))
        except subprocess.TimeoutExpired:
            fit.kill()
            _, errors = fit.communicate()
            if fit.returncode == -9:
                return None, errors
        else:
            errors = b""
        # Machines are busy at times: moments are drawn from what fits take now.
        self.usual[kind] += 0.3 * (time.monotonic() - began - self.usual[kind])
        return fit.returncode, errors

    def kill_until_done(self, kind, name, most):
        """Kills up to `most` times, then lets it end. Returns how often it was killed."""
        kills = 0
        while kills < most:
            status, errors = self.start(kind, name)
            if status is not None:
                if status:
                    raise SystemExit(f"{kind}: exit {status} after {kills} kills: {errors}")
                return kills
            kills += 1
            where = place(os.path.join(self.folder, name))
            self.hits[kind, where] = self.hits.get((kind, where), 0) + 1
        words = self.command(kind, name)
        if os.path.exists(os.path.join(self.folder, name, "run.json")):
            words.append("--resume")
        run(words, self.folder)
        return kills


def soak(asked, folder):
    chance = random.Random(asked.seed)
    program = os.path.abspath(asked.program)
    run([program, "simulate", "data", "blobs", "-n", "300", "-k", "3", "-o", "items.npy", "-l", "truth.csv"], folder)
    run([program, "simulate", "answers", "truth.csv", "--workers", "4", "--pairs", "200", "-o", "answers.csv"], folder)
    s = Soak(program, folder, chance)
    whole = {kind: s.reference(kind) for kind in FITS}
    kills = runs = 0
    until = time.monotonic() + 60 * asked.minutes
    while kills < asked.kills and time.monotonic() < until:
        for kind in FITS:
            if runs % 100 == 99:
                print(f"{kills} kills in {runs} fits so far", file=sys.stderr, flush=True)
            name = f"killed-{runs}"
            kills += s.kill_until_done(kind, name, min(chance.randint(1, 4), max(asked.kills - kills, 1)))
            runs += 1
            for file in FILES:
                if content(os.path.join(folder, name), file) != whole[kind][file]:
                    print(f"{kind}: {file} of {name} differs from that of a fit nobody killed", file=sys.stderr)
                    return 1
            left = [entry for entry in os.listdir(os.path.join(folder, name)) if entry.endswith(".tmp")]
            if left:
                print(f"{kind}: {name} still has {left}", file=sys.stderr)
                return 1
            shutil.rmtree(os.path.join(folder, name))
            if kills >= asked.kills:
                break
    for kind, where in sorted(s.hits):
        print(f"{kind}; {where}: {s.hits[kind, where]}")
    print(f"{kills} kills in {runs} fits, all resumed to the same bytes")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e6)
    asked = parser.parse_args()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    folder = tempfile.mkdtemp(prefix="scdc-kills-", dir=memory)
    status = soak(asked, folder)
    if status:
        print(f"what was compared is in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
