"""BlockLSTM and BlockLSTMV2, forwards and backwards, against TensorFlow's answers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf

# Op, attributes, seq_len_max, what it gives, and what its gradient's op gives.
ANSWERS = json.loads((Path(__file__).parent / "block_lstm.json").read_text())
SHAPES = {
    "x": (3, 2, 2),
    "cs_prev": (2, 2),
    "h_prev": (2, 2),
    "w": (4, 8),
    "wci": (2,),
    "wcf": (2,),
    "wco": (2,),
    "b": (8,),
}


def given() -> dict[str, Any]:
    state = np.random.RandomState(0)
    return {name: state.uniform(-1, 1, size).astype("float32") for name, size in SHAPES.items()}


def gradients() -> dict[str, Any]:
    state = np.random.RandomState(1)
    return {n: state.uniform(-1, 1, (3, 2, 2)).astype("float32") for n in ("cs_grad", "h_grad")}


@pytest.mark.parametrize(("name", "attrs", "steps", "made", "back"), ANSWERS)
def test_it_gives_what_tensorflow_gives(
    name: str, attrs: dict[str, Any], steps: int, made: Any, back: Any
) -> None:
    found = getattr(tf.raw_ops, name)(seq_len_max=steps, **given(), **attrs)
    for one, expected in zip(found, made, strict=True):
        # TensorFlow leaves whatever stood in memory in what it does not compute.
        np.testing.assert_allclose(one[: len(expected)], expected, atol=2e-6)
        assert not one[steps:].numpy().any()
    names = ("i", "cs", "f", "o", "ci", "co", "h")
    backwards = getattr(tf.raw_ops, name.replace("LSTM", "LSTMGrad"))(
        seq_len_max=steps,
        **given(),
        **dict(zip(names, found, strict=True)),
        **gradients(),
        use_peephole=attrs.get("use_peephole", False),
    )
    for one, expected in zip(backwards, back, strict=True):
        np.testing.assert_allclose(one, expected, atol=2e-6)


def in_steps(order: str, x: Any, cs_prev: Any, h_prev: Any, w: Any, b: Any, **_: Any) -> Any:
    """Return the sum of the squares of all outputs, from ops for each step."""
    c, h, total = cs_prev, h_prev, 0.0
    for each in tf.unstack(x):
        parts = tf.split(tf.concat([each, h], 1) @ w + b, 4, axis=1)
        gates = dict(zip(order, parts, strict=True))
        c = tf.sigmoid(gates["i"]) * tf.tanh(gates["c"]) + tf.sigmoid(gates["f"]) * c
        h = tf.sigmoid(gates["o"]) * tf.tanh(c)
        total += tf.reduce_sum(h * h)
    return total


@pytest.mark.parametrize(
    ("name", "order", "attrs"),
    [("BlockLSTM", "icfo", {"forget_bias": 0.0, "cell_clip": 0.0}), ("BlockLSTMV2", "ifco", {})],
)
@pytest.mark.parametrize("in_function", [False, True])
def test_gradients_of_gradients_are_right(
    name: str, order: str, attrs: Any, in_function: bool
) -> None:
    inputs = {key: tf.constant(value) for key, value in given().items()}

    def whole() -> Any:
        made = getattr(tf.raw_ops, name)(seq_len_max=3, **inputs, **attrs)
        return tf.reduce_sum(made[6] * made[6])

    def second(run: Any) -> Any:
        sources = [inputs[key] for key in ("x", "cs_prev", "h_prev", "w", "b")]
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as tape:
                tape.watch(sources)
                total = run()
            first = tape.gradient(total, sources)
            penalty = tf.add_n([tf.reduce_sum(each * each) for each in first])
        return first, outer.gradient(penalty, sources)

    run = tf.function(lambda: second(whole)) if in_function else lambda: second(whole)
    for ours, theirs in zip(
        tf.nest.flatten(run()),
        tf.nest.flatten(second(lambda: in_steps(order, **inputs))),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": np.zeros((3, 2), "float32")}, "x must be 3D"),
        ({"h_prev": np.zeros((1, 2), "float32")}, r"h_prev.dims\(0\) != batch_size: 1 vs. 2"),
        (
            {"w": np.zeros((3, 8), "float32")},
            r"w.dim_size\(0\) != input_size \+ cell_size: 3",
        ),
        ({"b": np.zeros(3, "float32")}, r"b.dim_size\(0\) != cell_size \* 4: 3 vs. 8"),
        ({"wci": np.zeros(0, "float32")}, r"wci.dim_size\(0\) != cell_size: 0 vs. 2"),
        ({"seq_len_max": [3]}, "`seq_len_max_tensor` must be rank 0 but is rank 1"),
        ({"seq_len_max": 4}, "seq_len_max is 4, but x has 3 steps"),
    ],
)
def test_sizes_that_do_not_fit_are_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.raw_ops.BlockLSTMV2(**{"seq_len_max": 3, **given(), **change})
