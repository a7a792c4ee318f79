"""LSTM and GRU layers as one op, against the same layers in Keras's own loop."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise as tf
from tests.keras.models_for_tests import numbers

# Keras's variables have the older form of `__array__`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

KINDS = ("LSTM", "GRU")
OPTIONS: list[dict[str, Any]] = [
    {},
    {"return_sequences": True},
    {"return_state": True, "go_backwards": True},
    {"return_sequences": True, "return_state": True, "go_backwards": True},
    {"dtype": "float64", "return_sequences": True, "return_state": True},
]


def pair(kind: str, x: Any, **options: Any) -> tuple[Any, Any]:
    """Return two layers with the same weights: as it comes, and in Keras's loop."""
    make = getattr(tf.keras.layers, kind)
    ours, loop = make(5, **options), make(5, use_cudnn=False, **options)
    loop(x)
    ours.build(x.shape)
    state = np.random.RandomState(1)
    for one in loop.weights:
        one.assign(state.uniform(-1, 1, one.shape))
    ours.set_weights(loop.get_weights())
    return ours, loop


def is_one_op(layer: Any) -> bool:
    """Return whether Keras got the layer's results from its backend."""
    return not layer.supports_jit


def agree(ours: Any, theirs: Any, tolerance: float = 1e-5) -> None:
    for one, other in zip(tf.nest.flatten(ours), tf.nest.flatten(theirs), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, atol=tolerance, rtol=tolerance)


def with_gradients(layer: Any, x: Any, states: Any) -> Any:
    """Return what a layer gives, and the gradients of all that goes in."""
    sources = [x, *states, *layer.trainable_weights]
    sources[len(states) + 1 :] = [each.value for each in layer.trainable_weights]
    with tf.GradientTape() as tape:
        tape.watch([x, *states])
        made = layer(x, initial_state=states or None)
        weighed = [tf.reduce_sum(tf.sin(each + 0.5)) for each in tf.nest.flatten(made)]
        loss = tf.add_n(weighed)
    return made, tape.gradient(loss, sources)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_results_and_gradients_are_those_of_the_loop(kind: str, options: dict[str, Any]) -> None:
    dtype = options.get("dtype", "float32")
    x = tf.constant(numbers(3, 7, 4, seed=0), dtype)
    ours, loop = pair(kind, x, **options)
    states = [tf.constant(numbers(3, 5, seed=2 + n), dtype) for n in range(1 + (kind == "LSTM"))]
    agree(with_gradients(ours, x, states), with_gradients(loop, x, states))
    assert is_one_op(ours)
    assert not is_one_op(loop)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("in_function", [False, True])
def test_a_gradient_penalty_goes_through(kind: str, in_function: bool) -> None:
    x = tf.constant(numbers(3, 4, 2, seed=0))
    ours, loop = pair(kind, x, return_sequences=True)

    def penalised(layer: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.square(layer(x)))
            loss = y + tf.reduce_sum(tf.square(tape.gradient(y, x)))
        return outer.gradient(loss, [x, *(each.value for each in layer.trainable_weights)])

    run = tf.function(penalised) if in_function else penalised
    agree(run(ours), run(loop), 1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_gives_the_same(kind: str) -> None:
    x = tf.constant(numbers(3, 6, 4, seed=0))
    ours, _ = pair(kind, x, return_sequences=True, return_state=True)
    expected = with_gradients(ours, x, [])
    spec = tf.TensorSpec([None, None, 4])
    traced = tf.function(lambda given: with_gradients(ours, given, []), input_signature=[spec])
    agree(traced(x), expected)
    agree(traced(x[:2, :3]), with_gradients(ours, x[:2, :3], []))


def test_an_lstm_in_a_function_is_an_op_that_tensorflow_knows() -> None:
    x = tf.constant(numbers(3, 6, 4, seed=0))
    for kind, wanted in (("LSTM", "BlockLSTM"), ("GRU", None)):
        layer = getattr(tf.keras.layers, kind)(5)
        layer.build(x.shape)
        types = {
            op.type for op in tf.function(layer).get_concrete_function(x).graph.get_operations()
        }
        assert wanted is None or wanted in types
        assert "CudnnRNNV3" not in types


def test_half_precision_stays_half() -> None:
    x = tf.constant(numbers(3, 6, 4, seed=0))
    for kind in KINDS:
        ours, loop = pair(kind, x, dtype="mixed_float16", return_sequences=True)
        agree(ours(x), loop(x), 5e-3)
        assert is_one_op(ours)


@pytest.mark.parametrize("kind", KINDS)
def test_masks_and_other_functions_keep_the_loop(kind: str) -> None:
    x = tf.constant(numbers(3, 6, 4, seed=0))
    mask = tf.constant([[True] * 4 + [False] * 2, [False] + [True] * 5, [True] * 6])
    ours, loop = pair(kind, x, return_sequences=True)
    agree(ours(x, mask=mask), loop(x, mask=mask))
    assert not is_one_op(ours)
    for option in ({"activation": "relu"}, {"use_bias": False}, {"unroll": True}):
        ours, loop = pair(kind, x, **option)
        agree(ours(x), loop(x))
        assert not is_one_op(ours)


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_kept_between_calls(kind: str) -> None:
    x = tf.constant(numbers(3, 6, 4, seed=0))
    ours, loop = pair(kind, x, stateful=True)
    for layer in (ours, loop):
        layer.reset_state()
    for _ in range(3):
        agree(ours(x), loop(x))
    agree([each.value for each in ours.states], [each.value for each in loop.states])


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_of_inputs_leaves_results_in_place(kind: str) -> None:
    x = tf.ones([4, 6, 100])
    layer = getattr(tf.keras.layers, kind)(3, dropout=0.5, seed=1)
    first, second = layer(x, training=True), layer(x, training=True)
    assert is_one_op(layer)
    assert np.abs(first - second).max() > 1e-3
    agree(layer(x), layer(x))


@pytest.mark.parametrize("kind", KINDS)
def test_both_directions_are_those_of_the_loop(kind: str) -> None:
    x = tf.constant(numbers(3, 6, 4, seed=0))
    ours, loop = pair(kind, x, return_sequences=True)
    both = [tf.keras.layers.Bidirectional(each) for each in (ours, loop)]
    for each in both:
        each.build(x.shape)
    both[0].set_weights(both[1].get_weights())
    agree(both[0](x), both[1](x))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("card", ["K40c", "MI250X"])
def test_a_simulated_gpu_gives_the_same(kind: str, card: str) -> None:
    x = numbers(3, 6, 4, seed=0)
    _, loop = pair(kind, tf.constant(x), return_sequences=True)
    weights, expected = loop.get_weights(), loop(x).numpy()
    with tf.simulate(f"1x{card}"):
        there, _ = pair(kind, tf.constant(x), return_sequences=True)
        there.set_weights(weights)
        made = there(tf.constant(x))
        assert made.device.endswith("GPU:0")
        np.testing.assert_allclose(made, expected, atol=1e-5)


def sentences(kind: str) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((None, 4)),
            getattr(layers, kind)(5, return_sequences=True),
            getattr(layers, kind)(3),
            layers.Dense(1),
        ]
    )


@pytest.fixture
def in_loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Keras find no loop in its backend."""
    from keras.src import backend

    def decline(*_: Any, **__: Any) -> Any:
        raise NotImplementedError

    tf.keras.layers  # noqa: B018  # loads Keras
    monkeypatch.setattr(backend, "lstm", decline)
    monkeypatch.setattr(backend, "gru", decline)
    yield


def trained(kind: str, weights: Any = None) -> tuple[Any, Any]:
    model = sentences(kind)
    first = model.get_weights()
    if weights is not None:
        model.set_weights(weights)
    model.compile("sgd", "mse")
    model.fit(
        numbers(12, 6, 4, seed=0),
        numbers(12, 1, seed=1),
        batch_size=4,
        epochs=2,
        verbose=0,
        shuffle=False,
    )
    return first, model.get_weights()


@pytest.mark.parametrize("kind", KINDS)
def test_fit_learns_the_same_weights(kind: str, request: pytest.FixtureRequest) -> None:
    first, ours = trained(kind)
    request.getfixturevalue("in_loops")
    _, theirs = trained(kind, first)
    agree(ours, theirs)


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_gives_the_same(kind: str, tmp_path: Path) -> None:
    model, x = sentences(kind), numbers(2, 6, 4, seed=0)
    model.export(tmp_path / "saved", verbose=False)
    agree(tf.saved_model.load(str(tmp_path / "saved")).serve(tf.constant(x)), model(x))


def test_compiling_for_a_machine_still_trains() -> None:
    model = sentences("LSTM")
    model.compile("sgd", "mse", jit_compile="auto")
    assert model.jit_compile is False
    model.fit(numbers(4, 3, 4, seed=0), numbers(4, 1, seed=1), verbose=0)
    with pytest.warns(UserWarning, match="Proceeding with `jit_compile=False`"):
        model.compile("sgd", "mse", jit_compile=True)
    model.fit(numbers(4, 3, 4, seed=0), numbers(4, 1, seed=1), verbose=0)
