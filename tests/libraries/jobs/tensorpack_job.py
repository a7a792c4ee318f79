"""Tensorpack: a model of TensorFlow 1 trained on a dataflow, with callbacks and checkpoints."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorpack import (
    InferenceRunner,
    ModelDesc,
    ModelSaver,
    ScalarStats,
    SimpleTrainer,
    TrainConfig,
    launch_train_with_config,
)
from tensorpack.dataflow import BatchData, DataFromList
from tensorpack.models import BatchNorm, Conv2D, FullyConnected, MaxPooling
from tensorpack.predict import OfflinePredictor, PredictConfig
from tensorpack.tfutils import SmartInit, optimizer, summary
from tensorpack.tfutils.varmanip import load_chkpt_vars
from tensorpack.utils import logger

tf1 = tf.compat.v1
rng = np.random.default_rng(0)
images = rng.normal(size=(96, 8, 8)).astype("float32")
points = [[image, int(image.mean() > 0)] for image in images]


class Model(ModelDesc):
    """A small convolution net."""

    def inputs(self):
        """Return what is fed."""
        return [
            tf.TensorSpec((None, 8, 8), tf.float32, "image"),
            tf.TensorSpec((None,), tf.int32, "label"),
        ]

    def build_graph(self, image, label):
        """Return the loss."""
        net = tf.expand_dims(image, 3)
        net = Conv2D("conv", net, 4, 3, activation=tf.nn.relu)
        net = BatchNorm("norm", net)
        net = MaxPooling("pool", net, 2)
        logits = FullyConnected("out", net, 2)
        tf.nn.softmax(logits, name="prob")
        cost = tf1.losses.sparse_softmax_cross_entropy(label, logits)
        cost = tf.identity(cost, name="cost")
        wrong = tf.cast(tf.logical_not(tf1.nn.in_top_k(logits, label, 1)), tf.float32)
        tf.reduce_mean(wrong, name="error")
        summary.add_moving_summary(cost)
        return cost

    def optimizer(self):
        """Return what trains it."""
        return optimizer.apply_grad_processors(tf1.train.AdamOptimizer(0.01), [])


with tempfile.TemporaryDirectory() as folder:
    logger.set_logger_dir(os.path.join(folder, "log"), action="d")
    train = BatchData(DataFromList(points, shuffle=False), 16)
    test = BatchData(DataFromList(points, shuffle=False), 32, remainder=True)
    config = TrainConfig(
        model=Model(),
        dataflow=train,
        callbacks=[ModelSaver(), InferenceRunner(test, ScalarStats(["cost", "error"]))],
        steps_per_epoch=6,
        max_epoch=4,
    )
    trainer = SimpleTrainer()
    launch_train_with_config(config, trainer)
    costs = [value for _, value in trainer.monitors.get_history("validation_cost")]
    print("learns", costs[-1] < costs[0], "epochs", len(costs))
    latest = tf1.train.latest_checkpoint(os.path.join(folder, "log"))
    print("checkpoints", len(glob.glob(os.path.join(folder, "log", "model-*.index"))))
    saved = load_chkpt_vars(latest)
    print("saved", sorted(name for name in saved if name.startswith("conv") and "Adam" not in name))

    predict = OfflinePredictor(
        PredictConfig(
            model=Model(),
            session_init=SmartInit(latest),
            input_names=["image"],
            output_names=["prob"],
        )
    )
    found = predict(images)[0].argmax(axis=1)
    right = np.mean(found == [label for _, label in points])
    error = trainer.monitors.get_latest("validation_error")
    print("predictor agrees", abs((1 - right) - error) < 0.02)
