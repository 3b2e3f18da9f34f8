"""Answers of workers: what they are once their shape is known, and how items are found in them."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import pandas as pd

from ._native import Array, ffi

PAIRS = ["worker", "left", "right", "same", "task", "row"]
GROUPINGS = ["worker", "task", "item", "group", "row"]


def empty(columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({name: np.empty(0, dtype=object) for name in columns})


class Answers:
    """Same/different answers and groupings of workers, in one form whatever they came in.

    Parameters
    ----------
    answers : object
        Anything that `SCDC.fit` takes as ``annotations``: a DataFrame with the columns ``worker, left, right,
        label``; one with ``worker, task, item, group`` (groupings); one with ``task, worker, label`` (class labels, as
        in crowd-kit); a square matrix, dense or sparse, of 1 (same), -1 (different) and 0 (no answer); a tuple
        ``(pairs, labels)`` as in metric-learn; a tuple or mapping ``must_link, cannot_link`` of pairs; an array of rows
        ``left, right, label`` or ``left, right, worker, label``; a mapping from workers to any of these; a list of any
        of these; names of files that `read_answers` takes.

    Attributes
    ----------
    pairs : DataFrame
        A row per answer: worker, left, right, same (1 or 0), task ("" for a single question).
    groupings : DataFrame
        A row per item that a worker placed: worker, task, item, group.
    unsure : int
        Rows without an answer, which were left out.

    Examples
    --------
    >>> import scdc
    >>> answers = scdc.Answers({"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 3)]})
    >>> answers.n_answers, answers.workers
    (3, ['0'])
    >>> print(answers.to_frame().to_string(index=False))
    worker  left  right  label
         0     0      1      1
         0     1      2      1
         0     0      3      0
    """

    def __init__(self, answers: Any) -> None:
        from . import _forms

        table = _forms.understand(answers)
        self.pairs: pd.DataFrame = table.pairs
        self.groupings: pd.DataFrame = table.groupings
        self.unsure: int = table.unsure

    # ---- other ways to make them ------------------------------------------------------------------

    @classmethod
    def from_function(cls, answer: Any, pairs: Iterable[Tuple[Any, Any]], worker: str = "function") -> "Answers":
        """Answers of a function, for example one that asks a language model.

        Parameters
        ----------
        answer : callable
            ``answer(left, right)``: True (same kind), False (different kinds) or None (no answer).
        pairs : iterable of tuple
            The questions: two items each, by number or name.
        worker : str
            The name of this worker.

        Examples
        --------
        >>> import scdc
        >>> words = ["cat", "dog", "oak"]
        >>> same_length = lambda i, j: len(words[i]) == len(words[j])
        >>> scdc.Answers.from_function(same_length, [(0, 1), (0, 2)], worker="length").n_answers
        2
        """
        rows = [(worker, left, right, answer(left, right)) for left, right in pairs]
        return cls(pd.DataFrame(rows, columns=["worker", "left", "right", "label"]))

    # ---- looking ------------------------------------------------------------------------------------

    @property
    def n_answers(self) -> int:
        """Number of pairs that were answered, those of groupings included."""
        sizes = self.groupings.groupby(["worker", "task"], sort=False).size().to_numpy()
        return len(self.pairs) + int((sizes * (sizes - 1) // 2).sum())

    @property
    def workers(self) -> List[str]:
        """Names of the workers, in the order in which they appear."""
        both = pd.concat([self.pairs["worker"], self.groupings["worker"]])
        return [str(name) for name in pd.unique(both)]

    @property
    def items(self) -> List[Any]:
        """The items that were asked about, by number or name, in the order in which they appear."""
        both = pd.concat([self.pairs["left"], self.pairs["right"], self.groupings["item"]])
        return list(pd.unique(both))

    def __repr__(self) -> str:
        return f"<scdc.Answers: {self.n_answers} answers of {len(self.workers)} workers about {len(self.items)} items>"

    def to_frame(self) -> pd.DataFrame:
        """A DataFrame worker, left, right, label; groupings become all their pairs."""
        parts = [self.pairs[["worker", "left", "right", "same"]]]
        for (worker, _), task in self.groupings.groupby(["worker", "task"], sort=False):
            item, group = task["item"].to_numpy(), task["group"].to_numpy()
            left, right = np.triu_indices(len(item), 1)
            same = (group[left] == group[right]).astype(np.int64)
            parts.append(pd.DataFrame({"worker": worker, "left": item[left], "right": item[right], "same": same}))
        parts = [part for part in parts if len(part)] or parts
        out: pd.DataFrame = pd.concat(parts, ignore_index=True).rename(columns={"same": "label"}).infer_objects()
        return out

    def to_csv(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes ``worker,left,right,label``, which the program reads."""
        self.to_frame().to_csv(path, index=False)

    # ---- for the library ----------------------------------------------------------------------------

    def resolve(self, n_items: int, names: Optional[Sequence[Any]], unknown: str) -> "Answers":
        """The same answers with items by number.

        Unknown items are an error ("raise") or their answers are left out ("ignore").
        """
        finder = Finder(n_items, names)
        out = object.__new__(Answers)
        out.unsure = self.unsure
        tables = []
        for table, columns in ((self.pairs, ("left", "right")), (self.groupings, ("item",))):
            found = {name: finder.find(table[name]) for name in columns}
            known = np.ones(len(table), dtype=bool)
            for name in columns:
                if unknown != "ignore":
                    finder.complain(table, name, found[name])
                known &= found[name] >= 0
            tables.append(table.assign(**found)[known])
        out.pairs, out.groupings = tables
        both = out.pairs["left"].to_numpy() == out.pairs["right"].to_numpy()
        if both.any():
            row = self.pairs.loc[out.pairs.index[int(np.argmax(both))]]
            raise ValueError(f"annotations: row {row['row']}: compares item {row['left']!r} with itself")
        return out

    def crowd(self) -> Any:
        """The library's handle of resolved answers; None when there are none.

        They go through files, so that workers keep their names and everything is numbered as the program does it.
        """
        from ._files import open_crowd

        with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
            paths = []
            for name, table in (("pairs", self.pairs), ("groupings", self.groupings)):
                if len(table):
                    paths.append(os.path.join(folder, name + ".csv"))
                    table.rename(columns={"same": "label"}).drop(columns="row").to_csv(paths[-1], index=False)
            return open_crowd(paths, ffi.NULL) if paths else None


class Finder:
    """Positions of items by number or name."""

    def __init__(self, n_items: int, names: Optional[Sequence[Any]]) -> None:
        self.n_items = n_items
        self.index = None if names is None else pd.Index(names)
        if self.index is not None and len(self.index) != n_items:
            raise ValueError(f"names: {len(self.index)} names for {n_items} items")
        if self.index is not None and not self.index.is_unique:
            where = int(np.argmax(self.index.duplicated()))
            raise ValueError(f"names: item {where} is called {self.index[where]!r} like one before it: names must differ")

    def find(self, values: pd.Series) -> Array:
        """Position of each item; -1 when there is none."""
        if not len(values):
            return np.empty(0, np.int64)
        numbers = whole_numbers(values)
        if self.index is None:
            return self._in_range(numbers)
        if numbers is not None and self.index.dtype.kind in "iuf":
            return self._by_name(numbers)
        found = self._by_name(values.to_numpy())
        if (found < 0).all() and numbers is not None:
            as_text = self._by_name([str(number) for number in numbers])
            if (as_text >= 0).any():
                return as_text
            # As in files: a number is a row where no name looks like one.
            if pd.to_numeric(self.index.to_series(), errors="coerce").isna().all():
                return self._in_range(numbers)
        return found

    def _by_name(self, values: Any) -> Array:
        return np.asarray(self.index.get_indexer(pd.Index(values)) if self.index is not None else (), np.int64)

    def _in_range(self, numbers: Optional[Array]) -> Array:
        if numbers is None:
            raise ValueError(
                "annotations: items are named, but X has no names: give X as a DataFrame whose index has them, or names="
            )
        return np.where((numbers >= 0) & (numbers < self.n_items), numbers, -1)

    def complain(self, table: pd.DataFrame, column: str, found: Array) -> None:
        if not (found < 0).any():
            return
        first = int(np.argmax(found < 0))
        item, row = table[column].iloc[first], table["row"].iloc[first]
        if self.index is None:
            why = f"there are {self.n_items} items, numbered from 0"
        else:
            why = f"none of the {self.n_items} items has this name"
        raise ValueError(
            f"annotations: row {row}: item {item!r} does not exist: {why}"
            f" ({int((found < 0).sum())} such rows; unknown_items=\"ignore\" leaves them out)"
        )


def whole_numbers(values: pd.Series) -> Optional[Array]:
    """Values as int64 when all are whole numbers, or text that reads so; else None."""
    if values.dtype.kind in "iu":
        return np.asarray(values, np.int64)
    try:
        numbers: Array = pd.to_numeric(values).to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if not (np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()):
        return None
    return numbers.astype(np.int64)
