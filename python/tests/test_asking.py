"""New answers without a new fit, the next questions, when to stop: as the program does it."""
import json
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest

import scdc

PROGRAM = os.environ.get("SCDC_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="the program is not built (make)")


@pytest.fixture(scope="module")
def halves(answers):
    return answers.iloc[:120].reset_index(drop=True), answers.iloc[120:].reset_index(drop=True)


@pytest.fixture(scope="module")
def X(blobs):
    return blobs[0].astype(np.float32)


@pytest.fixture()
def model(X, halves):
    return scdc.SCDC(random_state=7, max_epochs=12).fit(X, annotations=halves[0])


@pytest.fixture(scope="module")
def run(X, halves, tmp_path_factory):
    """The same fit by the program."""
    folder = tmp_path_factory.mktemp("asking")
    np.save(folder / "x.npy", X)
    for name, part in zip(("first", "more"), halves):
        part.to_csv(folder / f"{name}.csv", index=False)
    call(folder, "fit", "x.npy", "-o", "run", "--annotations", "first.csv", "--seed", "7", "--epochs", "12", "--quiet")
    return folder


def call(folder, *words):
    return subprocess.run([PROGRAM, *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


# ---- update --------------------------------------------------------------------------------------


def test_update_takes_answers_in(blobs, X, model, halves):
    before = model.labels_.copy()
    assert model.update(halves[1]) is model
    assert model.workers_["answers"].sum() == 200
    assert scdc.metrics.accuracy(model.labels_, blobs[1]) > 0.95
    assert set(np.unique(model.labels_)) <= set(model.clusters_.tolist()) and len(model.clusters_) == model.n_clusters_
    assert (model.clusters_[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()
    moved = np.nonzero(before != model.labels_)[0]
    assert model.changes_["item"].tolist() == moved.tolist()
    assert list(model.changes_.columns) == ["item", "from", "to", "probability", "because"]
    # Everything else goes on with the answers of both.
    assert len(model.suggest(3)) == 3 and model.plan().answers == 200


@needs_program
def test_update_as_the_program(X, model, halves, run):
    # The program leaves out answers of a file that it has had (here one of a worker asked again), Python takes all it is given.
    call(run, "update", "run", "--annotations", "more.csv", "--again", "-o", "updated", "--quiet")
    model.update(halves[1])
    written = pd.read_csv(run / "updated" / "labels.csv")
    assert written["cluster"].to_numpy().tobytes() == model.labels_.tobytes()
    theirs = scdc.SCDC.load(run / "updated")
    assert theirs.workers_.equals(model.workers_)
    assert theirs.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert theirs.clusters_.tolist() == model.clusters_.tolist()
    changes = pd.read_csv(run / "updated" / "changes.csv")
    assert changes["item"].tolist() == model.changes_["item"].tolist()


def test_update_of_a_pickled_model(X, model, halves):
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="give X"):
        again.update(halves[1])
    with pytest.raises(ValueError, match="give them"):
        again.update(halves[1], X)
    again.update(halves[1], X, earlier=halves[0])
    assert (again.labels_ == model.update(halves[1]).labels_).all()
    assert again.workers_.equals(model.workers_)


def test_update_by_names(X, halves):
    names = [f"item-{i}" for i in range(len(X))]
    frame = pd.DataFrame(X, index=names)
    first, more = (part.assign(left=[names[i] for i in part["left"]], right=[names[i] for i in part["right"]]) for part in halves)
    model = scdc.SCDC(random_state=7, max_epochs=12).fit(frame, annotations=first).update(more)
    plain = scdc.SCDC(random_state=7, max_epochs=12).fit(X, annotations=halves[0]).update(halves[1])
    assert (model.labels_ == plain.labels_).all()
    asked = model.suggest(4, random_state=1)
    assert set(asked["left"]) | set(asked["right"]) <= set(names)


def test_wrong_updates_leave_the_model_alone(X, model):
    before, proba = model.labels_.copy(), model.predict_proba(X)
    for annotations, word in [(([(0, 999)], []), "999"), ([(0, 1, 7)], "7")]:
        with pytest.raises(ValueError, match=word):
            model.update(annotations)
    with pytest.raises(ValueError, match="features"):
        model.update(([(0, 1)], []), X[:, :2])
    assert (model.labels_ == before).all() and (model.predict_proba(X) == proba).all()
    from sklearn.exceptions import NotFittedError
    for call_ in (lambda m: m.update(([(0, 1)], [])), lambda m: m.suggest(2), lambda m: m.plan()):
        with pytest.raises(NotFittedError):
            call_(scdc.SCDC())


# ---- suggest -------------------------------------------------------------------------------------


def test_questions(model):
    pairs = model.suggest(10, random_state=1)
    assert list(pairs.columns) == ["left", "right", "worker", "gain", "reason"] and len(pairs) == 10
    assert (pairs["left"] != pairs["right"]).all() and pairs[["left", "right"]].to_numpy().max() < 150
    assert (pairs["gain"] >= 0).all()
    assert model.suggest(10, random_state=1).equals(pairs)
    sets = model.suggest(2, task="sets", set_size=6, worker="ann")
    assert all(len(set(items)) == 6 for items in sets["items"])
    first = scdc.suggest(np.random.RandomState(0).randn(40, 3), 5)
    assert len(first) == 5 and first["reason"].notna().all()
    for wrong, word in [(dict(n=0), "n must"), (dict(n=2, task="rows"), "rows"), (dict(n=2, task="sets", set_size=1), "set")]:
        with pytest.raises(ValueError, match=word):
            model.suggest(**wrong)


@needs_program
@pytest.mark.parametrize("worker", [None, "ann"])
@pytest.mark.parametrize("task", ["pairs", "sets"])
def test_questions_as_the_program(model, run, task, worker):
    words = ["suggest", "run", "-n", "8", "--task", task, "--set-size", "5", "--seed", "3", "-o", "q.csv", "--quiet"]
    call(run, *words, *(["--worker", worker] if worker else []))
    written = pd.read_csv(run / "q.csv", dtype={"items": str})
    mine = model.suggest(8, task=task, set_size=5, worker=worker, random_state=3)
    asked = mine["items"] if task == "sets" else [[row.left, row.right] for row in mine.itertuples()]
    assert [" ".join(map(str, items)) for items in asked] == written["items"].tolist()
    assert np.allclose(mine["gain"], written["gain"], rtol=1e-4)


# ---- plan ----------------------------------------------------------------------------------------


def test_outlook(model, X):
    outlook = model.plan()
    assert outlook.advice in ("go on", "stop", "reached", "out of reach") and outlook.sentence
    assert 0 <= outlook.interval[0] <= outlook.accuracy <= outlook.interval[1] <= 1
    assert outlook.answers == 120 and outlook.items == 150 and outlook.clusters == model.n_clusters_
    assert set(outlook.points.columns) == {"answers", "accuracy", "low", "high", "measured"} and len(outlook.points) > 1
    assert "<svg" in outlook._repr_html_() and outlook.advice in repr(outlook)
    before = scdc.plan(X, n_workers=3, sensitivity=0.9, specificity=0.9, n_clusters=3, most=500, random_state=1)
    assert before.answers == 0 and len(before.points) > 1


@needs_program
def test_outlook_as_the_program(model, run):
    theirs = json.loads(call(run, "plan", "run", "--json", "--seed", "3"))
    mine = model.plan(random_state=3)
    assert mine.sentence == theirs["sentence"] and mine.advice == theirs["advice"]
    assert mine.accuracy == pytest.approx(theirs["accuracy"], rel=1e-4)
    assert mine.points["accuracy"].tolist() == pytest.approx([point["accuracy"] for point in theirs["points"]], rel=1e-4)
