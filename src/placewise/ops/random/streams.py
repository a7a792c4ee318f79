"""Which numbers an op draws: the rules of seeds, and the place each op has reached."""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from placewise.core.determinism import determinism
from placewise.core.errors import invalid
from placewise.core.runtime import State, runtime
from placewise.core.scope import current
from placewise.devices.inventory import inventory
from placewise.ops.random.philox import Philox, from_seeds
from placewise.ops.random.samples import RESERVED

# The global seed in force when only an op has one.
DEFAULT_GLOBAL_SEED = 87654321
_LIMIT = 2**31 - 1


def check_seeds(seed: int, seed2: int) -> None:
    """Raise for an op that would draw its seed, if results must be the same every time."""
    if determinism.deterministic and not seed and not seed2:
        raise invalid("When determinism is enabled, random ops must have a seed specified.")


class Stream:
    """The numbers of one seeded op, handed out in order."""

    __slots__ = ("_lock", "_place")

    def __init__(self, seed: Any, seed2: Any) -> None:
        first, second = int(seed), int(seed2)
        if not first and not second:
            first, second = secrets.randbits(64), secrets.randbits(64)
        self._place = from_seeds(first, second)
        self._lock = threading.Lock()

    def reserve(self, blocks: int) -> Philox:
        """Return the current place and move `blocks` on."""
        with self._lock:
            place = self._place
            self._place = place.skip(blocks)
        return place

    def reserve_samples(self, count: int) -> Philox:
        """Return the current place and move on past what `count` samples may take."""
        return self.reserve(count * RESERVED)


# The streams of functions, in the iteration over a dataset that runs them; None outside of one.
ITERATION: ContextVar[Any] = ContextVar("iteration over a dataset", default=None)


@contextmanager
def new_iteration() -> Iterator[None]:
    """Return a context in which functions begin to draw anew, as for a dataset from its start."""
    outer = ITERATION.set({})
    try:
        yield
    finally:
        ITERATION.reset(outer)


class FunctionStream(Stream):
    """The numbers of one seeded op of a function.

    They begin anew when the global seed is set, and in each iteration over a dataset that calls
    the function.
    """

    __slots__ = ("__weakref__", "_seeds")

    def __init__(self, seed: Any, seed2: Any) -> None:
        self._seeds = seed, seed2

    def reserve(self, blocks: int) -> Philox:
        """Return the current place and move `blocks` on."""
        iteration = ITERATION.get()
        streams = SEEDS.of_functions if iteration is None else iteration
        stream = streams.get(self)
        if stream is None:
            stream = streams.setdefault(self, Stream(*self._seeds))
        stream_place: Philox = stream.reserve(blocks)
        return stream_place


class Seeds(State):
    """The global seed and, in eager programs, the streams of ops since it was set.

    Eager calls with the same op, seeds, dtypes and device share one stream, so that a second call
    continues where the first stopped.
    """

    seed: Any
    _random: random.Random
    _streams: dict[Any, Stream]
    of_functions: WeakKeyDictionary[Any, Stream]

    def __init__(self) -> None:
        self.seed = None
        self._random = random.Random()
        self._streams = {}
        self.of_functions = WeakKeyDictionary()

    def set(self, seed: Any) -> None:
        """Set the global seed and start every stream anew."""
        self.seed = seed
        self._random = random.Random(int(seed) if hasattr(seed, "__index__") else seed)
        self._streams = {}
        self.of_functions = WeakKeyDictionary()

    def next_op_seed(self) -> int:
        """Return the seed of the next op that has none of its own."""
        return self._random.randint(0, _LIMIT)

    def for_op(self, op_seed: Any) -> tuple[Any, Any]:
        """Return the global seed, and an op's own or the next one."""
        if self.seed is not None and op_seed is None:
            op_seed = self.next_op_seed()
        return self.seed, op_seed

    def stream(self, op: str, seed: int, seed2: int, *types: Any) -> Stream:
        """Return the stream of an eager op under the device in force."""
        check_seeds(seed, seed2)
        found = inventory()
        device = found.find(current.request) if current.request else found.default
        key = (op, seed, seed2, types, current.request if device is None else device.name)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = Stream(seed, seed2)
        return stream


SEEDS = runtime.state(Seeds)


def set_seed(seed: Any) -> None:
    """Set the global seed: from here on a program draws the same random numbers in every run.

    `seed`: an integer. The counters of all random ops begin anew.

    An op with a seed of its own draws from both; without one it takes a seed by its place in the
    program. The numbers are those of TensorFlow, on every device.

    >>> tf.random.set_seed(7)
    >>> first = tf.random.uniform([2])
    >>> tf.random.set_seed(7)
    >>> bool(tf.reduce_all(first == tf.random.uniform([2])))
    True
    """
    SEEDS.set(seed)


def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """Return the two seeds of an op that was given `op_seed`, or (None, None) for no seed at all.

    The interpreter gives the global seed, and an op without a seed its own: in a graph both are
    the graph's.
    """
    global_seed, op_seed = current.interpreter.seeds(op_seed)
    if global_seed is None:
        if op_seed is None:
            if determinism.deterministic:
                raise RuntimeError(
                    "Random ops require a seed to be set when determinism is enabled. Please set "
                    "a seed before running the op, e.g. by calling tf.random.set_seed(1)."
                )
            return None, None
        global_seed = DEFAULT_GLOBAL_SEED
    pair = (global_seed % _LIMIT, op_seed % _LIMIT)
    # Two zeros would mean no seed.
    return (0, _LIMIT) if pair == (0, 0) else pair


def refuse_no_seed(function: str, seed: Any) -> None:
    """Raise for a function that draws without a seed, if results must be the same every time."""
    if determinism.deterministic:
        raise ValueError(
            f"{function} requires a non-zero seed to be passed in when determinism is enabled, but "
            f'got seed={seed}. Please pass in a non-zero seed, e.g. by passing "seed=1".'
        )


def op_seeds(op_seed: Any) -> dict[str, int]:
    """Return the attributes `seed` and `seed2` of an op that was given `op_seed`."""
    first, second = get_seed(op_seed)
    return {"seed": int(first or 0), "seed2": int(second or 0)}
