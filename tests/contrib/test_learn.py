"""tf.contrib.learn: what its estimators come to in TensorFlow 1.15.5."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

learn, layers = tf.contrib.learn, tf.contrib.layers
_RANDOM = np.random.RandomState(0)
X = _RANDOM.randn(50, 3)
Y = X.dot([1.0, -2.0, 0.5]) + 0.1 * _RANDOM.randn(50)
CLASSES = (Y > 0).astype(np.int64)
X = X.astype(np.float32)


def _classes_model(features, labels, mode, params):
    weights = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.1))
    bias = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
    logits = tf.matmul(features, weights) + bias
    predictions = {"classes": tf.argmax(logits, 1), "probs": tf.nn.softmax(logits)}
    loss = step = None
    if mode != learn.ModeKeys.INFER:
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == learn.ModeKeys.TRAIN:
        optimizer = tf.train.GradientDescentOptimizer(params["lr"])
        step = optimizer.minimize(loss, global_step=tf.contrib.framework.get_global_step())
    return learn.ModelFnOps(mode=mode, predictions=predictions, loss=loss, train_op=step)


def _numbers_model(features, labels, mode):
    weights = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    predictions = tf.squeeze(tf.matmul(features["x"], weights), 1)
    loss = tf.losses.mean_squared_error(labels, predictions)
    step = tf.contrib.framework.get_global_step()
    return predictions, loss, layers.optimize_loss(loss, step, 0.1, "SGD")


def _numbers():
    return {"x": tf.constant(X)}, tf.constant(Y, tf.float32)


def _classes():
    return {"x": tf.constant(X)}, tf.constant(CLASSES)


def test_arrays_are_taken_in_the_order_of_tensorflow(tmp_path):
    estimator = learn.Estimator(_classes_model, str(tmp_path), params={"lr": 0.3})
    compatible = learn.SKCompat(estimator).fit(X, CLASSES, batch_size=16, steps=25)
    accuracy = learn.MetricSpec(tf.contrib.metrics.streaming_accuracy, "classes")
    metrics = compatible.score(X, CLASSES, metrics={"accuracy": accuracy})
    wanted = {"accuracy": 0.98, "global_step": 25, "loss": 0.2034}
    assert metrics == pytest.approx(wanted, abs=1e-4)
    predictions = compatible.predict(X)
    assert predictions["classes"][:10].tolist() == [1, 0, 1, 1, 1, 0, 1, 0, 1, 0]
    np.testing.assert_allclose(predictions["probs"][0], [0.2489, 0.7511], atol=1e-4)
    rows = estimator.predict(x=X[:4], as_iterable=True)
    assert [int(row["classes"]) for row in rows] == [1, 0, 1, 1]


def test_a_model_function_may_return_predictions_loss_and_step(tmp_path):
    def experiment(output_dir):
        estimator = learn.Estimator(_numbers_model, output_dir)
        return learn.Experiment(estimator, _numbers, _numbers, train_steps=10, eval_steps=1)

    metrics, exports = learn.learn_runner.run(experiment, output_dir=str(tmp_path))
    assert metrics == pytest.approx({"global_step": 10, "loss": 0.0662}, abs=1e-4)
    assert exports == []


def test_premade_models_take_the_mean_over_a_batch(tmp_path):
    columns = [layers.real_valued_column("x", dimension=3)]
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    linear = learn.LinearRegressor(columns, str(tmp_path / "numbers"), optimizer=optimizer)
    metrics = linear.fit(input_fn=_numbers, steps=20).evaluate(input_fn=_numbers, steps=1)
    assert metrics["loss"] == pytest.approx(0.0113, abs=1e-4)

    optimizer = tf.train.GradientDescentOptimizer(0.1)
    linear = learn.LinearClassifier(columns, str(tmp_path / "classes"), optimizer=optimizer)
    metrics = linear.fit(input_fn=_classes, steps=20).evaluate(input_fn=_classes, steps=1)
    assert metrics["loss"] == pytest.approx(0.4635, abs=1e-4)
    assert metrics["accuracy"] == pytest.approx(metrics["auc"]) == 1.0


def test_columns_of_arrays_and_bad_calls():
    (column,) = learn.infer_real_valued_columns_from_input(X)
    assert column.shape == (3,)
    with pytest.raises(ValueError, match="model_fn must be provided"):
        learn.Estimator()
    estimator = learn.Estimator(_numbers_model)
    with pytest.raises(ValueError, match="Only one of x and input_fn"):
        estimator.fit(steps=1)
    with pytest.raises(ValueError, match="Cannot provide both"):
        learn.learn_runner.run(len, output_dir="a", run_config=estimator.config)
