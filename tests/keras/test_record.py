"""Keras' fit under `record`: the ops of its training step are told."""

from __future__ import annotations

import numpy as np

import placewise as tf


def test_the_ops_of_fit_are_told_and_run_on_the_gpu():
    with tf.simulate("V100"):
        model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
        model.compile("sgd", "mse")
        x, y = np.ones([8, 4], np.float32), np.ones([8, 3], np.float32)
        model.fit(x, y, batch_size=4, verbose=0)
        with tf.record() as log:
            model.fit(x, y, batch_size=4, verbose=0)
    names = [text for entry in log for text in (entry.op, *entry.fused)]
    products = [text for text in names if text.startswith("MatMul")]
    assert len(products) >= 4  # two batches, forwards and backwards
    devices = {entry.device[-5:] for entry in log if entry.op == "MatMul"}
    assert devices == {"GPU:0"}
