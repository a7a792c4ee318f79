"""Malformed arguments: one good value made wrong in dtype, shape, value or kind."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from placewise.core import dtypes

INTS = [0, 1, -1, 2, 7, -(2**31), 2**31 - 1, 2**31, 2**40, -(2**63), 2**63 - 1]
FLOATS = [0.0, -1.0, 0.5, float("nan"), float("inf"), float("-inf"), 1e38, 1e-45]
DTYPES = [
    np.float32,
    np.float64,
    np.float16,
    np.int8,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.bool_,
    np.complex64,
    np.object_,
]
SHAPES = [(), (0,), (1,), (2,), (3, 0), (1, 1), (2, 3), (2, 1, 3), (1, 2, 2, 1), (1, 1, 2, 2, 1)]
PLAIN: list[Any] = [
    None,
    "text",
    b"\xff",
    "",
    [],
    {},
    [[1, 2], [3]],
    [None],
    True,
    1j,
    (1, "a"),
    object,
    [[]],
    "float32",
]
TYPES = [dtypes.float32, dtypes.int32, dtypes.string, dtypes.bool, dtypes.complex64, "nonsense"]
TYPES += [dtypes.resource, dtypes.variant, dtypes.bfloat16, dtypes.uint8, dtypes.half, 99]


def array(rng: random.Random, shape: tuple[int, ...] | None = None, dtype: Any = None) -> Any:
    """Return a small array of a random dtype, shape and contents."""
    dtype = dtype or rng.choice(DTYPES)
    shape = rng.choice(SHAPES) if shape is None else shape
    size = int(np.prod(shape))
    if dtype is np.object_:
        values: Any = np.empty(size, object)
        values[:] = [rng.choice([b"", b"a", b"1", b"\xff\x00", b"0.5"]) for _ in range(size)]
        return values.reshape(shape)
    kind = np.dtype(dtype).kind
    if kind in "iu":
        info = np.iinfo(dtype)
        choice = [value for value in INTS if info.min <= value <= info.max]
        numbers: list[Any] = [
            rng.choice(choice) if rng.random() < 0.2 else rng.randint(0, 3) for _ in range(size)
        ]
    elif kind == "b":
        numbers = [rng.random() < 0.5 for _ in range(size)]
    else:
        numbers = [
            rng.choice(FLOATS) if rng.random() < 0.2 else rng.uniform(-2, 2) for _ in range(size)
        ]
    with np.errstate(all="ignore"):
        return np.array(numbers, dtype).reshape(shape)


def mutated(rng: random.Random, value: Any) -> Any:
    """Return another value where an op takes `value`."""
    if isinstance(value, list) and value and rng.random() < 0.5:
        return _mutated_list(rng, value)
    draw = rng.random()
    if draw < 0.12:
        return rng.choice(PLAIN)
    if isinstance(value, np.ndarray):
        return _mutated_array(rng, value)
    if isinstance(value, bool) or draw > 0.7:
        return array(rng)
    if isinstance(value, int):
        return rng.choice(INTS)
    return rng.choice(FLOATS) if isinstance(value, float) else array(rng)


def _mutated_list(rng: random.Random, value: list[Any]) -> list[Any]:
    draw = rng.random()
    if draw < 0.2:
        return []
    if draw < 0.4:
        return value * 3
    index = rng.randrange(len(value))
    return [mutated(rng, item) if i == index else item for i, item in enumerate(value)]


def _mutated_array(rng: random.Random, value: Any) -> Any:
    draw = rng.random()
    if draw < 0.3:
        return array(rng, value.shape if value.size < 4096 else ())
    if draw < 0.5 and value.dtype != object:
        return array(rng, None, value.dtype.type)
    if draw < 0.6:
        return value[None]
    if draw < 0.7 and value.ndim:
        return value[0] if value.shape[0] else value.reshape(()) if value.size else value
    if draw < 0.8 and value.ndim:
        return value[:0]
    if draw < 0.9 and value.ndim:
        return value[..., :-1]
    return np.repeat(value, 2, axis=0) if value.ndim else array(rng)


def attribute(rng: random.Random, kind: str) -> Any:
    """Return a value for an attribute of a kind, right or wrong."""
    if rng.random() < 0.2:
        return rng.choice(PLAIN)
    choices: dict[str, list[Any]] = {
        "int": INTS,
        "float": FLOATS,
        "bool": [True, False, 2, None],
        "string": ["", "SAME", "VALID", "x", "NHWC", "NCHW", "\0", "(", "a" * 300],
        "type": TYPES,
        "shape": [[], [2], None, [-1], [0], [2**40], "s", [1, None]],
    }
    base = kind.removeprefix("list(").removesuffix(")")
    values = choices.get(base, PLAIN)
    if kind.startswith("list("):
        return [rng.choice(values) for _ in range(rng.choice([0, 1, 2, 4, 5]))]
    return rng.choice(values)
