"""Gamma samples, and how they change with `alpha`: gradients flow through the samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_dynamic_shape, broadcast_to
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.families import broadcast_shape
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.random.gamma_derivative import sample_derivative
from placewise.ops.random.philox import Philox
from placewise.ops.random.rejection import gamma as gamma_samples
from placewise.ops.random.shapes import ending_in, sample_shape, size_of
from placewise.ops.random.stateless import generator_of, host_place, key_counter_alg
from placewise.ops.random.streams import SEEDS, Stream, op_seeds
from placewise.ops.work import random_work

GAMMA_TYPES = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})


@op(
    "RandomGamma(shape: S, alpha: T; seed: int = 0, seed2: int = 0) -> output: T",
    host=("shape",),
    devices=("CPU",),
    stateful=True,
    S=INDEX,
    T=GAMMA_TYPES,
    work=random_work,
)
def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return samples of shape `shape + alpha.shape` of the gamma distribution with rate `beta`."""
    alpha, beta = _parameters(alpha, beta, dtype)
    return _scaled(gamma.bind(shape, alpha, **op_seeds(seed), name=name), beta, alpha.dtype)


def stateless_gamma(
    shape: ShapeLike,
    seed: Sequence[Any],
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Return gamma samples of `shape`, which ends in that of the parameters, fixed by `seed`."""
    alpha, beta = _parameters(alpha, beta, dtype)
    key, counter, alg = key_counter_alg(seed, "auto_select")
    result = stateless_random_gamma(shape, key, counter, alg, alpha, name=name)
    return _scaled(result, beta, alpha.dtype)


def _parameters(alpha: TensorLike, beta: Tensor | None, dtype: DType) -> tuple[Any, Any]:
    alpha = convert_to_tensor(alpha, as_dtype(dtype))
    np.finfo(alpha.dtype.as_numpy_dtype)  # ValueError for integers
    if beta is None:
        return alpha, None
    beta = convert_to_tensor(beta, as_dtype(dtype))
    if alpha._shape_tuple != beta._shape_tuple or alpha._shape_tuple is None:
        shape = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
        alpha = broadcast_to(alpha, shape)
    return alpha, beta


def _scaled(result: Any, beta: Any, dtype: Any) -> Any:
    """Return samples divided by the rate, none of them zero."""
    if beta is not None:
        result = result / beta
    return maximum(convert_to_tensor(np.finfo(dtype.as_numpy_dtype).tiny, dtype), result)


def _drawn(generator: Philox, alpha: Any, per_alpha: int, dims: list[int]) -> Any:
    flat = alpha.detach().reshape(-1).to(torch.float64).numpy()
    drawn = gamma_samples(generator, np.repeat(flat, per_alpha)).reshape(flat.size, per_alpha)
    result = torch.from_numpy(np.ascontiguousarray(drawn.T)).to(alpha.dtype).reshape(dims)
    # TensorFlow's kernels run with denormal numbers flushed to zero.
    smallest = torch.finfo(alpha.dtype).tiny if alpha.dtype is not torch.float16 else 0.0
    return torch.where(result < smallest, torch.zeros((), dtype=alpha.dtype), result)


@gamma.shape
def random_gamma_shape(shape: Static, alpha: Static, **_: object) -> Dims:
    dims = from_value(shape)
    return None if dims is None or alpha.shape is None else dims + alpha.shape


@gamma.kernel
def random_gamma_kernel(
    shape: np.ndarray[Any, Any],
    alpha: torch.Tensor,
    *,
    seed: int,
    seed2: int,
    stream: Stream | None = None,
) -> Any:
    dims, per_alpha = size_of(shape)
    if stream is None:
        stream = SEEDS.stream("RandomGamma", seed, seed2, alpha.dtype, shape.dtype)
    place = stream.reserve_samples(per_alpha * alpha.numel())
    return _drawn(place, alpha, per_alpha, dims + list(alpha.shape))


@gamma.gradient
def random_gamma_gradient(call: Call, dy: Tensor) -> Any:
    return None, _alpha_gradient(call.inputs[1], call.output, dy)


def _alpha_gradient(alpha: Tensor, sample: Tensor, dy: Tensor) -> Any:
    return sum_to_shape_of(dy * random_gamma_grad(alpha, sample), alpha)


stateless_random_gamma = define(
    "StatelessRandomGammaV3(shape: shape_dtype, key: uint64, counter: uint64, alg: int32,"
    " alpha: dtype) -> output: dtype",
    host=("shape", "key", "counter", "alg"),
    devices=("CPU",),
    shape_dtype=INDEX,
    dtype=GAMMA_TYPES,
    doc="Return gamma samples fixed by key and counter.",
    work=random_work,
)
stateless_random_gamma.shape(sample_shape)


@stateless_random_gamma.kernel
def stateless_random_gamma_kernel(
    shape: np.ndarray[Any, Any],
    key: np.ndarray[Any, Any],
    counter: np.ndarray[Any, Any],
    alg: np.ndarray[Any, Any],
    alpha: torch.Tensor,
) -> Any:
    dims, count = size_of(shape)
    if not count:  # TensorFlow looks at the end of the shape only if there is something to draw
        return alpha.new_zeros(dims)
    ending_in(shape, alpha.shape)
    per_alpha = count // alpha.numel() if alpha.numel() else 0
    return _drawn(host_place(generator_of(key, counter, alg)), alpha, per_alpha, dims)


@stateless_random_gamma.gradient
def stateless_random_gamma_gradient(call: Call, dy: Tensor) -> Any:
    return None, None, None, None, _alpha_gradient(call.inputs[4], call.output, dy)


random_gamma_grad = define(
    "RandomGammaGrad(alpha: T, sample: T) -> output: T",
    devices=("CPU",),
    differentiable=False,
    T=frozenset({dtypes.float16, dtypes.float32, dtypes.float64}),
    doc="Return the derivative of gamma samples with respect to `alpha`.",
)
random_gamma_grad.shape(broadcast_shape)


@random_gamma_grad.kernel
def random_gamma_grad_kernel(alpha: torch.Tensor, sample: torch.Tensor) -> Any:
    wide_alpha, wide_sample = torch.broadcast_tensors(alpha.double(), sample.double())
    result = sample_derivative(wide_alpha.numpy(), wide_sample.numpy())
    return torch.from_numpy(result).to(alpha.dtype)
