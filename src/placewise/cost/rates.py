"""How long an op's work takes on a card or processor, and what bounds it.

A roofline: the longer of arithmetic and memory traffic, each at the share of the data sheet's peak
that its kind of op reaches, and the fixed time of the kernels. Matrix products and convolutions
are cut into tiles as the libraries do it, so that small ones leave multiprocessors idle.
The shares stand in `efficiency.py`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from placewise.cost.efficiency import (
    BANDWIDTH_SHARES,
    CHARACTERS,
    CLOCKS,
    CORE_SHARES,
    DEPTH_OVERHEAD,
    FAST_REDUCTIONS,
    KERNEL_SECONDS,
    MINIMUM_SECONDS,
    SLOWED_TENSOR_SHARE,
    TENSOR_CHANNELS,
    TENSOR_SHARES,
    TILES,
    TRANSFORM_COST,
    Character,
)
from placewise.cost.machine import Processor
from placewise.devices.facts import Model
from placewise.ops.work import Work

PRECISIONS = ("auto", "fp32", "tf32", "fp16", "bf16")
_CONVOLUTIONS = ("conv", "conv_gradient")
_DENSE = ("matmul", "conv", "conv_gradient", "rnn")
# What mixed precision leaves in float32: variables, their updates, sums and statistics.
_HALVED = (*_DENSE, "depthwise", "elementwise", "normalization", "pooling")
_TASK_SECONDS = 20e-6  # what one thread of the host gets at least, or it is not worth a second one


class Estimate(NamedTuple):
    """The time of one op. `bound`: "compute", "memory bandwidth" or "kernel launches"."""

    seconds: float
    bound: str


NOTHING = Estimate(0.0, "compute")


def seconds(work: Work, model: Model | Processor, precision: str = "auto") -> float:
    """Return how long an op takes on a device that has nothing else to do.

    `precision`: of float32 arithmetic in products and convolutions. "auto": tf32 where the card has
    it, as TensorFlow does since 2.4; "fp16" and "bf16": mixed precision, which halves the traffic.
    """
    return estimate(work, model, precision).seconds


@lru_cache(maxsize=65536)
def estimate(work: Work, model: Model | Processor, precision: str = "auto") -> Estimate:
    """Return how long an op takes, and what bounds it."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision!r}")
    if work.kind == "view":
        return NOTHING
    if isinstance(model, Processor):
        return _on_processor(work, model)
    character = _character(model)
    unit = _unit(work, model, precision)
    is_halved = unit in ("fp16", "bf16") and work.dtype == "float32" and work.kind in _HALVED
    moved = work.moved_bytes / 2 if is_halved else work.moved_bytes
    share = BANDWIDTH_SHARES[work.kind] * character.bandwidth
    memory = moved / (model.bandwidth * share)
    compute = _compute_seconds(work, model, unit, character)
    busy = max(compute, memory)
    if unit == "tf32" and work.kind in _CONVOLUTIONS:
        # float32 images have their channels first, which tensor units cannot use: they are
        # transposed before and after.
        busy += 2 * memory
    if unit not in ("fp32", "fp64") and work.dtype == "float32":
        # The library tries several algorithms: those of ordinary cores may be the faster ones.
        ordinary = _compute_seconds(work, model, "fp32", character)
        if max(ordinary, memory) < busy:
            compute, busy = ordinary, max(ordinary, memory)
    least = work.kernels * MINIMUM_SECONDS
    fixed = work.kernels * KERNEL_SECONDS
    if busy < least:
        return Estimate(least + fixed, "kernel launches")
    bound = "compute" if compute >= memory else "memory bandwidth"
    return Estimate(busy + fixed, bound if busy > fixed else "kernel launches")


def _character(model: Model) -> Character:
    """Return what is particular to a card's architecture, of which some have two kinds."""
    name = model.architecture
    if model.capability is not None:
        name = f"{name} {model.capability[0]}.{model.capability[1]}"
    return CHARACTERS.get(name) or CHARACTERS.get(model.architecture) or CHARACTERS[""]


def _unit(work: Work, model: Model, precision: str) -> str:
    """Return which unit does the arithmetic: "fp32", "tf32", "fp16", "bf16" or "fp64"."""
    if work.dtype in ("float64", "complex128"):
        return "fp64"
    if work.dtype in ("float16", "bfloat16"):
        unit = "fp16" if work.dtype == "float16" else "bf16"
    elif work.dtype != "float32":
        return "fp32"
    elif precision == "auto":
        unit = "tf32"
    else:
        unit = precision
    if unit == "tf32" and work.kind not in _DENSE:
        return "fp32"
    # What a card has no fast unit for is computed in float32.
    return unit if _peak(model, unit) >= _peak(model, "fp32") else "fp32"


def _peak(model: Model, unit: str) -> float:
    """Return the peak of a unit with sums in float32, as frameworks compute; 0 if there is none."""
    base, boost = CLOCKS.get(model.name, (1, 1))
    held = math.sqrt(base / boost)
    if unit == "fp64":
        return held * model.fp32 * _fp64_share(model)
    peak = _stated_peak(model, unit)
    if unit == "fp16" and model.vendor == "nvidia":
        # GeForce cards halve the rate for sums in float32, as the figure for bf16 shows.
        if model.bf16:
            return min(peak, held * model.bf16)
        if model.architecture == "Turing" and "GeForce RTX" in model.name:
            return peak / 2
    return peak


def _stated_peak(model: Model, unit: str) -> float:
    """Return the peak of the data sheet at the clock that the card holds."""
    base, boost = CLOCKS.get(model.name, (1, 1))
    return math.sqrt(base / boost) * float(getattr(model, unit) or 0.0)


def _fp64_share(model: Model) -> float:
    """Return how the rate in float64 stands to that in float32: half on cards for computing."""
    if model.capability is None:
        return 0.5 if model.architecture.startswith(("CDNA", "Xe-HPC")) else 1 / 16
    if model.capability[0] == 3:
        return 1 / 3 if model.capability >= (3, 5) else 1 / 24
    is_for_computing = model.capability in ((6, 0), (7, 0), (8, 0), (9, 0), (10, 0))
    return 0.5 if is_for_computing else 1 / 32


def _has_tensor_unit(model: Model, unit: str) -> bool:
    if unit in ("tf32", "bf16"):
        return True
    return unit == "fp16" and (model.bf16 is not None or (model.fp16 or 0.0) > 2.5 * model.fp32)


def _compute_seconds(work: Work, model: Model, unit: str, character: Character) -> float:
    if work.product is None or work.kind not in _DENSE:
        # Only products run on tensor units; the rest uses the ordinary ones.
        rate = _peak(model, "fp64" if unit == "fp64" else "fp32")
        return work.flops / (rate * CORE_SHARES[work.kind] * character.cores)
    is_tensor = _has_tensor_unit(model, unit)
    share = character.cores * CORE_SHARES[work.kind]
    if is_tensor:
        is_slowed = _peak(model, unit) < 0.9 * _stated_peak(model, unit)
        share = SLOWED_TENSOR_SHARE if is_slowed else character.tensor
        share *= TENSOR_SHARES.get(work.kind, CORE_SHARES[work.kind])
    if work.kind != "matmul":
        share *= character.convolutions
    if work.window is not None and not is_tensor:
        share *= _fast_gain(work.window)
    batch, rows, columns, depth = work.product
    repeats = work.flops / max(2.0 * batch * rows * columns * depth, 1.0)
    if is_tensor and work.channels:
        # Images of three channels are filled up with zeros.
        step = TENSOR_CHANNELS[unit]
        repeats *= math.ceil(work.channels / step) * step / work.channels
    peak, cores = _peak(model, unit), model.multiprocessors
    whole = _tiled_seconds(batch, rows, columns, depth, peak, cores, is_tensor)
    return repeats * whole / share


def _fast_gain(window: tuple[int, int, int]) -> float:
    """Return how much faster a convolution is with fewer multiplications, 1 if it is not.

    Products shrink by a fixed factor. Transforming tiles to and fro takes time with the number of
    channels on either side, not with their product: it pays with many channels.
    """
    taps, inputs, outputs = window
    transforms = TRANSFORM_COST * (inputs + outputs) / (inputs * outputs * taps)
    return max(1.0, 1 / (1 / FAST_REDUCTIONS[taps] + transforms))


@lru_cache(maxsize=65536)
def _tiled_seconds(
    batch: int, rows: int, columns: int, depth: int, peak: float, cores: int, is_tensor: bool
) -> float:
    """Return the time of a product at full share: the best of several ways to cut it into tiles.

    Each multiprocessor does one tile after the other, so that time goes in whole waves. A product
    with few tiles and a long sum is cut along the sum, too, and added up afterwards.
    """
    best = math.inf
    core_rate = peak / max(cores, 1)
    overhead = DEPTH_OVERHEAD["tensor" if is_tensor else "cores"]
    for tile_rows, tile_columns, share in TILES["tensor" if is_tensor else "cores"]:
        tiles = batch * math.ceil(rows / tile_rows) * math.ceil(columns / tile_columns)
        for parts in (1, 2, 4, 8, 16, 32, 64):
            piece = math.ceil(depth / parts)
            if parts > 1 and piece < 128:
                break
            waves = tiles * parts / cores
            # The last wave is only partly full; after some waves multiprocessors drift apart.
            waves = max(1.0, math.ceil(waves) if waves < 4 else waves + 0.5)
            work = 2.0 * tile_rows * tile_columns * (piece + overhead)
            splitting = 1.0 if parts == 1 else 1.1
            best = min(best, splitting * waves * work / (core_rate * share))
    return best


def threads_of(work: Work, processor: Processor) -> int:
    """Return how many threads of the host an op is spread over."""
    alone = _one_core_seconds(work, processor)
    return max(1, min(processor.cores, math.ceil(alone / _TASK_SECONDS)))


def _one_core_seconds(work: Work, processor: Processor) -> float:
    rate = processor.core_flops * _HOST_SHARES.get(work.kind, 0.15)
    if work.dtype in ("float64", "complex128"):
        rate /= 2
    return max(work.flops / rate, work.moved_bytes / _CORE_BANDWIDTH)


def _on_processor(work: Work, processor: Processor) -> Estimate:
    """Return the time on the host's cores; memory traffic is that of all of them together."""
    alone = _one_core_seconds(work, processor)
    threads = threads_of(work, processor)
    compute = alone / (threads * (_PARALLEL_SHARE if threads > 1 else 1.0))
    memory = work.moved_bytes / (processor.bandwidth * _HOST_BANDWIDTH_SHARE)
    bound = "compute" if compute >= memory else "memory bandwidth"
    return Estimate(max(compute, memory) + HOST_OP_SECONDS, bound)


# Of the peak of the host's vector units: products in oneDNN and Eigen reach three quarters, loops
# over elements far less; one core draws some 12 GB/s.
_HOST_SHARES = {
    "matmul": 0.75,
    "conv": 0.6,
    "conv_gradient": 0.5,
    "rnn": 0.4,
    "depthwise": 0.2,
    "factorization": 0.3,
    "sort": 0.02,
    "host": 0.02,
    "gather": 0.1,
    "random": 0.1,
}
_CORE_BANDWIDTH = 12e9
_PARALLEL_SHARE = 0.7
_HOST_BANDWIDTH_SHARE = 0.6
HOST_OP_SECONDS = 4e-6  # the executor's bookkeeping of an op
