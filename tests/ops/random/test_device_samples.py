"""Samples made in torch operations are those that NumPy makes; here both compute on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from placewise.ops.random import device_samples, philox_torch, samples
from placewise.ops.random.philox import WIDE, Philox, from_seeds, scrambled
from placewise.ops.random.philox_torch import DevicePhilox, signed

PLACES = {
    "start of a stream": from_seeds(1, 2),
    "carry into the upper half": Philox(0xFEDCBA9876543210, (2**64 - 3) | 5 << 64),
    "end of all counters": Philox(2**64 - 1, 2**128 - 5),
    "carry of a word": Philox(7, 2**32 - 3),
}
COUNTS = [0, 1, 5, 1000]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def in_tensors(place: Philox) -> DevicePhilox:
    parts = place.key, place.counter & WIDE, place.counter >> 64
    return DevicePhilox(*[torch.tensor([signed(part)]) for part in parts])


def number(place: DevicePhilox) -> Philox:
    key, low, high = (part.item() & WIDE for part in place)
    return Philox(key, low | high << 64)


@pytest.fixture(params=PLACES.values(), ids=list(PLACES))
def place(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["numbers", "tensors"])
def given(request: pytest.FixtureRequest, place: Philox) -> Any:
    """A place as the host knows it, or in a device's memory."""
    return place if request.param == "numbers" else in_tensors(place)


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.dtype is expected.dtype
    assert found.shape == expected.shape
    # Logarithm, sine and cosine of float64 are off by a last bit between NumPy and torch.
    tolerance = 1e-14 if found.dtype is torch.float64 else 0
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("what", ["uniform", "normal"])
def test_floats_are_those_of_the_host(
    what: str, dtype: torch.dtype, count: int, given: Any, place: Philox
) -> None:
    found = getattr(device_samples, what)(given, count, dtype, "cpu")
    assert_same(found, getattr(samples, what)(place, count, dtype))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_truncated_samples_are_those_of_the_host(
    dtype: torch.dtype, count: int, given: Any, place: Philox
) -> None:
    found = device_samples.truncated_normal(given, count, dtype, "cpu", samples.RESERVED)
    assert_same(found, samples.truncated_normal(place, count, dtype))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint32, torch.uint64])
def test_integers_of_the_whole_range_are_those_of_the_host(
    dtype: torch.dtype, given: Any, place: Philox
) -> None:
    found = device_samples.full_integers(given, 101, dtype, "cpu")
    assert torch.equal(found, samples.full_integers(place, 101, dtype))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("int32", 0, 10),
        ("int32", -5, 7),
        ("int32", -(2**31), 2**31 - 1),
        ("uint32", 3, 9),
        ("uint32", 0, 2**32 - 1),
        ("int64", 0, 10),
        ("int64", -3, 2**63 - 1),
        ("int64", -(2**63), 5),
        ("int64", -(2**63), 2**63 - 1),
        ("int64", -1, 2**62),
        ("uint64", 0, 2**64 - 1),
        ("uint64", 2**63, 2**64 - 1),
        ("uint64", 1, 2**63 + 1),
    ],
)
def test_integers_of_a_range_are_those_of_the_host(
    name: str, low: int, high: int, given: Any, place: Philox
) -> None:
    found = device_samples.integers(given, 301, low, high, getattr(torch, name), "cpu")
    expected = samples.integers(place, 301, low, high, np.dtype(name))
    assert found.dtype is expected.dtype
    assert torch.equal(found, expected)


@pytest.mark.parametrize("what", ["uniform", "normal", "truncated_normal"])
def test_many_samples_are_made_in_parts(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_samples, "CHUNK", 64)
    more = [samples.RESERVED] if what == "truncated_normal" else []
    found = getattr(device_samples, what)(
        PLACES["carry of a word"], 1001, torch.float32, "cpu", *more
    )
    assert_same(found, getattr(samples, what)(PLACES["carry of a word"], 1001, torch.float32))


@pytest.mark.parametrize("seed", [(1, 2), (-1, 5), (2**31 - 1, -(2**31))])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_a_seed_on_a_device_names_the_same_stream(seed: Any, dtype: torch.dtype) -> None:
    assert number(philox_torch.scrambled(torch.tensor(seed, dtype=dtype))) == scrambled(*seed)


@pytest.mark.parametrize("blocks", [1, 256, 2**64 - 1, 2**70, 2**127])
def test_a_place_on_a_device_skips_as_one_of_the_host(blocks: int, place: Philox) -> None:
    assert number(philox_torch.skipped(in_tensors(place), blocks)) == place.skip(blocks)
