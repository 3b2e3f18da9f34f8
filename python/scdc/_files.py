"""Answers in files: those that the program reads, and what other annotation tools export."""
from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from typing import Any, Iterator, List, Optional, Sequence, Union

import numpy as np
import pandas as pd

from . import _native
from ._native import check, ffi, lib, made, path_bytes, text
from .answers import Answers

Path = Union[str, "os.PathLike[str]"]


def open_crowd(paths: Sequence[str], items: Any) -> Any:
    """The library's handle of the answers in files of answers."""
    words = [ffi.new("char[]", path_bytes(path)) for path in paths]
    return made("crowd", lib.scdc_crowd_free, lib.scdc_crowd_open, ffi.new("char *[]", words), len(words), items)


def frame_of(crowd: Any) -> pd.DataFrame:
    """The answers of a handle as a DataFrame worker, left, right, label, task."""
    count = ffi.new("size_t *")
    rows = lib.scdc_crowd_answers(crowd, count)
    table = pd.DataFrame(_native.columns(rows, count[0], "scdc_answer"))

    def names(column: str, name_of: Any) -> Any:
        numbers = table[column].to_numpy()
        known = {number: text(name_of(crowd, number)) for number in pd.unique(numbers).tolist()}
        if any(name is None for name in known.values()):
            return numbers
        return np.array([known[number] for number in numbers.tolist()], dtype=object)

    task = table["task"].to_numpy()
    return pd.DataFrame({
        "worker": names("worker", lib.scdc_crowd_worker_name),
        "left": names("left", lib.scdc_crowd_item_name),
        "right": names("right", lib.scdc_crowd_item_name),
        "label": table["same"].to_numpy(),
        "task": np.where(task == lib.SCDC_NO_TASK, "", task.astype(str)).astype(object),
    })


def tool_names() -> List[str]:
    """The tools whose files are understood."""
    out: List[str] = []
    while True:
        name = text(lib.scdc_import_tool(len(out)))
        if name is None:
            return out
        out.append(name)


def tool_of(path: str) -> Optional[str]:
    """The tool that wrote a file; None for files that hold answers as the program reads them, or nobody knows what."""
    if os.path.isdir(path):
        raise ValueError(
            f"{path}: is a folder; answers of a project of scdc collect are written by: scdc collect export {path} -o answers.csv"
        )
    if not os.path.exists(path):
        raise FileNotFoundError(2, "No such file", path)
    tool = ffi.new("char **")
    check(lib.scdc_import_detect(tool, path_bytes(path)))
    found = text(tool[0])
    return None if found == "table" else found  # a table worker, left, right, label


def as_words(value: Union[None, str, Sequence[str]]) -> Optional[str]:
    """One word or several, as the library takes them."""
    return value if value is None or isinstance(value, str) else "|".join(value)


class Importer:
    """What a file of another tool does not tell by itself (see `read_answers`)."""

    def __init__(self, **given: Any) -> None:
        self.given = {name: value for name, value in given.items() if value not in (None, False)}

    def read(self, path: str, output: str) -> None:
        """Writes a file of another tool as answers that the program reads."""
        options = ffi.new("scdc_import_options *")
        lib.scdc_import_options_init(options)
        keep = []  # the library borrows the words
        for name, value in self.given.items():
            if isinstance(value, str):
                keep.append(ffi.new("char[]", value.encode()))
                value = keep[-1]
            setattr(options, name, value)
        info = ffi.new("scdc_import_info *")
        check(lib.scdc_import(info, path_bytes(path), path_bytes(output), options))
        if info.rejected or info.dropped:
            warnings.warn(
                f"{path}: {info.rejected} answers left out as rejected, returned or unfinished work (rejected=True takes "
                f"them), {info.dropped} because an item stood beside itself or had several classes",
                stacklevel=3,
            )


@contextlib.contextmanager
def answer_files(paths: Union[Path, Sequence[Path]], importer: Importer = Importer()) -> Iterator[List[str]]:
    """Names of files that the program reads: those given, or what becomes of them."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
        out: List[str] = []
        for path in [os.fspath(one) for one in paths]:
            if importer.given or tool_of(path) is not None:
                out.append(os.path.join(folder, f"{len(out)}.csv"))
                importer.read(path, out[-1])
            else:
                out.append(path)
        yield out


def read_answers(
    paths: Union[Path, Sequence[Path]],
    tool: Optional[str] = None,
    *,
    item: Optional[str] = None,
    left: Optional[str] = None,
    right: Optional[str] = None,
    answer: Optional[str] = None,
    worker: Optional[str] = None,
    worker_name: Optional[str] = None,
    same: Union[None, str, Sequence[str]] = None,
    different: Union[None, str, Sequence[str]] = None,
    task_items: Optional[int] = None,
    base_names: bool = False,
    rejected: bool = False,
) -> Answers:
    """Answers from files: those that the program reads, and those that other annotation tools export.

    Parameters
    ----------
    paths : path or list of paths
        csv or tsv of pairs (``worker,left,right,label``) or groupings (``worker,task,item,group``), or .npy rows of four
        integers, gzipped or not; or a file of another tool (docs/import.md).
    tool : str or None
        What wrote it: "label-studio", "prodigy", "argilla", "potato", "mturk", "toloka", "prolific", "splink",
        "crowd-kit", "dedupe", "mustlink", or "table" for any csv, tsv or JSON lines. None: told by content.
    item, left, right, answer, worker : str or None
        Fields of the other tool's file that hold the item, the two items, the answer, the worker. None: told by their names.
    worker_name : str or None
        Who answered, for files that do not tell.
    same, different : str, list of str, or None
        More words that mean that two items are, or are not, of one kind.
    task_items : int or None
        Class labels of single items become groupings of at most so many items (200).
    base_names : bool
        Of items that are paths or addresses take the last part only.
    rejected : bool
        Take work that was rejected, returned or left unfinished, too.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pathlib, tempfile, scdc
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "answers.csv").write_text("worker,left,right,label\\nann,3,5,same\\nbob,3,4,no\\n")
    >>> scdc.read_answers(folder / "answers.csv")
    <scdc.Answers: 2 answers of 2 workers about 3 items>
    >>> _ = (folder / "links.txt").write_text("cat lion ML\\ncat oak CL\\n")
    >>> scdc.read_answers(folder / "links.txt", worker_name="me").to_frame().to_string(index=False).split("\\n")[1].split()
    ['me', 'cat', 'lion', '1']
    """
    importer = Importer(**{
        "from": tool, "item": item, "left": left, "right": right, "answer": answer, "worker": worker,
        "worker_name": worker_name, "same": as_words(same), "different": as_words(different), "task_items": task_items,
        "base_names": base_names, "rejected": rejected,
    })
    with answer_files(paths, importer) as files:
        crowd = open_crowd(files, ffi.NULL)
    out = Answers(frame_of(crowd))
    info = ffi.new("scdc_crowd_info *")
    check(lib.scdc_crowd_get_info(info, crowd))
    out.unsure = int(info.unsure)
    return out
