"""Philox 4x32-10 in torch operations: the blocks of `philox.py`, computed in a device's memory.

Nothing is copied to the device and nothing is read from it. torch has no arithmetic for unsigned
64-bit integers, so a 32-bit word is an int64 whose upper half is zero; products wrap around as
unsigned ones do, and a shift to the right is masked where its sign bits would matter.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from placewise.ops.random.philox import (
    FACTORS,
    KEY_STEPS,
    ROUNDS,
    SEED_KEY,
    WIDE,
    WORD,
    Philox,
)

_SIGN = -(2**63)


class DevicePhilox(NamedTuple):
    """A place in a stream whose key and counter lie on a device: three int64 tensors of [1]."""

    key: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor


Place = Philox | DevicePhilox


def words(place: Place, count: int, device: Any, start: int = 0, stride: int = 1) -> torch.Tensor:
    """Return `count` blocks as int32 of shape [count, 4], each `stride` counters after the last."""
    offsets = torch.arange(count, device=device)
    if stride != 1:
        offsets *= stride
    return words_at(place, offsets, start, start + count * stride)


def words_at(place: Place, offsets: torch.Tensor, start: int, end: int) -> torch.Tensor:
    """Return the blocks at `offsets` (int64, flat) from `start` on as int32 of shape [n, 4].

    All of them lie before `end`.
    """
    if isinstance(place, Philox):
        place = place.skip(start)
        low, high = place.counter & WIDE, place.counter >> 64
        counters = offsets + signed(low)
        if low + (end - start) > WIDE:
            upper = _carried(counters, signed(low), signed(high))
        else:
            upper = torch.full_like(offsets, signed(high))
        halves: Any = _pair(place.key & WORD, place.key >> 32, offsets.device)
    else:
        counters = offsets + place.low + start
        upper = _carried(counters, place.low, place.high)
        halves = torch.stack((place.key & WORD, place.key >> 32))
    return _blocks(halves, counters, upper)


def signed(value: int) -> int:
    """Return the signed 64-bit integer that has the bits of an unsigned one."""
    return value - 2**64 if value >= 2**63 else value


def is_below(one: torch.Tensor, other: Any) -> torch.Tensor:
    """Return where one int64 is less than another if both are taken as unsigned."""
    is_less: torch.Tensor = (one ^ _SIGN) < (other ^ _SIGN)
    return is_less


def _carried(counters: torch.Tensor, low: Any, high: Any) -> torch.Tensor:
    """Return the upper counter halves: one more where the addition to `low` overflowed."""
    upper: torch.Tensor = is_below(counters, low).to(torch.int64) + high
    return upper


def _pair(first: int, second: int, device: Any) -> torch.Tensor:
    """Return two numbers as a column, made on the device."""
    return torch.arange(2, device=device).mul_(second - first).add_(first).view(2, 1)


def _blocks(key: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    # Row 0 holds words 0 and 1 of the blocks, row 1 words 2 and 3.
    factors = _pair(*FACTORS, low.device)
    keys = torch.arange(ROUNDS, device=low.device).view(-1, 1, 1) * _pair(*KEY_STEPS, low.device)
    keys = keys.add_(key).bitwise_and_(WORD)
    odd = torch.stack((low, high))
    even = odd & WORD
    odd >>= 32
    for round_key in keys.unbind(0):
        # The upper half of an odd word may be anything: the mask and the last shift drop it.
        product = (even * factors).flip(0)
        even = (product >> 32).bitwise_xor_(odd).bitwise_xor_(round_key).bitwise_and_(WORD)
        odd = product
    # The devices there are store the lower half of an int64 first, as the host does.
    return (odd << 32).bitwise_or_(even).t().contiguous().view(torch.int32)


def scrambled(seed: torch.Tensor) -> DevicePhilox:
    """Return the stream of a stateless op's seed pair on the device: see `philox.scrambled`."""
    pair = seed.view(torch.int64) if seed.dtype is torch.uint64 else seed.to(torch.int64)
    place = DevicePhilox(torch.full_like(pair[:1], signed(SEED_KEY)), pair[:1], pair[1:])
    mixed = words(place, 1, seed.device).view(torch.int64).view(2)
    return DevicePhilox(mixed[:1], torch.zeros_like(mixed[:1]), mixed[1:])


def skipped(place: DevicePhilox, blocks: int) -> DevicePhilox:
    """Return the place `blocks` further on."""
    added, upper = blocks & WIDE, blocks >> 64
    low = place.low + signed(added)
    high = _carried(low, place.low, place.high)
    return DevicePhilox(place.key, low, high + signed(upper & WIDE) if upper else high)
