"""Keras 2's spellings in programs of TensorFlow 1."""

import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(lr=0.5, decay=1.0)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(1,))])
model.compile(optimizer, "mse")
model.fit(np.ones((3, 1)), np.full((3, 1), 2.0), batch_size=1, verbose=0, shuffle=False)
print("weights", model.get_weights()[0].tolist())
rate = tf.keras.optimizers.Adam(lr=0.25).lr
print("rate", tf.keras.backend.get_value(rate))
x = tf.placeholder(tf.float32, [None, 4, 2])
print("gru", tf.keras.layers.CuDNNGRU(3)(x).shape.as_list())
print("lstm", tf.keras.layers.CuDNNLSTM(3, return_sequences=True)(x).shape.as_list())
image = tf.placeholder(tf.float32, [1, 5, 5, 1])
print("pool", tf.keras.layers.MaxPooling2D(2, padding="SAME")(image).shape.as_list())
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    mirrored = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,))])
    mirrored.compile("sgd", "mse")
print("fit", len(mirrored.fit(np.ones((8, 4)), np.ones((8, 3)), verbose=0).history["loss"]))
with strategy.scope():
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(4).batch(4))
parts = strategy.experimental_local_results(iterator.get_next())
with tf.Session() as session:
    session.run(iterator.initialize())
    print("parts", [part.tolist() for part in session.run(parts)])
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    program = tmp_path_factory.mktemp("spellings") / "program.py"
    program.write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, "-m", "placewise", "run", "--simulate", "2", "--tf1", str(program)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert "is used after placewise.v1" not in run.stderr
    return run.stdout.splitlines()


def test_lr_and_decay_are_the_learning_rate_and_its_decay(printed):
    # Rates 0.5, 0.25 and 0.1667; the first step reaches the target.
    assert "weights [[2.0]]" in printed and "rate 0.25" in printed


def test_cudnn_layers_and_upper_case_paddings_are_taken(printed):
    assert {"gru [None, 3]", "lstm [None, 4, 3]", "pool [1, 3, 3, 1]"} <= set(printed)


def test_a_strategy_distributes_keras_and_datasets_in_graphs(printed):
    assert "fit 1" in printed and "parts [[0, 1], [2, 3]]" in printed
