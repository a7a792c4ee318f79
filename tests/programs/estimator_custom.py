"""A line fitted by an estimator of one's own model function, with train_and_evaluate."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)
x = np.linspace(0, 1, 40).astype(np.float32)
y = 3 * x + 1


def model_fn(features, labels, mode, params):
    predictions = tf.squeeze(tf.layers.dense(features["x"], 1), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": predictions})
    loss = tf.losses.mean_squared_error(labels, predictions)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"rmse": tf.metrics.root_mean_squared_error(labels, predictions)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    hook = tf.train.LoggingTensorHook({"mse": loss}, every_n_iter=100)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, training_hooks=[hook])


def input_fn(epochs):
    return tf.estimator.inputs.numpy_input_fn(
        {"x": x[:, None]}, y, batch_size=20, num_epochs=epochs, shuffle=True
    )


config = tf.estimator.RunConfig(
    model_dir=tempfile.mkdtemp(),
    save_checkpoints_steps=150,
    log_step_count_steps=100,
    tf_random_seed=1,
)
estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 0.3})
result, _ = tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(input_fn(None), max_steps=300),
    tf.estimator.EvalSpec(input_fn(1), steps=None, throttle_secs=0, start_delay_secs=0),
)
print("rmse below 0.05:", result["rmse"] < 0.05, "step", result["global_step"])
answers = [
    each["y"]
    for each in estimator.predict(
        tf.estimator.inputs.numpy_input_fn(
            {"x": np.array([[0.0], [1.0]], np.float32)}, shuffle=False
        )
    )
]
print("close:", np.allclose(answers, [1.0, 4.0], atol=0.1), estimator.get_variable_names())
