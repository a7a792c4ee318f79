"""k-means as in TensorFlow 1.15.5: its centers and distances from given first centers."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

_RANDOM = np.random.RandomState(0)
POINTS = np.concatenate(
    [_RANDOM.randn(8, 2) * 0.5 + corner for corner in ([0, 0], [4, 4], [0, 5])]
).astype(np.float32)
FIRST = np.array([[0.5, 0.5], [3, 3], [1, 4]], np.float32)
# What TensorFlow 1.15.5 comes to.
CENTERS = [[0.42539, 0.23954], [4.25761, 3.94114], [-0.30688, 4.99661]]
NEAREST = [0] * 8 + [1] * 8 + [2] * 8
factorization = tf.contrib.factorization


def _run(steps, count=3, points=POINTS, **options):
    """Return the centers, and the distances, nearest centers and scores of the points."""
    options = {"initial_clusters": FIRST, **options}
    graph = factorization.KMeans(tf.constant(points), count, **options).training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        while not session.run(graph[3]):
            session.run(graph[4])
        for _ in range(steps):
            session.run(graph[5])
        results = [part[0] for part in session.run(graph[:3])]
        return session.run("clusters:0"), *results


def test_full_batches_from_given_centers(graph_mode):
    centers, distances, nearest, scores = _run(3)
    np.testing.assert_allclose(centers, CENTERS, atol=1e-5)
    assert nearest.tolist() == NEAREST
    np.testing.assert_allclose(scores[:4], [0.2101, 0.7801, 0.7887, 0.1018], atol=1e-4)
    np.testing.assert_allclose(distances[0], [0.2101, 25.3901, 24.4202], atol=1e-4)


def test_a_center_without_points_goes_to_zero(graph_mode):
    centers, *_ = _run(1, initial_clusters=[[0.0, 0.0], [100.0, 100.0], [4.0, 4.0]])
    expected = [[0.24349, 1.02159], [0.0, 0.0], [2.32672, 4.51446]]
    np.testing.assert_allclose(centers, expected, atol=1e-5)


def test_cosine_distances(graph_mode):
    first = np.array([[1.0, -0.2], [3, 3], [-0.1, 4]], np.float32)
    centers, distances, nearest, _ = _run(2, distance_metric="cosine", initial_clusters=first)
    expected = [[0.99802, -0.06293], [0.71044, 0.70376], [-0.0655, 0.99785]]
    np.testing.assert_allclose(centers, expected, atol=1e-5)
    np.testing.assert_allclose(distances[0], [0.0406, 0.1515, 0.8431], atol=1e-4)
    assert nearest[:9].tolist() == [0, 1, 0, 0, 2, 2, 0, 1, 1]


def test_mini_batches_move_centers_by_the_share_of_all_points(graph_mode):
    # TensorFlow's own numbers vary between runs: its kernels read counts while others add to them.
    centers, *_ = _run(3, use_mini_batch=True)
    means = POINTS.reshape(3, 8, 2).mean(axis=1)
    np.testing.assert_allclose(centers, (FIRST + 24 * means) / 25, rtol=1e-5)


def test_points_see_moved_centers_after_the_steps_of_an_iteration(graph_mode):
    centers, *_ = _run(1, use_mini_batch=True, mini_batch_steps_per_iteration=2)
    np.testing.assert_allclose(centers, FIRST)


def test_mini_batches_of_several_steps(graph_mode):
    centers, *_ = _run(5, use_mini_batch=True, mini_batch_steps_per_iteration=2)
    np.testing.assert_allclose(centers, CENTERS, atol=1e-5)


def test_random_first_centers_are_tensorflows(graph_mode):
    centers, *_ = _run(2, initial_clusters="random", random_seed=5)
    expected = [[0.02983, 4.92219], [4.47677, 3.88604], [0.42539, 0.23954]]
    np.testing.assert_allclose(centers, expected, atol=1e-5)


@pytest.mark.parametrize("how", ["kmeans_plus_plus", "kmc2"])
def test_first_centers_apart_from_each_other(graph_mode, how):
    centers, *_ = _run(4, initial_clusters=how, random_seed=5)
    np.testing.assert_allclose(sorted(centers.tolist()), sorted(CENTERS), atol=1e-5)


def test_first_centers_of_a_function_in_parts(graph_mode):
    centers, *_ = _run(0, initial_clusters=lambda inputs, missing: inputs[0][:2][:missing])
    np.testing.assert_allclose(centers, POINTS[[0, 1, 0]])


def _points():
    return tf.train.limit_epochs(tf.convert_to_tensor(POINTS), num_epochs=1)


def test_the_estimator_of_contrib(tmp_path):
    model = factorization.KMeansClustering(
        3, model_dir=str(tmp_path), initial_clusters=FIRST, use_mini_batch=False
    )
    for _ in range(3):
        model.train(_points)
    np.testing.assert_allclose(model.score(_points), 12.2007, rtol=1e-5)
    np.testing.assert_allclose(model.cluster_centers(), CENTERS, atol=1e-5)
    assert list(model.predict_cluster_index(_points)) == NEAREST
    first = next(iter(model.transform(_points)))
    np.testing.assert_allclose(first, [0.2101, 25.3901, 24.4202], atol=1e-4)
    assert model.get_variable_names() == ["clusters", "global_step", "initialized"]


def test_the_experimental_estimator_gives_distances_and_not_squares():
    model = tf.estimator.experimental.KMeans(3, initial_clusters=FIRST, use_mini_batch=False)
    model.train(lambda: tf.constant(POINTS), max_steps=3)
    first = next(iter(model.transform(_points)))
    np.testing.assert_allclose(first, [0.4583, 5.0389, 4.9417], atol=1e-4)


def test_training_stops_when_the_loss_stays():
    model = factorization.KMeansClustering(
        3, initial_clusters=FIRST, use_mini_batch=False, relative_tolerance=1e-4
    )
    model.train(lambda: tf.constant(POINTS), max_steps=50)
    assert model.get_variable_value("global_step") == 3


def test_features_by_name_are_joined():
    model = factorization.KMeansClustering(3, initial_clusters=FIRST, use_mini_batch=False)
    columns = {"b": POINTS[:, 1:], "a": POINTS[:, :1]}
    model.train(lambda: {name: tf.constant(each) for name, each in columns.items()}, max_steps=3)
    np.testing.assert_allclose(model.cluster_centers(), CENTERS, atol=1e-5)


def test_what_is_refused():
    with pytest.raises(ValueError, match="Unsupported distance metric 'x'"):
        factorization.KMeansClustering(2, distance_metric="x")
    with pytest.raises(ValueError, match="Unsupported initialization algorithm 'y'"):
        factorization.KMeansClustering(2, initial_clusters="y")
