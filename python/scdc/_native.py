"""The C library as Python sees it: calls that raise, handles that free themselves, structs as tables."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import check_random_state

from ._scdc import ffi as ffi, lib as lib

Array = npt.NDArray[Any]

DTYPES: Dict[str, int] = {
    "|u1": lib.SCDC_U8,
    "<i4": lib.SCDC_I32,
    "<i8": lib.SCDC_I64,
    "<f4": lib.SCDC_F32,
    "<f8": lib.SCDC_F64,
}

_ERRORS: Dict[int, type] = {
    lib.SCDC_ERR_ARGUMENT: ValueError,
    lib.SCDC_ERR_INPUT: ValueError,
    lib.SCDC_ERR_OUTPUT: OSError,
    lib.SCDC_ERR_MEMORY: MemoryError,
    lib.SCDC_ERR_NUMERIC: FloatingPointError,
    lib.SCDC_ERR_UNSUPPORTED: NotImplementedError,
}


def text(chars: Any) -> Optional[str]:
    """A C string, or None."""
    return None if chars == ffi.NULL else ffi.string(chars).decode("utf-8", "replace")


def path_bytes(path: Any) -> bytes:
    """A path as the library takes it."""
    return os.fsencode(os.fspath(path))


def check(status: int) -> None:
    """Raises what a status stands for, in the library's own words."""
    if status != lib.SCDC_OK:
        kind = _ERRORS.get(status, RuntimeError)
        raise kind(text(lib.scdc_last_error()) or text(lib.scdc_status_name(status)))


def made(kind: str, free: Callable[[Any], None], call: Callable[..., int], *arguments: Any) -> Any:
    """A handle from `call(out, *arguments)`, freed when Python forgets it."""
    out = ffi.new(f"scdc_{kind} **")
    check(call(out, *arguments))
    return ffi.gc(out[0], free)


def data_of(values: Array) -> Any:
    """Items over an array of two dimensions that is ready for it: borrowed, never copied.

    The array must stay alive as long as the handle.
    """
    rows, cols = values.shape
    out = ffi.new("scdc_data **")
    status = lib.scdc_data_from_memory(
        out, ffi.from_buffer(values), DTYPES[values.dtype.str], rows, cols, 0
    )
    if status != lib.SCDC_OK:
        check(status)
    return ffi.gc(out[0], lib.scdc_data_free)


def pointer(array: Optional[Array], kind: str) -> Any:
    """Where an array's values are, for the library to write or read; None is NULL."""
    return ffi.NULL if array is None else ffi.cast(kind, ffi.from_buffer(array))


def seed_of(random_state: Any) -> int:
    """A whole number is the seed itself, as the program's --seed."""
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state must be 0 to 2**64 - 1, not {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


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


def codes_of(labels: Any) -> Array:
    """Labels of items as int64; words become codes."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(f"labels must have one dimension, not {values.ndim}")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"labels: row {int(np.argmax(~np.isfinite(values)))} is not a number")
    if values.dtype.kind not in "biu":
        values = pd.factorize(values, sort=True)[0]
    return np.ascontiguousarray(values, np.int64)


def labels_of(labels: Any) -> Any:
    """The library's handle of labels."""
    codes = codes_of(labels)
    return made("labels", lib.scdc_labels_free, lib.scdc_labels_from_memory, pointer(codes, "int64_t *"), len(codes))


_SCALARS = {"double": np.float64, "int": np.int32, "size_t": np.uint64, "uint64_t": np.uint64, "uint32_t": np.uint32}


def columns(rows: Any, count: int, kind: str) -> Dict[str, Array]:
    """An array of structs as a column per number; text and pointers are left out."""
    names, formats, offsets = [], [], []
    for name, field in ffi.typeof(kind).fields:
        if field.type.cname in _SCALARS:
            names.append(name)
            formats.append(_SCALARS[field.type.cname])
            offsets.append(field.offset)
    layout = np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(kind)}
    )
    if count == 0:
        return {name: np.empty(0, layout[name]) for name in names}
    table = np.frombuffer(ffi.buffer(rows, count * ffi.sizeof(kind)), layout)
    out = {}
    for name in names:
        column = table[name].copy()
        out[name] = column.astype(np.int64) if column.dtype.kind == "u" else column
    return out


class Model:
    """A fitted model, which can be pickled: as the bytes of its file."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    @classmethod
    def load(cls, path: Any) -> "Model":
        return cls(made("model", lib.scdc_model_free, lib.scdc_model_load, path_bytes(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
            path = os.path.join(folder, "model.safetensors")
            with open(path, "wb") as stream:
                stream.write(data)
            return cls.load(path)

    def save(self, path: Any) -> None:
        check(lib.scdc_model_save(self.handle, path_bytes(path)))

    def to_bytes(self) -> bytes:
        with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
            path = os.path.join(folder, "model.safetensors")
            self.save(path)
            with open(path, "rb") as stream:
                return stream.read()

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def info(self) -> Any:
        info = ffi.new("scdc_model_info *")
        check(lib.scdc_model_get_info(info, self.handle))
        return info

    def set_threads(self, threads: int) -> None:
        check(lib.scdc_model_set_threads(self.handle, threads))

    def option(self, key: str) -> str:
        """An option in force, as text."""
        out = ffi.new("char[]", 256)
        check(lib.scdc_options_get(out, 256, lib.scdc_model_options(self.handle), key.encode()))
        return text(out) or ""

    def parameter(self, key: str) -> Any:
        """The same as an estimator's parameter: None for what was left to the model."""
        value = self.option(key)
        if key == "hidden":
            return None if value == "auto" else [int(word) for word in value.split(",") if word] or None
        if not value.isdigit():
            return value
        return int(value) or (0 if key == "seed" else None)
