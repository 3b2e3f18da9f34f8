"""The part of the estimator that goes on after a fit: new answers, the next questions, and when to stop."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from . import _asking
from ._items import Fitted, Items, names_of
from ._native import Array, check, ffi, lib, Model, pointer
from ._progress import Watch


class Asks:
    """`update`, `suggest` and `plan` of a fitted estimator."""

    model_: Model
    labels_: Array
    probabilities_: Array
    workers_: pd.DataFrame
    n_jobs: Optional[int]
    _fitted_on: Fitted

    def _items(self, X: Any) -> Items:
        raise NotImplementedError

    def _crowd(self, items: Items, annotations: Any, names: Optional[Sequence[Any]]) -> Any:
        raise NotImplementedError

    def _tell_model(self) -> None:
        raise NotImplementedError

    def _tell_items(self, items: Items, crowd: Any) -> None:
        raise NotImplementedError

    def update(
        self, annotations: Any, X: Any = None, names: Optional[Sequence[Any]] = None, *, earlier: Any = None,
        max_epochs: int = 0,
    ) -> "Asks":
        """Takes in new answers without a new fit; clusters keep their numbers.

        Workers and clusters are found again from all answers, networks stay. `changes_` tells which items moved, and
        because of which answers. Many small updates end where one large one does.

        Parameters
        ----------
        annotations : object
            The new answers, in any shape that `Answers` takes. All of them count; the program's `scdc update` leaves
            out those of a file that the run has had.
        X : array-like or None
            The items of the fit, and after them new ones, if any. None: those of the fit, while somebody still has them.
        names : sequence or None
            Names of the items, as in `fit`.
        earlier : object or None
            The answers of the fit, for a model that was loaded: it does not know them any more.
        max_epochs : int
            Training of the networks goes on for so many epochs.

        Returns
        -------
        self

        Examples
        --------
        >>> import scdc
        >>> X, truth = scdc.make_blobs(n_clusters=3, n_items=120, n_features=4, separation=6, random_state=1)
        >>> first, more = (scdc.simulate_answers(truth, n_workers=4, n_pairs=80, random_state=s) for s in (1, 2))
        >>> model = scdc.SCDC(random_state=1).fit(X, annotations=first)
        >>> int(model.update(more).workers_["answers"].sum())
        160
        """
        check_is_fitted(self, "model_")
        items, known, names = self._known(X, earlier, names)
        news = self._crowd(items, annotations, names)
        crowd = _asking.joined(known, news)
        if crowd is None:
            raise ValueError("update needs answers: there are no new ones, and none of the fit")
        labels = self.__dict__.get("labels_")
        before = np.empty(0, np.int64) if labels is None else labels
        options = ffi.new("scdc_update *")
        lib.scdc_update_init(options)
        options.labels, options.epochs = pointer(labels, "int64_t *"), max_epochs
        check(Watch(0).look(lib.scdc_model_update, self.model_.handle, items.handle, crowd, options))
        self._tell_model()
        self._tell_items(items, crowd)
        self.changes_ = _asking.changes(items, names, before, self.labels_, self.probabilities_, news)
        self._fitted_on = Fitted(self._fitted_on.items() if X is None else X, crowd, names)
        return self

    def suggest(
        self, n: int = 20, *, task: str = "pairs", set_size: int = 8, worker: Optional[str] = None, X: Any = None,
        annotations: Any = None, names: Optional[Sequence[Any]] = None, random_state: Any = None,
    ) -> pd.DataFrame:
        """The next questions: those whose answers are expected to tell most about the clusters of all items.

        Parameters
        ----------
        n : int
            How many questions.
        task : {"pairs", "sets"}
            Two items each, or sets of items to be sorted into piles.
        set_size : int
            Items of a set.
        worker : str or None
            Who will answer: a worker's quality decides what is worth asking. None: a typical worker.
        X, annotations, names
            The items and answers of the fit, for a model that was loaded or whose items are gone.
        random_state : int, RandomState or None

        Returns
        -------
        DataFrame
            left, right (or items), worker, gain, reason: a row per question, best first. gain is the share of the items
            whose company the answer is expected to settle. Before the first fit there is `scdc.suggest`.

        Examples
        --------
        >>> import scdc
        >>> X, truth = scdc.make_blobs(n_clusters=3, n_items=120, n_features=4, random_state=1)
        >>> answers = scdc.simulate_answers(truth, n_workers=4, n_pairs=60, random_state=1)
        >>> model = scdc.SCDC(random_state=1).fit(X, annotations=answers)
        >>> len(model.suggest(5, random_state=1))
        5
        """
        check_is_fitted(self, "model_")
        items, crowd, names = self._known(X, annotations, names)
        return _asking.questions(
            self.model_.handle, items, crowd, names, n, task, set_size, worker, random_state, self.n_jobs
        )

    def plan(
        self, target: Optional[float] = None, *, most: Optional[int] = None, confidence: Optional[float] = None,
        X: Any = None, annotations: Any = None, random_state: Any = None,
    ) -> _asking.Outlook:
        """How many labels are right by the model's own reckoning, what more answers would give, and whether to go on.

        Parameters
        ----------
        target : float or None
            The share of right labels that is wanted; None: as much as there is to get.
        most : int or None
            Answers that are looked ahead.
        confidence : float or None
            Of the intervals.
        X, annotations
            The items and answers of the fit, for a model that was loaded or whose items are gone.
        random_state : int, RandomState or None

        Returns
        -------
        Outlook
            `advice`, `sentence`, `accuracy`, `interval`, `needed`, `points`. Without a model there is `scdc.plan`.
        """
        check_is_fitted(self, "model_")
        items, crowd, _ = self._known(X, annotations, None)
        return _asking.outlook(
            self.model_.handle, items, crowd, self.n_jobs, random_state, accuracy=target, most=most, confidence=confidence
        )

    def _known(self, X: Any, annotations: Any, names: Optional[Sequence[Any]]) -> Tuple[Items, Any, Optional[Sequence[Any]]]:
        """Items, answers and names of the fit: those that are given, else those it saw."""
        fitted = self.__dict__.get("_fitted_on")
        if names is None:
            names = fitted.names if X is None and fitted is not None else names_of(X)
        if X is None:
            X = None if fitted is None else fitted.items()
            if X is None:
                raise ValueError("the items of the fit are gone: give X")
        items = self._items(X)
        if annotations is not None:
            return items, self._crowd(items, annotations, names), names
        if fitted is None and len(self.workers_):
            raise ValueError("a model that was loaded does not know the answers of its fit any more: give them, too")
        return items, None if fitted is None else fitted.crowd, names
