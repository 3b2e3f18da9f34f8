"""How well clusters agree with true classes, or with answers that the fit did not see."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
import pandas as pd

from ._items import names_of
from ._native import check, codes_of, ffi, lib, pointer
from .answers import Answers


def scores(labels: Any, truth: Any) -> Dict[str, float]:
    """ACC, NMI, AMI and ARI of a clustering.

    Parameters
    ----------
    labels, truth : array-like of shape (n_items,)
        Clusters and classes, as numbers or words.

    Returns
    -------
    dict
        acc (best one-to-one matching of clusters to classes), nmi, ami, ari, items, clusters, classes.

    Examples
    --------
    >>> from scdc.metrics import scores
    >>> scores([0, 0, 1, 1], ["b", "b", "a", "a"])["acc"]
    1.0
    """
    a, b = codes_of(labels), codes_of(truth)
    if len(a) != len(b):
        raise ValueError(f"{len(a)} labels, but {len(b)} true classes")
    out = ffi.new("scdc_scores *")
    check(lib.scdc_score(out, pointer(a, "int64_t *"), pointer(b, "int64_t *"), len(a)))
    return {
        "acc": out.acc, "nmi": out.nmi, "ami": out.ami, "ari": out.ari,
        "items": int(out.items), "clusters": int(out.clusters), "classes": int(out.classes),
    }


def accuracy(labels: Any, truth: Any) -> float:
    """Share of items that are right under the best one-to-one matching of clusters to classes.

    Examples
    --------
    >>> from scdc.metrics import accuracy
    >>> accuracy([0, 0, 1, 1], [5, 5, 5, 7])
    0.75
    """
    return scores(labels, truth)["acc"]


def answers_log_likelihood(
    proba: Any, answers: Answers, workers: Optional[pd.DataFrame] = None, names: Any = None, unknown_items: str = "raise"
) -> float:
    """Mean log likelihood of answers, from the probabilities of clusters and how good workers are.

    Parameters
    ----------
    proba : array-like of shape (n_items, n_clusters)
        As `SCDC.predict_proba` gives it.
    answers : Answers
        Best those that the model was not fitted with.
    workers : DataFrame or None
        `SCDC.workers_`; a worker who is not in it is an average one of those who are, or else right in 9 of 10 cases.
    names, unknown_items
        As in `SCDC`.

    Returns
    -------
    float
        0 is perfect, log(1/2) = -0.693 is guessing; NaN when there are no answers.
    """
    table = answers.resolve(len(proba), names, unknown_items).to_frame()
    if not len(table):
        return float("nan")
    p = np.asarray(proba, np.float64)
    together = (p[table["left"].to_numpy(np.int64)] * p[table["right"].to_numpy(np.int64)]).sum(axis=1)
    sensitivity, specificity = _coins(table["worker"], workers)
    says_same = np.clip(sensitivity * together + (1 - specificity) * (1 - together), 1e-12, 1 - 1e-12)
    return float(np.where(table["label"] == 1, np.log(says_same), np.log1p(-says_same)).mean())


def _coins(names: pd.Series, workers: Optional[pd.DataFrame]) -> Tuple[Any, Any]:
    if workers is None or not len(workers):
        return 0.9, 0.9
    both = workers[["sensitivity", "specificity"]]
    both = both.reindex(names.to_numpy()).fillna(both.mean())
    return both["sensitivity"].to_numpy(), both["specificity"].to_numpy()


def answers_scorer(answers: Any) -> Callable[..., float]:
    """A scorer for `GridSearchCV` and friends that needs no labels: how well held-out answers are foretold.

    Give X as a DataFrame: by its index, which every part of X keeps, the scorer and the fit know which answers are about
    the part at hand. The estimator needs ``unknown_items="ignore"``.

    Parameters
    ----------
    answers : object
        Answers in any shape that `Answers` takes.

    Returns
    -------
    callable
        ``scorer(estimator, X, y=None)``
    """
    table = answers if isinstance(answers, Answers) else Answers(answers)

    def scorer(estimator: Any, X: Any, y: Any = None) -> float:
        workers = getattr(estimator, "workers_", None)
        return answers_log_likelihood(estimator.predict_proba(X), table, workers, names_of(X), "ignore")

    return scorer
