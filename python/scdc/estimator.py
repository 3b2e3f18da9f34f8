"""The estimator SCDC: scikit-learn's manners around a fit of the library."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._items import Items, names_of
from ._native import Model, check, ffi, lib, pointer, text
from ._progress import Watch
from .answers import Answers, open_crowd

Array = "np.ndarray[Any, Any]"

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import _check_feature_names
except ImportError:

    def _check_feature_names(estimator: Any, X: Any, *, reset: bool) -> None:
        estimator._check_feature_names(X, reset=reset)


def threads_of(n_jobs: Optional[int]) -> int:
    """Threads for the library, where 0 means all cores: it gives the same result with any number.

    A process that joblib started is told by OMP_NUM_THREADS how many are its share.
    """
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return int(share) if share.isdigit() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs must be None, a positive number, or negative: -1 is all cores, -2 all but one")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def seed_of(random_state: Any) -> int:
    """A whole number is the seed itself, as the program's --seed."""
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state must be 0 to 2**64 - 1, not {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


class SCDC(ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Semi-crowdsourced deep clustering: items, and noisy answers of workers about some of them.

    Parameters
    ----------
    n_clusters : int or None
        Number of clusters; None lets the model find it.
    model : {"bayes", "amortized"}
        BayesSCDC, or SCDC with amortised inference.
    recipe : {"default", "paper"}
        How it is fitted: the best known way, or as published.
    n_components : int or None
        The most components of the mixture; clusters are groups of them. None: chosen from the data.
    n_latent : int or None
        Dimensions of the latent space. None: chosen from the data.
    max_epochs : int or None
        The most passes over the data; a fit ends when its clusters stay.
    n_restarts : int
        Fits with seeds one after another, of which the best is kept (never by true labels).
    random_state : int, RandomState or None
        A whole number is the seed itself, and gives the result that the program gives for ``--seed``.
    n_jobs : int or None
        Threads; None and -1 are all cores. Never changes the result.
    verbose : int
        1 shows progress, with tqdm where it is installed.
    hidden : sequence of int or None
        Sizes of the hidden layers. None: chosen from the data.
    batch_size : int or None
        Items in a minibatch.
    likelihood : {"auto", "bernoulli", "gaussian"}
        How values are distributed.
    preset : str or None
        The settings of one of the paper's experiments: "pinwheel", "face", "mnist".
    image_shape : tuple or None
        (height, width) or (channels, height, width) when items are images; X of three or four dimensions says it itself.
    unknown_items : {"raise", "ignore"}
        What to do with answers about items that X does not have. "ignore" is for cross-validation, where X is a part.
    options : mapping or None
        Any other option of the program's ``--set``, by name: `scdc.option_names()` lists them.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,)
        The cluster of each item.
    probabilities_ : ndarray of shape (n_items,)
        How probable that cluster is.
    components_ : ndarray of shape (n_items,)
        The most likely component of each item.
    n_clusters_ : int
        Number of clusters.
    n_iter_ : int
        Epochs that were done.
    bound_ : float
        The lower bound of the evidence after the last epoch, in nats.
    history_ : DataFrame
        A row per epoch: bound and its terms, clusters, seconds.
    workers_ : DataFrame
        A row per worker: answers, sensitivity and specificity with their intervals, weight.
    stability_ : float
        How much several restarts agree (mean adjusted Rand index); NaN for one start.
    interrupted_ : bool
        Whether Ctrl-C ended the fit; then there are no `labels_`, but `predict` works.
    n_features_in_ : int
        Values of an item.
    feature_names_in_ : ndarray
        Names of the columns, when X was a DataFrame.

    Examples
    --------
    >>> import scdc
    >>> X, truth = scdc.make_blobs(n_clusters=3, n_items=150, n_features=4, separation=6, random_state=1)
    >>> answers = scdc.simulate_answers(truth, n_workers=5, n_pairs=200, random_state=1)
    >>> model = scdc.SCDC(n_clusters=3, max_epochs=20, random_state=1).fit(X, annotations=answers)
    >>> model.predict(X[:4]).shape, len(model.workers_)
    ((4,), 5)
    """

    def __init__(
        self,
        n_clusters: Optional[int] = None,
        model: str = "bayes",
        recipe: str = "default",
        n_components: Optional[int] = None,
        n_latent: Optional[int] = None,
        max_epochs: Optional[int] = None,
        n_restarts: int = 1,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        *,
        hidden: Optional[Sequence[int]] = None,
        batch_size: Optional[int] = None,
        likelihood: str = "auto",
        preset: Optional[str] = None,
        image_shape: Optional[Tuple[int, ...]] = None,
        unknown_items: str = "raise",
        options: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.model = model
        self.recipe = recipe
        self.n_components = n_components
        self.n_latent = n_latent
        self.max_epochs = max_epochs
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.hidden = hidden
        self.batch_size = batch_size
        self.likelihood = likelihood
        self.preset = preset
        self.image_shape = image_shape
        self.unknown_items = unknown_items
        self.options = options

    # ---- fitting ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None) -> "SCDC":
        """Clusters the items of X, with the help of answers when there are any.

        Ctrl-C ends it at once: KeyboardInterrupt is raised, and the estimator keeps the model so far.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features), or images of three or four dimensions
            float32, float64, uint8, int32 and int64 in C order are read in place.
        y : ignored
            Here for scikit-learn's sake.
        annotations : object or None
            The answers, in any shape that `Answers` takes.
        names : sequence or None
            Names of the items, by which answers refer to them; the index of a DataFrame serves without being told.

        Returns
        -------
        self
        """
        if isinstance(y, (Answers, pd.DataFrame, Mapping)):
            raise ValueError("y is not used; answers are given as fit(X, annotations=answers)")
        options = self._options()
        items = Items(X, self.verbose, self.image_shape)
        _check_feature_names(self, X, reset=True)
        self.n_features_in_ = items.cols
        if items.rows < 2:
            raise ValueError("X has 1 sample (n_samples = 1): clustering needs 2 or more")
        crowd = self._crowd(items, annotations, names_of(X) if names is None else names)
        watch = Watch(self.verbose)
        out = ffi.new("scdc_model **")
        status = watch.run(lib.scdc_fit, out, items.handle, crowd or ffi.NULL, options)
        if status not in (lib.SCDC_OK, lib.SCDC_ERR_STOPPED):
            check(status)
        self.model_ = Model(ffi.gc(out[0], lib.scdc_model_free))
        self.interrupted_ = status == lib.SCDC_ERR_STOPPED
        self._tell_model()
        if self.interrupted_:
            raise watch.raised or KeyboardInterrupt
        self._tell_items(items, crowd)
        return self

    def _options(self) -> Any:
        options = ffi.new("scdc_options *")
        lib.scdc_options_init(options)
        if self.preset is not None:
            check(lib.scdc_options_preset(options, self.preset.encode()))
        asked: Dict[str, Any] = {
            "model": self.model,
            "recipe": None if self.preset is not None and self.recipe == "default" else self.recipe,
            "clusters": self.n_clusters,
            "components": self.n_components,
            "latent": self.n_latent,
            "epochs": self.max_epochs,
            "restarts": self.n_restarts,
            "hidden": None if self.hidden is None else ",".join(map(str, self.hidden)),
            "batch": self.batch_size,
            "likelihood": self.likelihood,
            **(self.options or {}),
        }
        for key, value in asked.items():
            if value is not None:
                check(lib.scdc_options_set(options, key.encode(), str(value).encode()))
        options.seed = seed_of(self.random_state)
        options.threads = threads_of(self.n_jobs)
        check(lib.scdc_options_check(options))
        return options

    def _crowd(self, items: Items, annotations: Any, names: Optional[Sequence[Any]]) -> Any:
        if annotations is None:
            return None
        if self.unknown_items not in ("raise", "ignore"):
            raise ValueError(f"unknown_items must be \"raise\" or \"ignore\", not {self.unknown_items!r}")
        if isinstance(annotations, (str, os.PathLike)) and names is None:
            return open_crowd([os.fspath(annotations)], items.handle)
        answers = annotations if isinstance(annotations, Answers) else Answers(annotations)
        return answers.resolve(items.rows, names, self.unknown_items).crowd()

    def _tell_model(self) -> None:
        """The attributes that the model alone tells."""
        handle, info = self.model_.handle, self.model_.info()
        count = ffi.new("size_t *")
        epochs = lib.scdc_model_epochs(handle, count)
        self.history_ = pd.DataFrame(_native.columns(epochs, count[0], "scdc_epoch"))
        self.bound_ = float(self.history_["bound"].iloc[-1]) if count[0] else float("nan")
        self.n_iter_ = int(info.epochs_done)
        self.n_clusters_ = int(info.clusters)
        self.stability_ = float(lib.scdc_model_stability(handle))
        rows = ffi.new("scdc_worker[]", max(1, info.workers))
        if info.workers:
            check(lib.scdc_workers(rows, handle))
        self.workers_ = pd.DataFrame(
            _native.columns(rows, info.workers, "scdc_worker"),
            index=pd.Index([text(rows[i].name) for i in range(info.workers)], name="worker", dtype=object),
        )

    def _tell_items(self, items: Items, crowd: Any) -> None:
        # The paper places items one by one; so does the program.
        paper = self.model_.option("recipe") == "paper"
        place = lib.scdc_predict if paper else lib.scdc_predict_together
        self.labels_, self.probabilities_, self.components_ = _placed(place, self.model_, items, crowd)

    # ---- using --------------------------------------------------------------------------------------

    def _items(self, X: Any) -> Items:
        if "model_" not in self.__dict__:
            check_is_fitted(self, "model_")
        if type(X) is not np.ndarray or "feature_names_in_" in self.__dict__:
            _check_feature_names(self, X, reset=False)
        items = Items(X, self.verbose, self.image_shape)
        if items.cols != self.n_features_in_:
            raise ValueError(
                f"X has {items.cols} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input."
            )
        return items

    def predict(self, X: Any) -> "np.ndarray[Any, Any]":
        """The cluster of each item of X, each by itself.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,), int64
        """
        items = self._items(X)
        labels = np.empty(items.rows, np.int64)
        status = lib.scdc_predict(
            ffi.cast("int64_t *", labels.ctypes.data), ffi.NULL, ffi.NULL, ffi.NULL, self.model_.handle, items.handle, ffi.NULL
        )
        if status:
            check(status)
        return labels

    def fit_predict(self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None) -> "np.ndarray[Any, Any]":
        """`fit`, then its `labels_`."""
        return self.fit(X, annotations=annotations, names=names).labels_

    def fit_transform(self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None) -> "np.ndarray[Any, Any]":
        """`fit`, then `transform`."""
        return self.fit(X, annotations=annotations, names=names).transform(X)

    def predict_proba(self, X: Any) -> "np.ndarray[Any, Any]":
        """How probable each cluster is for each item of X: an array of shape (n_items, n_clusters_)."""
        items = self._items(X)
        proba = np.empty((items.rows, self.n_clusters_), np.float32)
        check(lib.scdc_predict(
            ffi.NULL, ffi.NULL, ffi.NULL, pointer(proba, "float *"), self.model_.handle, items.handle, ffi.NULL
        ))
        return proba

    def transform(self, X: Any) -> "np.ndarray[Any, Any]":
        """Latent means of the items of X: float32 of shape (n_items, n_latent)."""
        items = self._items(X)
        latent = np.empty((items.rows, int(self.model_.info().latent)), np.float32)
        check(lib.scdc_embed(pointer(latent, "float *"), self.model_.handle, items.handle))
        return latent


def _placed(place: Any, model: Model, items: Items, crowd: Any) -> Tuple[Any, Any, Any]:
    labels, component = np.empty(items.rows, np.int64), np.empty(items.rows, np.int64)
    probability = np.empty(items.rows, np.float64)
    check(place(
        pointer(labels, "int64_t *"), pointer(probability, "double *"), pointer(component, "int64_t *"), ffi.NULL,
        model.handle, items.handle, crowd or ffi.NULL,
    ))
    return labels, probability, component
