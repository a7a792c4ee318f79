"""Operators given by their elements: full, triangular, diagonal, identity, zero."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype, float32, int32
from placewise.core.errors import invalid
from placewise.core.shapes import broadcast
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant, eye, ones, zeros, zeros_like
from placewise.ops.array.shape import expand_dims, shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import no_op
from placewise.ops.linalg.diagonal import band_part, diag, diag_part, set_diag
from placewise.ops.linalg.inverse import triangular_solve
from placewise.ops.linalg.operator import LinearOperator, Shape, assert_that, log_abs
from placewise.ops.linalg.operator_parameters import HeldTensor
from placewise.ops.linalg.operator_sizes import (
    batch_sizes,
    broadcast_sizes,
    checked_rows,
    known_dims,
    row_count,
    shape_of,
    sizes_found,
)
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import conjugate, minimum, sign
from placewise.ops.math.cast import cast
from placewise.ops.math.complex_numbers import real
from placewise.ops.math.exponential import sqrt
from placewise.ops.math.reduction import reduce_prod, reduce_sum


def both_non_singular(one: Any, other: Any) -> bool | None:
    """Return what is known of the product: False if one is singular, True if none is."""
    hints = (one.is_non_singular, other.is_non_singular)
    return False if False in hints else (None if None in hints else True)


def _at_least(x: Tensor, rank: int, what: str) -> Any:
    if x._shape_tuple is not None and len(x._shape_tuple) < rank:
        shown = x.numpy() if hasattr(x, "numpy") else x
        noun = "dimension" if rank == 1 else "dimensions"
        raise ValueError(f"Argument `{what}` must have at least {rank} {noun}. Received: {shown}.")
    return x


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix with all its elements."""

    _batched: ClassVar[dict[str, int]] = {"matrix": 2}
    _matrix = HeldTensor()

    def __init__(
        self,
        matrix: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self._matrix = matrix
        _at_least(self._matrix, 2, "matrix")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _dims(self) -> Shape:
        shape: Shape = self._matrix._shape_tuple
        return shape

    def _to_dense(self) -> Any:
        return self._matrix


class LinearOperatorLowerTriangular(LinearOperator):
    """The lower triangle of a matrix; what is above the diagonal counts as zero."""

    _batched: ClassVar[dict[str, int]] = {"tril": 2}
    _given = HeldTensor()

    def __init__(
        self,
        tril: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._given = tril
        _at_least(self._given, 2, "tril")
        super().__init__(
            self._given.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
        )

    @property
    def _lower(self) -> Any:
        return band_part(self._given, -1, 0)

    @property
    def tril(self) -> Any:
        """The lower triangular matrix."""
        return self._lower

    def _dims(self) -> Shape:
        shape: Shape = self._given._shape_tuple
        return shape

    def _to_dense(self) -> Any:
        return self._lower

    def _diag_part(self) -> Any:
        return diag_part(self._given)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return triangular_solve(self._lower, rhs, lower=True, adjoint=adjoint)

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise InvalidArgumentError if the diagonal has a zero."""
        return assert_that(
            absolute(self._diag_part()) > 0, "Singular operator:  Diagonal contained zero values."
        )

    def _matmul_operator(self, other: Any) -> Any:
        if isinstance(other, LinearOperatorDiag):
            product = self._lower * other._diagonal[..., None, :]
            return LinearOperatorLowerTriangular(product, both_non_singular(self, other))
        if getattr(other, "operator", None) is self and other._is_adjoint:
            # Times its own adjoint: the product has this operator for a Cholesky factor.
            return lazy.LinearOperatorComposition(
                [self, other],
                is_non_singular=self.is_non_singular,
                is_self_adjoint=True,
                is_positive_definite=True if self.is_non_singular else None,
                is_square=True,
            )
        return super()._matmul_operator(other)

    def _positive(self) -> Any:
        """Return the factor of the same product with its adjoint whose diagonal is positive."""
        if self.is_positive_definite:
            return self
        signs = conjugate(sign(self._diag_part()))
        return LinearOperatorLowerTriangular(self._lower * signs[..., None, :], True)

    def _determinant(self) -> Any:
        return reduce_prod(self._diag_part(), axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log_abs(self._diag_part()), axis=[-1])

    def _eigvals(self) -> Any:
        return self._diag_part()


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix."""

    _batched: ClassVar[dict[str, int]] = {"diag": 1}
    _diagonal = HeldTensor()

    def __init__(
        self,
        diag: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diagonal = diag
        _at_least(self._diagonal, 1, "diag")
        if not self._diagonal.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diagonal.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
        )

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diagonal

    def _dims(self) -> Shape:
        dims = self._diagonal._shape_tuple
        return None if dims is None else (*dims, dims[-1])

    def _column(self, adjoint: bool) -> Any:
        return expand_dims(conjugate(self._diagonal) if adjoint else self._diagonal, -1)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._column(adjoint) * x

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return rhs / self._column(adjoint)

    def _to_dense(self) -> Any:
        return diag(self._diagonal)

    def _diag_part(self) -> Any:
        return self._diagonal

    def _determinant(self) -> Any:
        return reduce_prod(self._diagonal, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(real(log_abs(self._diagonal)), axis=[-1])

    def _eigvals(self) -> Any:
        return self._diagonal

    def _adjoint(self) -> Any:
        return LinearOperatorDiag(conjugate(self._diagonal), self.is_non_singular)

    def _inverse(self) -> Any:
        return LinearOperatorDiag(
            1.0 / self._diagonal,
            self.is_non_singular,
            self.is_self_adjoint,
            self.is_positive_definite,
        )

    def _cholesky(self) -> Any:
        return LinearOperatorDiag(sqrt(self._diagonal), True, True, True)

    def _matmul_operator(self, other: Any) -> Any:
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(self._diagonal * other._diagonal)
        if isinstance(other, LinearOperatorLowerTriangular):
            product = self._column(False) * other._lower
            return LinearOperatorLowerTriangular(product, both_non_singular(self, other))
        return super()._matmul_operator(other)

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Return the matrix written out plus `x`."""
        x = convert_to_tensor(x, dtype_hint=self.dtype)
        return set_diag(x, diag_part(x) + self._diagonal)


class LinearOperatorScaledIdentity(LinearOperator):
    """A multiple of the identity."""

    _batched: ClassVar[dict[str, int]] = {"multiplier": 0}
    _multiplier = HeldTensor()

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        self._multiplier = multiplier
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._rows = row_count(num_rows, is_checked=assert_proper_shapes)
        self._is_checked = assert_proper_shapes
        super().__init__(
            self._multiplier.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )

    @property
    def multiplier(self) -> Any:
        """The factor."""
        return self._multiplier

    def _dims(self) -> Shape:
        batch = self._multiplier._shape_tuple
        return None if batch is None else known_dims(batch, self._rows, self._rows)

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Return the shape as an int32 tensor."""
        dims = self._dims()
        if dims is not None and None not in dims:
            return super().shape_tensor(name)
        return shape_of(shape(self._multiplier), self._rows, self._rows)

    def _rows_of(self, x: Tensor) -> Tensor:
        """Return an argument, whose rows are counted when it is read if that was asked for."""
        dims = x._shape_tuple
        is_known = dims is not None and dims[-2] is not None and not isinstance(self._rows, Tensor)
        return x if is_known or not self._is_checked else checked_rows(x, self._rows)

    def _factor(self, adjoint: bool) -> Any:
        return (conjugate(self._multiplier) if adjoint else self._multiplier)[..., None, None]

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._factor(adjoint) * self._rows_of(x)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._rows_of(rhs) / self._factor(adjoint)

    def _diag_part(self) -> Any:
        return self._multiplier[..., None] * ones(shape_of((), self._rows), self.dtype)

    def _to_dense(self) -> Any:
        return self._factor(False) * eye(self._rows, dtype=self.dtype)

    def _trace(self) -> Any:
        return self._multiplier * cast(self._rows, self.dtype)

    def _determinant(self) -> Any:
        rows = self._rows
        return self._multiplier ** (cast(rows, self.dtype) if isinstance(rows, Tensor) else rows)

    def _log_abs_determinant(self) -> Any:
        size = log_abs(self._multiplier)
        return cast(self._rows, size.dtype) * size

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _inverse(self) -> Any:
        return LinearOperatorScaledIdentity(self._rows, 1.0 / self._multiplier)

    def _adjoint(self) -> Any:
        return LinearOperatorScaledIdentity(self._rows, conjugate(self._multiplier))

    def _cholesky(self) -> Any:
        return LinearOperatorScaledIdentity(self._rows, sqrt(self._multiplier), True, True, True)


def _with_sliced_batch(operator: Any, slices: Any) -> Any:
    """Return an operator whose batch is only a shape, with part of it."""
    batch = np.broadcast_to(0, operator._dims()[:-2])
    if not batch.shape:  # broadcasts with whatever it is used with
        return operator
    return type(operator)(**{**operator.parameters, "batch_shape": batch[slices].shape})


class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The identity."""

    _batched: ClassVar[dict[str, int]] = {}

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: Any = True,
        is_self_adjoint: Any = True,
        is_positive_definite: Any = True,
        is_square: Any = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        for what, value in (
            ("self-adjoint", is_self_adjoint),
            ("square", is_square),
            ("non-singular", is_non_singular),
            ("positive-definite", is_positive_definite),
        ):
            if not value:
                raise ValueError(f"An identity operator is always {what}.")
        kind = float32 if dtype is None else as_dtype(dtype)
        sizes = shape_of(batch_sizes(batch_shape, assert_proper_shapes))
        super().__init__(
            num_rows,
            ones(sizes, kind),
            True,
            True,
            True,
            assert_proper_shapes=assert_proper_shapes,
            name=name,
        )

    def _found_arguments(self) -> dict[str, Any]:
        return super()._found_arguments() | sizes_found(
            num_rows=self._rows, batch_shape=self._multiplier._shape_tuple
        )

    def _sliced(self, slices: Any, batch_shape: Any) -> Any:
        return _with_sliced_batch(self, slices)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        x, dims, batch = self._rows_of(x), x._shape_tuple, self._multiplier._shape_tuple
        if batch == ():
            return x
        if None in (dims, batch) or None in (*dims, *batch):
            sizes = broadcast_sizes(shape(self._multiplier), x)
            return broadcast_to(x, concat([sizes, shape(x)[-2:]], 0))
        joined = broadcast(batch, dims[:-2])
        return x if joined == dims[:-2] else broadcast_to(x, [*(joined or ()), *dims[-2:]])

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _log_abs_determinant(self) -> Any:
        return zeros_like(self._multiplier, self.dtype.real_dtype)

    def _inverse(self) -> Any:
        return self

    _cholesky = _adjoint = _inverse

    def _matmul_operator(self, other: Any) -> Any:
        return other


class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros."""

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: Any = False,
        is_self_adjoint: Any = True,
        is_positive_definite: Any = False,
        is_square: Any = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        if is_non_singular:
            raise ValueError("A zeros operator is always non-invertible.")
        if is_positive_definite:
            raise ValueError("A zeros operator is always not positive-definite.")
        checked = assert_proper_shapes
        self._rows = self._columns = row_count(num_rows, is_checked=checked)
        if num_columns is not None:
            self._columns = row_count(num_columns, "num_columns", checked)
        self._batch, self._is_checked = batch_sizes(batch_shape, checked), checked
        super().__init__(
            float32 if dtype is None else dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )

    def _dims(self) -> Shape:
        return known_dims(self._batch, self._rows, self._columns)

    def _found_arguments(self) -> dict[str, Any]:
        return super()._found_arguments() | sizes_found(
            num_rows=self._rows, num_columns=self._columns, batch_shape=self._batch
        )

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Return the shape as an int32 tensor."""
        sizes = shape_of(self._batch, self._rows, self._columns)
        return constant(sizes, int32) if isinstance(sizes, list) else sizes

    def _sliced(self, slices: Any, batch_shape: Any) -> Any:
        return _with_sliced_batch(self, slices)

    def _matmul(self, x: Any, adjoint: bool) -> Any:
        dims, batch = x._shape_tuple, self._batch
        rows, inner = (self._columns, self._rows) if adjoint else (self._rows, self._columns)
        is_known = not isinstance(batch, Tensor) and dims is not None and None not in dims
        if self._is_checked and not (is_known and not isinstance(inner, Tensor)):
            x = checked_rows(x, inner)
        if is_known:
            return zeros(shape_of(broadcast(batch, dims[:-2]), rows, dims[-1]), self.dtype)
        return zeros(shape_of(broadcast_sizes(batch, x), rows, shape(x)[-1]), self.dtype)

    def _to_dense(self) -> Any:
        return zeros(shape_of(self._batch, self._rows, self._columns), self.dtype)

    def _diag_part(self) -> Any:
        sizes = self._rows, self._columns
        count = minimum(*sizes) if any(isinstance(size, Tensor) for size in sizes) else min(*sizes)
        return zeros(shape_of(self._batch, count), self.dtype)

    def _determinant(self) -> Any:
        return zeros(shape_of(self._batch), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return log_abs(self._determinant())

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise InvalidArgumentError: zeros have no inverse."""
        raise invalid("Zero operators are always non-invertible.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raise InvalidArgumentError: zeros are not positive."""
        raise invalid("Zero operators are always non-positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Do nothing: zeros are their own adjoint."""
        return no_op(name)

    def _matmul_operator(self, other: Any) -> Any:
        mine, theirs = self._dims(), other._dims()
        if None in (mine, theirs) or None in (*mine, *theirs):
            return super()._matmul_operator(other)
        return LinearOperatorZeros(
            self._rows,
            theirs[-1],
            batch_shape=broadcast(self._batch, theirs[:-2]),
            dtype=self.dtype,
            is_square=self._rows == theirs[-1],
            is_self_adjoint=None,
        )
