"""A fit and what it leaves behind."""
import numpy as np
from sklearn.metrics import adjusted_rand_score

import scdc


def test_finds_the_groups(blobs, answers):
    X, truth = blobs
    model = scdc.SCDC(random_state=1).fit(X, annotations=answers)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(truth, model.predict(X)) > 0.95
    assert list(model.workers_.index) == ["bob", "ann"]
    assert model.workers_["answers"].sum() == 200
    assert len(model.history_) == model.n_iter_
    assert model.bound_ == model.history_["bound"].iloc[-1]
    proba = model.predict_proba(X)
    assert proba.shape == (150, 3) and np.allclose(proba.sum(axis=1), 1, atol=1e-5)
    assert (proba.argmax(axis=1) == model.predict(X)).all()
    assert model.transform(X).shape == (150, int(model.model_.option("latent")))
