"""How the words of a generator become numbers on a device: the formulas of `samples.py` in torch.

Each function returns a flat tensor of `count` samples in the memory of a torch device. The numbers
are those of the host: uniform ones and integers to the bit, normal ones of float64 but for the last
bit of the device's own logarithm, sine and cosine.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from placewise.ops.random.philox_torch import Place, signed, words, words_at

_TWO_PI = 2 * torch.pi
_SMALLEST = 1.0e-7  # stands in for 0 under a logarithm
_WORD = 0xFFFFFFFF

# Blocks computed together: a round needs five arrays of 16 bytes a block beside the result.
CHUNK = 1 << 20

# Blocks that a group of truncated samples looks at. That more are needed has a probability below
# 2**-64 for each group: four samples of 20 (two of 18), of which one in 22 is outside the bounds.
_GROUP_BLOCKS = 5
_GROUP_BLOCKS_64 = 9


def _filled(
    place: Place,
    count: int,
    per_block: int,
    device: str,
    make: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Return `count` samples, made from at most CHUNK blocks at a time."""
    blocks = -(-count // per_block)
    parts = [
        make(words(place, min(CHUNK, blocks - begin), device, begin)).view(-1)
        for begin in range(0, max(blocks, 1), CHUNK)
    ]
    return (parts[0] if len(parts) == 1 else torch.cat(parts))[:count]


def _uniform32(block: torch.Tensor) -> torch.Tensor:
    bits = block.bitwise_and_(0x007FFFFF).bitwise_or_(0x3F800000)
    return bits.view(torch.float32).sub_(1)


def _uniform64(block: torch.Tensor) -> torch.Tensor:
    pairs = block.view(torch.int64)
    # The first word of a pair holds the upper bits.
    bits = ((pairs & 0xFFFFF) << 32).bitwise_or_((pairs >> 32).bitwise_and_(_WORD))
    return bits.bitwise_or_(0x3FF0000000000000).view(torch.float64).sub_(1)


def _uniform16(block: torch.Tensor) -> torch.Tensor:
    bits = block.bitwise_and_(0x3FF).bitwise_or_(15 << 10).to(torch.int16)
    return bits.view(torch.float16).sub_(1)


def _uniform_bfloat16(block: torch.Tensor) -> torch.Tensor:
    bits = block.bitwise_and_(0x7F).bitwise_or_(127 << 7).to(torch.int16)
    return bits.view(torch.bfloat16).sub_(1)


_UNIFORM = {
    torch.float16: _uniform16,
    torch.bfloat16: _uniform_bfloat16,
    torch.float32: _uniform32,
    torch.float64: _uniform64,
}


def uniform(place: Place, count: int, dtype: torch.dtype, device: str) -> torch.Tensor:
    """Return samples in [0, 1)."""
    return _filled(place, count, 2 if dtype is torch.float64 else 4, device, _UNIFORM[dtype])


def full_integers(place: Place, count: int, dtype: torch.dtype, device: str) -> torch.Tensor:
    """Return integers that take every value of their type alike."""
    return _filled(place, count, 16 // dtype.itemsize, device, lambda block: block.view(dtype))


def integers(
    place: Place, count: int, low: int, high: int, dtype: torch.dtype, device: str
) -> torch.Tensor:
    """Return integers in [low, high), taken modulo the range as TensorFlow does."""
    size = high - low
    if dtype.itemsize == 8:
        drawn = _unsigned_modulo(full_integers(place, count, torch.int64, device), size)
        return drawn.add_(signed(low)).view(dtype)
    drawn = full_integers(place, count, torch.int32, device).to(torch.int64).bitwise_and_(_WORD)
    return drawn.remainder_(size).add_(low).to(dtype)


def _unsigned_modulo(values: torch.Tensor, size: int) -> torch.Tensor:
    """Return unsigned 64-bit integers, which int64 holds, modulo `size`."""
    if size < 2**63:
        # Twice the half's remainder and the last bit: below twice the size, which may be negative.
        half = (values >> 1).bitwise_and_(2**63 - 1).remainder_(size)
        rest = half.mul_(2).add_(values & 1)
        return rest - ((rest < 0) | (rest >= size)) * size
    size -= 2**64
    return values - ((values < 0) & (values >= size)) * size


def _normal32(block: torch.Tensor) -> torch.Tensor:
    return _box_muller(_uniform32(block).view(-1, 2))


def _normal64(block: torch.Tensor) -> torch.Tensor:
    return _box_muller(_uniform64(block))


def _box_muller(pairs: torch.Tensor) -> torch.Tensor:
    """Return pairs of uniform samples as pairs of normal samples.

    Functions of float32 are rounded from double precision: see `floats.py`.
    """
    dtype = pairs.dtype
    log = _wide(pairs[:, 0].clamp_min(_SMALLEST)).log().to(dtype)
    radius = _wide(log).mul(-2).sqrt_().to(dtype)
    angle = _wide(_wide(pairs[:, 1]).mul(_TWO_PI).to(dtype))
    sine, cosine = angle.sin().to(dtype), angle.cos().to(dtype)
    return torch.stack((sine.mul_(radius), cosine.mul_(radius)), dim=1)


def _wide(x: torch.Tensor) -> torch.Tensor:
    return x if x.device.type == "mps" else x.double()  # Apple's GPUs have no float64


def normal(place: Place, count: int, dtype: torch.dtype, device: str) -> torch.Tensor:
    """Return samples of the standard normal distribution."""
    if dtype is torch.float64:
        return _filled(place, count, 2, device, _normal64)
    return _filled(place, count, 4, device, _normal32).to(dtype)


def truncated_normal(
    place: Place, count: int, dtype: torch.dtype, device: str, reserved: int
) -> torch.Tensor:
    """Return samples of the standard normal distribution within two deviations.

    Each group of four (two of float64) has a stretch of counters of its own, `reserved` for a
    sample of four, and takes the first samples there that lie inside. How many that are is not
    read: every group looks at so many blocks that they suffice.
    """
    is_wide = dtype is torch.float64
    size, blocks = (2, _GROUP_BLOCKS_64) if is_wide else (4, _GROUP_BLOCKS)
    stride = size * reserved // 4
    groups = -(-count // size)
    parts = []
    step = CHUNK // 8
    for begin in range(0, max(groups, 1), step):
        starts = torch.arange(min(step, groups - begin), device=device) * stride
        offsets = (starts.view(-1, 1) + torch.arange(blocks, device=device)).view(-1)
        end = (begin + step) * stride
        block = words_at(place, offsets, begin * stride, end)
        drawn = (_normal64 if is_wide else _normal32)(block).view(-1, size * blocks)
        outside = (drawn.abs() >= 2).to(torch.uint8)
        order = outside.argsort(dim=1, stable=True)[:, :size]
        parts.append(drawn.gather(1, order).view(-1))
    return (parts[0] if len(parts) == 1 else torch.cat(parts))[:count].to(dtype)
