"""Programs of TensorFlow 2 on a device with memory of its own: they compute what the CPU does.

Each is a function of the device to run on; what it returns is compared.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import placewise as tf

pytestmark = [
    pytest.mark.usefixtures("accelerator"),
    # Tables, strings and files are the CPU's.
    pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning"),
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),  # Keras's
]
PROGRAMS: list[Callable[[Path], Any]] = []


def program(function: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """Have a function run on the CPU and on the device; it is given a folder for its files."""
    PROGRAMS.append(function)
    return function


def assert_same(found: Any, expected: Any) -> None:
    """Compare structures of tensors, arrays and numbers."""
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(np.asarray(a), np.asarray(b), 1e-5, 1e-6),
        found,
        expected,
    )


def weights(*shape: int) -> Any:
    """Return numbers that look random and are the same each time."""
    return np.sin(np.arange(np.prod(shape), dtype=np.float32) * 1.7).reshape(shape)


# Files


class Dense(tf.Module):
    """One layer."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(weights(3, 2))
        self.b = tf.Variable(tf.zeros([2]))
        self.steps = tf.Variable(0, dtype=tf.int64)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def __call__(self, x: Any) -> Any:
        self.steps.assign_add(1)
        return tf.tanh(x @ self.w + self.b)


@program
def a_checkpoint_of_objects(folder: Path) -> Any:
    layer = Dense()
    layer(weights(4, 3))
    saved = tf.train.Checkpoint(layer=layer, half=tf.Variable(tf.ones([3], tf.bfloat16)))
    path = saved.save(folder / "model")
    layer.w.assign(tf.zeros([3, 2]))
    layer.steps.assign(7)
    saved.restore(path).assert_consumed()
    late = tf.train.Checkpoint(layer=tf.train.Checkpoint())
    late.restore(path)
    late.layer.w = tf.Variable(tf.zeros([3, 2]))  # restored when it is made
    return layer.w, layer.steps, late.layer.w, tf.train.list_variables(path)[0][1]


@program
def a_saved_model(folder: Path) -> Any:
    layer = Dense()
    tf.saved_model.save(layer, str(folder / "model"))
    loaded = tf.saved_model.load(str(folder / "model"))
    x = tf.constant(weights(4, 3))
    served = loaded.signatures["serving_default"](x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(x) ** 2)
    return loaded(x), list(served.values()), tape.gradient(loss, loaded.w), loaded.steps


@program
def a_keras_file(folder: Path) -> Any:
    tf.keras.utils.set_random_seed(3)
    model = tf.keras.Sequential(
        [
            tf.keras.Input([5, 4]),
            tf.keras.layers.LSTM(6, return_sequences=True),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(2),
        ]
    )
    model.compile("adam", "mse", metrics=["mae"])
    x, y = weights(8, 5, 4), weights(8, 2)
    history = model.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False)
    model.save(folder / "model.keras")
    model.save_weights(folder / "model.weights.h5")
    loaded = tf.keras.models.load_model(folder / "model.keras")
    loaded.fit(x, y, batch_size=4, verbose=0, shuffle=False)
    model.load_weights(folder / "model.weights.h5")
    return history.history, loaded.predict(x, verbose=0), model.evaluate(x, y, verbose=0)


@program
def summaries(folder: Path) -> Any:
    writer = tf.summary.create_file_writer(str(folder))

    @tf.function
    def write(step: Any, x: Any) -> None:
        with writer.as_default():
            tf.summary.scalar("mean", tf.reduce_mean(x), step=step)
            tf.summary.histogram("x", x, step=step)

    write(tf.constant(3, tf.int64), tf.constant(weights(10)))
    with writer.as_default(step=tf.Variable(4, dtype=tf.int64)):
        tf.summary.scalar("last", tf.constant(2.5))
        tf.summary.image("picture", tf.constant(weights(1, 2, 2, 3)) ** 2)
        tf.summary.text("words", tf.constant("one"))
    writer.flush()
    (file,) = folder.iterdir()
    read = tf.compat.v1.train.summary_iterator(str(file))
    return [
        (event.step, tf.make_ndarray(value.tensor).astype(np.float64))
        for event in read
        for value in event.summary.value
        if value.tag in ("mean", "x", "last")
    ]


# Data


@program
def a_dataset_trains_a_model(folder: Path) -> Any:
    data = tf.data.Dataset.from_tensor_slices((weights(12, 3), weights(12, 1)))
    data = data.map(lambda x, y: (tf.tanh(x), y), num_parallel_calls=2).batch(4).prefetch(2)
    w = tf.Variable(weights(3, 1))

    @tf.function
    def epoch() -> Any:
        total = 0.0
        for x, y in data:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ w - y) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            total += loss
        return total

    return epoch(), [tf.reduce_sum(x @ w) for x, _ in data], w


@program
def datasets_of_tensors_on_the_device(folder: Path) -> Any:
    x = tf.constant(weights(6, 2))
    scale = tf.Variable(3.0)
    data = tf.data.Dataset.from_tensor_slices({"x": x, "row": tf.range(6)})
    data = data.shuffle(6, seed=1).repeat(2).map(lambda each: each["x"] * scale + x[each["row"]])
    padded = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], 1.5)).padded_batch(3)
    total = tf.data.Dataset.range(5).reduce(
        tf.constant(0.0), lambda state, n: state + tf.cast(n, tf.float32) * x[0, 0]
    )
    made = tf.data.Dataset.from_generator(
        lambda: iter([x[0], x[1]]), output_signature=tf.TensorSpec([2], tf.float32)
    )
    ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1.0], [2.0, 3.0]])).batch(2)
    sparse = tf.data.Dataset.from_tensors(tf.sparse.from_dense([[0.0, x[0, 1]]])).batch(1)
    return (
        [tf.reduce_sum(each) for each in data.batch(4)],
        list(padded),
        total,
        list(made),
        [each.to_tensor() for each in ragged],
        [tf.sparse.to_dense(each) for each in sparse],
        list(data.take(3).as_numpy_iterator()),
    )


@program
def datasets_of_datasets(folder: Path) -> Any:
    row = tf.constant(weights(2))

    def scaled(n: Any) -> Any:
        return tf.data.Dataset.from_tensors(tf.cast(n, tf.float32) * row).repeat(2)

    data = tf.data.Dataset.range(3).interleave(scaled, cycle_length=2, num_parallel_calls=2)
    made = [
        data.window(2).flat_map(lambda window: window.batch(2)),
        data.group_by_window(
            lambda x: tf.cast(x[1] > 0, tf.int64), lambda key, rows: rows.batch(2), window_size=2
        ),
        data.scan(tf.zeros([2]), lambda total, x: (total + x, total + x)),
        data.filter(lambda x: tf.reduce_sum(x) > 0.0),
        tf.data.Dataset.sample_from_datasets([data, data], [0.5, 0.5], seed=1),
        data.apply(tf.data.experimental.prefetch_to_device("/gpu:0")),
    ]
    optional = iter(data).get_next_as_optional()
    return [list(each) for each in made], optional.get_value() * 2.0, optional.has_value()


@program
def a_snapshot_of_a_dataset(folder: Path) -> Any:
    data = tf.data.Dataset.from_tensor_slices(tf.constant(weights(6, 2))).map(tf.square)
    data.save(str(folder / "saved"))
    cached = data.cache(str(folder / "cache"))
    return list(tf.data.Dataset.load(str(folder / "saved"))), list(cached), list(cached)


# Tensors as Python objects


@program
def copies_pickles_and_numbers(folder: Path) -> Any:
    x, n = tf.constant(weights(3)), tf.constant([1, 2])
    whole = [pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.deepcopy(tf.Variable(x))]
    single = [float(f"{x[1]:.3f}"), int(n[1]), bool(x[0] > -5.0), (7, 8, 9)[n[0]], len(x)]
    return whole, single, np.array(x, np.float64), np.asarray(n), list(x)


@program
def printed_text(folder: Path) -> Any:
    path = f"file://{folder / 'printed'}"

    @tf.function
    def show(x: Any) -> Any:
        tf.print("inside", x, x * 2, output_stream=path)
        return tf.debugging.check_numerics(x, "bad")

    x = show(tf.constant(weights(3)))
    tf.print(x, tf.constant(3), "text", output_stream=path)
    tf.debugging.assert_near(x, x + 1e-9)
    tf.debugging.Assert(tf.reduce_all(x < 5.0), [x])
    words = (folder / "printed").read_text().replace("[", " ").replace("]", " ").split()
    return [float(word) for word in words if word[-1].isdigit()]


# Gradients


@program
def gradients_of_all_kinds(folder: Path) -> Any:
    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        return tf.exp(x), lambda dy: dy * 2.0

    x = tf.constant(weights(3))
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) ** 3)
        slope = tape.gradient(y, x)
        own = doubled(x)
        again = tf.recompute_grad(lambda x: tf.sin(x) * x)(x)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 0.0])) as forward:
        z = tf.sin(x) * x
    seconds = [outer.jacobian(slope, x), outer.gradient(own, x), outer.gradient(again, x)]
    return seconds, forward.jvp(z), tf.vectorized_map(lambda row: row**2, tf.constant(weights(4)))


@program
def rows_of_a_variable(folder: Path) -> Any:
    table = tf.Variable(weights(5, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1, 3]) ** 2)
    rows = tape.gradient(loss, table)
    table.scatter_sub(rows)
    table.scatter_nd_add([[0]], [[1.0, 1.0, 1.0]])
    table[2, :].assign(tf.zeros([3]))
    return tf.convert_to_tensor(rows), table, table.sparse_read([1, 2]), table.gather_nd([[0, 1]])


@program
def a_compiled_function(folder: Path) -> Any:
    w = tf.Variable(weights(3, 3))

    @tf.function(jit_compile=True)
    def run(x: Any) -> Any:
        return tf.tanh(x @ w) + 1.0

    x = tf.constant(weights(2, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(run(x))
    return run(x), tape.gradient(loss, w)


@program
def a_random_generator_is_saved(folder: Path) -> Any:
    generator = tf.random.Generator.from_seed(3)
    first = generator.normal([3])
    saved = tf.train.Checkpoint(generator=generator)
    path = saved.save(folder / "generator")
    second = generator.uniform([2])
    saved.restore(path)
    return first, second, generator.uniform([2]), generator.split(2)[0].normal([2])


# Python inside


@program
def python_inside_functions(folder: Path) -> Any:
    def half(x: Any) -> Any:
        return x.numpy() / 2 if not isinstance(x, np.ndarray) else x / 2

    @tf.function
    def run(x: Any) -> Any:
        one = tf.py_function(lambda x: x * 2, [x], tf.float32)
        two = tf.numpy_function(half, [x], tf.float32)
        three = tf.py_function(half, [one], tf.float32)
        many = tf.py_function(lambda a, n: (a[:n], n + 1), [x, 2], (tf.float32, tf.int32))
        return one + two + three, *many

    x = tf.constant(weights(5))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.py_function(lambda x: tf.sin(x) * x, [x], tf.float32))
    return run(x), tape.gradient(loss, x)


# Control flow


@program
def loops_and_branches(folder: Path) -> Any:
    @tf.function
    def run(x: Any, n: Any) -> Any:
        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        count = tf.constant(0.0)
        for i in tf.range(n):
            if tf.reduce_sum(x) > 0.5:
                x = x * 0.5
                count += 1.0
            else:
                x = tf.sin(x) + 1.0
            rows = rows.write(i, x)
        while count < 5.0:
            count += tf.reduce_max(x) + 0.5
        return x, rows.stack(), count

    x = tf.constant(weights(3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, rows, count = run(x, 4)
    mapped = tf.map_fn(lambda row: row * tf.reduce_sum(row), tf.constant(weights(3, 2)))
    folded = tf.scan(lambda a, b: a * 0.5 + b, tf.constant(weights(3, 2)))
    return y, rows, count, tape.gradient(y, x), mapped, folded


@program
def tables_sets_and_strings(folder: Path) -> Any:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1.5, 2.5])), 0.0
    )
    mutable = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, -1.0)
    mutable.insert(tf.constant([3, 4], tf.int64), tf.constant([0.5, 0.25]))
    x = tf.constant([0.5, 2.0])
    return (
        table.lookup(tf.constant(["b", "c"])) * 2.0,
        mutable.lookup(tf.constant([4, 9], tf.int64)),
        tf.strings.to_number(tf.strings.as_string(x)),
        tf.io.parse_tensor(tf.io.serialize_tensor(x), tf.float32),
        tf.io.decode_raw(tf.constant([b"ab"]), tf.uint8),
    )


# Memory that is shared with torch


def test_a_tensor_of_the_device_goes_to_torch_without_a_copy(accelerator: ModuleType) -> None:
    with tf.device("GPU:1"):
        x = tf.constant([1.0, 2.0])
    accelerator.reset_counters()
    for found in (
        torch.utils.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x)),
        torch.from_dlpack(x),
    ):
        assert str(found.device) == "accel:1"
        assert found.data_ptr() == x._value.data_ptr()
    assert accelerator.counters()["d2h_bytes"] == 0


def test_a_torch_tensor_of_the_device_comes_in_without_a_copy(accelerator: ModuleType) -> None:
    given = torch.arange(4.0, device="accel:2")
    accelerator.reset_counters()
    for found in (
        tf.experimental.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(given)),
        tf.experimental.dlpack.from_dlpack(given),
    ):
        assert found.device.endswith("GPU:2")
        assert found._value.data_ptr() == given.data_ptr()
    given.add_(1)
    with tf.device("GPU:2"):
        assert tf.reduce_sum(found).device.endswith("GPU:2")
    assert accelerator.counters()["d2h_bytes"] == 0
    np.testing.assert_array_equal(found, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda run: run.__name__)
def test_it_computes_what_the_cpu_does(run: Callable[[Path], Any], tmp_path: Path) -> None:
    results = []
    for name in ("CPU:0", "GPU:0"):
        folder = tmp_path / name[:3]
        folder.mkdir()
        with tf.device(name):
            results.append(run(folder))
    assert_same(results[1], results[0])


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_recurrent_layer_is_the_same_as_one_op_and_as_a_loop(kind: str) -> None:
    layers = [
        getattr(tf.keras.layers, kind)(5, use_cudnn=use, return_sequences=True, seed=1)
        for use in ("auto", False)
    ]
    x = weights(3, 6, 4)
    for layer in layers:
        layer.build(x.shape)
    for ours, theirs in zip(*[layer.weights for layer in layers], strict=True):
        ours.assign(weights(*ours.shape))
        theirs.assign(weights(*ours.shape))
    assert_same(layers[0](x), layers[1](x))


def test_arrays_become_a_dataset_without_the_device() -> None:
    import test_accelerator

    with test_accelerator.counted() as counted:
        data = tf.data.Dataset.from_tensor_slices((weights(8, 2), weights(8))).batch(4)
        rows = list(data)
    assert (counted.h2d, counted.d2h) == (0, 0)
    assert all(x.device.endswith("CPU:0") for x, _ in rows)


def test_a_step_of_training_waits_for_nothing() -> None:
    import test_accelerator

    w, x = tf.Variable(weights(3, 4)), tf.constant(weights(8, 3))
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.build([w])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            h = x
            for _ in tf.range(3):
                h = tf.tanh(h @ w @ tf.transpose(w))
            loss = tf.reduce_mean(tf.nn.dropout(h, 0.5, seed=1) ** 2)
        optimizer.apply(tape.gradient(loss, [w]), [w])
        return loss

    step()
    with test_accelerator.counted(stacks=True) as counted:
        step()
    assert not counted.events, "\n".join(map(str, counted.events))
