"""Boosted trees as in TensorFlow 1.15.5: predictions, importances, explanations, checkpoints."""

import json
from pathlib import Path

import numpy as np
import pytest

import placewise.compat.v1 as tf

RECORDED = json.loads((Path(__file__).parent / "boosted_trees.json").read_text(encoding="utf-8"))
ROWS = 60
column = tf.feature_column


def _data():
    random = np.random.RandomState(0)
    features = {
        "a": random.randn(ROWS).astype(np.float32),
        "b": random.randint(0, 5, ROWS).astype(np.float32),
        "c": random.choice(["x", "y", "z"], ROWS).astype(object),
        "v": random.randn(ROWS, 2).astype(np.float32),
        "w": random.rand(ROWS).astype(np.float32) + 0.5,
    }
    is_x, v = features["c"] == "x", features["v"]
    noise = 0.2 * random.randn(ROWS)
    classes = (features["a"] + is_x + 0.3 * v[:, 0] + noise > 0.3).astype(np.int32)
    noise = 0.1 * random.randn(ROWS)
    numbers = features["a"] * 2 + 1.5 * is_x + 0.3 * features["b"] + v[:, 1] + noise
    return features, classes, numbers.astype(np.float32)


FEATURES, CLASSES, NUMBERS = _data()
COLUMNS = [
    column.numeric_column("a"),
    column.bucketized_column(column.numeric_column("b"), [1.0, 2.0, 3.5]),
    column.indicator_column(column.categorical_column_with_vocabulary_list("c", ["x", "y", "z"])),
    column.numeric_column("v", shape=(2,)),
]


def _input(labels, rows=ROWS, repeats=True):
    def make():
        everything = tf.data.Dataset.from_tensors((FEATURES, labels))
        data = everything
        if rows != ROWS:
            data = tf.data.Dataset.from_tensor_slices((FEATURES, labels)).batch(rows)
        return data.repeat() if repeats else data

    return make


CASES = {
    "classes with bias": (
        tf.estimator.BoostedTreesClassifier,
        {"n_trees": 3, "max_depth": 3, "center_bias": True, "learning_rate": 0.3},
        {"l2_regularization": 0.01},
    ),
    "classes with weights": (
        tf.estimator.BoostedTreesClassifier,
        {"n_trees": 2, "max_depth": 3, "weight_column": "w"},
        {"pruning_mode": "post", "tree_complexity": 0.01},
    ),
    "numbers in batches": (
        tf.estimator.BoostedTreesRegressor,
        {"n_batches_per_layer": 3, "n_trees": 4, "max_depth": 2, "learning_rate": 0.5},
        {"quantile_sketch_epsilon": 0.015},
    ),
    "numbers with bias": (
        tf.estimator.BoostedTreesRegressor,
        {"n_trees": 3, "max_depth": 3, "learning_rate": 0.5, "center_bias": True},
        {
            "pruning_mode": "pre",
            "tree_complexity": 0.02,
            "l1_regularization": 0.001,
            "min_node_weight": 0.1,
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_metrics_predictions_and_importances_are_tensorflows(name, tmp_path):
    kind, options, more = CASES[name]
    options = {"n_batches_per_layer": 1, **options, **more}
    estimator = kind(COLUMNS, model_dir=str(tmp_path), **options)
    labels = NUMBERS if "numbers" in name else CLASSES
    estimator.train(_input(labels, ROWS // options["n_batches_per_layer"]))
    recorded = RECORDED[name]

    metrics = estimator.evaluate(_input(labels, repeats=False))
    assert metrics == pytest.approx(recorded["metrics"], rel=1e-4, abs=1e-5)
    for prediction, wanted in zip(
        estimator.predict(_input(labels, repeats=False)), recorded["predictions"], strict=False
    ):
        for key, value in wanted.items():
            np.testing.assert_allclose(prediction[key].reshape(-1), value, rtol=1e-4, atol=1e-5)
    if "importances" in recorded:
        is_normal = "weight_column" not in options
        found = estimator.experimental_feature_importances(normalize=is_normal)
        assert list(found) == [column for column, _ in recorded["importances"]]
        wanted = dict(recorded["importances"])
        assert dict(found) == pytest.approx(wanted, rel=1e-4, abs=1e-6)
    if "explanations" in recorded:
        _check_explanations(estimator, labels, recorded["explanations"])
    shapes = tf.train.load_checkpoint(str(tmp_path)).get_variable_to_shape_map()
    assert shapes == recorded["variables"]


def _check_explanations(estimator, labels, recorded):
    found = estimator.experimental_predict_with_explanations(_input(labels, repeats=False))
    for prediction, (bias, contributions) in zip(found, recorded, strict=False):
        assert prediction["bias"] == pytest.approx(bias, rel=1e-4)
        wanted = dict(contributions)
        assert dict(prediction["dfc"]) == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_training_in_memory_and_after_a_pause(tmp_path):
    columns = [*COLUMNS[1:3], COLUMNS[0]]
    estimator = tf.estimator.BoostedTreesClassifier(
        columns, 1, n_trees=3, max_depth=3, train_in_memory=True, model_dir=str(tmp_path / "memory")
    )
    estimator.train(_input(CLASSES))
    recorded = RECORDED["classes in memory"]
    metrics = estimator.evaluate(_input(CLASSES, repeats=False))
    assert metrics == pytest.approx(recorded["metrics"], rel=1e-4, abs=1e-5)

    for steps in (5, 9):
        paused = tf.estimator.BoostedTreesRegressor(
            COLUMNS, 1, n_trees=5, max_depth=3, model_dir=str(tmp_path / "paused")
        )
        paused.train(_input(NUMBERS), max_steps=steps)
    metrics = paused.evaluate(_input(NUMBERS, repeats=False))
    assert metrics == pytest.approx(RECORDED["resumed"]["metrics"], rel=1e-4, abs=1e-5)


def test_what_trees_cannot_do_is_refused():
    with pytest.raises(ValueError, match="only binary classification"):
        tf.estimator.BoostedTreesClassifier(COLUMNS, 1, n_classes=3, pruning_mode=None)
    with pytest.raises(ValueError, match="only 1 dimension regression"):
        tf.estimator.BoostedTreesRegressor(COLUMNS, 1, label_dimension=2, pruning_mode=None)
    ids = column.categorical_column_with_identity("c", 3)
    with pytest.raises(ValueError, match="must be wrapped by IndicatorColumn"):
        tf.estimator.BoostedTreesRegressor([ids], 1)
    estimator = tf.estimator.BoostedTreesRegressor(COLUMNS, 1)
    with pytest.raises(ValueError, match="center_bias must be enabled"):
        next(estimator.experimental_predict_with_explanations(_input(NUMBERS)))
