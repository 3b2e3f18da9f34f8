"""Recognises the shapes in which people have answers, and turns each into the one of `Answers`."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np
import pandas as pd
from scipy import sparse

from .answers import GROUPINGS, PAIRS, Answers, empty
from ._files import read_answers
from ._native import Array

# Other names of columns, the same as in files (docs/annotations.md); an earlier one wins.
ROLES: Dict[str, List[str]] = {
    "worker": ["worker", "worker_id", "annotator", "annotator_id", "user", "user_id", "performer"],
    "task": ["task", "task_id"],
    "left": ["left", "left_item", "item_left", "item1", "item_1", "i"],
    "right": ["right", "right_item", "item_right", "item2", "item_2", "j"],
    "label": ["label", "answer", "same"],
    "item": ["item", "item_id"],
    "group": ["group", "group_id", "cluster"],
}
SAME = {"1", "same", "yes", "true", "y", "t", "1.0"}
DIFFERENT = {"0", "different", "no", "false", "n", "f", "0.0", "-1", "-1.0"}
UNSURE = {"", "unsure", "?", "na", "n/a", "nan", "none", "<na>"}
WORKER = "0"  # the name of a worker who has none
# Items of a worker's class labels that are compared with each other: all of them would be n * n / 2 pairs.
LABELS_AT_ONCE = 200

WHAT_WORKS = (
    "annotations are a DataFrame with the columns worker, left, right, label, or worker, task, item, group, or task, "
    "worker, label; a square matrix of 1, -1 and 0; (pairs, labels); (must_link, cannot_link); rows of left, right, "
    "label; a dict of these by worker; or names of files"
)


class Table(NamedTuple):
    pairs: pd.DataFrame
    groupings: pd.DataFrame
    unsure: int


def understand(answers: Any, worker: Any = None) -> Table:
    """The answers in whichever shape they are; `worker` gives the name where the shape has none."""
    if isinstance(answers, Answers):
        return Table(answers.pairs, answers.groupings, answers.unsure)
    if isinstance(answers, (str, os.PathLike)):
        return understand(read_answers(answers))
    if isinstance(answers, pd.DataFrame):
        return from_frame(answers, worker)
    if sparse.issparse(answers):
        return from_matrix(answers, worker)
    if isinstance(answers, Mapping):
        return from_mapping(answers, worker)
    if isinstance(answers, tuple) and len(answers) == 2:
        return from_two(answers, worker)
    if isinstance(answers, (list, tuple)) and answers and all(map(is_part, answers)):
        return together([understand(part, worker) for part in answers])
    if isinstance(answers, (list, tuple, np.ndarray)):
        return from_array(answers, worker)
    raise ValueError(f"annotations: a {type(answers).__name__} is not understood: {WHAT_WORKS}")


def is_part(value: Any) -> bool:
    """Is this a table of answers of its own, when it stands in a list?"""
    return isinstance(value, (Answers, str, os.PathLike, pd.DataFrame, Mapping)) or sparse.issparse(value) or (
        isinstance(value, np.ndarray) and value.ndim == 2
    )


def together(parts: Sequence[Table]) -> Table:
    """Several tables as one; tasks of different tables are different tasks."""
    pairs, groupings = [], []
    for number, part in enumerate(parts):
        mark = f"{number}/" if len(parts) > 1 else ""
        one = part.pairs
        pairs.append(one.assign(task=[mark + str(task) if task != "" else "" for task in one["task"]]))
        groupings.append(part.groupings.assign(task=[mark + str(task) for task in part.groupings["task"]]))
    return Table(join(pairs, PAIRS), join(groupings, GROUPINGS), sum(part.unsure for part in parts))


def join(tables: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    if not filled:
        return empty(columns)
    return filled[0] if len(filled) == 1 else pd.concat(filled, ignore_index=True)


# ---- tables ------------------------------------------------------------------------------------------


def from_frame(frame: pd.DataFrame, worker: Any = None) -> Table:
    found = roles_of(frame)
    if "left" in found and "right" in found:
        if "label" not in found:
            raise ValueError("annotations: there are columns left and right, but no column label")
        return from_pairs(frame, found, worker)
    if "item" in found and "group" in found:
        return from_groupings(frame, found, worker)
    if "label" in found and ("task" in found or "item" in found):
        return from_labels(frame, found, worker)
    raise ValueError(f"annotations: the columns {list(map(str, frame.columns))} are not understood: {WHAT_WORKS}")


def roles_of(frame: pd.DataFrame) -> Dict[str, pd.Series]:
    """Which column is which."""
    by_name: Dict[str, Any] = {}
    for place, name in enumerate(frame.columns):
        key = str(name).strip().lower()
        if key in by_name:
            raise ValueError(f"annotations: two columns are called {name}")
        by_name[key] = frame.iloc[:, place].reset_index(drop=True)
    found = {}
    for role, words in ROLES.items():
        for word in words:
            if word in by_name:
                found[role] = by_name[word]
                break
    return found


def workers_of(found: Mapping[str, pd.Series], count: int, worker: Any) -> Array:
    if "worker" not in found:
        return np.full(count, WORKER if worker is None else str(worker), dtype=object)
    return words_of(found["worker"], "worker")


def words_of(values: pd.Series, what: str) -> Array:
    """Names as text; whole numbers that pandas made floats lose their .0 again."""
    missing = values.isna().to_numpy() | (values.astype(str).str.strip() == "").to_numpy()
    if missing.any():
        raise ValueError(f"annotations: row {int(np.argmax(missing))}: the {what} is missing")
    if values.dtype.kind == "f" and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    return np.asarray(values.astype(str), dtype=object)


def answers_of(labels: pd.Series) -> Array:
    """1 same, 0 different, -1 no answer."""
    if labels.dtype.kind == "b":
        return np.asarray(labels, np.int8)
    codes, values = pd.factorize(labels)  # few different ones: each is looked at once
    meaning = np.empty(len(values) + 1, np.int8)
    meaning[-1] = -1  # missing
    for code, value in enumerate(values):
        word = str(value).strip().lower()
        known = 1 if word in SAME else 0 if word in DIFFERENT else -1 if word in UNSURE else None
        if known is None:
            row = int(np.argmax(codes == code))
            raise ValueError(
                f"annotations: row {row}: label {value!r} is not understood: 1, same, yes or True is the same kind, 0, "
                "-1, different, no or False is not, None or unsure is no answer"
            )
        meaning[code] = known
    return np.asarray(meaning[codes], np.int8)


def check_items(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    for column in columns:
        missing = table[column].isna().to_numpy()
        if missing.any():
            raise ValueError(f"annotations: row {table['row'].iloc[int(np.argmax(missing))]}: the item {column} is missing")
    return table


def from_pairs(frame: pd.DataFrame, found: Mapping[str, pd.Series], worker: Any) -> Table:
    same = answers_of(found["label"])
    task = found.get("task")
    table = pd.DataFrame({
        "worker": workers_of(found, len(frame), worker),
        "left": found["left"],
        "right": found["right"],
        "same": same,
        "task": "" if task is None else ["" if pd.isna(name) else str(name) for name in task],
        "row": np.arange(len(frame)),
    })
    keep = same >= 0
    table = check_items(table[keep] if not keep.all() else table, "left", "right")
    alike = (table["left"] == table["right"]).to_numpy()
    if alike.any():
        row = table.iloc[int(np.argmax(alike))]
        raise ValueError(f"annotations: row {row['row']}: compares item {row['left']!r} with itself")
    return Table(table, empty(GROUPINGS), int((~keep).sum()))


def placements(table: pd.DataFrame) -> Table:
    """Checked groupings; rows without a group are left out."""
    unsure = np.array([pd.isna(group) or str(group).strip().lower() in UNSURE for group in table["group"]], dtype=bool)
    table = check_items(table[~unsure], "item")
    twice = table.duplicated(["worker", "task", "item"]).to_numpy()
    if twice.any():
        row = table.iloc[int(np.argmax(twice))]
        raise ValueError(
            f"annotations: row {row['row']}: item {row['item']!r} was in this task of worker {row['worker']} already"
        )
    return Table(empty(PAIRS), table, int(unsure.sum()))


def from_groupings(frame: pd.DataFrame, found: Mapping[str, pd.Series], worker: Any) -> Table:
    return placements(pd.DataFrame({
        "worker": workers_of(found, len(frame), worker),
        "task": "1" if "task" not in found else words_of(found["task"], "task"),
        "item": found["item"],
        "group": found["group"],
        "row": np.arange(len(frame)),
    }))


def from_labels(frame: pd.DataFrame, found: Mapping[str, pd.Series], worker: Any) -> Table:
    """Class labels, as crowd-kit has them: items with the same label of a worker are together.

    A worker's items are cut into tasks, in an order that mixes what was labelled one after another.
    """
    items = found["item"] if "item" in found else found["task"]
    table = pd.DataFrame({
        "worker": workers_of(found, len(frame), worker), "item": items, "group": found["label"],
        "row": np.arange(len(frame)),
    }).drop_duplicates(["worker", "item", "group"])
    order = np.random.RandomState(0).permutation(len(table))
    table = table.iloc[order]
    piece = table.groupby("worker", sort=False).cumcount() // LABELS_AT_ONCE
    return placements(table.assign(task=piece.astype(str)).sort_index())


# ---- arrays, pairs and links ---------------------------------------------------------------------------


def from_matrix(matrix: Any, worker: Any) -> Table:
    """A square matrix: 1 same, -1 different, 0 (or NaN) no answer."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"annotations: a matrix of answers must be square, not {matrix.shape[0]} x {matrix.shape[1]}")
    if sparse.issparse(matrix):
        entries = matrix.tocoo()
        left, right, value = entries.row, entries.col, np.asarray(entries.data, dtype=np.float64)
    else:
        dense = np.asarray(matrix, dtype=np.float64)
        left, right = np.nonzero(dense)
        value = dense[left, right]
    keep = (left != right) & ~np.isnan(value) & (value != 0)
    left, right, value = left[keep], right[keep], value[keep]
    wrong = ~np.isin(value, (1, -1))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"annotations: row {left[at]}, column {right[at]}: {value[at]:g} is not 1 (same), -1 (different) or 0 (no answer)"
        )
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
    table = pd.DataFrame({"left": low, "right": high, "same": (value > 0).astype(np.int8), "row": left}).drop_duplicates(
        ["left", "right", "same"]
    )
    torn = table.duplicated(["left", "right"]).to_numpy()
    if torn.any():
        row = table.iloc[int(np.argmax(torn))]
        raise ValueError(
            f"annotations: row {row['left']}, column {row['right']}: 1 above the diagonal and -1 below it, or the other way round"
        )
    table = table.sort_values(["left", "right"], ignore_index=True)
    table = table.assign(worker=WORKER if worker is None else str(worker), task="")
    return Table(table[PAIRS], empty(GROUPINGS), 0)


def pair_table(pairs: Any, labels: Any, worker: Any) -> Table:
    """Pairs of items and what was said of each."""
    frame = pd.DataFrame({
        "left": [pair[0] for pair in pairs], "right": [pair[1] for pair in pairs], "label": list(labels),
    })
    return from_frame(frame, worker)


def check_pairs(pairs: Any, what: str) -> List[Any]:
    out = list(pairs)
    for row, pair in enumerate(out):
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"annotations: row {row} of {what}: {pair!r} is not a pair of items")
        if np.ndim(pair) > 1:
            raise ValueError(
                f"annotations: row {row} of {what} holds the items' values: give the numbers of the items in X instead"
            )
    return out


def from_links(must: Any, cannot: Any, worker: Any) -> Table:
    must, cannot = check_pairs(must, "must_link"), check_pairs(cannot, "cannot_link")
    return pair_table(must + cannot, [1] * len(must) + [0] * len(cannot), worker)


def from_two(answers: Any, worker: Any) -> Table:
    """(pairs, labels) as in metric-learn, or (must_link, cannot_link)."""
    first, second = answers
    if len(second) and np.ndim(second[0]) == 0 and not isinstance(second[0], tuple):
        pairs = check_pairs(first, "pairs")
        if len(pairs) != len(second):
            raise ValueError(f"annotations: {len(pairs)} pairs, but {len(second)} labels")
        return pair_table(pairs, second, worker)
    return from_links(first, second, worker)


def from_mapping(answers: Mapping[Any, Any], worker: Any) -> Table:
    links = {"must_link", "cannot_link"}
    if answers and set(answers) <= links:
        return from_links(answers.get("must_link", ()), answers.get("cannot_link", ()), worker)
    if {"left", "right"} <= {str(key).lower() for key in answers} or {"worker", "label"} <= set(answers):  # columns
        return from_frame(pd.DataFrame(dict(answers)), worker)
    return together([understand(part, name) for name, part in answers.items()])


def looks_like_matrix(array: Array) -> bool:
    if array.shape[0] != array.shape[1] or array.dtype.kind not in "biuf":
        return False
    known = array[~np.isnan(array)] if array.dtype.kind == "f" else array
    return bool(array.shape[0] > 4 or (np.isin(known, (-1, 0, 1)).all() and np.array_equal(array, array.T)))


def from_array(answers: Any, worker: Any) -> Table:
    """A matrix, or rows left, right, label or left, right, worker, label."""
    if not isinstance(answers, np.ndarray):
        lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in answers]
        if len(set(lengths)) > 1:
            row = int(np.argmax(np.array(lengths) != lengths[0]))
            raise ValueError(f"annotations: row {row} has {lengths[row]} values, the rows before it {lengths[0]}")
    array = answers if isinstance(answers, np.ndarray) else np.array(answers, dtype=object)
    if array.ndim != 2:
        raise ValueError(f"annotations: an array of {array.ndim} dimensions is not understood: {WHAT_WORKS}")
    if array.dtype == object:
        numeric: Optional[Array]
        try:
            numeric = array.astype(np.float64)
        except (TypeError, ValueError):
            numeric = None
        if numeric is not None and looks_like_matrix(numeric):
            array = numeric
    if looks_like_matrix(array):
        return from_matrix(array, worker)
    columns = {3: ["left", "right", "label"], 4: ["left", "right", "worker", "label"]}.get(array.shape[1])
    if columns is None:
        hint = ": pairs need labels: give (pairs, labels)" if array.shape[1] == 2 else f": {WHAT_WORKS}"
        raise ValueError(f"annotations: rows of {array.shape[1]} values are not understood{hint}")
    return from_frame(pd.DataFrame(array, columns=columns).infer_objects(), worker)
