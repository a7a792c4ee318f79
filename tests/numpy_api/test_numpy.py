"""tf.experimental.numpy answers as TensorFlow's did, dtype and shape and elements."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

import placewise as tf

ANSWERS = json.loads((Path(__file__).parent / "numpy_answers.json").read_text(encoding="utf-8"))


def values() -> dict[str, Any]:
    """Return what the recorded expressions speak of."""
    return {
        "np": tf.experimental.numpy,
        "i32": tf.constant([1, 2, 3]),
        "f32": tf.constant([1.0, 2.0, 3.0]),
        "f64": tf.constant([1.0, 2.0, 3.0], tf.float64),
        "u8": tf.constant([1, 2, 3], tf.uint8),
        "i8": tf.constant([1, 2, 3], tf.int8),
        "b": tf.constant([True, False, True]),
        "c64": tf.constant([1 + 2j, 3, -1j], tf.complex64),
        "m": tf.constant([[1, 2, 3], [4, 5, 6]]),
        "m2": tf.constant([[1, 2], [3, 4], [5, 6]]),
        "m3": tf.reshape(tf.range(8), [2, 2, 2]),
        "n": tf.constant([1.0, float("nan"), 3.0]),
    }


def shown(value: Any) -> Any:
    """Return a result as the record has it."""
    if isinstance(value, (list, tuple)):
        return [shown(each) for each in value]
    if not isinstance(value, tf.Tensor):
        return str(value)
    array = numpy.asarray(value.numpy())
    is_inexact = array.dtype.kind in "fc"
    elements = [str(numpy.round(x, 4) + 0) if is_inexact else str(x) for x in array.ravel()]
    return [value.dtype.name, list(array.shape), elements]


def functions() -> list[str]:
    """Return the names of the functions that the record calls."""
    return sorted({text.partition("(")[0] for text in ANSWERS})


@pytest.mark.parametrize("function", functions())
def test_a_function_answers_as_tensorflow_does(function: str) -> None:
    known = values()
    for text, answer in ANSWERS.items():
        if text.partition("(")[0] == function:
            assert shown(eval(text, known)) == answer, text


def test_functions_are_traced_and_differentiated() -> None:
    np = tf.experimental.numpy

    @tf.function
    def loss(x: Any) -> Any:
        return np.sum(np.square(np.matmul(x, [[1.0], [2.0]])))

    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    assert y.numpy() == 25.0
    assert tape.gradient(y, x).numpy().tolist() == [[10.0, 20.0]]


def test_random_numbers_begin_anew_with_a_seed() -> None:
    random = tf.experimental.numpy.random
    random.seed(3)
    first = random.randint(0, 100, size=5).numpy().tolist()
    random.seed(3)
    assert random.randint(0, 100, size=5).numpy().tolist() == first
    assert all(0 <= each < 100 for each in first)


def test_tensors_behave_as_arrays_once_told_to() -> None:
    # In a process of its own: there is no way back.
    text = """
import placewise as tf
tf.experimental.numpy.experimental_enable_numpy_behavior()
x = tf.constant([1, 2, 3])
assert (x + 1.5).dtype is tf.float64 and (2.5 - x).numpy().tolist() == [1.5, 0.5, -0.5]
assert (x + tf.constant(1.5)).dtype is tf.float64
assert (tf.Variable([1, 2, 3]) - tf.constant(1.5)).dtype is tf.float64
assert x[[True, False, True]].numpy().tolist() == x[[0, 2]].numpy().tolist() == [1, 3]
assert x.T.shape == (3,) and x.size == 3 and x.ndim == 1 and x.tolist() == [1, 2, 3]
assert x.reshape(3, 1).shape == (3, 1) and x.astype("float32").dtype is tf.float32
assert x.max().numpy() == 3 and x.mean().dtype is tf.float64
assert x.clip(1, 2).numpy().tolist() == [1, 2, 2] and x[1].numpy() == 2
rows = tf.reshape(tf.range(6), [2, 3])
assert rows[:, tf.constant([True, False, True])].numpy().tolist() == [[0, 2], [3, 5]]
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


# The dtypes of sums in TensorFlow 2.21, by mode; None is a TypeError.
SUMS = """
import placewise as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
expected = {
    ("int32", "float32"): ("float32", None),
    ("int64", "float16"): ("float16", None),
    ("int8", "float16"): ("float16", "float16"),
    ("uint8", "int8"): ("int16", None),
    ("uint8", "int16"): ("int16", "int16"),
    ("uint64", "int64"): ("float64", None),
    ("float16", "bfloat16"): ("float32", None),
    ("float64", "complex64"): ("complex128", None),
    ("int32", "float64"): ("float64", "float64"),
    ("int64", "float64"): ("float64", None),
    ("int16", "complex64"): ("complex64", "complex64"),
}
def sum_of(one, other):
    try:
        return (one + other).dtype.name
    except TypeError:
        return None
for (first, second), names in expected.items():
    one, other = tf.ones([], first), tf.ones([], second)
    answers = {sum_of(one, other), sum_of(other, one), sum_of(tf.Variable(one), other)}
    assert answers == {names[MODE == "safe"]}, (first, second, answers)
one = tf.ones([], "int32")
assert sum_of(one, 1) == "int32" and sum_of(one, 1.5) == (None if MODE == "safe" else "float64")
assert sum_of(tf.ones([], "float16"), 1.5) == "float16"
"""


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_modes_of_conversion_promote_as_tensorflow_does(mode: str) -> None:
    text = SUMS.replace("MODE", repr(mode))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def test_finfo_takes_dtypes_of_tensorflow_and_of_numpy() -> None:
    tells = tf.experimental.numpy.finfo
    assert tells(tf.float32).eps == numpy.finfo(numpy.float32).eps
    assert tells("float64").eps == numpy.finfo(float).eps


def test_linspace_keeps_the_precision_of_its_ends():
    assert tf.experimental.numpy.linspace(numpy.float32(0), numpy.float32(1), 3).dtype == tf.float32
    assert tf.experimental.numpy.linspace(0, 1, 3).dtype == tf.float64


def test_weights_of_another_shape_do_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit"):
        tf.experimental.numpy.average(numpy.ones([2, 3]), weights=numpy.ones([2, 1]))
