"""The report, notebooks, plots."""
import pickle
import xml.dom.minidom

import numpy as np
import pytest

import scdc


@pytest.fixture(scope="module")
def model(blobs, answers):
    return scdc.SCDC(random_state=1, max_epochs=8).fit(blobs[0], annotations=answers)


def test_report(tmp_path, model, blobs):
    model.report(tmp_path / "report.html", truth=blobs[1])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!") and "ann" in page and "SCDC(" in page
    loaded = pickle.loads(pickle.dumps(model))
    loaded.report(str(tmp_path / "small.html"))
    assert (tmp_path / "small.html").stat().st_size < (tmp_path / "report.html").stat().st_size
    with pytest.raises(OSError):
        model.report(tmp_path / "no" / "folder.html")


def test_notebook(model, blobs):
    shown = model._repr_html_()
    for word in ("Latent space", "Workers", "Bound", "<svg"):
        assert word in shown
    xml.dom.minidom.parseString(shown)
    assert "Latent space" not in pickle.loads(pickle.dumps(model))._repr_html_()
    assert "SCDC" in scdc.SCDC()._repr_html_()
    assert "<svg" in model._repr_mimebundle_()["text/html"]


def test_items_are_not_kept_alive(blobs):
    import gc, weakref

    X = blobs[0].copy()
    model = scdc.SCDC(random_state=1, max_epochs=1).fit(X)
    seen = weakref.ref(X)
    del X
    gc.collect()
    assert seen() is None
    with pytest.raises(ValueError, match="give X"):
        model.plot_latent()


def test_plots(model, blobs):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert model.plot_workers().get_xlabel().startswith("specificity")
    assert len(model.plot_latent(blobs[0]).collections) == len(np.unique(model.predict(blobs[0])))
    with pytest.raises(ValueError, match="without answers"):
        scdc.SCDC(random_state=1, max_epochs=1).fit(blobs[0]).plot_workers()


def test_samples(model, blobs):
    made = model.sample(5, random_state=1)
    assert made.shape == (model.n_clusters_, 5, 4) and np.isfinite(made).all()
    assert (model.sample(5, random_state=1) == made).all()
    assert model.sample(1, by="component").shape[0] == int(model.model_.option("components"))
    assert (np.abs(made) < 3 * np.abs(blobs[0]).max()).all()
    with pytest.raises(ValueError, match="n_samples"):
        model.sample(0)
