"""Mixtures of normal distributions as in TensorFlow 1.15.5, from given first means."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

factorization = tf.contrib.factorization
_RANDOM = np.random.RandomState(0)
POINTS = np.concatenate(
    [_RANDOM.randn(20, 2) * 0.5, _RANDOM.randn(20, 2) * [0.3, 1.0] + [4, 4]]
).astype(np.float32)
FIRST = [[1.0, 1.0], [3.0, 3.0]]


@pytest.mark.parametrize(
    ("kind", "losses", "means", "covariances", "scores"),
    [
        (
            "full",
            [0.5853, 0.6378, 0.6633],
            [0.8535, 0.6756, 3.2546, 3.1792],
            [2.1974, 1.8367, 1.8367, 1.9911, 1.6485, 1.7862, 1.7862, 2.8363],
            [-2.6401, -3.0838, -3.8524],
        ),
        (
            "diag",
            [-0.2628, 0.3691, 1.8378],
            [0.2634, 0.0492, 3.8366, 3.7973],
            [0.2937, 0.2518, 0.0526, 0.6824],
            [-1.9269, -3.5891, -2.5672],
        ),
    ],
)
def test_steps_from_given_means(kind, losses, means, covariances, scores, graph_mode):
    graph = factorization.gmm(tf.constant(POINTS), FIRST, 2, 0, kind)
    loss, score, assignments, step, init, is_initialized = graph
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init)
        assert session.run(is_initialized)
        found = [session.run([loss, step])[0] for _ in range(3)]
        np.testing.assert_allclose(found, losses, atol=1e-4)
        np.testing.assert_allclose(session.run("clusters:0").ravel(), means, atol=2e-4)
        np.testing.assert_allclose(session.run("clusters_covs:0").ravel(), covariances, atol=2e-4)
        np.testing.assert_allclose(session.run(score)[:3, 0], scores, atol=2e-4)
        assert session.run(assignments)[0][0].tolist() == [0] * 20 + [1] * 20


def test_the_estimator(tmp_path):
    def points():
        return tf.constant(POINTS), None

    estimator = factorization.GMM(2, str(tmp_path), initial_clusters=FIRST)
    estimator.fit(input_fn=points, steps=5)
    expected = [[0.3441, 0.1312], [3.7849, 3.7457]]
    np.testing.assert_allclose(estimator.clusters(), expected, atol=2e-4)
    np.testing.assert_allclose(estimator.weights(), [0.5042, 0.4958], atol=2e-4)
    assert estimator.covariances().shape == (2, 2, 2)
    assert estimator.score(input_fn=points, steps=1) == pytest.approx(1.556, abs=1e-3)
    metrics = estimator.evaluate(input_fn=points, steps=1)
    assert metrics["loss"] == pytest.approx(1.556, abs=1e-3)


def test_kinds_that_are_not_known_are_refused(graph_mode):
    with pytest.raises(ValueError, match="Invalid covariance type"):
        factorization.gmm(tf.constant(POINTS), "random", 2, 0, "round")
