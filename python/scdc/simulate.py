"""Items and answers made up, with a known truth."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from ._native import Array, check, ffi, labels_of, lib, made, pointer, seed_of
from ._files import frame_of
from .answers import Answers

Rates = Union[float, Sequence[float]]


def _made_up(call: Any, options: Any, n_features: int) -> Tuple[Array, Array]:
    data, labels = ffi.new("scdc_data **"), ffi.new("scdc_labels **")
    check(call(data, labels, options))
    data, labels = ffi.gc(data[0], lib.scdc_data_free), ffi.gc(labels[0], lib.scdc_labels_free)
    count = lib.scdc_labels_count(labels)
    X = np.empty((count, n_features), np.float32)
    check(lib.scdc_data_rows(pointer(X, "float *"), data, 0, count))
    y = np.frombuffer(ffi.buffer(lib.scdc_labels_values(labels), 8 * count), np.int64).copy()
    return X, y


def make_pinwheel(
    n_arms: int = 5, n_per_arm: int = 100, *, radial: float = 0.3, tangential: float = 0.05, rate: float = 0.25,
    random_state: Any = None,
) -> Tuple[Array, Array]:
    """Items in the plane on the bent arms of a wheel, in random order.

    Parameters
    ----------
    n_arms, n_per_arm : int
        Arms, and items on each.
    radial, tangential : float
        Standard deviations along and across an arm.
    rate : float
        How much arms bend.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_arms * n_per_arm, 2), float32
    y : ndarray of shape (n_arms * n_per_arm,)
        The arm of each item.

    Examples
    --------
    >>> import scdc
    >>> X, y = scdc.make_pinwheel(random_state=1)
    >>> X.shape, sorted(set(y.tolist()))
    ((500, 2), [0, 1, 2, 3, 4])
    """
    o = ffi.new("scdc_pinwheel *")
    lib.scdc_pinwheel_init(o)
    o.arms, o.per_arm, o.radial, o.tangential, o.rate = n_arms, n_per_arm, radial, tangential, rate
    o.seed = seed_of(random_state)
    return _made_up(lib.scdc_make_pinwheel, o, 2)


def make_blobs(
    n_clusters: int = 5, n_items: int = 500, n_features: int = 2, *, spread: float = 1.0, separation: float = 5.0,
    random_state: Any = None,
) -> Tuple[Array, Array]:
    """Items in round Gaussian clusters.

    Parameters
    ----------
    n_clusters, n_items, n_features : int
    spread : float
        Standard deviation inside a cluster.
    separation : float
        Standard deviation of the clusters' centres.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_items, n_features), float32
    y : ndarray of shape (n_items,)

    Examples
    --------
    >>> import scdc
    >>> X, y = scdc.make_blobs(n_clusters=2, n_items=30, n_features=3, random_state=1)
    >>> X.shape, y.shape
    ((30, 3), (30,))
    """
    o = ffi.new("scdc_blobs *")
    lib.scdc_blobs_init(o)
    o.clusters, o.items, o.dims, o.spread, o.separation = n_clusters, n_items, n_features, spread, separation
    o.seed = seed_of(random_state)
    return _made_up(lib.scdc_make_blobs, o, n_features)


def simulate_answers(
    truth: Any, n_workers: int = 20, *, sensitivity: Rates = 0.9, specificity: Rates = 0.9, n_pairs: int = 980,
    n_items: int = 0, scheme: str = "pairs", grid: int = 36, n_tasks: int = 20, random_state: Any = None,
) -> Answers:
    """Answers of workers who look at pairs of items and are sometimes wrong.

    Parameters
    ----------
    truth : array-like of int
        The true class of every item.
    n_workers : int
    sensitivity, specificity : float or sequence of float
        Chances to say "same" of a same pair and "different" of a different one: one for all, or one per worker.
    n_pairs : int
        Answers in all, shared evenly among the workers.
    n_items : int
        Ask about so many items drawn at random; 0: all.
    scheme : {"pairs", "balanced", "grid"}
        Random pairs; as many same as different ones; or tasks whose items a worker sorts into groups.
    grid, n_tasks : int
        With scheme "grid": items that a task shows, and tasks in all.
    random_state : int, RandomState or None

    Returns
    -------
    Answers

    Examples
    --------
    >>> import scdc
    >>> scdc.simulate_answers([0, 0, 1, 1, 2], n_workers=2, n_pairs=8, random_state=1)
    <scdc.Answers: 8 answers of 2 workers about 5 items>
    """
    schemes = {"pairs": lib.SCDC_SCHEME_PAIRS, "balanced": lib.SCDC_SCHEME_BALANCED, "grid": lib.SCDC_SCHEME_GRID}
    if scheme not in schemes:
        raise ValueError(f"scheme must be one of {sorted(schemes)}, not {scheme!r}")
    rates = [np.atleast_1d(np.asarray(rate, np.float64)) for rate in (sensitivity, specificity)]
    o = ffi.new("scdc_simulation *")
    lib.scdc_simulation_init(o)
    o.workers, o.pairs, o.items, o.grid, o.tasks = n_workers, n_pairs, n_items, grid, n_tasks
    o.scheme = schemes[scheme]
    o.sensitivity, o.n_sensitivity = pointer(rates[0], "double *"), len(rates[0])
    o.specificity, o.n_specificity = pointer(rates[1], "double *"), len(rates[1])
    o.seed = seed_of(random_state)
    labels = labels_of(truth)
    return Answers(frame_of(made("crowd", lib.scdc_crowd_free, lib.scdc_simulate_answers, labels, o)))
