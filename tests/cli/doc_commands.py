"""Runs every command that README.md and docs/*.md show, each page in a folder of its own.

Usage: doc_commands.py SCDC [PAGE...]

A command is a line of an indented or fenced block that begins with `scdc`, `build/scdc` or another word of PROGRAMS, with or without a
prompt `$ `. It must end with 0. Files that pages speak of (items.npy, answers.csv, pictures/, ...) are made small beforehand; a run that a
command is to make anew is removed before. Servers are asked to end a second after they told their address. A block that cannot be
run here (it fetches data, takes long or needs another machine) has the line

    <!-- not run: why -->

before it. A block of another language or of output has no command and needs no mark.
"""
import glob
import gzip
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PROGRAMS = re.compile(r"^(?:build/)?scdc [a-z-]|^(?:examples/ask|examples/shapes|tools/\S+|bench/\S+|make|pip|cmake|cc|docker|xdg-open|sudo|apt|apt-get|meson|dpkg-buildpackage) ")
NOT_RUN = re.compile(r"^<!-- not run: \S.* -->$")


def blocks(text):
    """Indented and fenced blocks: (number of the first line, lines, whether they are to be run)."""
    found, fence, current, marked, blank_needed = [], False, None, False, False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            if fence:
                found.append(current)
                current, marked = None, False
            else:
                current = (number + 1, [], not marked)
            fence = not fence
        elif fence:
            current[1].append(line)
        elif line.startswith("    ") and (current or not blank_needed):
            current = current or (number, [], not marked)
            current[1].append(line[4:])
        elif not line.strip() and current:
            current[1].append("")
        else:
            if current:
                found.append(current)
                current, marked = None, False
            if NOT_RUN.match(line):
                marked = True
            elif line.strip():
                marked = False
        blank_needed = bool(line.strip()) and not current
    if current:
        found.append(current)
    return found


def commands(path):
    """(line, command) of every command to be run, and how many are not."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    run, left = [], 0
    for first, lines, wanted in blocks("\n" + text):
        at = 0
        while at < len(lines):
            begin, line = at, lines[at]
            while line.endswith("\\") and at + 1 < len(lines):
                at += 1
                line = line[:-1] + lines[at]
            at += 1
            line = line.removeprefix("$ ")
            if not PROGRAMS.match(line):
                continue
            if wanted:
                run.append((first - 1 + begin, line))
            else:
                left += 1
    return run, left


ITEMS = 120  # small pictures of two kinds; under every name that a page gives them


def pixels(item):
    return bytes((40 if item % 2 else 180) + (item * 7 + p * 13) % 50 for p in range(64))


def write(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with (gzip.open if name.endswith(".gz") else open)(path, "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())


def write_items(folder):
    values = b"".join(pixels(i) for i in range(ITEMS))
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({ITEMS}, 8, 8), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    for name in ("items.npy", "new-items.npy", "new.npy", "NEW-DATA", "DATA", "wheel.npy"):
        write(folder, name, b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + values)
    for name in ("train-images-idx3-ubyte", "train-images-idx3-ubyte.gz"):
        write(folder, name, struct.pack(">IIII", 0x803, ITEMS, 8, 8) + values)
    write(folder, "train-labels-idx1-ubyte", struct.pack(">II", 0x801, ITEMS) + bytes(i % 2 for i in range(ITEMS)))
    for name in ("pictures", "photos", "faces"):
        for i in range(ITEMS):
            write(folder, f"{name}/{i:03}.pgm", b"P5 8 8 255\n" + pixels(i))
    for name in ("truth.csv", "wheel.csv", "labels.csv"):
        write(folder, name, "item,label\n" + "".join(f"{i},{i % 2}\n" for i in range(ITEMS)))


def write_answers(folder):
    rows = [(f"w{i % 4}", i % ITEMS, (i * 17 + 1) % ITEMS) for i in range(200)]
    text = "worker,left,right,label\n" + "".join(f"{w},{a},{b},{int((a - b) % 2 == 0)}\n" for w, a, b in rows if a != b)
    for name in ("answers.csv", "ANSWERS", "people.csv", "pairs.csv"):
        write(folder, name, text)
    for day, name in enumerate(("monday.csv", "tuesday.csv", "wednesday.csv", "new.csv")):
        write(folder, name, "worker,left,right,label\n" + "".join(f"w{day},{i},{i + day + 1},{day % 2}\n" for i in range(20)))
    write(folder, "questions.csv", "left,right\n" + "".join(f"{i:03}.pgm,{i + 1:03}.pgm\n" for i in range(10)))
    write(folder, "my-model", "#!/bin/sh\ncat >/dev/null\necho different\n")
    os.chmod(os.path.join(folder, "my-model"), 0o755)
    write(folder, "ratings.csv", "rater,picture,breed\n" + "".join(f"r{i % 3},{i // 3:03}.pgm,{'ab'[i // 3 % 2]}\n" for i in range(60)))
    for name, other in (("label-studio.json", "project-1.json"), ("label-studio.json", "project-1-at-2024-03-05.json"),
                        ("mturk.csv", "Batch_results.csv")):
        shutil.copyfile(os.path.join(ROOT, "tests/exchange", name), os.path.join(folder, other))


def make_files(scdc, folder):
    """What the pages take for granted."""
    write_items(folder)
    write_answers(folder)
    for name in ("RUN", "run"):
        subprocess.run([scdc, "fit", "items.npy", "-a", "answers.csv", "-o", name, "-q"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    write(folder, "bin/xdg-open", '#!/bin/sh\n[ -s "$1" ]\n')
    os.chmod(os.path.join(folder, "bin/xdg-open"), 0o755)
    os.makedirs(os.path.join(folder, "build"))
    for place in ("bin/scdc", "build/scdc"):
        os.symlink(scdc, os.path.join(folder, place))
    for name in ("tools", "examples", "bench"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))


def restore(fresh, folder):
    """Puts back what a command changed or removed; links stand as they are."""
    for place, _, names in os.walk(fresh):
        there = os.path.join(folder, os.path.relpath(place, fresh))
        os.makedirs(there, exist_ok=True)
        for name in names:
            kept, used = os.path.join(place, name), os.path.join(there, name)
            if os.path.islink(kept):
                continue
            before = os.stat(kept)
            after = os.stat(used) if os.path.exists(used) else None
            if not after or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                shutil.copy2(kept, used)


def is_server(command):
    return re.match(r"(?:build/)?scdc collect (?!export)", command) is not None


def run_command(command, folder, env):
    """Exit status and output."""
    made = re.search(r"scdc (?:fit|demo|update|collect) .*(?:-o|--output) (\S+)", command)
    if made and "--resume" not in command and " export " not in command:
        shutil.rmtree(os.path.join(folder, made.group(1)), ignore_errors=True)
    with subprocess.Popen(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as child:
        shown = address_of(child) if is_server(command) else ""
        try:
            output, _ = child.communicate(timeout=1 if shown else 180)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)
            output, _ = child.communicate()
            return (0 if shown else 124), output
    return child.returncode, shown + output


def address_of(child):
    """What a server says until its address, or all when it ends before."""
    said = ""
    for line in child.stdout:
        said += line
        if "http" in line:
            break
    return said


# Takes seconds and reads nothing that a page has made: where pages repeat it, once is enough.
SAME_EVERYWHERE = re.compile(r"scdc plan --data items\.npy ")


def main():
    scdc = os.path.abspath(sys.argv[1])
    pages = sys.argv[2:] or ["README.md", *sorted(glob.glob("docs/*.md", root_dir=ROOT))]
    bad = total = left_out = 0
    done = set()
    with tempfile.TemporaryDirectory(prefix="scdc-docs-") as scratch:
        fresh = os.path.join(scratch, "fresh")
        os.mkdir(fresh)
        make_files(scdc, fresh)
        for page in pages:
            run, left = commands(os.path.join(ROOT, page))
            left_out += left
            if not run:
                continue
            folder = os.path.join(scratch, "page")
            shutil.copytree(fresh, folder, symlinks=True)
            env = {**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "HOME": folder, "SCDC": scdc,
                   "OPENBLAS_NUM_THREADS": "1"}
            for line, command in run:
                if command in done:
                    continue
                if SAME_EVERYWHERE.match(command):
                    done.add(command)
                if "--resume" not in command:
                    restore(fresh, folder)
                status, output = run_command(command, folder, env)
                total += 1
                if status:
                    bad += 1
                    print(f"{page}:{line}: {command}\n    exit {status}: " + output.strip().replace("\n", "\n    "))
            shutil.rmtree(folder)
    print(f"{total} commands run, {bad} failed, {left_out} marked as not to be run")
    return bad > 0 or total < 20


if __name__ == "__main__":
    sys.exit(main())
