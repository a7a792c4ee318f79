"""tf.compat: the table, and each helper's answers as TensorFlow 2.21 gives them."""

from __future__ import annotations

import pathlib
from datetime import date
from typing import Any

import numpy as np
import pytest

import placewise
from placewise import compat
from placewise.core.shapes import Dimension, TensorShape

NAMES: list[str] = vars(compat)["__all__"]


def test_the_table_is_that_of_tensorflow() -> None:
    assert set(NAMES) == {
        "as_bytes",
        "as_str",
        "as_str_any",
        "as_text",
        "bytes_or_text_types",
        "complex_types",
        "dimension_at_index",
        "dimension_value",
        "forward_compatibility_horizon",
        "forward_compatible",
        "integral_types",
        "path_to_str",
        "real_types",
        "v1",
        "v2",
    }
    for name in NAMES:
        assert getattr(compat, name) is not None


def test_v2_is_placewise() -> None:
    assert compat.v2 is placewise


@pytest.mark.parametrize(
    ("name", "value", "answer"),
    [
        ("as_bytes", "é", b"\xc3\xa9"),
        ("as_bytes", b"x", b"x"),
        ("as_bytes", bytearray(b"x"), b"x"),
        ("as_text", b"x", "x"),
        ("as_text", "x", "x"),
        ("as_str", b"x", "x"),
        ("as_str_any", 3, "3"),
        ("as_str_any", b"x", "x"),
        ("path_to_str", 3, 3),
        ("path_to_str", b"/a", b"/a"),
        ("path_to_str", pathlib.PurePosixPath("/a"), "/a"),
        ("dimension_value", 3, 3),
        ("dimension_value", None, None),
        ("dimension_value", Dimension(4), 4),
    ],
)
def test_answers(name: str, value: Any, answer: Any) -> None:
    given = getattr(compat, name)(value)
    assert given == answer
    assert type(given) is type(answer)


@pytest.mark.parametrize(
    ("name", "value"),
    [("as_bytes", 3), ("as_text", 3), ("as_text", bytearray(b"x")), ("as_str", 3)],
)
def test_what_is_no_text_is_a_type_error(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match="Expected binary or unicode string, got "):
        getattr(compat, name)(value)


def test_an_unknown_encoding_is_an_error_even_when_not_needed() -> None:
    with pytest.raises(LookupError, match="unknown encoding: nonsense"):
        compat.as_text("x", "nonsense")


def test_dimension_at_index() -> None:
    assert compat.dimension_at_index(TensorShape([1, 2]), 1).value == 2
    assert compat.dimension_at_index(TensorShape([None, 2]), 0).value is None
    assert compat.dimension_at_index(TensorShape(None), 7).value is None


def test_number_types() -> None:
    assert isinstance(np.int8(1), compat.integral_types)
    assert not isinstance(1.0, compat.integral_types)
    assert isinstance(np.float16(1), compat.real_types)
    assert isinstance(1j, compat.complex_types)


def test_the_horizon() -> None:
    assert compat.forward_compatible(2020, 1, 1)
    assert compat.forward_compatible(2020, 13, 1)
    assert not compat.forward_compatible(2099, 1, 1)
    with compat.forward_compatibility_horizon(2099, 1, 1):
        assert compat.forward_compatible(2098, 12, 31)
        assert not compat.forward_compatible(2099, 1, 1)
    assert not compat.forward_compatible(2098, 12, 31)


def test_the_horizon_moves_with_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    later = date(2026, 1, 20)
    assert not compat.forward_compatible(later.year, later.month, later.day)
    monkeypatch.setenv("TF_FORWARD_COMPATIBILITY_DELTA_DAYS", "30")
    assert compat.forward_compatible(later.year, later.month, later.day)
