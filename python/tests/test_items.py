"""What may be given as X: borrowed where it can be, said where it cannot."""
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import scdc
from scdc._items import Items


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64"])
def test_borrowed(dtype, tmp_path):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    assert Items(X, verbose=1).values is X
    path = tmp_path / "x.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.shares_memory(Items(mapped, verbose=1).values, mapped)
        frame = pd.DataFrame(X)
        assert np.shares_memory(Items(frame, verbose=0).values, frame.to_numpy()) or frame.to_numpy().flags.f_contiguous


@pytest.mark.parametrize("X", [
    np.asfortranarray(np.ones((4, 3))), np.ones((4, 6))[:, ::2], np.ones((4, 3), np.float16), np.ones((4, 3), np.uint16),
    np.ones((4, 3), ">f8"), np.ones((4, 3), np.longdouble), np.ones((4, 3), np.int8),
], ids=range(7))
def test_one_copy_and_a_warning_when_verbose(X):
    with pytest.warns(UserWarning, match="copied once"):
        assert (Items(X, verbose=1).values == 1).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Items(X, verbose=0)


@pytest.mark.parametrize("X, words", [
    (np.array([[1.0, 2], [3, np.nan], [4, 5]]), ["NaN", "row 1", "column 1"]),
    (np.array([[1.0, 2], [3, 4], [-np.inf, 5]]), ["infinity", "row 2", "column 0"]),
    ([[1, 2], ["x", 4]], ["row 1", "x"]),
    (np.ones(3), ["1D"]),
    (np.ones((0, 3)), ["0 sample"]),
    (np.ones((3, 0)), ["0 feature"]),
    (np.ones((3, 2), complex), ["omplex"]),
    (np.array([["2020-01-01"]], "datetime64[D]"), ["numbers"]),
], ids=range(8))
def test_wrong_ones(X, words):
    with pytest.raises(ValueError) as error:
        scdc.SCDC(max_epochs=1).fit(X)
    for word in words:
        assert word in str(error.value)


def test_sparse_items_are_refused():
    with pytest.raises(TypeError, match="dense"):
        scdc.SCDC().fit(sparse.eye(5))


def test_wrong_number_of_features(blobs):
    model = scdc.SCDC(max_epochs=1, random_state=1).fit(blobs[0])
    with pytest.raises(ValueError, match="X has 3 features, but SCDC is expecting 4"):
        model.predict(blobs[0][:, :3])


def test_images_of_three_and_four_dimensions():
    X = (np.random.RandomState(0).rand(40, 6, 5) * 255).astype(np.uint8)
    model = scdc.SCDC(max_epochs=1, random_state=1).fit(X)
    info = model.model_.info()
    assert (info.channels, info.height, info.width) == (1, 6, 5)
    assert (model.predict(X) == model.predict(X.reshape(40, 30))).all()
    colour = scdc.SCDC(max_epochs=1, random_state=1).fit(X.reshape(20, 2 * 30)[:, :60].reshape(20, 3, 4, 5))
    assert colour.model_.info().channels == 3
    flat = scdc.SCDC(max_epochs=1, random_state=1, image_shape=(6, 5)).fit(X.reshape(40, 30))
    assert flat.model_.info().height == 6


def test_types_give_the_same_clusters(blobs):
    X = np.round(blobs[0]).astype(np.float32)
    first = scdc.SCDC(random_state=1, max_epochs=3).fit(X)
    for other in (X.astype(np.float64), X.astype(np.int32), pd.DataFrame(X), X.tolist(), np.asfortranarray(X)):
        assert (scdc.SCDC(random_state=1, max_epochs=3).fit(other).labels_ == first.labels_).all()
