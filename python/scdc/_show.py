"""Looking at a fitted model: the report, notebooks, plots."""
from __future__ import annotations

import html
import os
import pathlib
import tempfile
from typing import Any, List, Optional

import numpy as np
import pandas as pd
from sklearn.utils import estimator_html_repr

from ._items import Items
from ._native import Array, check, ffi, labels_of, lib, Model, path_bytes, pointer

# What a notebook shows, with the words above it: the report's own pictures.
PICTURES = {
    "latent": "Latent space",
    "workers": "Workers",
    "bound": "Bound",
    "clusters": "Clusters while it learned",
}


class Shows:
    """The part of `SCDC` that shows things."""

    model_: Model
    labels_: Array
    workers_: pd.DataFrame
    n_clusters_: int
    n_iter_: int
    bound_: float
    stability_: float

    def _seen(self, X: Any, annotations: Any) -> Any:  # what the fit saw, or what is given now
        raise NotImplementedError

    def _report(self, keep: List[Any], X: Any, annotations: Any, truth: Any) -> Any:
        """The library's description of a report; `keep` holds what it points to."""
        report = ffi.new("scdc_report *")
        lib.scdc_report_init(report)
        items, crowd = self._seen(X, annotations)
        report.model = self.model_.handle
        report.stability = self.stability_
        if items is not None:
            report.data = items.handle
        if crowd is not None:
            report.crowd = crowd
        if truth is not None:
            known = labels_of(truth)
            report.truth = known
            keep.append(known)
        placed = self.__dict__
        if "labels_" in placed and (items is None or items.rows == len(self.labels_)):
            arrays = [
                np.ascontiguousarray(placed["labels_"], np.int64),
                np.ascontiguousarray(placed["probabilities_"], np.float64),
                np.ascontiguousarray(placed["components_"], np.int64),
            ]
            report.labels, report.probability = pointer(arrays[0], "int64_t *"), pointer(arrays[1], "double *")
            report.component = pointer(arrays[2], "int64_t *")
            keep.append(arrays)
        facts = [ffi.new("char[]", str(word).encode()) for pair in self._facts().items() for word in pair]
        table = ffi.new("char *[]", facts)
        report.facts, report.n_facts = table, len(facts) // 2
        keep.extend([items, crowd, facts, table])
        return report

    def _facts(self) -> "dict[str, str]":
        changed = repr(self).replace("\n", " ")
        return {"from": "Python", "estimator": " ".join(changed.split()), "scdc": ffi.string(lib.scdc_version()).decode()}

    def report(self, path: Any, X: Any = None, annotations: Any = None, truth: Any = None) -> None:
        """Writes the report of the fit: one HTML file that needs nothing else.

        Parameters
        ----------
        path : path
        X : array-like or None
            The items of the fit, for typical items and the latent space. Found without being given as long as the program
            has them in memory.
        annotations : object or None
            The answers of the fit, for those that are probably wrong; remembered, but not in a loaded or pickled model.
        truth : array-like or None
            True classes, for scores and the confusion table.
        """
        self._check_fitted()
        keep: List[Any] = []
        check(lib.scdc_report_write(path_bytes(path), self._report(keep, X, annotations, truth)))

    def _check_fitted(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "model_")

    def _repr_html_(self) -> str:
        """A table and the report's pictures, in a notebook; the parameters before a fit."""
        if "model_" not in self.__dict__:
            return str(estimator_html_repr(self))
        keep: List[Any] = []
        pictures = {}
        with tempfile.TemporaryDirectory(prefix="scdc-") as folder:
            check(lib.scdc_report_figures(path_bytes(folder), self._report(keep, None, None, None)))
            for name in PICTURES:
                path = pathlib.Path(folder, name + ".svg")
                if path.exists():
                    svg = path.read_text(encoding="utf-8")
                    pictures[name] = svg[svg.index("<svg"):]
        facts = {"clusters": self.n_clusters_, "epochs": self.n_iter_, "bound": f"{self.bound_:.6g}"}
        if "labels_" in self.__dict__:
            facts["items"] = len(self.labels_)
        if len(self.workers_):
            facts["workers"] = len(self.workers_)
        head = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items())
        body = "".join(f"<figure><figcaption>{PICTURES[k]}</figcaption>{svg}</figure>" for k, svg in pictures.items())
        return f"<div class='scdc'><code>{html.escape(repr(self))}</code><table>{head}</table>{body}</div>"

    def _repr_mimebundle_(self, **_: Any) -> "dict[str, str]":
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # ---- matplotlib -----------------------------------------------------------------------------------

    def plot_workers(self, ax: Any = None) -> Any:
        """Every worker by specificity and sensitivity, with 95 % intervals; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None

        Returns
        -------
        Axes
        """
        self._check_fitted()
        if not len(self.workers_):
            raise ValueError("there are no workers to plot: the model was fitted without answers")
        ax = ax or _axes()
        w = self.workers_
        bars = {}
        for axis, name in (("xerr", "specificity"), ("yerr", "sensitivity")):
            low, high = w[name] - w[name + "_low"], w[name + "_high"] - w[name]
            bars[axis] = np.clip([low, high], 0, None)
        ax.errorbar(w["specificity"], w["sensitivity"], fmt="o", ecolor="0.8", **bars)
        for name, row in w.iterrows():
            ax.annotate(str(name), (row["specificity"], row["sensitivity"]), xytext=(3, 3), textcoords="offset points")
        ax.set(xlabel="specificity: says different of different pairs", ylabel="sensitivity: says same of same pairs")
        ax.set(xlim=(0, 1.02), ylim=(0, 1.02))
        return ax

    def plot_latent(self, X: Any = None, ax: Any = None) -> Any:
        """Items in the plane of the latent space's two main directions, coloured by cluster; needs matplotlib.

        Parameters
        ----------
        X : array-like or None
            Items; None: those of the fit, as long as they are in memory.
        ax : matplotlib Axes or None

        Returns
        -------
        Axes
        """
        self._check_fitted()
        labels: Optional[Array] = None
        if X is None:
            items, _ = self._seen(None, None)
            if items is None:
                raise ValueError("the items of the fit are gone: give X")
            X, labels = items.values, self.__dict__.get("labels_")
        ax = ax or _axes()
        latent = np.asarray(self.transform(X), np.float64)  # type: ignore[attr-defined]
        if labels is None:
            labels = self.predict(X)  # type: ignore[attr-defined]
        centred = latent - latent.mean(axis=0)
        plane = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
        if plane.shape[1] == 1:
            plane = np.column_stack([plane, np.zeros(len(plane))])
        for cluster in np.unique(labels):
            one = plane[labels == cluster]
            ax.scatter(one[:, 0], one[:, 1], s=8, label=str(cluster))
        ax.legend(title="cluster", markerscale=2)
        ax.set(xlabel="first direction", ylabel="second direction")
        return ax


def _axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.subplots()[1]
