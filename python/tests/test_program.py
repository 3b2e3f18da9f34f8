"""Python and the program give the same bytes for the same seed."""
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

import scdc

PROGRAM = os.environ.get("SCDC_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="the program is not built (make)")


@needs_program
@pytest.mark.parametrize("model", ["bayes", "amortized"])
@pytest.mark.parametrize("form", ["pairs", "groupings", "none"])
def test_same_labels(tmp_path, blobs, answers, model, form):
    X = blobs[0].astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    words = [PROGRAM, "fit", str(tmp_path / "x.npy"), "-o", str(tmp_path / "run"), "--seed", "7", "--model", model,
             "--epochs", "12", "--quiet"]
    table = None
    if form == "pairs":
        table = answers
    elif form == "groupings":
        table = pd.DataFrame({
            "worker": np.repeat(["ann", "bob"], 30), "task": np.tile(np.repeat([1, 2, 3], 10), 2),
            "item": np.random.RandomState(0).permutation(150)[:60], "group": 0,
        })
        table["group"] = blobs[1][table["item"]]
    if table is not None:
        table.to_csv(tmp_path / "answers.csv", index=False)
        words += ["--annotations", str(tmp_path / "answers.csv")]
    subprocess.run(words, check=True)
    fit = scdc.SCDC(random_state=7, model=model, max_epochs=12).fit(X, annotations=table)
    written = pd.read_csv(tmp_path / "run" / "labels.csv")
    assert written["cluster"].to_numpy().tobytes() == fit.labels_.tobytes()
    assert written["component"].to_numpy().tobytes() == fit.components_.tobytes()
    loaded = scdc.SCDC.load(tmp_path / "run")
    assert loaded.predict_proba(X).tobytes() == fit.predict_proba(X).tobytes()
    assert (loaded.labels_ == fit.labels_).all()
    if table is not None:
        assert loaded.workers_.equals(fit.workers_)
    fit.save(tmp_path / "own.safetensors")
    again = subprocess.run([PROGRAM, "predict", str(tmp_path / "own.safetensors"), str(tmp_path / "x.npy"), "-o", "-"],
                           check=True, stdout=subprocess.PIPE, text=True).stdout
    assert [int(line.split(",")[1]) for line in again.split("\n")[1:] if line] == fit.predict(X).tolist()


@needs_program
def test_same_simulations(tmp_path):
    run = lambda *words: subprocess.run([PROGRAM, "simulate", *words, "--quiet"], check=True)
    run("data", "pinwheel", "-o", str(tmp_path / "x.npy"), "--labels", str(tmp_path / "y.csv"), "--seed", "3")
    X, y = scdc.make_pinwheel(random_state=3)
    assert np.load(tmp_path / "x.npy").astype(np.float32).tobytes() == X.tobytes()
    assert (pd.read_csv(tmp_path / "y.csv").iloc[:, -1].to_numpy() == y).all()
    run("answers", str(tmp_path / "y.csv"), "-w", "4", "-p", "80", "-o", str(tmp_path / "a.csv"), "--seed", "3")
    written = pd.read_csv(tmp_path / "a.csv")
    made = scdc.simulate_answers(y, n_workers=4, n_pairs=80, random_state=3).to_frame()
    for column in ("left", "right", "label"):
        assert (written[column].to_numpy() == made[column].to_numpy()).all()
