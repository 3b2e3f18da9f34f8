"""The methods that the paper compares with, as estimators: docs/baselines.md tells of each."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Type

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin

from ._items import Items, names_of
from ._native import Array, check, ffi, lib, seed_of, text, threads_of
from ._progress import Watch
from .answers import Answers
from .estimator import check_feature_names


@dataclass(eq=False, repr=False)
class Baseline(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """What all methods share: parameters, `fit`, and what it leaves behind.

    Parameters
    ----------
    n_clusters : int
    starts, max_iterations : int or None
        None here and elsewhere: the method's own choice.
    tolerance : float or None
    random_state : int, RandomState or None
        A whole number is the seed itself, as the program's ``--seed``.
    n_jobs : int or None
        Threads; None and -1 are all cores. Never changes the result.

    A method adds parameters of its own; all but n_clusters are given by name.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,)
        The cluster of each item; -1 where the method says nothing (crowdclustering, items without answers).
    probabilities_ : ndarray of shape (n_items, n_columns), or None
        Of the clusters, when the method tells them.
    workers_ : DataFrame or None
        sensitivity and specificity by worker (and, with views, the group), when the method tells them.
    n_clusters_, n_iter_ : int
    converged_ : bool
        False when the limit of iterations ended it.
    objective_ : float
        What the method minimises or maximises; `objective_name_` says what that is.
    """

    _method = ""
    _needs_answers = True

    n_clusters: int = 8
    starts: Optional[int] = None
    max_iterations: Optional[int] = None
    tolerance: Optional[float] = None
    random_state: Any = None
    n_jobs: Optional[int] = None

    def fit(self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None) -> "Baseline":
        """Clusters the items of X; the arguments are those of `SCDC.fit`."""
        options = ffi.new("scdc_baseline_options *")
        lib.scdc_baseline_options_init(options)
        for key, value in self.get_params(deep=False).items():
            if key not in ("n_clusters", "random_state", "n_jobs") and value is not None:
                check(lib.scdc_baseline_set(options, key.encode(), str(value).encode()))
        options.k, options.seed, options.threads = self.n_clusters, seed_of(self.random_state), threads_of(self.n_jobs)
        items = Items(X)
        check_feature_names(self, X, reset=True)
        self.n_features_in_ = items.cols
        if items.rows < 2:
            raise ValueError("X has 1 sample (n_samples = 1): clustering needs 2 or more")
        crowd = None
        if annotations is not None:
            answers = annotations if isinstance(annotations, Answers) else Answers(annotations)
            crowd = answers.resolve(items.rows, names_of(X) if names is None else names, "raise").crowd()
        if crowd is None and self._needs_answers:
            raise ValueError(f"{type(self).__name__} needs answers: fit(X, annotations=answers)")
        out = ffi.new("scdc_clustering **")
        check(Watch(0).look(
            lib.scdc_baseline, out, self._method.encode(), items.handle, crowd or ffi.NULL, options
        ))
        self._tell(ffi.gc(out[0], lib.scdc_clustering_free), crowd)
        return self

    def _tell(self, found: Any, crowd: Any) -> None:
        info = ffi.new("scdc_clustering_info *")
        check(lib.scdc_clustering_get_info(info, found))
        self.labels_ = _copied(lib.scdc_clustering_labels(found), info.items, np.int64)
        proba = _copied(lib.scdc_clustering_probabilities(found), info.items * info.columns, np.float64)
        self.probabilities_ = None if proba is None else proba.reshape(info.items, info.columns)
        self.workers_ = None
        columns = {
            "sensitivity": _copied(lib.scdc_clustering_sensitivity(found), info.workers, np.float64),
            "specificity": _copied(lib.scdc_clustering_specificity(found), info.workers, np.float64),
            "view": _copied(lib.scdc_clustering_worker_views(found), info.workers, np.int64),
        }
        columns = {name: column for name, column in columns.items() if column is not None}
        if columns:
            workers = [text(lib.scdc_crowd_worker_name(crowd, i)) for i in range(info.workers)]
            self.workers_ = pd.DataFrame(columns, index=pd.Index(workers, name="worker"))
        self.n_clusters_, self.n_iter_ = int(info.clusters), int(info.iterations)
        self.converged_, self.objective_ = bool(info.converged), float(info.objective)
        self.objective_name_ = text(info.objective_name)

    def fit_predict(
        self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None
    ) -> Array:
        """`fit`, then its `labels_`."""
        labels: Array = self.fit(X, annotations=annotations, names=names).labels_
        return labels


def _copied(values: Any, count: int, dtype: Any) -> "Any":
    if values == ffi.NULL or count == 0:
        return None
    return np.frombuffer(ffi.buffer(values, 8 * count), dtype).copy()


@dataclass(eq=False, repr=False)
class KMeans(Baseline):
    """k-means (Lloyd 1982) from k-means++ starts; ignores answers."""

    _method, _needs_answers = "kmeans", False


@dataclass(eq=False, repr=False)
class GaussianMixture(Baseline):
    """Gaussian mixture by EM, started by k-means; ignores answers."""

    _method, _needs_answers = "gmm", False
    covariance: str = "full"
    ridge: Optional[float] = None


@dataclass(eq=False, repr=False)
class ITML(Baseline):
    """Information-theoretic metric learning (Davis et al. 2007), then k-means."""

    _method = "itml"
    slack: Optional[float] = None


@dataclass(eq=False, repr=False)
class MPCKMeans(Baseline):
    """Metric pairwise constrained k-means (Bilenko, Basu and Mooney 2004).

    Examples
    --------
    >>> import scdc
    >>> X, y = scdc.make_blobs(n_clusters=3, n_items=90, separation=8, random_state=1)
    >>> answers = scdc.simulate_answers(y, n_workers=3, n_pairs=90, random_state=1)
    >>> scdc.baselines.MPCKMeans(3, random_state=1).fit(X, annotations=answers).labels_.shape
    (90,)
    """

    _method = "mpckmeans"
    link_weight: Optional[float] = None


@dataclass(eq=False, repr=False)
class SemiCrowd(Baseline):
    """Semi-crowdsourced clustering (Yi et al. 2012): similarity completed, metric, spectral."""

    _method = "semicrowd"
    certain: Optional[float] = None


@dataclass(eq=False, repr=False)
class CSPA(Baseline):
    """Consensus (Strehl and Ghosh 2002) of one `MPCKMeans` clustering per worker."""

    _method = "cspa"
    link_weight: Optional[float] = None


@dataclass(eq=False, repr=False)
class MCVC(Baseline):
    """Multiple clustering views from uncertain experts (Chang et al. 2017)."""

    _method = "mcvc"
    views: Optional[int] = None
    view: Optional[int] = None


@dataclass(eq=False, repr=False)
class DeepMCVC(MCVC):
    """`MCVC` with a network of two hidden layers in place of the linear softmax."""

    _method = "deep-mcvc"
    learning_rate: Optional[float] = None


@dataclass(eq=False, repr=False)
class CrowdClustering(Baseline):
    """Answers alone (Gomes et al. 2011): item vectors, logistic workers, a Dirichlet process.

    n_clusters is the most clusters there may be. Of X it looks only at the number of items.
    """

    _method = "crowdclustering"
    latent: Optional[int] = None


_METHODS: List[Type[Baseline]] = [
    KMeans, GaussianMixture, ITML, MPCKMeans, SemiCrowd, CSPA, MCVC, DeepMCVC, CrowdClustering
]
ALL: Dict[str, Type[Baseline]] = {one._method: one for one in _METHODS}
__all__ = [one.__name__ for one in ALL.values()] + ["ALL"]
