"""Random numbers on a device with memory of its own: made there, and those of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import placewise as tf
import placewise.v1 as v1

pytestmark = pytest.mark.usefixtures("accelerator")

COUNTS = [1, 5, 1000]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
Draw = Callable[[], Any]


def on(device: str, make: Callable[[], Draw], times: int = 2) -> list[Any]:
    """Return what a drawing function, made under a device, returns when called in turn."""
    tf.random.set_seed(1)
    with tf.device(device):
        draw = make()
        return [draw() for _ in range(times)]


def content(tensor: Any) -> Any:
    return tensor._value


def assert_same_numbers(make: Callable[[], Draw], rtol: float = 0) -> None:
    """Assert that the device gives the CPU's numbers, and holds them."""
    for expected, found in zip(on("CPU:0", make), on("GPU:0", make), strict=True):
        assert found.device.endswith("GPU:0")
        assert content(found).device.type == "accel"
        one, other = expected.numpy(), found.numpy()
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if rtol:
            np.testing.assert_allclose(other, one, rtol=rtol, atol=1e-15)
        else:
            np.testing.assert_array_equal(other, one)


def assert_nothing_crosses(make: Callable[[], Draw]) -> None:
    """Assert that a warmed-up draw copies nothing to or from the device and waits for nothing."""
    import test_accelerator

    with tf.device("GPU:0"):
        draw = make()
        draw()
        draw()
        with test_accelerator.counted() as counted:
            draw()
    assert (counted.h2d, counted.d2h, counted.syncs) == (0, 0, 0), counted
    assert counted.ops


def generator(method: str, *args: Any, **kwargs: Any) -> Callable[[], Draw]:
    def make() -> Draw:
        source = tf.random.Generator.from_seed(5)
        return lambda: getattr(source, method)(*args, **kwargs)

    return make


def seeded_by_variable() -> Draw:
    """Return dropout whose seed a variable on the device holds, as Keras has it."""
    state = tf.Variable([1, 2], dtype=tf.int64)
    step = tf.constant([0, 1], tf.int64)
    x = tf.ones([5, 7])

    def draw() -> Any:
        seed = tf.cast(state.read_value(), tf.int32)
        state.assign_add(step)
        return tf.nn.experimental.stateless_dropout(x, 0.5, seed)

    return draw


def dropped(dropout: Callable[[Any], Any]) -> Callable[[], Draw]:
    def make() -> Draw:
        x = tf.ones([9, 7])
        return lambda: dropout(x)

    return make


DRAWS: dict[str, Callable[[], Draw]] = {
    "uniform": lambda: lambda: tf.random.uniform([7], -1.0, 3.0),
    "uniform of int32": lambda: lambda: tf.random.uniform([7], -4, 10, tf.int32),
    "uniform of int64": lambda: lambda: tf.random.uniform([7], -4, 10, tf.int64),
    "normal": lambda: lambda: tf.random.normal([7], 2.0, 3.0),
    "truncated normal": lambda: lambda: tf.random.truncated_normal([7]),
    "stateless uniform": lambda: lambda: tf.random.stateless_uniform([7], [1, 2]),
    "stateless integers": lambda: lambda: tf.random.stateless_uniform([7], [1, 2], 3, 9, tf.int64),
    "stateless full range": lambda: (
        lambda: tf.random.stateless_uniform([7], [1, 2], None, None, tf.int64)
    ),
    "stateless normal": lambda: lambda: tf.random.stateless_normal([7], [1, 2]),
    "stateless truncated": lambda: lambda: tf.random.stateless_truncated_normal([7], [1, 2]),
    "dropout": dropped(lambda x: tf.nn.dropout(x, 0.5)),
    "stateless dropout": dropped(
        lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2])
    ),
    "dropout with a seed on the device": seeded_by_variable,
    "generator's uniform": generator("uniform", [7]),
    "generator's integers": generator("uniform", [7], 1, 9, tf.int64),
    "generator's full range": generator("uniform_full_int", [7], tf.int64),
    "generator's normal": generator("normal", [7]),
    "generator's truncated": generator("truncated_normal", [7]),
    "generator's seeds": generator("make_seeds", 3),
    "categorical": dropped(lambda x: tf.random.categorical(x, 6)),
    "stateless categorical": dropped(lambda x: tf.random.stateless_categorical(x, 6, [1, 2])),
}
every_draw = pytest.mark.parametrize("make", DRAWS.values(), ids=list(DRAWS))


@pytest.mark.parametrize("count", [*COUNTS, 10**5])
@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_numbers_are_those_of_the_cpu(dtype: str, count: int) -> None:
    assert_same_numbers(lambda: lambda: tf.random.uniform([count], dtype=dtype))


@pytest.mark.parametrize("count", [*COUNTS, 10**5])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.truncated_normal])
def test_normal_numbers_are_those_of_the_cpu(draw: Any, dtype: str, count: int) -> None:
    rtol = 1e-14 if dtype == "float64" else 0
    assert_same_numbers(lambda: lambda: draw([count], dtype=dtype), rtol)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("int32", -5, 7), ("int32", -(2**31), 2**31 - 1), ("int64", -(2**63), 2**63 - 1)],
)
def test_integers_are_those_of_the_cpu(dtype: str, low: int, high: int, count: int) -> None:
    assert_same_numbers(lambda: lambda: tf.random.uniform([count], low, high, dtype))
    assert_same_numbers(
        lambda: lambda: tf.random.stateless_uniform([count], [3, 4], low, high, dtype)
    )


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_integers_of_the_whole_range_are_those_of_the_cpu(dtype: str) -> None:
    assert_same_numbers(lambda: lambda: tf.random.stateless_uniform([9], [3, 4], None, None, dtype))


@pytest.mark.parametrize("seed_dtype", ["int32", "int64"])
@pytest.mark.parametrize(
    "draw",
    [
        tf.random.stateless_uniform,
        tf.random.stateless_normal,
        tf.random.stateless_truncated_normal,
        tf.raw_ops.StatelessRandomUniform,
        tf.raw_ops.StatelessRandomNormal,
        tf.raw_ops.StatelessTruncatedNormal,
    ],
)
def test_a_seed_in_the_memory_of_the_device_names_the_stream(draw: Any, seed_dtype: str) -> None:
    def make() -> Draw:
        seed = tf.cast(tf.constant([3.0, -4.0]), seed_dtype)
        return lambda: draw(shape=[9], seed=seed)

    assert_same_numbers(make)


@every_draw
def test_eager_draws_are_those_of_the_cpu(make: Callable[[], Draw]) -> None:
    assert_same_numbers(make, 1e-6)


@every_draw
def test_draws_of_functions_are_those_of_the_cpu(make: Callable[[], Draw]) -> None:
    first, second = (on(device, lambda: tf.function(make()), 3) for device in ("CPU:0", "GPU:0"))
    for expected, found in zip(first, second, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-6)


@every_draw
def test_an_eager_draw_crosses_no_memory(make: Callable[[], Draw]) -> None:
    assert_nothing_crosses(make)


@pytest.mark.parametrize(
    "make",
    [make for name, make in DRAWS.items() if not name.startswith("stateless")],
    ids=[name for name in DRAWS if not name.startswith("stateless")],
)
def test_a_draw_in_a_function_crosses_no_memory(make: Callable[[], Draw]) -> None:
    assert_nothing_crosses(lambda: tf.function(make()))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: v1.random_uniform([5, 3], seed=2),
        lambda: v1.random_normal([5, 3], seed=2),
        lambda: v1.truncated_normal([5, 3], seed=2),
        lambda: v1.random_uniform([5], 0, 9, v1.int64, seed=2),
        lambda: v1.nn.dropout(v1.ones([5, 3]), keep_prob=0.5, seed=2),
        lambda: v1.multinomial(v1.zeros([2, 3]), 4, seed=2),
    ],
)
def test_draws_of_sessions_are_those_of_the_cpu(draw: Draw) -> None:
    import test_accelerator

    found = []
    for device in ("/CPU:0", "/GPU:0"):
        with v1.Graph().as_default(), v1.device(device):
            drawn = draw()
            total = v1.reduce_sum(v1.cast(drawn, v1.float32))
            with v1.Session() as session:
                runs = [session.run([drawn, total.op])[0] for _ in range(2)]
                session.run(total.op)
                with test_accelerator.counted() as counted:
                    session.run(total.op)
                assert (counted.h2d, counted.d2h, counted.syncs) == (0, 0, 0), counted
                found.append(runs)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_samples_between_bounds_are_those_of_the_cpu() -> None:
    def make() -> Draw:
        return lambda: tf.raw_ops.ParameterizedTruncatedNormal(
            shape=[50], means=0.0, stdevs=1.0, minvals=-1.0, maxvals=2.0, seed=3
        )

    assert_same_numbers(make)
    for found in on("GPU:0", lambda: tf.function(make())):
        assert content(found).device.type == "accel"


def test_a_generator_goes_on_where_the_cpu_stops() -> None:
    with tf.device("CPU:0"):
        first = tf.random.Generator.from_seed(3)
        first.normal([10])
        expected = first.normal([5]).numpy()
        state = first.state.numpy()
    with tf.device("GPU:0"):
        second = tf.random.Generator.from_seed(3)
        second.normal([10])
        np.testing.assert_array_equal(second.normal([5]).numpy(), expected)
        np.testing.assert_array_equal(second.state.numpy(), state)


def test_a_generator_carries_into_the_upper_half_of_its_counter() -> None:
    def make() -> Draw:
        source = tf.random.Generator.from_key_counter(7, [-300, 4], "philox")
        return lambda: source.uniform([5])

    assert_same_numbers(make)


def test_initial_values_of_layers_are_those_of_the_cpu() -> None:
    for initializer in ("glorot_uniform", "he_normal", "orthogonal"):
        made = []
        for device in ("CPU:0", "GPU:0"):
            with tf.device(device):
                made.append(tf.keras.initializers.get(initializer).__class__(seed=1)([6, 4]))
        np.testing.assert_allclose(made[1].numpy(), made[0].numpy(), rtol=1e-5, atol=1e-6)


def test_a_dropout_layer_in_a_function_waits_for_nothing() -> None:
    def make() -> Draw:
        layer = tf.keras.layers.Dropout(0.5, seed=3)
        x = tf.ones([4, 5])
        return tf.function(lambda: layer(x, training=True))

    first, second = (on(device, make, 3) for device in ("CPU:0", "GPU:0"))
    for expected, found in zip(first, second, strict=True):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert_nothing_crosses(make)
