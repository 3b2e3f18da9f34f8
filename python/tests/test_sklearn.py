"""scikit-learn's manners."""
import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import scdc
from scdc.estimator import UNFIT_CHECKS


@parametrize_with_checks([scdc.SCDC(), scdc.baselines.KMeans(), scdc.baselines.GaussianMixture(n_clusters=2)])
def test_check_estimator(estimator, check):
    check(estimator)


def test_few_checks_are_left_out():
    assert set(UNFIT_CHECKS) == {"check_methods_sample_order_invariance", "check_methods_subset_invariance"}


def test_clone_and_parameters():
    model = scdc.SCDC(n_clusters=4, hidden=(20, 10), options={"iterations": 3}, random_state=5)
    again = clone(model)
    assert again.get_params() == model.get_params() and again is not model
    assert again.set_params(n_latent=3).n_latent == 3


def test_options_reach_the_model(blobs):
    model = scdc.SCDC(
        n_components=9, n_latent=2, max_epochs=2, hidden=(20, 10), batch_size=30, likelihood="gaussian",
        options={"warmup": 1}, random_state=1,
    ).fit(blobs[0])
    got = {key: model.model_.option(key) for key in ("components", "latent", "hidden", "batch", "warmup")}
    assert got == {"components": "9", "latent": "2", "hidden": "20,10", "batch": "30", "warmup": "1"}
    assert model.n_iter_ <= 2
    three = scdc.SCDC(n_clusters=3, random_state=1).fit(blobs[0])
    assert three.model_.option("clusters") == "3"
    assert three.n_clusters_ == len(set(three.labels_)) == 3


@pytest.mark.parametrize("parameters, word", [
    (dict(n_clusters=0), "clusters"), (dict(model="other"), "other"), (dict(options={"nonsense": 1}), "nonsense"),
    (dict(max_epochs=-1), "-1"), (dict(n_jobs=0), "n_jobs"), (dict(preset="x"), "x"), (dict(random_state=-4), "-4"),
    (dict(unknown_items="drop"), "unknown_items"),
])
def test_wrong_parameters(blobs, parameters, word):
    with pytest.raises(ValueError, match=word):
        scdc.SCDC(**{"max_epochs": 1, **parameters}).fit(blobs[0], annotations=([(0, 1)], []))


def test_pipeline(blobs, answers):
    X, truth = blobs
    pipe = make_pipeline(StandardScaler(), PCA(3), scdc.SCDC(random_state=1))
    pipe.fit(X, scdc__annotations=answers)
    assert scdc.metrics.accuracy(pipe.predict(X), truth) > 0.95


def test_grid_search_by_answers(blobs, answers):
    X = pd.DataFrame(blobs[0], index=[f"i{n}" for n in range(150)])
    named = scdc.Answers(answers.assign(left="i" + answers["left"].astype(str), right="i" + answers["right"].astype(str)))
    search = GridSearchCV(
        scdc.SCDC(random_state=1, max_epochs=15, unknown_items="ignore"), {"n_clusters": [1, 3]},
        scoring=scdc.metrics.answers_scorer(named), cv=2,
    )
    from sklearn.model_selection import KFold
    search.cv = KFold(2, shuffle=True, random_state=0)
    search.fit(X, annotations=named)
    assert search.best_params_ == {"n_clusters": 3}


def test_score(blobs, answers):
    X, truth = blobs
    model = scdc.SCDC(random_state=1).fit(X, annotations=answers)
    assert model.score(X, truth) > 0.9
    assert -0.2 < model.score(X, annotations=answers) <= 0
    wrong = answers.assign(label=1 - answers["label"])
    assert model.score(X, annotations=wrong) < np.log(0.5)
    assert model.score(X) <= 0


def test_pickle_and_joblib(blobs, answers):
    X, _ = blobs
    model = scdc.SCDC(random_state=1, max_epochs=5).fit(X, annotations=answers)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all() and (again.labels_ == model.labels_).all()
    assert again.workers_.equals(model.workers_) and again.history_.equals(model.history_)
    labels = Parallel(n_jobs=2)(delayed(scdc.SCDC(random_state=seed, max_epochs=5).fit_predict)(X) for seed in (1, 2, 1))
    assert (labels[0] == labels[2]).all()


def test_save_and_load(tmp_path, blobs, answers):
    X, _ = blobs
    model = scdc.SCDC(n_clusters=3, random_state=4, max_epochs=5, hidden=(12,)).fit(X, annotations=answers)
    model.save(tmp_path / "m.safetensors")
    again = scdc.SCDC.load(tmp_path / "m.safetensors")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.workers_.equals(model.workers_) and again.n_clusters_ == 3
    assert again.get_params()["hidden"] == [12] and again.random_state == 4 and again.n_clusters == 3
    with pytest.raises(FileNotFoundError):
        scdc.SCDC.load(tmp_path / "none")
    (tmp_path / "bad").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="bad"):
        scdc.SCDC.load(tmp_path / "bad")


def test_same_seed_same_result_any_number_of_threads(blobs):
    fits = [scdc.SCDC(random_state=2, max_epochs=4, n_jobs=n).fit(blobs[0]) for n in (1, 2, None, -1)]
    assert all((fit.predict_proba(blobs[0]) == fits[0].predict_proba(blobs[0])).all() for fit in fits)


def test_numpy_random_state_draws_a_seed(blobs):
    first, second = (scdc.SCDC(random_state=np.random.RandomState(3), max_epochs=2).fit(blobs[0]) for _ in range(2))
    assert first.bound_ == second.bound_


def test_a_second_fit_starts_anew(blobs):
    model = scdc.SCDC(random_state=2, max_epochs=3)
    first = model.fit(blobs[0]).history_.drop(columns="seconds")
    assert model.fit(blobs[0]).history_.drop(columns="seconds").equals(first)
