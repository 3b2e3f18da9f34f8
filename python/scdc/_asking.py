"""What to ask next, and whether to go on asking: `SCDC.suggest`, `SCDC.plan`, and both without a model."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence

import pandas as pd

from . import _native
from ._items import Items, names_of
from ._native import check, ffi, lib, path_bytes, seed_of, text, threads_of
from ._progress import Watch
from .answers import Answers

KINDS = {"pairs": lib.SCDC_QUESTION_PAIR, "sets": lib.SCDC_QUESTION_SET}
ADVICE = {
    lib.SCDC_ADVICE_GO_ON: "go on", lib.SCDC_ADVICE_STOP: "stop", lib.SCDC_ADVICE_REACHED: "reached",
    lib.SCDC_ADVICE_NO_REACH: "out of reach",
}


def watched(kind: str, free: Any, call: Any, *arguments: Any) -> Any:
    """A handle from a call that Ctrl-C can end."""
    out = ffi.new(f"scdc_{kind} **")
    check(Watch(0).look(call, out, *arguments))
    return ffi.gc(out[0], free)


def crowd_of(annotations: Any, items: Items, names: Optional[Sequence[Any]]) -> Any:
    """The library's handle of answers about items; None when there are none."""
    if annotations is None:
        return None
    answers = annotations if isinstance(annotations, Answers) else Answers(annotations)
    return answers.resolve(items.rows, names, "raise").crowd()


# ---- questions -----------------------------------------------------------------------------------


def questions(
    model: Any, items: Items, crowd: Any, names: Optional[Sequence[Any]], n: int, task: str, set_size: int,
    worker: Optional[str], random_state: Any, n_jobs: Optional[int],
) -> pd.DataFrame:
    """The questions as a table; `model` and `crowd` are handles or NULL."""
    if task not in KINDS:
        raise ValueError(f"task must be \"pairs\" or \"sets\", not {task!r}")
    if n < 1:
        raise ValueError(f"n must be 1 or more, not {n}")
    options = ffi.new("scdc_suggest_options *")
    lib.scdc_suggest_options_init(options)
    options.count, options.kind, options.set_size = n, KINDS[task], set_size
    who = ffi.NULL if worker is None else ffi.new("char[]", str(worker).encode())
    options.worker, options.threads = who, threads_of(n_jobs)
    if random_state is not None:  # else the program's
        options.seed = seed_of(random_state)
    found = watched(
        "suggestions", lib.scdc_suggestions_free, lib.scdc_suggest, model, items.handle, crowd or ffi.NULL, options
    )
    rows: List[Dict[str, Any]] = []
    one = ffi.new("scdc_question *")
    for index in range(lib.scdc_suggestions_count(found)):
        check(lib.scdc_suggestions_get(one, found, index))
        numbers = [int(one.items[i]) for i in range(one.count)]
        asked = numbers if names is None else [names[i] for i in numbers]
        row: Dict[str, Any] = {"left": asked[0], "right": asked[1]} if task == "pairs" else {"items": asked}
        rows.append({**row, "worker": text(one.worker), "gain": float(one.gain), "reason": text(one.reason)})
    first = ["left", "right"] if task == "pairs" else ["items"]
    return pd.DataFrame(rows, columns=[*first, "worker", "gain", "reason"])


def suggest(
    X: Any, n: int = 20, annotations: Any = None, *, task: str = "pairs", set_size: int = 8, worker: Optional[str] = None,
    names: Optional[Sequence[Any]] = None, random_state: Any = None, n_jobs: Optional[int] = None,
) -> pd.DataFrame:
    """Questions to begin with, chosen from the items alone (and answers, when there are some) before there is a fit.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
    n : int
        How many questions.
    annotations : object or None
        The answers so far, in any shape that `Answers` takes.
    task : {"pairs", "sets"}
        Two items each, or sets of items to be sorted into piles.
    set_size : int
        Items of a set.
    worker : str or None
        Who will answer.
    names : sequence or None
        Names of the items; the index of a DataFrame serves without being told.
    random_state : int, RandomState or None
    n_jobs : int or None

    Returns
    -------
    DataFrame
        left, right (or items), worker, gain, reason: a row per question, best first. gain is the share of the items whose
        company the answer is expected to settle. `SCDC.suggest` does it with a model.

    Examples
    --------
    >>> import scdc
    >>> X, _ = scdc.make_blobs(n_clusters=3, n_items=60, random_state=1)
    >>> list(scdc.suggest(X, 5, random_state=1).columns)
    ['left', 'right', 'worker', 'gain', 'reason']
    """
    items = Items(X)
    known = names_of(X) if names is None else list(names)
    return questions(ffi.NULL, items, crowd_of(annotations, items, known), known, n, task, set_size, worker, random_state, n_jobs)


# ---- outlook -------------------------------------------------------------------------------------


class Outlook:
    """What the answers so far have given, and what more would give. A notebook shows it as a chart.

    Attributes
    ----------
    advice : str
        "go on", "stop", "reached" (the accuracy asked for is there) or "out of reach".
    sentence : str
        The advice in words.
    accuracy : float
        Expected share of right labels now.
    interval : tuple of float
        Where it lies, at the confidence that was asked for.
    needed : float
        Answers in all until the accuracy asked for; NaN when it is not reached or none was asked for.
    points : DataFrame
        The learning curve: answers, accuracy, low, high, measured (or expected).
    items, answers, workers, clusters : int
        What it was made from.
    ratio, threshold, margin : float
        The stop rule: log likelihood ratio between these clusters and the best that differ from them in more than `margin`
        of the items, and what it has to exceed.
    """

    def __init__(self, handle: Any) -> None:
        info = ffi.new("scdc_outlook_info *")
        check(lib.scdc_outlook_get_info(info, handle))
        count = ffi.new("size_t *")
        rows = lib.scdc_outlook_points(handle, count)
        columns = _native.columns(rows, count[0], "scdc_plan_point")
        self.points = pd.DataFrame({name: columns[name] for name in ("answers", "accuracy", "low", "high", "measured")})
        self.points["measured"] = self.points["measured"].astype(bool)
        self.advice: str = ADVICE[info.advice]
        self.sentence: str = text(info.sentence) or ""
        self.accuracy, self.interval, self.needed = float(info.accuracy), (float(info.low), float(info.high)), float(info.needed)
        self.items, self.answers = int(info.items), int(info.answers)
        self.workers, self.clusters = int(info.workers), int(info.clusters)
        self.ratio, self.threshold, self.margin = float(info.ratio), float(info.threshold), float(info.margin)
        self.svg = _svg_of(handle)

    def __repr__(self) -> str:
        return f"<scdc.Outlook: {self.advice}; accuracy {self.accuracy:.3f} ({self.interval[0]:.3f} to {self.interval[1]:.3f})>"

    def _repr_html_(self) -> str:
        return f"<div>{self.svg}<p>{self.sentence}</p></div>"


def _svg_of(handle: Any) -> str:
    with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
        path = os.path.join(folder, "plan.svg")
        check(lib.scdc_outlook_write_svg(path_bytes(path), handle))
        with open(path, encoding="utf-8") as stream:
            return stream.read()


def outlook(model: Any, items: Items, crowd: Any, n_jobs: Optional[int], random_state: Any, **given: Any) -> Outlook:
    """`given` are fields of the library's options; None leaves one as it is."""
    options = ffi.new("scdc_plan_options *")
    lib.scdc_plan_options_init(options)
    for name, value in given.items():
        if value is not None:
            setattr(options, name, value)
    options.threads = threads_of(n_jobs)
    if random_state is not None:
        options.seed = seed_of(random_state)
    return Outlook(watched("outlook", lib.scdc_outlook_free, lib.scdc_plan, model, items.handle, crowd or ffi.NULL, options))


def plan(
    X: Any, *, target: Optional[float] = None, n_workers: Optional[int] = None, sensitivity: Optional[float] = None,
    specificity: Optional[float] = None, n_clusters: Optional[int] = None, most: Optional[int] = None,
    confidence: Optional[float] = None, random_state: Any = None, n_jobs: Optional[int] = None,
) -> Outlook:
    """How many answers it will take, before there are any: by simulated workers on the items.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
    target : float or None
        The share of right labels that is wanted.
    n_workers : int or None
        How many there will be.
    sensitivity, specificity : float or None
        How good they are.
    n_clusters : int or None
        How many kinds there may be.
    most : int or None
        Answers that are looked ahead.
    confidence : float or None
        Of the intervals.
    random_state : int, RandomState or None
    n_jobs : int or None

    Returns
    -------
    Outlook
    """
    return outlook(
        ffi.NULL, Items(X), None, n_jobs, random_state, accuracy=target, workers=n_workers, sensitivity=sensitivity,
        specificity=specificity, clusters=n_clusters, most=most, confidence=confidence,
    )


# ---- new answers ---------------------------------------------------------------------------------


def joined(*crowds: Any) -> Any:
    """All answers of several handles as a new one; None stands for no answers."""
    out = ffi.new("scdc_crowd **")
    for crowd in crowds:
        if crowd is not None:
            status = lib.scdc_crowd_append(out, crowd)
            if status:
                lib.scdc_crowd_free(out[0])
                check(status)
    return None if out[0] == ffi.NULL else ffi.gc(out[0], lib.scdc_crowd_free)


def changes(
    items: Items, names: Optional[Sequence[Any]], before: Any, labels: Any, probability: Any, news: Any
) -> pd.DataFrame:
    """What an update changed: item, from, to, probability, because."""
    with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
        path = os.path.join(folder, "changes.csv")
        check(lib.scdc_write_changes(
            path_bytes(path), ffi.NULL, items.handle, _native.pointer(before, "int64_t *"), len(before),
            _native.pointer(labels, "int64_t *"), _native.pointer(probability, "double *"), len(labels),
            ffi.NULL if news is None else news,
        ))
        table = pd.read_csv(path, keep_default_na=False)
    if names is not None:
        table["item"] = [names[int(i)] for i in table["item"]]
    return table
