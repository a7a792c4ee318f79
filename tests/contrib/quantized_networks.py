"""Small networks whose quantized graphs are compared with TensorFlow 1.15's.

Run by TensorFlow 1.15 this file prints what `quantized_networks.json` holds; it needs nothing else.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

NETWORKS: dict[str, Callable[[Any, Any, bool], Any]] = {}


def network(build: Callable[[Any, Any, bool], Any]) -> Callable[[Any, Any, bool], Any]:
    """Name a network by its function."""
    NETWORKS[build.__name__] = build
    return build


def _normalized(tf: Any, is_training: bool, fused: bool = True) -> dict[str, Any]:
    settings = {"is_training": is_training, "fused": fused, "scale": True, "decay": 0.9}
    return {"normalizer_fn": tf.contrib.layers.batch_norm, "normalizer_params": settings}


@network
def plain(tf: Any, x: Any, is_training: bool) -> Any:
    return tf.contrib.layers.conv2d(x, 4, 3, scope="a")


@network
def normalized(tf: Any, x: Any, is_training: bool) -> Any:
    relu6, norm = tf.nn.relu6, _normalized(tf, is_training)
    return tf.contrib.layers.conv2d(x, 4, 3, activation_fn=relu6, scope="a", **norm)


@network
def unfused(tf: Any, x: Any, is_training: bool) -> Any:
    return tf.contrib.layers.conv2d(x, 4, 3, scope="a", **_normalized(tf, is_training, False))


@network
def residual(tf: Any, x: Any, is_training: bool) -> Any:
    norm = _normalized(tf, is_training)
    y = tf.contrib.layers.conv2d(x, 4, 3, scope="a", **norm)
    return tf.nn.relu(y + tf.contrib.layers.conv2d(y, 4, 1, activation_fn=None, scope="b", **norm))


@network
def depthwise(tf: Any, x: Any, is_training: bool) -> Any:
    norm = _normalized(tf, is_training)
    y = tf.contrib.layers.conv2d(x, 4, 3, scope="a", **norm)
    return tf.contrib.layers.separable_conv2d(y, None, 3, 1, scope="b", **norm)


@network
def separable(tf: Any, x: Any, is_training: bool) -> Any:
    return tf.contrib.layers.separable_conv2d(x, 4, 3, 1, scope="a", **_normalized(tf, is_training))


@network
def layers_of_keras(tf: Any, x: Any, is_training: bool) -> Any:
    y = tf.layers.conv2d(x, 4, 3, use_bias=False, name="a")
    return tf.nn.relu(tf.layers.batch_normalization(y, training=is_training, name="b"))


@network
def sums(tf: Any, x: Any, is_training: bool) -> Any:
    y = tf.contrib.layers.conv2d(x, 3, 3, scope="a")
    y = tf.add(tf.add(y, x, name="s/first"), 1.0, name="s/second")
    y = tf.contrib.layers.conv2d(y, 3, 3, activation_fn=None, scope="b")
    z = tf.contrib.layers.conv2d(y, 3, 3, activation_fn=tf.sigmoid, scope="c")
    return tf.multiply(tf.nn.relu(tf.add(y, z, name="sum")), z, name="product")


@network
def shared(tf: Any, x: Any, is_training: bool) -> Any:
    weights = tf.get_variable("w", [3, 3, 3, 3])
    y = tf.nn.relu(tf.nn.conv2d(x, weights, [1, 1, 1, 1], "SAME", name="a"))
    return tf.nn.relu(tf.nn.conv2d(y, weights, [1, 1, 1, 1], "SAME", name="b"))


def rewrites(tf: Any) -> dict[str, tuple[bool, Callable[[], None]]]:
    """Return what is done to graphs, and whether to those of training."""
    quantize = tf.contrib.quantize
    few = {"weight_bits": 4, "activation_bits": 5, "symmetric": True}
    return {
        "training": (True, quantize.create_training_graph),
        "delayed": (True, lambda: quantize.create_training_graph(quant_delay=2)),
        "frozen": (
            True,
            lambda: quantize.experimental_create_training_graph(freeze_bn_delay=2),
        ),
        "few bits": (True, lambda: quantize.experimental_create_training_graph(**few)),
        "scope": (True, lambda: quantize.experimental_create_training_graph(scope="a/")),
        "eval": (False, quantize.create_eval_graph),
        "few bits eval": (False, lambda: quantize.experimental_create_eval_graph(**few)),
    }


def _values(variables: list[Any]) -> Any:
    random = np.random.RandomState(0)
    for variable in variables:
        value = random.uniform(0.5, 1.5, variable.shape.as_list())
        is_signed = "weights" in variable.name or "kernel" in variable.name
        if "quant" not in variable.name:
            yield variable, value - 1.0 if is_signed else value


def outcome(tf: Any, build: str, rewrite: str) -> dict[str, Any]:
    """Return the quantized tensors of a rewritten graph, and losses and gradients of three runs."""
    is_training, change = rewrites(tf)[rewrite]
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 6, 6, 3], name="x")
        y = NETWORKS[build](tf, x, is_training)
        y = tf.contrib.layers.fully_connected(
            tf.contrib.layers.flatten(y), 2, activation_fn=None, scope="end"
        )
        change()
        quantized = [
            [op.name, op.inputs[0].name, op.get_attr("num_bits"), op.get_attr("narrow_range")]
            for op in graph.get_operations()
            if op.type.startswith("FakeQuant")
        ]
        made = sorted(v.op.name for v in tf.global_variables() if "quant" in v.name)
        trained = sorted(tf.trainable_variables(), key=lambda v: v.name)
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(y, 1) - 1.0))
        gradients = tf.gradients(loss, trained)
        runs = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for variable, value in _values(sorted(tf.global_variables(), key=lambda v: v.name)):
                variable.load(value, session)
            random = np.random.RandomState(1)
            for _ in range(4):
                feed = {x: random.uniform(-1, 1, [4, 6, 6, 3])}
                values = session.run([loss, *gradients], feed)
                runs.append([float(np.abs(value).sum()) for value in values])
    return {"quantized": sorted(quantized), "variables": made, "runs": runs}


if __name__ == "__main__":
    import tensorflow

    tensorflow.logging.set_verbosity(tensorflow.logging.ERROR)
    answers = {
        f"{build} {rewrite}": outcome(tensorflow, build, rewrite)
        for build in NETWORKS
        for rewrite in rewrites(tensorflow)
    }
    json.dump(answers, sys.stdout, indent=None, separators=(",", ":"))
