"""`tf.linalg.LinearOperator`: a matrix that need not be written out.

What an operator is made of says how it multiplies; everything else has a way that goes through
the matrix written out, which operators with a shorter one replace.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import invalid
from placewise.core.shapes import Dimension, TensorShape, broadcast
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.broadcasting import broadcast_dynamic_shape, broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant, eye
from placewise.ops.array.shape import expand_dims, shape, size, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import Assert
from placewise.ops.linalg.diagonal import diag_part
from placewise.ops.linalg.eigen import eigvalsh
from placewise.ops.linalg.factor import cholesky, svd
from placewise.ops.linalg.inverse import det, slogdet, solve
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.operator_parameters import OperatorParameters
from placewise.ops.linalg.transpose import adjoint
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.comparison import equal
from placewise.ops.math.complex_numbers import real
from placewise.ops.math.exponential import log
from placewise.ops.math.reduction import reduce_all, reduce_max, reduce_min, reduce_sum
from placewise.ops.values import EagerTensor

Shape = Any  # a tuple of sizes, None for those not known, or None if not even the rank is


def broadcast_batch(matrix: Tensor, rhs: Tensor) -> tuple[Any, Any]:
    """Return two batches of matrices with the batch shapes they broadcast to."""
    dims = [x._shape_tuple for x in (matrix, rhs)]
    if any(one is None or None in one[:-2] for one in dims):
        sizes = [shape(x) for x in (matrix, rhs)]
        common = broadcast_dynamic_shape(sizes[0][:-2], sizes[1][:-2])
        return (
            broadcast_to(matrix, concat([common, sizes[0][-2:]], 0)),
            broadcast_to(rhs, concat([common, sizes[1][-2:]], 0)),
        )
    batch = list(broadcast(matrix._shape_tuple[:-2], rhs._shape_tuple[:-2]) or ())
    matrix, rhs = (
        x
        if list(x._shape_tuple[:-2]) == batch
        else broadcast_to(x, batch + list(x._shape_tuple[-2:]))
        for x in (matrix, rhs)
    )
    return matrix, rhs


def _implied(cause: str, has_cause: bool | None, effect: str, hint: bool | None) -> bool | None:
    """Return whether a matrix has a property that another property implies."""
    if not has_cause:
        return hint
    if hint is False:
        raise ValueError(f"A {cause} matrix is always {effect}.")
    return True


class LinearOperator(OperatorParameters):
    """Base class: a (batch of) matrices, known by what they do.

    A subclass gives `_dims` (its shape) and `_matmul`; hints (`is_square`, …) are promises that
    are used and not checked, unless an `assert_*` method is called.
    """

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Any = None,
    ) -> None:
        # `parameters` is for libraries' subclasses; what there is, `__new__` has noted.
        is_non_singular = _implied(
            "positive definite", is_positive_definite, "non-singular", is_non_singular
        )
        is_square = _implied("non-singular", is_non_singular, "square", is_square)
        is_square = _implied("self-adjoint", is_self_adjoint, "square", is_square)
        self._dtype = None if dtype is None else as_dtype(dtype).base_dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square_hint = is_square
        super().__init__(name=name or type(self).__name__)

    _is_adjoint = False  # True: the adjoint of `operator`

    def _dims(self) -> Shape:
        raise NotImplementedError("Method `_shape` is not implemented.")

    def _last_dims(self) -> Any:
        """Return rows and columns, None for what is not known."""
        dims = self._dims()
        return (None, None) if dims is None else dims[-2:]

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        matrix, rhs = broadcast_batch(self.to_dense(), rhs)
        return solve(matrix, rhs, adjoint=adjoint)

    def _to_dense(self) -> Any:
        *batch, _, columns = self._dims()
        if None in (*batch, columns):
            raise ValueError(f"{type(self).__name__} must be of a known shape to be written out.")
        return self._matmul(eye(columns, batch_shape=batch, dtype=self.dtype), False)

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def _determinant(self) -> Any:
        return det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        return real(slogdet(self.to_dense()).log_abs_determinant)

    def _trace(self) -> Any:
        return reduce_sum(self.diag_part(), axis=-1)

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def _cholesky(self) -> Any:
        return lazy.LinearOperatorLowerTriangular(cholesky(self.to_dense()), is_non_singular=True)

    def _inverse(self) -> Any:
        return lazy.LinearOperatorInversion(self)

    def _adjoint(self) -> Any:
        return lazy.LinearOperatorAdjoint(self)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """What the operator was made from."""
        return dict(self._self_arguments)

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix written out, batch first."""
        return TensorShape(self._dims())

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the batch."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The rank of the matrix written out; None if it is not known."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> Any:
        """The number of columns."""
        return Dimension(self._last_dims()[-1])

    @property
    def range_dimension(self) -> Any:
        """The number of rows."""
        return Dimension(self._last_dims()[-2])

    @property
    def is_non_singular(self) -> bool | None:
        """What was said of it."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """What was said of it."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """What was said of it."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """True if rows and columns are as many, False if not, None if unknown."""
        rows, columns = self._last_dims()
        if rows is None or columns is None:
            return self._is_square_hint
        return bool(rows == columns)

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Return the shape as an int32 tensor."""
        dims = self._dims()
        if dims is None or None in dims:
            return shape(self.to_dense())
        return constant(np.asarray(self._dims(), np.int32))

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the shape of the batch as an int32 tensor."""
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Return the rank as an int32 tensor."""
        rank = self.tensor_rank
        return size(self.shape_tensor()) if rank is None else constant(rank)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Return the number of columns as an int32 tensor."""
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Return the number of rows as an int32 tensor."""
        return self.shape_tensor()[-2]

    def _argument(self, x: TensorLike, axis: int, mine: int) -> Any:
        x = convert_to_tensor(x, dtype_hint=self.dtype)
        if self.dtype is not None and x.dtype is not self.dtype:
            raise TypeError(f"Input tensor has dtype {x.dtype} but the operator {self.dtype}")
        theirs = None if x._shape_tuple is None else x._shape_tuple[axis]
        if mine is not None and theirs is not None and mine != theirs:
            raise ValueError(f"Dimensions {mine} and {theirs} are not compatible")
        return x

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """Return the product with `x`: a tensor, or another operator."""
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            mine, theirs = left._last_dims()[-1], right._last_dims()[-2]
            if mine is not None and theirs is not None and mine != theirs:
                raise ValueError(
                    f"Operators are incompatible. Expected `x` to have dimension {mine} but got "
                    f"{theirs}."
                )
            return left._matmul_operator(right)
        mine = self._last_dims()[-2 if adjoint else -1]
        x = self._argument(x, -1 if adjoint_arg else -2, mine)
        return self._matmul(_adjoint(x) if adjoint_arg else x, adjoint)

    def _matmul_operator(self, other: Any) -> Any:
        return lazy.LinearOperatorComposition([self, other])

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Return the product with vectors."""
        x = self._argument(x, -1, self._last_dims()[-2 if adjoint else -1])
        return squeeze(self._matmul(expand_dims(x, -1), adjoint), [-1])

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """Return x with operator · x = rhs."""
        self._check_solvable("Exact solve")
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return left.inverse().matmul(rhs.adjoint() if adjoint_arg else rhs)
        rhs = self._argument(
            rhs, -1 if adjoint_arg else -2, self._last_dims()[-1 if adjoint else -2]
        )
        return self._solve(_adjoint(rhs) if adjoint_arg else rhs, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Return x with operator · x = rhs, for vectors."""
        self._check_solvable("Exact solve")
        rhs = self._argument(rhs, -1, self._last_dims()[-1 if adjoint else -2])
        return squeeze(self._solve(expand_dims(rhs, -1), adjoint), [-1])

    def _check_solvable(self, what: str) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def to_dense(self, name: str = "to_dense") -> Any:
        """Return the matrix written out."""
        return self._to_dense()

    def diag_part(self, name: str = "diag_part") -> Any:
        """Return the main diagonal."""
        return self._diag_part()

    def trace(self, name: str = "trace") -> Any:
        """Return the sum of the main diagonal."""
        return self._trace()

    def determinant(self, name: str = "det") -> Any:
        """Return the determinant."""
        self._check_square("Determinant")
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Return the logarithm of the absolute value of the determinant."""
        self._check_square("Determinant")
        return self._log_abs_determinant()

    def _check_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Return the matrix written out plus `x`."""
        return self.to_dense() + convert_to_tensor(x, dtype_hint=self.dtype)

    def eigvals(self, name: str = "eigvals") -> Any:
        """Return the eigenvalues of a self-adjoint operator."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def cond(self, name: str = "cond") -> Any:
        """Return the largest singular value over the smallest."""
        if not self.is_self_adjoint:
            values = svd(self.to_dense(), compute_uv=False)
        else:
            values = absolute(self.eigvals())
        return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)

    def adjoint(self, name: str = "adjoint") -> Any:
        """Return the adjoint operator."""
        return self if self.is_self_adjoint else self._adjoint()

    @property
    def H(self) -> Any:  # noqa: N802 - TensorFlow's name
        """The adjoint operator."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> Any:
        """Return the inverse operator."""
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return self._inverse()

    def cholesky(self, name: str = "cholesky") -> Any:
        """Return the Cholesky factor of a positive definite self-adjoint operator."""
        if not (self.is_positive_definite and self.is_self_adjoint):
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        return self._cholesky()

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise InvalidArgumentError if the matrix is singular, to working precision."""
        limit = 1.0 / float(np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps)
        return assert_that(self.cond() < limit, "Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raise InvalidArgumentError unless the matrix is positive definite."""
        diagonal = diag_part(cholesky(self.to_dense()))
        return assert_that(real(diagonal) > 0, "Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Raise InvalidArgumentError unless the matrix is its own adjoint."""
        dense = self.to_dense()
        return assert_that(equal(dense, _adjoint(dense)), "Matrix was not equal to its adjoint.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shape={self.shape} dtype={self.dtype!r}>"


def _adjoint(x: Any) -> Any:
    return adjoint(x)


def agreed_hint(name: str, whose: str, mine: bool | None, its: bool | None) -> bool | None:
    """Return a hint that an operator shares with its inverse or adjoint; they may not disagree."""
    if None not in (mine, its) and mine != its:
        raise ValueError(f"An operator is {name} if and only if its {whose} is {name}.")
    return its if mine is None else mine


def assert_that(holds: Tensor, message: str) -> Any:
    """Raise unless all elements are True; in a graph, return the operation that does."""
    whole = reduce_all(holds)
    if isinstance(whole, EagerTensor):
        if not whole:
            raise invalid(message)
        return None
    return Assert(whole, [message])


def log_abs(x: Any) -> Any:
    """Return log |x|."""
    return log(absolute(x))
