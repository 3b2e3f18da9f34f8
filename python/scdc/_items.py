"""Items: what may be given as X, as an array that the library reads in place."""
from __future__ import annotations

import warnings
import weakref
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from scipy import sparse

from . import _native
from ._native import Array, lib


def _numbers(X: Any) -> Array:
    """X as an array of numbers, whatever it was; complaints in scikit-learn's words."""
    if sparse.issparse(X):
        raise TypeError(
            "A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense numpy array."
        )
    if hasattr(X, "dtypes") and hasattr(X, "to_numpy"):
        array: Array = X.to_numpy()
    else:
        array = np.asanyarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: items are real numbers.")
    if array.dtype.kind in "OUS":
        array = _from_objects(array)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"items must be numbers, not {array.dtype}")
    return array


def _from_objects(array: Array) -> Array:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    for place, value in np.ndenumerate(array):
        try:
            float(value)
        except (TypeError, ValueError) as error:
            kind = type(error)
            raise kind(f"row {place[0]} of X: {value!r} is not a number: argument must be a string or a number") from None
    raise ValueError("X does not hold numbers")


def _shaped(array: Array) -> Array:
    if array.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead: array={array}. Reshape your data.")
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead: array={array}. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
            "single sample."
        )
    if array.ndim > 4:
        raise ValueError(f"Found array with dim {array.ndim}: items are vectors, or images of 2 or 3 dimensions.")
    if array.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    if 0 in array.shape:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


def _lent(array: Array, verbose: int) -> Array:
    """The array itself where the library can read it in place, else the one copy that it can."""
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    flat = array if array.ndim == 2 else array.reshape(len(array), -1)
    dtype = flat.dtype
    if dtype.str not in _native.DTYPES:
        if dtype.kind == "f":
            dtype = np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
        else:
            dtype = np.dtype(np.int32 if dtype.itemsize < 4 else np.int64)
    if flat.dtype == dtype and flat.flags.c_contiguous and flat.flags.aligned:
        return flat
    if verbose:
        warnings.warn(
            f"X is copied once: {array.dtype} in this order cannot be read in place (C order of float32, "
            "float64, uint8, int32 or int64 can)",
            stacklevel=4,
        )
    if flat.dtype.kind == "u" and flat.dtype.itemsize == 8 and flat.size and flat.max() > np.iinfo(np.int64).max:
        dtype = np.dtype(np.float64)
    return np.ascontiguousarray(flat, dtype)


def complain_unless_finite(array: Array) -> None:
    """Says which row of the items holds NaN or infinity, in scikit-learn's words."""
    bad = ~np.isfinite(array).all(axis=1)
    if not bad.any():
        return
    row = int(np.argmax(bad))
    column = int(np.argmax(~np.isfinite(array[row])))
    what = "NaN" if np.isnan(array[row, column]) else "infinity"
    raise ValueError(
        f"Input X contains {what} (row {row}, column {column}; {int(bad.sum())} rows in all): every value must be finite."
    )


def names_of(X: Any) -> Optional[List[Any]]:
    """Names of items: the index of a DataFrame, unless it merely counts."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "iloc"):
        return None
    if len(index) and (index == np.arange(len(index))).all():
        return None
    return list(index)


class Items:
    """X, its handle in the library, and the array that both share."""

    def __init__(self, X: Any, verbose: int = 0, image_shape: Optional[Tuple[int, ...]] = None) -> None:
        if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.str not in _native.DTYPES or not X.flags.carray:
            shaped = _shaped(_numbers(X))
            self.values = _lent(shaped, verbose)
            if shaped.ndim > 2 and image_shape is None:
                image_shape = shaped.shape[1:]
        else:
            _shaped(X)
            self.values = X
        try:
            self.handle = _native.data_of(self.values)
        except ValueError:
            complain_unless_finite(self.values)
            raise
        if image_shape is not None:
            shape = (1,) * (3 - len(image_shape)) + tuple(image_shape)
            _native.check(lib.scdc_data_set_shape(self.handle, *shape))

    @property
    def rows(self) -> int:
        return int(self.values.shape[0])

    @property
    def cols(self) -> int:
        return int(self.values.shape[1])


class Fitted:
    """What a fit saw: the items as long as somebody else has them, their names, and the answers."""

    def __init__(self, X: Any, crowd: Any, names: Optional[Sequence[Any]]) -> None:
        self.crowd = crowd
        self.names = names
        try:
            self.items: Any = weakref.ref(X)
        except TypeError:  # lists
            self.items = lambda: None
