"""Baselines, metrics, simulators."""
import numpy as np
import pytest
from sklearn import metrics as theirs

import scdc


@pytest.mark.parametrize("method", sorted(scdc.baselines.ALL))
def test_baselines_find_far_groups(method, blobs):
    X, truth = blobs
    answers = scdc.simulate_answers(truth, n_workers=5, n_pairs=2000, sensitivity=0.97, specificity=0.97, random_state=1)
    one = scdc.baselines.ALL[method](n_clusters=3, random_state=1).fit(X, annotations=answers)
    known = one.labels_ >= 0
    assert known.mean() > 0.9 and scdc.metrics.accuracy(one.labels_[known], truth[known]) > 0.9
    assert one.fit_predict(X, annotations=answers).shape == (150,)
    if one.probabilities_ is not None:
        assert np.allclose(one.probabilities_[known].sum(axis=1), 1, atol=1e-6)
    if one.workers_ is not None:
        assert len(one.workers_) == 5 and one.workers_["sensitivity"].between(0, 1).all()


def test_all_methods_of_the_library_are_here():
    from scdc._native import lib, text

    assert {text(lib.scdc_baseline_name(i)) for i in range(lib.scdc_baseline_count())} == set(scdc.baselines.ALL)


def test_baselines_that_need_answers_say_so(blobs):
    with pytest.raises(ValueError, match="MPCKMeans needs answers"):
        scdc.baselines.MPCKMeans().fit(blobs[0])
    with pytest.raises(ValueError, match="covariance"):
        scdc.baselines.GaussianMixture(covariance="round").fit(blobs[0])


def test_scores_agree_with_scikit_learn():
    random = np.random.RandomState(0)
    a, b = random.randint(0, 5, 300), random.randint(0, 4, 300)
    got = scdc.metrics.scores(a, b)
    assert got["nmi"] == pytest.approx(theirs.normalized_mutual_info_score(b, a))
    assert got["ami"] == pytest.approx(theirs.adjusted_mutual_info_score(b, a))
    assert got["ari"] == pytest.approx(theirs.adjusted_rand_score(b, a))
    assert (got["items"], got["clusters"], got["classes"]) == (300, 5, 4)
    with pytest.raises(ValueError, match="300 labels, but 2"):
        scdc.metrics.scores(a, [1, 2])
    with pytest.raises(ValueError, match="row 1"):
        scdc.metrics.scores([0.0, np.nan], [0, 1])


def test_simulated_workers_are_as_good_as_asked():
    _, truth = scdc.make_blobs(n_clusters=4, n_items=400, random_state=1)
    answers = scdc.simulate_answers(truth, n_workers=2, sensitivity=[0.95, 0.6], specificity=0.9, n_pairs=20000,
                                    scheme="balanced", random_state=1).to_frame()
    same = truth[answers["left"]] == truth[answers["right"]]
    rates = [answers[same & (answers["worker"] == w)]["label"].mean() for w in answers["worker"].unique()]
    assert rates == pytest.approx([0.95, 0.6], abs=0.03)
    grid = scdc.simulate_answers(truth, n_workers=3, scheme="grid", grid=6, n_tasks=9, random_state=1)
    assert grid.n_answers == 9 * 15
    with pytest.raises(ValueError, match="scheme"):
        scdc.simulate_answers(truth, scheme="x")
    with pytest.raises(ValueError):
        scdc.simulate_answers(truth, sensitivity=1.5)


def test_parameters_of_a_baseline_reach_it(blobs):
    few = scdc.baselines.GaussianMixture(3, covariance="diagonal", max_iterations=1, tolerance=0, random_state=1)
    assert few.get_params()["covariance"] == "diagonal" and few.fit(blobs[0]).n_iter_ == 1
    assert "max_iterations=1" in repr(few) and "starts" not in repr(few)
    assert few != scdc.baselines.GaussianMixture(3, covariance="diagonal", max_iterations=1, tolerance=0, random_state=1)
