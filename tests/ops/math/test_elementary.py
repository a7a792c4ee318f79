"""Functions of large float32 tensors: the native module's, as exact as promised, and torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from placewise import native
from placewise.ops.math.elementary import MOST_SMALL, by_size

NAMES = ("tanh", "erf", "exp", "log", "sqrt", "rsqrt", "sin", "cos")
needs_native = pytest.mark.skipif(native.code is None, reason="the native module is not built")


def units(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Return by how many units in the last place numbers differ; 0 where both are no number."""
    with np.errstate(all="ignore"):
        nearest = exact.astype(np.float32)
        same = (got == nearest) | (np.isnan(got) & np.isnan(nearest))
        return np.where(same, 0, np.abs(got - exact) / np.spacing(np.abs(nearest)))


@needs_native
@pytest.mark.parametrize("name", NAMES)
def test_results_are_within_two_units_in_the_last_place_for_numbers_of_every_kind(
    name: str,
) -> None:
    # Bit patterns, evenly: all exponents, both signs, numbers without full digits, inf and nan.
    every = np.arange(0, 2**32, 4001, dtype=np.uint32).view(np.float32)
    common = np.linspace(-12, 12, 200_001, dtype=np.float32)
    x = np.concatenate([every, common, np.array([0, -0.0, np.inf, -np.inf, np.nan], np.float32)])
    got = by_size(getattr(torch, name))(torch.from_numpy(x)).numpy()
    exact = getattr(torch, name)(torch.from_numpy(x).double()).numpy()
    assert units(got, exact).max() <= 2
    zeros = got[-5:-3]
    assert zeros.tolist() == getattr(torch, name)(torch.tensor([0, -0.0])).tolist()


@needs_native
def test_large_results_stay_within_one_and_keep_the_sign_of_zero() -> None:
    x = torch.linspace(-20, 20, MOST_SMALL + 2)
    assert by_size(torch.tanh)(x).abs().max() == 1
    assert by_size(torch.erf)(x).abs().max() == 1
    zeros = by_size(torch.tanh)(torch.full((MOST_SMALL + 1,), -0.0))
    assert torch.signbit(zeros).all()


@pytest.mark.parametrize("name", NAMES)
def test_small_tensors_other_dtypes_and_views_are_computed_by_torch(name: str) -> None:
    function = getattr(torch, name)
    kernel = by_size(function)
    large = torch.rand(2, MOST_SMALL)
    for x in (large[0, :9], large.double(), large.t(), large.bfloat16()):
        assert torch.equal(kernel(x), function(x))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_result_does_not_depend_on_the_number_of_threads(threads: int) -> None:
    x = torch.linspace(-5, 5, 1_000_003)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        expected = by_size(torch.tanh)(x)
        torch.set_num_threads(threads)
        assert torch.equal(by_size(torch.tanh)(x), expected)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("name", NAMES)
def test_writing_over_the_input_gives_the_same(name: str) -> None:
    x = torch.rand(MOST_SMALL + 7)
    expected = by_size(getattr(torch, name))(x)
    result = by_size(getattr(torch, f"{name}_"), in_place=True)(x)
    assert result is x
    assert torch.equal(x, expected)


def test_without_the_native_module_torch_computes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "code", None)
    x = torch.rand(MOST_SMALL + 7)
    assert torch.equal(by_size(torch.tanh)(x), torch.tanh(x))
