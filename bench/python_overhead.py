#!/usr/bin/python3
"""What Python costs on top of the C calls: a fit, a predict of one row, answers of a table. Prints JSON.

Usage: python_overhead.py    (with the package scdc installed; times are least values of many)
"""
import json
import time

import numpy as np

import scdc
from scdc import _native, _progress
from scdc._items import Items
from scdc._native import ffi, lib


def least(call, times, inner=1):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        for _ in range(inner):
            call()
        best = min(best, (time.perf_counter() - start) / inner)
    return best


def fit_overhead():
    """Seconds of a fit in Python and, of these, in the two C calls; and what looking now and then costs within them."""
    X, truth = scdc.make_blobs(n_clusters=5, n_items=3000, n_features=20, random_state=1)
    answers = scdc.simulate_answers(truth, n_pairs=1000, random_state=1)
    inside = []
    run, check = _progress.Watch.run, scdc.estimator._placed

    def timed(call):
        def wrapper(*arguments):
            start = time.perf_counter()
            out = call(*arguments)
            inside.append(time.perf_counter() - start)
            return out
        return wrapper

    _progress.Watch.run, scdc.estimator._placed = timed(run), timed(check)
    start = time.perf_counter()
    model = scdc.SCDC(random_state=1, max_epochs=60, n_jobs=1, options={"patience": 1000}).fit(X, annotations=answers)
    total = time.perf_counter() - start
    _progress.Watch.run, scdc.estimator._placed = run, check
    return {"fit_seconds": total, "outside_c_share": (total - sum(inside)) / total, "epochs": model.n_iter_}


def watching():
    """A fit that nobody watches against one that is watched, by turns."""
    X, _ = scdc.make_blobs(n_clusters=5, n_items=1000, n_features=10, random_state=1)
    items = Items(X)
    options = scdc.SCDC(random_state=1, max_epochs=30, n_jobs=1, options={"patience": 1000, "warmup": 5})._options()

    def fit(*watch):
        start = time.process_time()
        out = ffi.new("scdc_model **")
        _native.check(lib.scdc_fit(out, items.handle, ffi.NULL, options, *watch))
        lib.scdc_model_free(out[0])
        return time.process_time() - start

    watch = _progress.Watch(0)
    alone, watched = [], []
    for _ in range(7):
        alone.append(fit(ffi.NULL, ffi.NULL))
        watched.append(fit(ffi.addressof(lib, "watch_progress"), watch._watch))
    return {"alone_seconds": min(alone), "watched_seconds": min(watched), "watching_share": min(watched) / min(alone) - 1}


def predict_overhead():
    X, _ = scdc.make_blobs(n_clusters=5, n_items=500, n_features=20, random_state=1)
    model = scdc.SCDC(random_state=1, max_epochs=2, n_jobs=1).fit(X)
    row = X[:1].copy()
    items, labels = Items(row), ffi.new("int64_t[1]")

    def bare():
        lib.scdc_predict(labels, ffi.NULL, ffi.NULL, ffi.NULL, model.model_.handle, items.handle, ffi.NULL)

    ours, c = least(lambda: model.predict(row), 40, 200), least(bare, 40, 200)
    return {"predict_microseconds": 1e6 * ours, "c_call_microseconds": 1e6 * c, "overhead_microseconds": 1e6 * (ours - c)}


def main():
    out = {"fit": fit_overhead(), "watching": watching(), "predict_one_row": predict_overhead()}
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
