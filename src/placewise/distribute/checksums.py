"""Numbers that differ when contents of variables do, computed where the contents are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

_ELEMENTS = 1 << 18  # at a time: what is needed besides the content stays small
_FACTOR = 0x9E3779B97F4A7C15 - (1 << 64)  # odd, so that no bit of an element is lost
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def checksum(content: Any) -> torch.Tensor:
    """Return a number for the bits of a content, in the memory that the content is in.

    Each element counts with its place, so that neither swapped nor cancelling changes are missed.
    """
    if not isinstance(content, torch.Tensor):  # strings
        return torch.tensor(hash_of([str(content)]))
    if content.is_complex():
        content = torch.view_as_real(content)
    bits = content.detach().contiguous().view(-1)
    bits = bits.view(_BITS[bits.element_size()])
    total = torch.zeros((), dtype=torch.int64, device=bits.device)
    places = torch.arange(1, min(len(bits), _ELEMENTS) + 1, device=bits.device) * _FACTOR
    for part in bits.split(_ELEMENTS):
        # Overflow is meant: the sums are modulo 2**64.
        total = total * 31 + (part.to(torch.int64) * places[: len(part)]).sum()
    return total


def hash_of(names: Iterable[str]) -> int:
    """Return a number for some names that is the same in every process."""
    total = 0
    for byte in "\n".join(names).encode():
        total = (total * 257 + byte) % (1 << 61)
    return total


def largest_difference(one: torch.Tensor, other: torch.Tensor) -> tuple[float, tuple[int, ...]]:
    """Return by how much two contents differ at most, and where; 0 if they mean the same.

    Not-a-number equals itself, and -0.0 equals 0.0. It is infinite where only one is a number.
    """
    if not isinstance(one, torch.Tensor):
        return (0.0 if str(one) == str(other) else float("inf")), ()
    wide = torch.complex128 if one.is_complex() else torch.float64
    first, second = one.to(wide), other.to(wide)
    same = (one == other) | ((first != first) & (second != second))
    gaps = torch.where(same, 0.0, (first - second).abs().to(torch.float64))
    gaps = torch.where(gaps != gaps, float("inf"), gaps)
    if not gaps.numel():
        return 0.0, ()
    # Integers too close for a float still differ.
    gaps = torch.where(~same & (gaps == 0), 1.0, gaps)
    place = int(gaps.argmax())
    index = torch.unravel_index(torch.tensor(place), gaps.shape)
    return float(gaps.flatten()[place]), tuple(int(each) for each in index)
