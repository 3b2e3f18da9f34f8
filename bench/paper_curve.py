#!/usr/bin/env python3
"""The paper's recipe on MNIST, epoch by epoch: ACC, NMI, live components and bound as csv and as a picture.

A fit in parts: each part resumes the one before and is scored when it ends, so that it can be stopped (Ctrl-C) and called
again at any time. True classes only score. Needs nothing beyond Python.
Usage: paper_curve.py --data DIR -o DIR [--program build/scdc] [--epochs 200] [--seed 1] [--model amortized] [--alone] [--set KEY=VALUE]...
       paper_curve.py --draw CSV... -o PICTURE.svg     curves of several runs in one picture
"""
import argparse
import csv
import html
import json
import os
import subprocess
import sys

PARTS = list(range(1, 11)) + list(range(12, 21, 2)) + list(range(25, 51, 5)) + list(range(60, 201, 10))
COLUMNS = ['epoch', 'acc', 'nmi', 'ami', 'clusters', 'live_components', 'bound_per_item', 'seconds']


def command(a, epochs, run):
    words = [a.program, 'fit', os.path.join(a.data, 'mnist', 'train-images-idx3-ubyte.gz'), '--preset', 'mnist', '--model', a.model, '--seed', str(a.seed),
             '--truth', os.path.join(a.data, 'mnist', 'train-labels-idx1-ubyte.gz'), '--epochs', str(epochs), '--threads', str(a.threads),
             '-o', run, '--quiet', '--json']
    if not a.alone:
        words += ['--annotations', os.path.join(a.data, 'mnist_crowd', 'pairs.npy')]
    for setting in a.set:
        words += ['--set', setting]
    return words + (['--resume'] if os.path.exists(os.path.join(run, 'run.json')) else [])


def rows(run, scores):
    """A row an epoch; scores where a part ended."""
    with open(os.path.join(run, 'log.jsonl')) as log:
        for line in log:
            epoch = json.loads(line)
            known = scores.get(epoch['epoch'], {})
            yield {'epoch': epoch['epoch'], **known, 'live_components': epoch['live_components'],
                   'bound_per_item': '%.3f' % (epoch['bound'] / 60000), 'seconds': '%.1f' % (epoch['seconds'] or 0)}


COLOURS = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#8c564b', '#444', '#e377c2', '#bcbd22']
MEASURES = [('acc', 'ACC'), ('nmi', 'NMI'), ('live_components', 'live components'), ('bound_per_item', 'bound of an item, nats')]


def points_of(table, key):
    return [(int(r['epoch']), float(r[key])) for r in table if r.get(key) not in (None, '')]


def panel(tables, key, title, left):
    """A measure of all runs, a colour each."""
    top, width, height = 30, 190, 180
    lines = [points_of(table, key) for table in tables]
    # What happens in the first epochs would flatten the rest of the bound, and all components count as live there.
    if key in ('bound_per_item', 'live_components'):
        lines = [[(x, y) for x, y in points if x > 2] or points for points in lines]
    values = [y for points in lines for x, y in points] or [0]
    low, high = (0, 1) if key in ('acc', 'nmi') else (0, max(values) + 1) if key == 'live_components' else (min(values), max(values) + 1)
    most = max([x for points in lines for x, y in points] or [1])
    out = ['<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#999"/>' % (left, top, width, height),
           '<text x="%d" y="%d">%s</text>' % (left, top - 6, title),
           '<text x="%d" y="%d" text-anchor="end">%g</text><text x="%d" y="%d" text-anchor="end">%g</text>' % (
               left - 4, top + 10, round(high), left - 4, top + height, round(low)),
           '<text x="%d" y="%d" text-anchor="end">epoch %d</text>' % (left + width, top + height + 16, most)]
    for points, colour in zip(lines, COLOURS):
        at = ' '.join('%.1f,%.1f' % (left + width * x / most, top + height * (1 - (max(y, low) - low) / (high - low))) for x, y in points)
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (colour, at))
    return out


def draw(path, runs):
    """runs: pairs of a name and its rows, at most as many as there are colours."""
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="980" height="275" font-family="sans-serif" font-size="12">']
    for number, (key, title) in enumerate(MEASURES):
        out += panel([table for _, table in runs], key, title, 40 + 240 * number)
    for number, (name, _) in enumerate(runs):
        out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (
            40 + 240 * (number % 4), 250 + 16 * (number // 4), COLOURS[number], html.escape(name)))
    with open(path, 'w') as file:
        file.write('\n'.join(out + ['</svg>']) + '\n')


def draw_files(path, names):
    runs = []
    for name in names:
        with open(name, newline='') as file:
            runs.append((os.path.splitext(os.path.basename(name))[0], list(csv.DictReader(file))))
    draw(path, runs[:len(COLOURS)])
    return 0


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument('--draw', nargs='+', metavar='CSV', help='only draw curves that are there')
    ap.add_argument('--data', help='folder with mnist and mnist_crowd')
    ap.add_argument('-o', '--output', required=True)
    ap.add_argument('--program', default='build/scdc')
    ap.add_argument('--epochs', type=int, default=200)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--threads', type=int, default=1)
    ap.add_argument('--model', choices=('bayes', 'amortized'), default='bayes')
    ap.add_argument('--alone', action='store_true', help='without answers')
    ap.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    a = ap.parse_args()
    if a.draw:
        return draw_files(a.output, a.draw)
    if not a.data:
        ap.error('--data is needed, or --draw')
    os.makedirs(a.output, exist_ok=True)
    run, table, kept = (os.path.join(a.output, name) for name in ('run', 'curve.csv', 'scores.json'))
    scores = {}
    if os.path.exists(kept):
        with open(kept) as file:
            scores = {int(k): v for k, v in json.load(file).items()}
    for epochs in [e for e in PARTS if e < a.epochs] + [a.epochs]:
        if epochs in scores:
            continue
        done = subprocess.run(command(a, epochs, run), stdout=subprocess.PIPE)
        if done.returncode:
            return done.returncode
        result = json.loads(done.stdout)['scores']
        scores[epochs] = {key: '%.4f' % result[key] for key in ('acc', 'nmi', 'ami')} | {'clusters': result['clusters']}
        with open(kept, 'w') as file:
            json.dump(scores, file)
        lines = list(rows(run, scores))
        with open(table, 'w', newline='') as file:
            writer = csv.DictWriter(file, COLUMNS, restval='', lineterminator='\n')
            writer.writeheader()
            writer.writerows(lines)
        draw(os.path.join(a.output, 'curve.svg'), [('seed %d' % a.seed, lines)])
        print('epoch %d: ACC %s, NMI %s, %d live components' % (epochs, scores[epochs]['acc'], scores[epochs]['nmi'],
                                                                 lines[-1]['live_components']), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
