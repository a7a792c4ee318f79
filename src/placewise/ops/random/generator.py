"""`tf.random.Generator`: random numbers whose place in the stream is a variable."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.determinism import determinism
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.errors import FailedPreconditionError, UnimplementedError, invalid
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.core.trackable import Trackable
from placewise.ops.array.bits import bitcast
from placewise.ops.array.concat import concat, stack, unstack
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.static import is_symbolic_tensor
from placewise.ops.convert import convert_to_tensor, host_array
from placewise.ops.declare import define
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.random.normal import moved, parameters
from placewise.ops.random.philox import WIDE, Philox
from placewise.ops.random.philox_torch import DevicePhilox, skipped
from placewise.ops.random.poisson_binomial import TYPES, drawn_binomial
from placewise.ops.random.samples import RESERVED
from placewise.ops.random.shapes import size_of
from placewise.ops.random.stateless import (
    algorithm_number,
    random_full_int,
    random_normal,
    random_truncated,
    uniform_from,
)
from placewise.ops.residence import is_resident
from placewise.ops.state.variable import Variable
from placewise.ops.values import Handle
from placewise.ops.work import view_work

_STATE_SIZES = {1: 3, 2: 2, 3: 3}
_COUNTER_SIZES = {1: 2, 2: 1, 3: 2}

read_and_skip = define(
    "RngReadAndSkip(resource: resource, alg: int32, delta: uint64) -> value: int64",
    host=("alg", "delta"),
    wide_unsigned=True,
    stateful=True,
    differentiable=False,
    doc="Return a generator's state and move it on by as much as `delta` samples may take.",
    work=view_work,
)
read_and_skip.shape(lambda resource, alg, delta: (None,))


@read_and_skip.kernel
def rng_read_and_skip_kernel(
    resource: Handle, alg: np.ndarray[Any, Any], delta: np.ndarray[Any, Any]
) -> Any:
    state = _state_of(resource, int(np.asarray(alg)))
    blocks = int(np.asarray(delta)) * RESERVED
    if is_resident(state):
        before = DevicePhilox(state[2:3], state[:1], state[1:2])
        after = skipped(before, blocks)
        resource.value = torch.cat((after.low, after.high, state[2:]))
    else:
        _advance(resource, state, blocks)
    return state


def _state_of(resource: Handle, number: int) -> torch.Tensor:
    state: torch.Tensor = resource.value
    if state is None:
        raise FailedPreconditionError(
            None, None, "Error while reading resource variable: it is not initialized."
        )
    if state.dtype is not torch.int64:
        name = str(state.dtype).removeprefix("torch.")
        raise invalid(f"dtype of RNG state variable must be int64, not {name}")
    if number == 2:
        raise UnimplementedError(
            None, None, "Non-XLA devices don't support the ThreeFry algorithm."
        )
    if number != 1:
        raise invalid(f"Unsupported algorithm id: {number}")
    if state.dim() != 1 or state.shape[0] < 3:
        raise invalid(
            f"For the Philox algorithm, the size of state must be at least 3; got {state.numel()}"
        )
    return state


def _place_of(state: torch.Tensor) -> Philox:
    low, high, key = (each & WIDE for each in state[:3].tolist())
    return Philox(key, low | high << 64)


def _advance(resource: Handle, state: torch.Tensor, blocks: int) -> None:
    counter = _place_of(state).skip(blocks).counter
    moved_on = np.array([counter & WIDE, counter >> 64], np.uint64).view(np.int64)
    # A new tensor: whoever read the old state keeps it.
    changed = state.clone()
    changed[:2] = torch.from_numpy(moved_on)
    resource.value = changed


stateful_binomial = define(
    "StatefulRandomBinomial(resource: resource, algorithm: int64, shape: S, counts: T, probs: T;"
    " dtype: type = int64) -> output: dtype",
    host=("algorithm", "shape"),
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    S=INDEX,
    T=TYPES,
    dtype=TYPES,
    doc="Return binomial samples drawn from a generator's state.",
    default_types={"T": dtypes.float64},
)


@stateful_binomial.shape
def stateful_random_binomial_shape(
    resource: Static, algorithm: Static, shape: Static, *_: Static, **__: object
) -> Dims:
    return from_value(shape)


@stateful_binomial.kernel
def stateful_random_binomial_kernel(
    resource: Handle,
    algorithm: np.ndarray[Any, Any],
    shape: np.ndarray[Any, Any],
    counts: torch.Tensor,
    probs: torch.Tensor,
    *,
    dtype: DType,
) -> Any:
    state = _state_of(resource, int(np.asarray(algorithm)))
    result = drawn_binomial(shape, _place_of(state), counts, probs, dtype)
    _advance(resource, state, size_of(shape)[1] * 125 * RESERVED)
    return result


def _integers_of(seed: Any, size: int) -> Any:
    """Return the `size` numbers of a state that a seed of any length or size stands for."""
    if is_symbolic_tensor(seed):
        flat: Any = cast(reshape(seed, [-1]), dtypes.int64)[:size]
        # Numbers that are missing are zeros in front.
        return reshape(pad(flat, [[size - shape_of(flat)[0], 0]]), [size])
    if isinstance(seed, int):
        parts = [seed >> (64 * i) & WIDE for i in range(size)]
        return np.array(parts, np.uint64).view(np.int64)
    given = np.asarray(seed.numpy() if hasattr(seed, "numpy") else seed)
    if given.dtype.kind in "OSU":
        raise UnimplementedError(None, None, "Cast string to int64 is not supported")
    flat = given.reshape(-1).astype(np.int64)[:size]
    # Numbers that are missing are zeros in front.
    return np.concatenate([np.zeros(size - flat.size, np.int64), flat])


def create_rng_state(seed: Any, alg: Any) -> Any:
    """Return the state of a generator that starts from `seed`: an integer or several."""
    return convert_to_tensor(_integers_of(seed, _STATE_SIZES[algorithm_number(alg)]))


def _check_shape(value: Any, wanted: list[int]) -> None:
    if list(value.shape) != wanted:
        raise ValueError(f"Shapes {value.shape} and {wanted} are incompatible")


def _int64(value: TensorLike) -> Any:
    if hasattr(value, "dtype") and as_dtype(value.dtype) is dtypes.int64:
        return convert_to_tensor(value)
    if is_symbolic_tensor(value):
        return cast(value, dtypes.int64)
    given = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return convert_to_tensor(given.astype(np.int64))


class Generator(Trackable):
    """A stream of random numbers with its own state, which a variable holds.

    Made with `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        elif state is None or alg is None:
            raise AssertionError

        self._alg = algorithm_number(alg)
        if self._alg == 3:
            self._alg = 1
        shared = isinstance(state, Variable) and state.dtype is dtypes.int64
        state = state if shared else _int64(state)
        _check_shape(state, [_STATE_SIZES[self._alg]])
        if not shared:
            state = Variable(state, dtype=dtypes.int64, name="StateVar", trainable=False)
        self._state = state
        self._track_trackable(state, "_state_var")

    @classmethod
    def from_state(cls, state: Any, alg: str) -> Generator:
        """Return a generator with this very state; a variable is shared, not copied."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: str | None = None) -> Generator:
        """Return a generator that starts from a seed."""
        number = algorithm_number("auto_select" if alg is None else alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Return a generator that starts anywhere."""
        if determinism.deterministic:
            raise RuntimeError(
                '"from_non_deterministic_state" cannot be called when determinism is enabled. '
                "Give a seed instead: tf.random.Generator.from_seed(1)."
            )
        number = algorithm_number("auto_select" if alg is None else alg)
        size = _STATE_SIZES[number]
        return cls(state=_integers_of(secrets.randbits(64 * size), size), alg=number)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Return a generator that starts at a counter of a key's stream."""
        number = algorithm_number(alg)
        return cls(state=_joined(key, counter, number), alg=number)

    @property
    def state(self) -> Any:
        """The variable that holds the state."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Any:
        """The key of the stream."""
        return self._state.read_value()[_COUNTER_SIZES[self._alg]]

    def reset(self, state: Any) -> None:
        """Take on another state."""
        state = _int64(state)
        _check_shape(state, [_STATE_SIZES[self._alg]])
        self._state.assign(state)

    def reset_from_seed(self, seed: Any) -> None:
        """Start again from a seed."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Start again at a counter of a key's stream."""
        self._state.assign(_joined(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Any:
        """Move on by as much as `delta` samples may take; returns the state before."""
        if is_symbolic_tensor(delta):
            delta = cast(delta, dtypes.uint64)
        else:
            given = delta.numpy() if hasattr(delta, "numpy") else delta
            delta = np.asarray(given).astype(np.uint64)
        return read_and_skip(self._state.handle, self._alg, delta)

    def _drawn(self, shape: Any) -> tuple[Any, Any, int, Any]:
        """Return key, counter, algorithm and shape for the next samples."""
        size = _COUNTER_SIZES[self._alg]
        if current.interpreter is not Scope.eager:
            return self._drawn_later(shape, size)
        dims = host_array(shape, INDEX, "Tshape", "RngReadAndSkip", dtypes.int32)
        state = self.skip(np.prod(dims, dtype=np.int64))
        if is_resident(state._value):  # read there by the op that draws
            return *self._parted(state, size), self._alg, dims
        before = state.numpy().view(np.uint64)
        return before[size : size + 1], before[:size], self._alg, dims

    def _drawn_later(self, shape: list[Any], size: int) -> tuple[Any, Any, int, Any]:
        """Return what `_drawn` does, as tensors of the graph that is being written."""
        dims = convert_to_tensor(shape, dtype_hint=dtypes.int32)
        taken = cast(reduce_prod(cast(dims, dtypes.int64)), dtypes.uint64)
        state = read_and_skip(self._state.handle, self._alg, taken)
        return *self._parted(state, size), self._alg, dims

    def _parted(self, state: Tensor, size: int) -> tuple[Any, Any]:
        """Return key and counter of a state as tensors."""
        before = bitcast(state, dtypes.uint64)
        return before[size : size + 1], before[:size]

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Return normal samples."""
        dtype = as_dtype(dtype)
        mean, stddev = parameters(mean, stddev, dtype)
        key, counter, alg, dims = self._drawn(shape)
        return moved(random_normal(dims, key, counter, alg, dtype=dtype, name=name), mean, stddev)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Return normal samples within two deviations of the mean."""
        dtype = as_dtype(dtype)
        mean, stddev = parameters(mean, stddev, dtype)
        key, counter, alg, dims = self._drawn(shape)
        result = random_truncated(dims, key, counter, alg, dtype=dtype, name=name)
        return moved(result, mean, stddev)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Return samples in [minval, maxval); None for both: any integer."""
        dtype = as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={minval} and maxval={maxval}"
            )
        key, counter, alg, dims = self._drawn(shape)
        return uniform_from(key, counter, alg, dims, minval, maxval, dtype, name)

    def uniform_full_int(
        self, shape: Any, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Any:
        """Return integers of the whole range of their type."""
        key, counter, alg, dims = self._drawn(shape)
        return random_full_int(dims, key, counter, alg, dtype=as_dtype(dtype), name=name)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Any:
        """Return how many of `counts` trials of probability `probs` succeed."""
        counts = convert_to_tensor(counts)
        probs = convert_to_tensor(probs, counts.dtype)
        handle = self._state.handle
        return stateful_binomial(
            handle, self._alg, shape, counts, probs, dtype=as_dtype(dtype), name=name
        )

    def make_seeds(self, count: int = 1) -> Any:
        """Return `count` seeds for stateless functions, of shape [2, count]."""
        keys = self.uniform_full_int([count], dtypes.int64)
        if is_symbolic_tensor(keys) or is_resident(keys._value):
            return stack([keys, zeros_like(keys)])
        return convert_to_tensor(np.stack([keys.numpy(), np.zeros(count, np.int64)]))

    def split(self, count: int = 1) -> list[Generator]:
        """Return `count` generators that are independent of each other and of this one."""
        drawn = self.uniform_full_int([count], dtypes.int64)
        keys = unstack(drawn, count) if is_symbolic_tensor(drawn) else drawn.numpy().tolist()
        zeros = [0] * _COUNTER_SIZES[self._alg]
        return [type(self).from_key_counter(key, zeros, self._alg) for key in keys]


Generator.__module__ = "tensorflow.python.ops.stateful_random_ops"


def _joined(key: Any, counter: Any, number: int) -> Any:
    key, counter = _int64(key), _int64(counter)
    _check_shape(counter, [_COUNTER_SIZES[number]])
    _check_shape(key, [])
    if is_symbolic_tensor(key) or is_symbolic_tensor(counter):
        return concat([counter, [key]], 0)
    return np.concatenate([counter.numpy(), [key.numpy()]])


class GlobalGenerator(State):
    """The generator that programs share; None until one asks for it."""

    generator: Any = None


_global = runtime.state(GlobalGenerator)


def get_global_generator() -> Any:
    """Return the generator that programs share; the first call makes it."""
    if _global.generator is None:
        if determinism.deterministic:
            raise RuntimeError(
                '"get_global_generator" cannot be called if determinism is enabled, unless '
                '"set_global_generator" has already been called. Please call '
                '"set_global_generator" first.'
            )
        _global.generator = Generator.from_non_deterministic_state()
    return _global.generator


def set_global_generator(generator: Generator) -> None:
    """Make `generator` the one that programs share."""
    _global.generator = generator
