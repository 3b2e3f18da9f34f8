#!/usr/bin/env python3
"""Opens reports in headless Chromium and looks for what a reader would trip over.

Usage: tests/browser/check_report.py SCDC [--keep DIR] [REPORT.html...]

Without reports it makes two: the demonstration, and images with workers whose names are markup. Each is
opened at the width of a phone and of a desk, light and dark. Looked for: errors on the console, requests
to anywhere, missing sections, labels that overlap or leave their chart, pictures without text, sideways
scrolling, weak contrast, tables that do not sort. The charts that `scdc report --figures` writes are looked at
too. --keep DIR keeps the screenshots.
Ends with 77 (skipped) when there is no Chromium: `tools/setup --browser` installs it.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = {"phone": (390, 3200), "desk": (1100, 3200)}
PROBE = re.compile(r"PROBE (\S+) END")
# Before anything else in the page: what the probe could not see later.
EARLY = """<script>
window.probeFound = [];
addEventListener('error', function (e) { probeFound.push('error: ' + (e.message || e.target.src)); }, true);
document.addEventListener('securitypolicyviolation', function (e) { probeFound.push('refused: ' + e.blockedURI); });
</script>"""


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path:
            return path
    return None


def with_probe(page, extra=""):
    """The page with the probe in it; `extra` is put into its body."""
    with open(os.path.join(HERE, "probe.js"), encoding="utf-8") as stream:
        probe = stream.read()
    page = page.replace("<head>", "<head>" + EARLY, 1)
    return page.replace("</body>", extra + "<script>" + probe + "</script></body>", 1)


def look(browser, folder, name, page, size, dark):
    """Opens the page; returns what is wrong and where the screenshot lies."""
    inner = os.path.join(folder, name + ".html")
    outer = os.path.join(folder, name + "-frame.html")
    shot = os.path.join(folder, name + ".png")
    with open(inner, "w", encoding="utf-8") as stream:
        stream.write(page)
    # A frame has any width; a window of Chromium has a least one.
    with open(outer, "w", encoding="utf-8") as stream:
        stream.write(f'<!doctype html><body style="margin:0"><iframe src="{name}.html" '
                     f'style="border:0;width:{size[0]}px;height:{size[1]}px"></iframe>')
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--enable-logging=stderr", "--virtual-time-budget=4000",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}",
             f"--window-size={size[0]},{size[1]}", f"--screenshot={shot}", "file://" + outer]
    done = subprocess.run(words, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, check=False)
    answer = PROBE.search(done.stdout)
    if not answer:
        return ["the page did not answer: " + done.stdout[-600:]], shot
    told = json.loads(urllib.parse.unquote(answer.group(1)))
    found = told["found"]
    if told["dark"] != dark:
        found.append("the browser did not take the colour scheme")
    for line in done.stdout.split("\n"):
        if "CONSOLE" in line and "PROBE" not in line:
            found.append("console: " + line)
    return found, shot


def make_images(folder):
    """60 small pictures of three kinds, and answers of workers whose names are markup."""
    draw = random.Random(5)
    images = os.path.join(folder, "images")
    os.mkdir(images)
    for i in range(60):
        with open(os.path.join(images, f"{i:02}'<b>\".pgm"), "wb") as stream:
            stream.write(b"P5 8 6 255\n" + bytes((200 if i % 3 == p % 3 else 20) + draw.randrange(40)
                                                for p in range(48)))
    answers = os.path.join(folder, "answers.csv")
    workers = ['"<script>alert(1)</script>"', '"<img src=x onerror=alert(1)>"', "a-worker-with-a-rather-" + "long-" * 20,
               "plain", "coin"]
    with open(answers, "w", encoding="utf-8") as stream:
        stream.write("worker,left,right,label\n")
        for a in range(400):
            left, right = draw.sample(range(60), 2)
            same = (left % 3 == right % 3) != (draw.random() < (0.5 if a % 5 == 4 else 0.1))
            stream.write(f"{workers[a % 5]},{left},{right},{int(same)}\n")
    return images, answers


def make_reports(scdc, folder):
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    subprocess.run([scdc, "demo", "-q", "-o", os.path.join(folder, "demo")], **quiet)
    images, answers = make_images(folder)
    run = os.path.join(folder, "images-run")
    subprocess.run([scdc, "fit", images, "-a", answers, "-o", run, "-q", "-k", "6", "--epochs", "8", "--latent", "3",
                    "--hidden", "20", "--set", "warmup=8"], **quiet)
    return [os.path.join(folder, "demo", "report.html"), os.path.join(run, "report.html")]


def look_at_figures(browser, scdc, folder, runs):
    """The SVG files, side by side in one page."""
    found = []
    for number, run in enumerate(runs):
        figures = os.path.join(folder, f"figures-{number}")
        subprocess.run([scdc, "report", run, "-q", "--figures", figures], check=True)
        page = "<!doctype html><html><head></head><body><script>probeChartsOnly = true</script>\n"
        for name in sorted(os.listdir(figures)):
            with open(os.path.join(figures, name), encoding="utf-8") as stream:
                page += f"<figure>{stream.read()}</figure>\n"
        found += look(browser, folder, f"figures-{number}", with_probe(page + "</body></html>"), WIDTHS["desk"], False)[0]
    return found


def check_the_check(browser, folder, page):
    """A page with known faults: the check must find each of them."""
    faults = ('<img src="https://example.org/x.png" alt="x"><svg role="img" viewBox="0 0 9 9"><text y="5">aa</text>'
              '<text y="5">bb</text></svg><div style="width:3000px"><p style="color:#bbb">pale</p></div>'
              '<script>undefinedFunction()</script>')
    page = page.replace('<section id="training">', '<section id="other">')
    found, _ = look(browser, folder, "faults", with_probe(page, faults), WIDTHS["desk"], False)
    missed = [what for what in ("refused", "labels overlap", "a chart without", "px wide", "contrast", "error:",
                                "section missing: training") if not any(what in line for line in found)]
    return [f"the check itself missed: {what}" for what in missed]


def main():
    words = sys.argv[1:]
    keep = None
    if "--keep" in words:
        at = words.index("--keep")
        keep = words[at + 1]
        del words[at:at + 2]
        os.makedirs(keep, exist_ok=True)
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    browser = find_browser()
    if not browser:
        print("skipped: there is no Chromium (tools/setup --browser installs it)")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        reports = words[1:] or make_reports(os.path.abspath(words[0]), folder)
        for number, path in enumerate(reports):
            with open(path, encoding="utf-8") as stream:
                page = stream.read()
            for width, size in WIDTHS.items():
                for dark in (False, True):
                    name = f"{number}-{width}-{'dark' if dark else 'light'}"
                    found, shot = look(browser, folder, name, with_probe(page), size, dark)
                    if keep:
                        shutil.copy(shot, keep)
                    print(f"{os.path.basename(os.path.dirname(path))} {name}: {len(found)} faults")
                    for line in found:
                        print(f"    {line}")
                    bad += len(found)
        faults = check_the_check(browser, folder, page)
        if not words[1:]:
            faults += look_at_figures(browser, os.path.abspath(words[0]), folder, [os.path.dirname(r) for r in reports])
        for line in faults:
            print(line)
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
