# ruff: noqa: N802 - the names are TensorFlow's
"""The assertions of `tf.test.TestCase` about tensors, arrays and nested structures of them."""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from typing import Any

import numpy as np

from placewise.core.dtypes import as_dtype
from placewise.test.arrays import (
    Array,
    describe_items,
    is_floating,
    is_ragged,
    is_tensor,
    is_uneven,
    to_array,
    to_mapping,
    to_rows,
)

_ORDERED = "iufb"


class ArrayAssertions(unittest.TestCase):
    """Assertions that take tensors, arrays, numbers and lists alike."""

    def _readable(self, value: Any) -> Any:
        """Return a tensor that has a value: one of a graph is run first."""
        return value

    def _both_readable(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Return both with values: of one run, so that random numbers are drawn once."""
        return self._readable(a), self._readable(b)

    def _GetNdArray(self, a: Any) -> Array:
        # Private in TensorFlow too, but tests written for it call it.
        return to_array(self._readable(a))

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fail unless `a` and `b` have one structure and nearly equal values; NaN equals NaN."""
        self._assert_close_structure(a, b, rtol, atol, "", msg)

    def _assert_close_structure(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        a, b = self._both_readable(to_mapping(a), to_mapping(b))
        if is_ragged(a) or is_ragged(b):
            a, b = to_rows(a), to_rows(b)
        said = msg or ""
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {said}")
        if isinstance(a, Mapping):
            keys = f"a{path} has keys {a.keys()}, but b{path} has keys {b.keys()}. {said}"
            self.assertCountEqual(a.keys(), b.keys(), msg=f"mismatched keys: {keys}")
            for key in a:
                self._assert_close_structure(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        if isinstance(a, list | tuple) and isinstance(b, list | tuple):
            self._assert_close_sequence(a, b, rtol, atol, path, msg)
            return
        self._assert_close_arrays(a, b, rtol, atol, path, said)

    def _assert_close_sequence(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        try:
            arrays = to_array(a), to_array(b)
            if any(array.dtype == object for array in arrays):
                raise ValueError("not an array")
        except (ValueError, TypeError):
            # The parts differ in shape, so that they make no array: compare them one by one.
            if len(a) != len(b):
                counts = f"a{path} has {len(a)} items, but b{path} has {len(b)} items"
                raise ValueError(f"Mismatched length: {counts}. {msg or ''}") from None
            for index, (first, second) in enumerate(zip(a, b, strict=True)):
                self._assert_close_structure(first, second, rtol, atol, f"{path}[{index}]", msg)
            return
        self._assert_close_arrays(*arrays, rtol, atol, path, msg or "")

    def _assert_close_arrays(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, said: str
    ) -> None:
        a, b = to_array(a), to_array(b)
        shapes = f"Shape mismatch: expected {a.shape}, got {b.shape}"
        self.assertEqual(
            a.shape, b.shape, f"{shapes} with contents {b}." if b.size < 500 else shapes
        )
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        away = np.abs(a - b)
        tolerance = atol + rtol * np.abs(b)
        where = (away > tolerance) | (np.isnan(a) != np.isnan(b))
        lines = [f"Mismatched value: a{path} is different from b{path}. {said}"]
        compared = {"lhs": a, "rhs": b, "dif": away, "tol": np.asarray(tolerance)}
        if where.ndim:  # a scalar has no places
            lines.append(f"not close where = {np.where(where)}")
            compared = {name: values[where] for name, values in compared.items()}
        lines += [f"not close {name} = {values}" for name, values in compared.items()]
        lines.append(f"dtype = {a.dtype}, shape = {a.shape}")
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg="\n".join(lines), equal_nan=True
        )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """As assertAllClose, with the tolerance of the less precise of the two types."""
        kinds = {_dtype_name(a), _dtype_name(b)}
        if kinds & {"float32", "complex64"}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if "float16" in kinds:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if "bfloat16" in kinds:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fail if all values of `a` and `b` are close."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail unless `a` and `b` have the same shape and values; NaN equals NaN."""
        a, b = self._both_readable(a, b)
        if is_uneven(a) or is_uneven(b):
            self.assertEqual(to_rows(a), to_rows(b), msg)
            return
        a, b = _same_text(to_array(a), to_array(b))
        said = msg or ""
        contents = f". Contents: {b!r}. \n{said}." if b.ndim <= 3 or b.size < 500 else f". {said}"
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}{contents}"
        )
        same = a == b
        if is_floating(a) and is_floating(b):
            same = same | (np.isnan(a) & np.isnan(b))
        if np.all(same):
            return
        # A scalar is shown as it is; an array by the elements that differ.
        first, second = (a, b) if a.ndim == 0 else (a[~same], b[~same])
        lines = [
            said,
            f"not equal where = {np.where(np.atleast_1d(~same))}",
            f"not equal lhs = {first!r}",
            f"not equal rhs = {second!r}",
        ]
        np.testing.assert_array_equal(a, b, err_msg="\n".join(lines))

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail if all values of `a` and `b` are equal."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fail unless every element of `a` is greater than a number."""
        self.assertGreater(np.min(to_array(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fail unless every element of `a` is less than a number."""
        self.assertLess(np.max(to_array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless every element of `a` is at least a number."""
        self.assertGreaterEqual(np.min(to_array(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless every element of `a` is at most a number."""
        self.assertLessEqual(np.max(to_array(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fail unless every element lies within the bounds; NaN never does."""
        array = to_array(target)
        if array.dtype.kind not in _ORDERED:
            kind = f"instead it has type: {array.dtype}"
            said = f"The value of {target} does not have an ordered numeric type, {kind}"
            raise AssertionError(said)
        missing = np.argwhere(np.isnan(array)) if is_floating(array) else np.empty((0, array.ndim))
        if missing.size:
            which = f"{len(missing)} of the {array.size} element(s) are NaN"
            where = describe_items(missing, array)
            raise AssertionError(
                f"{which}. Subscripts(s) and value(s) of the NaN element(s):\n{where}"
            )
        low = array <= lower_bound if open_lower_bound else array < lower_bound
        high = array >= upper_bound if open_upper_bound else array > upper_bound
        outside = np.argwhere(low | high)
        if len(outside):
            bounds = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}"
            bounds += ")" if open_upper_bound else "]"
            which = f"{len(outside)} of the {array.size} element(s) are outside the range {bounds}"
            where = describe_items(outside, array)
            listed = f"Subscript(s) and value(s) of the offending elements:\n{where}"
            raise AssertionError(f"{which}. {listed}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fail unless every element is one of a set."""
        found = np.unique(to_array(target)).tolist()
        others = [value for value in found if value not in expected_set]
        if others:
            which = f"{len(others)} unique element(s) are not in the set"
            raise AssertionError(f"{which} {expected_set}: {others}")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Fail unless two arrays or tensors have the same shape."""
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, np.ndarray | np.generic) and not hasattr(value, "get_shape"):
                said = f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor."
                raise TypeError(f"{said}Instead received {type(value)}")
        self.assertAllEqual(_shape(input_a), _shape(input_b), msg=msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fail unless an array or tensor has a type."""
        if is_tensor(target):
            self.assertEqual(target.dtype, as_dtype(expected_dtype))
            return
        array = np.asarray(target)
        if hasattr(expected_dtype, "as_numpy_dtype"):
            expected_dtype = expected_dtype.as_numpy_dtype
        self.assertEqual(array.dtype, expected_dtype)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """Fail unless two numbers differ by at most `err`."""
        away = abs(f1 - f2)
        said = f"{f1:f} != {f2:f} +/- {err:f} (difference: {away:g})"
        self.assertTrue(f1 == f2 or away <= err, f"{said} ({msg})" if msg else said)

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Fail unless two lists of numbers differ by at most `err`, one by one."""
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg=msg)

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Fail unless the norm of the difference of two arrays is below `err`."""
        away = np.linalg.norm(to_array(ndarray1) - to_array(ndarray2))
        self.assertTrue(bool(away < err), msg=msg)


def _same_text(a: Array, b: Array) -> tuple[Array, Array]:
    # String tensors hold bytes; a test may well write them as text.
    def encoded(array: Array) -> Array:
        if array.dtype.kind == "U":
            return np.char.encode(array, "utf-8").astype(object)
        return array.astype(object) if array.dtype.kind == "S" else array

    return (encoded(a), encoded(b)) if {a.dtype.kind, b.dtype.kind} & set("USO") else (a, b)


def _dtype_name(value: Any) -> str:
    if is_tensor(value):
        return str(as_dtype(value.dtype).name)
    return np.asarray(value).dtype.name


def _shape(value: Any) -> Array:
    shape = value.shape
    return np.array(shape.as_list() if hasattr(shape, "as_list") else shape)
