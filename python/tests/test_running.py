"""While a fit runs: other threads go on, Ctrl-C ends it, progress is shown, nothing leaks."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import scdc

INTERRUPTED = textwrap.dedent("""
    import os, signal, sys, threading, time
    import numpy as np, scdc
    from scdc._progress import Watch

    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have it ignored in the background
    stage = sys.argv[1]
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def tell(self, progress):
        if scdc._native.text(progress.stage) == stage and not sent:
            sent.append(None)
            threading.Timer(0.3, interrupt).start()

    Watch.tell = tell
    X = np.random.RandomState(0).randn(3000, 20).astype(np.float32)
    options = {"warmup": 10000 if stage == "warm-up" else 1, "patience": 100000, "net": "mlp"}
    model = scdc.SCDC(random_state=1, max_epochs=100000, n_components=5, options=options)
    try:
        model.fit(X)
    except KeyboardInterrupt:
        print("late by", time.perf_counter() - sent[1])
        assert model.interrupted_ and not hasattr(model, "labels_")
        assert model.predict(X[:10]).shape == (10,)
        assert len(model.history_) == model.n_iter_
        print("kept")
""")


def test_other_threads_go_on(blobs):
    """The thread beside a fit gets much of what it gets alone."""
    X = np.random.RandomState(0).randn(4000, 30)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    beside = threading.Thread(target=tick)
    beside.start()
    start = time.perf_counter()
    scdc.SCDC(random_state=1, max_epochs=5, n_jobs=1, options={"warmup": 2}).fit(X)
    end = time.perf_counter()
    stop.set()
    beside.join()
    during = [t for t in ticks if start <= t <= end]
    assert len(during) > 0.02 * (end - start) / 0.001, "the fit held the GIL"


def test_fits_in_several_threads_at_once(blobs, answers):
    X, _ = blobs
    expected = [scdc.SCDC(random_state=s, max_epochs=10).fit(X, annotations=answers) for s in range(4)]
    got = [None] * 4

    def work(seed):
        got[seed] = scdc.SCDC(random_state=seed, max_epochs=10).fit(X, annotations=answers)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, got):
        assert (one.labels_ == other.labels_).all() and one.bound_ == other.bound_


@pytest.mark.parametrize("stage", ["warm-up", "fit"])
def test_ctrl_c_ends_a_fit_with_the_model_so_far(stage):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, stage], capture_output=True, text=True, timeout=120)
    assert "kept" in done.stdout, done.stdout + done.stderr
    assert float(done.stdout.split("late by ")[1].split()[0]) < 1.5


def test_ctrl_c_ends_a_baseline():
    script = textwrap.dedent("""
        import os, signal, threading, time, numpy as np, scdc
        signal.signal(signal.SIGINT, signal.default_int_handler)
        X = np.random.RandomState(0).randn(20000, 30)
        sent = []
        def interrupt():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(1, interrupt).start()
        try:
            scdc.baselines.GaussianMixture(50, max_iterations=100000, tolerance=0, random_state=1).fit(X)
        except KeyboardInterrupt:
            print("late by", time.perf_counter() - sent[0])
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert float(done.stdout.split("late by ")[1].split()[0]) < 10, done.stderr


def test_progress(blobs, capsys):
    scdc.SCDC(random_state=1, max_epochs=3, verbose=1).fit(blobs[0])
    assert "bound" in capsys.readouterr().err
    scdc.SCDC(random_state=1, max_epochs=3).fit(blobs[0])
    assert capsys.readouterr().err == ""


def test_progress_without_tqdm(blobs, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    scdc.SCDC(random_state=1, max_epochs=3, verbose=1).fit(blobs[0])
    assert "epoch 1/" in capsys.readouterr().err


def resident():
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_stays_flat(blobs, answers):
    """SCDC_LEAK_FITS fits (1,000 are what the figures in docs/python.md are from)."""
    fits = int(os.environ.get("SCDC_LEAK_FITS", "100"))
    X, ready = blobs[0][:60], scdc.Answers(answers[(answers["left"] < 60) & (answers["right"] < 60)])

    def once(seed):
        model = scdc.SCDC(random_state=seed, max_epochs=1, n_latent=2, hidden=(8,), options={"warmup": 1}, n_jobs=1)
        model.fit(X, annotations=ready).predict(X)
        with pytest.raises(ValueError):
            model.fit(X, annotations=([(0, 99)], []))

    for seed in range(30):
        once(seed)
    before = resident()
    for seed in range(fits):
        once(seed)
    grown = resident() - before
    print(f"{fits} fits: {grown / 1024:.0f} kB more")
    assert grown < 4 << 20
