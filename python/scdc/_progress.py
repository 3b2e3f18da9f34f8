"""Long calls that are under way, seen from Python: the progress bar, and Ctrl-C."""
from __future__ import annotations

import sys
import threading
from typing import Any, Callable, Optional

from ._native import ffi, lib, text

EVERY = 0.05  # seconds between two looks: Ctrl-C is noticed that fast
_local = threading.local()  # .raised: what a look raised in this thread


class Watch:
    """What to do while a fit runs: show progress (verbose), and end it when Python wants to.

    The library calls in the thread that called it.
    """

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.bar: Any = None
        self._handle = ffi.new_handle(self)
        self._watch = ffi.new("watch *", {"every": EVERY, "epochs": bool(verbose), "owner": self._handle})

    def run(self, fit: Callable[..., int], *arguments: Any) -> int:
        """`fit(*arguments, progress, user)`; what Python raised meanwhile is in `raised`."""
        _local.raised = None
        try:
            status: int = fit(*arguments, ffi.addressof(lib, "watch_progress"), self._watch)
        finally:
            if self.bar is not None:
                self.bar.close()
                self.bar = None
        return status

    def look(self, call: Callable[..., int], *arguments: Any) -> int:
        """`call(*arguments)`, which has no callback of its own; raises what Python raised meanwhile."""
        _local.raised = None
        lib.scdc_watch(ffi.addressof(lib, "watch_work"), self._watch)
        try:
            status = call(*arguments)
        finally:
            lib.scdc_watch(ffi.NULL, ffi.NULL)
        if status == lib.SCDC_ERR_STOPPED:
            raise self.raised or KeyboardInterrupt
        return status

    @property
    def raised(self) -> Optional[BaseException]:
        return getattr(_local, "raised", None)

    def tell(self, progress: Any) -> None:
        if not self.verbose:
            return
        if self.bar is None:
            self.bar = _bar(progress.epochs)
        self.bar.show(progress)


class _Lines:
    """Progress without tqdm: a line per epoch."""

    def show(self, progress: Any) -> None:
        done = progress.done
        if done != ffi.NULL:
            print(
                f"epoch {done.epoch}/{progress.epochs}: bound {done.bound:.6g}, {done.clusters} clusters, "
                f"{progress.seconds:.1f} s",
                file=sys.stderr,
            )

    def close(self) -> None:
        pass


class _Tqdm:
    def __init__(self, tqdm: Any, epochs: int) -> None:
        self.bar = tqdm(total=epochs, unit="epoch", leave=True)

    def show(self, progress: Any) -> None:
        self.bar.total = progress.epochs
        self.bar.set_description(text(progress.stage) or "fit", refresh=False)
        done = progress.done
        if done != ffi.NULL:
            self.bar.set_postfix(bound=f"{done.bound:.6g}", clusters=done.clusters, refresh=False)
            self.bar.update(done.epoch - self.bar.n)  # draws ten times a second at most

    def close(self) -> None:
        self.bar.close()


def _bar(epochs: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Tqdm(tqdm, epochs)


def _remember(kind: Any, value: Any, trace: Any) -> None:
    _local.raised = value


@ffi.def_extern(error=1, onerror=_remember)  # type: ignore[misc]
def watch_tell(progress: Any, user: Any) -> int:
    ffi.from_handle(ffi.cast("watch *", user).owner).tell(progress)
    return 0


@ffi.def_extern(error=1, onerror=_remember)  # type: ignore[misc]
def watch_look(work: Any, user: Any) -> int:
    return 0  # that Python ran is enough: Ctrl-C is raised here
