"""The estimator SCDC: scikit-learn's manners around a fit of the library."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._asks import Asks
from ._items import Fitted, Items, names_of
from ._native import Array, check, ffi, lib, Model, pointer, seed_of, text, threads_of
from ._progress import Watch
from ._show import Shows
from ._files import answer_files, open_crowd
from .answers import Answers
from .metrics import answers_log_likelihood, scores

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import _check_feature_names
except ImportError:

    def _check_feature_names(estimator: Any, X: Any, *, reset: bool) -> None:
        estimator._check_feature_names(X, reset=reset)


def check_feature_names(estimator: Any, X: Any, reset: bool) -> None:
    """Keeps the names of X's columns, or compares them with those of the fit."""
    _check_feature_names(estimator, X, reset=reset)


class SCDC(Shows, Asks, ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
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
        The most components of the mixture; clusters are groups of them, so that there are at least n_clusters. None: chosen
        from the data.
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
    clusters_ : ndarray of shape (n_clusters_,)
        Their numbers, as labels show them, in the order of the columns of `predict_proba`: 0, 1, 2, ... until an `update`.
    changes_ : DataFrame
        After an `update`: which items moved, from where to where, and because of which answers.
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

    n_features_in_: int
    interrupted_: bool

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
        check_feature_names(self, X, reset=True)
        self.n_features_in_ = items.cols
        if items.rows < 2:
            raise ValueError("X has 1 sample (n_samples = 1): clustering needs 2 or more")
        crowd = self._crowd(items, annotations, names_of(X) if names is None else names)
        self._forget()
        watch = Watch(self.verbose)
        out = ffi.new("scdc_model **")
        status = watch.run(lib.scdc_fit, out, items.handle, crowd or ffi.NULL, options)
        if status not in (lib.SCDC_OK, lib.SCDC_ERR_STOPPED):
            check(status)
        self.model_ = Model(ffi.gc(out[0], lib.scdc_model_free))
        self.interrupted_ = status == lib.SCDC_ERR_STOPPED
        self._tell_model()
        self._fitted_on = Fitted(X, crowd, names_of(X) if names is None else names)
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
            "components": None if self.n_components is None else max(self.n_components, self.n_clusters or 1),
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
            with answer_files(annotations) as files:
                return open_crowd(files, items.handle)
        return as_answers(annotations, items).resolve(items.rows, names, self.unknown_items).crowd()

    def _forget(self) -> None:
        """Nothing of an earlier fit is left behind when this one is interrupted."""
        for name in ("labels_", "probabilities_", "components_", "changes_", "_fitted_on", "model_"):
            self.__dict__.pop(name, None)

    def _tell_model(self) -> None:
        """The attributes that the model alone tells."""
        handle, info = self.model_.handle, self.model_.info()
        count = ffi.new("size_t *")
        epochs = lib.scdc_model_epochs(handle, count)
        self.history_ = pd.DataFrame(_native.columns(epochs, count[0], "scdc_epoch"))
        self.bound_ = float(self.history_["bound"].iloc[-1]) if count[0] else float("nan")
        self.n_iter_ = int(info.epochs_done)
        self.n_clusters_ = int(info.clusters)
        self.clusters_ = np.empty(self.n_clusters_, np.int64)
        check(lib.scdc_model_clusters(pointer(self.clusters_, "int64_t *"), self.n_clusters_, ffi.NULL, handle))
        self.stability_ = float(lib.scdc_model_stability(handle))
        rows = ffi.new("scdc_worker[]", max(1, info.workers))
        if info.workers:
            check(lib.scdc_workers(rows, info.workers, handle))
        self.workers_ = pd.DataFrame(
            _native.columns(rows, info.workers, "scdc_worker"),
            index=pd.Index([text(rows[i].name) for i in range(info.workers)], name="worker", dtype=object),
        )

    def _tell_items(self, items: Items, crowd: Any) -> None:
        placed = _placed(lib.scdc_model_labels, self.model_, items, crowd)
        self.labels_, self.probabilities_, self.components_ = placed

    # ---- using --------------------------------------------------------------------------------------

    def _items(self, X: Any) -> Items:
        if "model_" not in self.__dict__:
            check_is_fitted(self, "model_")
        if type(X) is not np.ndarray or "feature_names_in_" in self.__dict__:
            check_feature_names(self, X, reset=False)
        items = Items(X, self.verbose, self.image_shape)
        if items.cols != self.n_features_in_:
            raise ValueError(
                f"X has {items.cols} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input."
            )
        return items

    def predict(self, X: Any) -> Array:
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
        _call(items, lib.scdc_predict, pointer(labels, "int64_t *"), ffi.NULL, ffi.NULL, ffi.NULL, self.model_.handle,
              items.handle, ffi.NULL)
        return labels

    def fit_predict(self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None) -> Array:
        """`fit`, then its `labels_`."""
        return self.fit(X, annotations=annotations, names=names).labels_

    def fit_transform(self, X: Any, y: Any = None, annotations: Any = None, names: Optional[Sequence[Any]] = None) -> Array:
        """`fit`, then `transform`."""
        return self.fit(X, annotations=annotations, names=names).transform(X)

    def predict_proba(self, X: Any) -> Array:
        """How probable each cluster is for each item of X: an array of shape (n_items, n_clusters_)."""
        items = self._items(X)
        proba = np.empty((items.rows, self.n_clusters_), np.float32)
        _call(items, lib.scdc_predict, ffi.NULL, ffi.NULL, ffi.NULL, pointer(proba, "float *"), self.model_.handle,
              items.handle, ffi.NULL)
        return proba

    def transform(self, X: Any) -> Array:
        """Latent means of the items of X: float32 of shape (n_items, n_latent)."""
        items = self._items(X)
        latent = np.empty((items.rows, int(self.model_.info().latent)), np.float32)
        _call(items, lib.scdc_embed, pointer(latent, "float *"), self.model_.handle, items.handle)
        return latent

    def sample(self, n_samples: int = 1, by: str = "cluster", random_state: Any = None) -> Array:
        """Items that the model makes up.

        Parameters
        ----------
        n_samples : int
            So many for each cluster (or component).
        by : {"cluster", "component"}
        random_state : int, RandomState or None

        Returns
        -------
        ndarray of shape (n_clusters_ or n_components, n_samples, n_features), float32
        """
        check_is_fitted(self, "model_")
        if by not in ("cluster", "component"):
            raise ValueError(f"by must be \"cluster\" or \"component\", not {by!r}")
        if n_samples < 1:
            raise ValueError(f"n_samples must be 1 or more, not {n_samples}")
        info = self.model_.info()
        groups = int(info.components if by == "component" else info.clusters)
        out = np.empty((groups, n_samples, self.n_features_in_), np.float32)
        check(lib.scdc_sample(
            pointer(out, "float *"), out.size, self.model_.handle, by == "component", n_samples,
            seed_of(random_state),
        ))
        return out

    def score(self, X: Any, y: Any = None, annotations: Any = None) -> float:
        """How good the clusters are; more is better.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
        y : array-like or None
            True classes: the score is the adjusted mutual information with them.
        annotations : object or None
            Answers, best some that the fit did not see: the score is the mean log likelihood of an answer.
            `scdc.metrics.answers_scorer` does that in cross-validation.

        Returns
        -------
        float
            Without y and annotations: the mean log probability of the items' clusters, which tells how sure the model
            is, not how right.
        """
        if annotations is not None:
            answers = as_answers(annotations, None)
            return answers_log_likelihood(self.predict_proba(X), answers, self.workers_, names_of(X), self.unknown_items)
        if y is not None:
            return scores(self.predict(X), y)["ami"]
        sure = self.predict_proba(X).max(axis=1)
        return float(np.log(np.maximum(sure, np.finfo(np.float32).tiny)).mean())

    # ---- keeping ------------------------------------------------------------------------------------

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model as the safetensors file that the program reads, too (a pickle also keeps the labels)."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "SCDC":
        """A model from `save`, or from a RUN directory of the program, whose labels come with it.

        Examples
        --------
        >>> import pathlib, tempfile, scdc
        >>> X, _ = scdc.make_blobs(n_items=60, random_state=1)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> model = scdc.SCDC(max_epochs=3, random_state=1).fit(X)
        >>> model.save(path)
        >>> (scdc.SCDC.load(path).predict(X) == model.predict(X)).all()
        True
        """
        folder = os.fspath(path) if os.path.isdir(path) else None
        file = os.fspath(path) if folder is None else os.path.join(folder, "model.safetensors")
        if not os.path.exists(file):
            raise FileNotFoundError(2, "No such file", file)
        model = Model.load(file)
        self = cls(**{name: model.parameter(key) for name, key in _PARAMETERS.items()})
        self.model_ = model
        self.n_features_in_ = int(model.info().cols)
        self.interrupted_ = not model.info().finished
        self._tell_model()
        if folder is not None and os.path.exists(os.path.join(folder, "labels.csv")):
            table = pd.read_csv(os.path.join(folder, "labels.csv"))
            self.labels_ = table["cluster"].to_numpy(np.int64)
            self.probabilities_ = table["probability"].to_numpy(np.float64)
            self.components_ = table["component"].to_numpy(np.int64)
        return self

    def __getstate__(self) -> Dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_fitted_on"}

    # ---- for the rest of the package and scikit-learn ---------------------------------------------------

    def _seen(self, X: Any, annotations: Any) -> Any:
        fitted = self.__dict__.get("_fitted_on")
        if X is None and fitted is not None:
            X = fitted.items()
        items = None if X is None else Items(X, 0, self.image_shape)
        if annotations is not None:
            if items is None:
                raise ValueError("answers need the items that they are about: give X")
            return items, self._crowd(items, annotations, names_of(X))
        return items, None if fitted is None or items is None else fitted.crowd

    def _more_tags(self) -> Dict[str, Any]:
        return {"preserves_dtype": [np.float32], "_xfail_checks": UNFIT_CHECKS}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags


# Checks of scikit-learn's check_estimator that cannot hold, and why.
UNFIT_CHECKS = {
    "check_methods_sample_order_invariance": "asks for 1e-7; in float32 a row's last bit depends on its place in a block",
    "check_methods_subset_invariance": "the same",
}

# Parameters that a model file tells: which option each is.
_PARAMETERS = {
    "n_clusters": "clusters", "model": "model", "recipe": "recipe", "n_components": "components", "n_latent": "latent",
    "max_epochs": "epochs", "n_restarts": "restarts", "random_state": "seed", "batch_size": "batch",
    "likelihood": "likelihood", "hidden": "hidden",
}


def as_answers(annotations: Any, items: Optional[Items]) -> Answers:
    """Answers of any shape; pairs of values, as metric-learn has them, are looked up among the items."""
    if isinstance(annotations, Answers):
        return annotations
    if isinstance(annotations, tuple) and len(annotations) == 2 and items is not None and np.ndim(annotations[0]) == 3:
        annotations = (rows_of(annotations[0], items), annotations[1])
    return Answers(annotations)


def rows_of(pairs: Any, items: Items) -> Array:
    """Which items the values of pairs are."""
    values = np.ascontiguousarray(pairs, items.values.dtype)
    if values.shape[1:] != (2, items.cols):
        raise ValueError(f"annotations: pairs of shape {values.shape}, expected (n_pairs, 2, {items.cols})")
    where = {row.tobytes(): number for number, row in enumerate(items.values)}
    out = np.array([[where.get(one.tobytes(), -1) for one in pair] for pair in values], np.int64).reshape(-1, 2)
    if (out < 0).any():
        row, side = (int(place[0]) for place in np.nonzero(out < 0))
        raise ValueError(f"annotations: row {row} of pairs: the {('left', 'right')[side]} item is not a row of X")
    return out


def _call(items: Items, call: Any, *arguments: Any) -> None:
    """A call that many items make long enough to be interrupted."""
    status = call(*arguments) if items.rows < 1000 else Watch(0).look(call, *arguments)
    if status:
        check(status)


def _placed(place: Any, model: Model, items: Items, crowd: Any) -> Tuple[Any, Any, Any]:
    labels, component = np.empty(items.rows, np.int64), np.empty(items.rows, np.int64)
    probability = np.empty(items.rows, np.float64)
    check(Watch(0).look(
        place, pointer(labels, "int64_t *"), pointer(probability, "double *"), pointer(component, "int64_t *"), ffi.NULL,
        model.handle, items.handle, crowd or ffi.NULL,
    ))
    return labels, probability, component
