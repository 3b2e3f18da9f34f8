"""Answers in every shape that people have them in, and what is said of wrong ones."""
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import scdc
from scdc.estimator import as_answers, rows_of
from scdc._items import Items

ROWS = [("0", 0, 1, 1), ("0", 1, 2, 1), ("0", 0, 3, 0)]
PAIRS = np.array([(0, 1), (1, 2), (0, 3)])


def rows(answers):
    frame = scdc.Answers(answers).to_frame()
    return sorted(
        (str(w), min(left, right), max(left, right), int(label))
        for w, left, right, label in frame.itertuples(index=False)
    )


def matrix(dtype=float):
    out = np.zeros((5, 5), dtype)
    out[0, 1] = out[1, 0] = out[1, 2] = 1
    out[0, 3] = out[3, 0] = -1
    return out


@pytest.mark.parametrize("answers", [
    pd.DataFrame(ROWS, columns=["worker", "left", "right", "label"]),
    pd.DataFrame(ROWS, columns=["Annotator", "item1", "item2", "Answer"]),
    pd.DataFrame(ROWS, columns=["worker", "left", "right", "label"]).drop(columns="worker"),
    {"left": [0, 1, 0], "right": [1, 2, 3], "label": [True, True, False]},
    {"left": [0, 1, 0], "right": [1, 2, 3], "label": ["same", "YES", "different"]},
    (PAIRS, [1, 1, -1]),
    (PAIRS.tolist(), np.array([1, 1, -1])),
    ([(0, 1), (1, 2)], [(0, 3)]),
    {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 3)]},
    matrix(),
    matrix(np.int8),
    matrix().tolist(),
    np.where(matrix() == 0, np.nan, matrix()),
    sparse.csr_matrix(matrix()),
    sparse.coo_matrix(matrix()),
    [(0, 1, 1), (1, 2, 1), (0, 3, 0)],
    np.array([(0, 1, 0, 1), (1, 2, 0, 1), (0, 3, 0, 0)]),
    [pd.DataFrame(ROWS[:1], columns=["worker", "left", "right", "label"]), {"cannot_link": [(0, 3)], "must_link": [(1, 2)]}],
    {"0": matrix()},
], ids=str)
def test_shapes(answers):
    assert rows(answers) == sorted(ROWS)


def test_links_of_one_kind_only():
    assert rows({"must_link": [(0, 1)]}) == [("0", 0, 1, 1)]
    assert rows(([], [(4, 2)])) == [("0", 2, 4, 0)]
    assert rows(([(0, 1)], [])) == [("0", 0, 1, 1)]


def test_workers_of_a_mapping():
    answers = scdc.Answers({"ann": matrix(), "bob": ([(0, 1)], [])})
    assert answers.workers == ["ann", "bob"] and answers.n_answers == 4


def test_groupings_become_pairs():
    table = pd.DataFrame({"worker": "ann", "task": [1, 1, 1, 2, 2], "item": [5, 6, 7, 5, 8], "group": list("aabxx")})
    assert rows(table) == [("ann", 5, 6, 1), ("ann", 5, 7, 0), ("ann", 5, 8, 1), ("ann", 6, 7, 0)]
    assert scdc.Answers(table).n_answers == 4


def test_labels_of_crowd_kit_become_pairs():
    table = pd.DataFrame({"task": ["t1", "t2", "t3", "t1"], "worker": ["w", "w", "w", "v"], "label": ["cat", "dog", "cat", "cat"]})
    got = scdc.Answers(table).to_frame()
    assert {(w, *sorted((left, right)), label) for w, left, right, label in got.itertuples(index=False)} == {
        ("w", "t1", "t2", 0), ("w", "t1", "t3", 1), ("w", "t2", "t3", 0)
    }


def test_unsure_is_no_answer():
    table = pd.DataFrame({"worker": "a", "left": [0, 1, 2], "right": [3, 3, 3], "label": [1, None, np.nan]})
    assert scdc.Answers(table).unsure == 2 and len(scdc.Answers(table).pairs) == 1
    words = table.assign(label=["same", "unsure", "?"])
    assert scdc.Answers(words).unsure == 2


def frame(**columns):
    return pd.DataFrame({"worker": ["a", "b"], "left": [0, 1], "right": [2, 3], "label": [1, 0], **columns})


@pytest.mark.parametrize("answers, words", [
    (frame(label=[1, 7]), ["row 1", "7"]),
    (frame(label=["same", "maybe"]), ["row 1", "maybe"]),
    (frame(worker=["a", None]), ["row 1", "worker"]),
    (frame(left=[0, np.nan]), ["row 1", "left"]),
    (frame(left=[0, 3]), ["row 1", "itself"]),
    (frame(left=[0, 150]), ["row 1", "150", "0"]),
    (frame(left=[0, -1]), ["row 1", "-1"]),
    (frame(left=["x", "y"]), ["named"]),
    (frame().drop(columns="label"), ["label"]),
    (frame().rename(columns={"left": "links"}), ["links"]),
    (np.zeros((3, 5)), ["5"]),
    (np.zeros((2, 2, 2)), ["dimensions"]),
    (PAIRS, ["(pairs, labels)"]),
    ((PAIRS, [1, 1]), ["3 pairs", "2 labels"]),
    (([(0, 1, 2)], []), ["row 0", "pair"]),
    (sparse.csr_matrix(np.ones((2, 3))), ["square"]),
    (sparse.csr_matrix(3 * np.eye(5)[::-1]), ["3"]),
    (sparse.csr_matrix(([1, -1], ([0, 1], [1, 0])), shape=(5, 5)), ["row 0", "column 1"]),
    (7, ["int"]),
    (pd.DataFrame({"worker": "a", "task": 1, "item": [0, 0], "group": [1, 2]}), ["row 1", "already"]),
    ([(0, 1, 1), (0, 1)], ["row 1", "2 values"]),
], ids=range(21))
def test_wrong_ones_say_where(blobs, answers, words):
    with pytest.raises(ValueError) as error:
        scdc.SCDC(max_epochs=1).fit(blobs[0], annotations=answers)
    for word in ["annotations", *words]:
        assert word in str(error.value)


def test_missing_file(blobs):
    with pytest.raises(FileNotFoundError):
        scdc.SCDC(max_epochs=1).fit(blobs[0], annotations="nowhere.csv")


def test_answers_as_y_are_pointed_out(blobs, answers):
    with pytest.raises(ValueError, match="annotations="):
        scdc.SCDC().fit(blobs[0], answers)


def test_items_by_name_and_by_index():
    answers = scdc.Answers([("a", "b", 1), ("a", "c", 0)])
    resolved = answers.resolve(3, ["c", "b", "a"], "raise")
    assert resolved.pairs[["left", "right"]].to_numpy().tolist() == [[2, 1], [2, 0]]
    numbers = scdc.Answers([(10, 20, 1)])
    assert numbers.resolve(3, [30, 20, 10], "raise").pairs[["left", "right"]].to_numpy().tolist() == [[2, 1]]
    # As in files: with names that are no numbers, a number is a row.
    assert scdc.Answers([(0, 2, 1)]).resolve(3, ["c", "b", "a"], "raise").pairs["right"].tolist() == [2]
    with pytest.raises(ValueError, match="row 0.*10.*does not exist"):
        numbers.resolve(3, ["0", "1", "2"], "raise")
    with pytest.raises(ValueError, match="names must differ"):
        answers.resolve(3, ["a", "b", "a"], "raise")
    with pytest.raises(ValueError, match="2 names for 3 items"):
        answers.resolve(3, ["a", "b"], "raise")


def test_unknown_items_can_be_ignored():
    answers = scdc.Answers([("a", "b", 1), ("a", "z", 0)])
    assert len(answers.resolve(2, ["a", "b"], "ignore").pairs) == 1
    with pytest.raises(ValueError, match="row 1.*'z'"):
        answers.resolve(2, ["a", "b"], "raise")


def test_index_of_a_dataframe_names_items(blobs, answers):
    X, _ = blobs
    names = [f"item-{i}" for i in range(len(X))]
    named = answers.assign(left=[names[i] for i in answers["left"]], right=[names[i] for i in answers["right"]])
    plain = scdc.SCDC(random_state=3, max_epochs=5).fit(X, annotations=answers)
    by_index = scdc.SCDC(random_state=3, max_epochs=5).fit(pd.DataFrame(X, index=names), annotations=named)
    by_names = scdc.SCDC(random_state=3, max_epochs=5).fit(X, annotations=named, names=names)
    assert (plain.labels_ == by_index.labels_).all() and (plain.labels_ == by_names.labels_).all()
    assert plain.workers_.equals(by_index.workers_)


def test_values_of_metric_learn_are_found_in_X(blobs):
    items = Items(blobs[0])
    pairs = blobs[0][PAIRS]
    assert rows_of(pairs, items).tolist() == PAIRS.tolist()
    assert as_answers((pairs, [1, 1, -1]), items).n_answers == 3
    with pytest.raises(ValueError, match="row 2 of pairs: the right item"):
        rows_of(pairs + np.array([0, 0, 1])[:, None, None] * np.array([0, 1e-9])[:, None], items)


def test_files_and_frames_agree(tmp_path, answers):
    path = tmp_path / "answers.csv"
    answers.to_csv(path, index=False)
    read = scdc.read_answers(path)
    assert read.n_answers == 200 and read.workers == ["bob", "ann"]
    assert rows(read) == rows(answers) == rows(str(path))
    read.to_csv(tmp_path / "again.csv")
    assert rows(scdc.read_answers(tmp_path / "again.csv")) == rows(answers)


def test_function_as_worker():
    said = iter([True, None, False])
    got = scdc.Answers.from_function(lambda a, b: next(said), [(0, 1), (1, 2), (2, 3)], worker="model")
    assert rows(got) == [("model", 0, 1, 1), ("model", 2, 3, 0)] and got.unsure == 1


def test_strange_worker_names_survive(blobs, answers):
    strange = 'a "b", c;\n\u00e9'
    table = answers.assign(worker=np.where(answers["worker"] == "ann", strange, "x"))
    model = scdc.SCDC(max_epochs=1, random_state=1).fit(blobs[0], annotations=table)
    assert sorted(model.workers_.index) == sorted([strange, "x"])
