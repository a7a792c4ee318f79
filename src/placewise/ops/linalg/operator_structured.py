"""Operators with structure: reflections, permutations, Toeplitz, circulant, tridiagonal."""

from __future__ import annotations

import operator
from functools import reduce
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from placewise.core.dtypes import as_dtype, complex64, float32, int32
from placewise.core.shapes import broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import eye, ones, ones_like
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.one_hot import one_hot
from placewise.ops.array.shape import expand_dims, last_size, reshape, sizes_of, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.diagonal import diag
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.operator import LinearOperator, Shape, broadcast_batch, log_abs
from placewise.ops.linalg.operator_parameters import HeldTensor, kept
from placewise.ops.linalg.operator_plain import _at_least
from placewise.ops.linalg.products import norm
from placewise.ops.linalg.transpose import matrix_transpose
from placewise.ops.linalg.tridiagonal import tridiagonal_matmul, tridiagonal_solve
from placewise.ops.math.arithmetic import conjugate
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod, reduce_sum
from placewise.ops.math.sort import argsort
from placewise.ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d


class LinearOperatorHouseholder(LinearOperator):
    """The reflection along an axis."""

    _batched: ClassVar[dict[str, int]] = {"reflection_axis": 1}
    reflection_axis = HeldTensor()

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        self.reflection_axis = reflection_axis
        _at_least(self.reflection_axis, 1, "reflection_axis")
        super().__init__(
            self.reflection_axis.dtype,
            None,
            is_non_singular,
            True,
            False,
            True,
            name,
        )

    def _dims(self) -> Shape:
        shape = self.reflection_axis._shape_tuple
        return (*shape, shape[-1])

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        axis = self.reflection_axis / norm(self.reflection_axis, axis=-1, keepdims=True)
        axis = expand_dims(axis, -1)
        return x - 2 * matmul(axis, matmul(axis, x, adjoint_a=True))

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _determinant(self) -> Any:
        return -ones_like(self.reflection_axis[..., 0])

    def _log_abs_determinant(self) -> Any:
        return 0.0 * ones_like(self.reflection_axis[..., 0])

    def _inverse(self) -> Any:
        return self


class LinearOperatorPermutation(LinearOperator):
    """The exchange of rows: row i of the product is row perm[i]."""

    _batched: ClassVar[dict[str, int]] = {"perm": 1}
    perm = HeldTensor()

    def __init__(
        self,
        perm: Any,
        dtype: Any = float32,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        if is_non_singular is False:
            raise ValueError("A Permutation operator is always non-singular.")
        if is_square is False:
            raise ValueError("A Permutation operator is always square.")
        self.perm = perm
        _at_least(self.perm, 1, "perm")
        if not self.perm.dtype.is_integer:
            raise TypeError(
                f"Argument `perm` must have integer dtype. Received: {self.perm.dtype.name}."
            )
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
        )

    def _dims(self) -> Shape:
        shape = self.perm._shape_tuple
        return (*shape, shape[-1])

    def _to_dense(self) -> Any:
        return one_hot(self.perm, self.perm._shape_tuple[-1], dtype=self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        if len(self.perm._shape_tuple) > 1:
            return matmul(self.to_dense(), x, adjoint_a=adjoint)
        return gather(x, argsort(self.perm) if adjoint else self.perm, axis=-2)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self._matmul(rhs, not adjoint)

    def _inverse(self) -> Any:
        return LinearOperatorPermutation(argsort(self.perm), self.dtype)

    _adjoint = _inverse


class LinearOperatorToeplitz(LinearOperator):
    """A matrix with equal elements along each diagonal, given by first column and row."""

    _batched: ClassVar[dict[str, int]] = {"col": 1, "row": 1}
    col, row = HeldTensor(), HeldTensor()

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        self.col, self.row = col, row
        for what, value in (("col", self.col), ("row", self.row)):
            _at_least(value, 1, what)
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self.col.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
        )

    def _dims(self) -> Shape:
        column, row = self.col._shape_tuple, self.row._shape_tuple
        if column is None or row is None:
            return None
        batch = broadcast(column[:-1], row[:-1])
        return None if batch is None else (*batch, column[-1], row[-1])

    def _to_dense(self) -> Any:
        column, row = self._same_batch()
        rows, columns = last_size(column), last_size(row)
        # The band from the last of the row over its first to the last of the column.
        band = concat([row[..., :0:-1], column], -1)
        places = range_of(rows)[:, None] - range_of(columns)[None, :] + columns - 1
        return gather(band, places, axis=-1)

    def _same_batch(self) -> tuple[Any, Any]:
        """Return the first column and row, of the batch shape that both broadcast to."""
        column, row = self.col, self.row
        mine, theirs = column._shape_tuple, row._shape_tuple
        if None not in (mine, theirs) and mine[:-1] == theirs[:-1]:
            return column, row
        pair = broadcast_batch(expand_dims(column, -1), expand_dims(row, -1))
        return squeeze(pair[0], [-1]), squeeze(pair[1], [-1])

    def _diag_part(self) -> Any:
        return self.col[..., :1] * ones_like(self.row)

    def _trace(self) -> Any:
        return self.col[..., 0] * cast(last_size(self.row), self.dtype)


class LinearOperatorTridiag(LinearOperator):
    """A matrix of three diagonals."""

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        self.diagonals_format = diagonals_format
        if diagonals_format == "sequence":
            self._held_diagonals: Any = [kept(diagonal) for diagonal in diagonals]
            kind = self.diagonals[0].dtype
        else:
            self._held_diagonals = kept(diagonals)
            kind = _at_least(self.diagonals, 2, "diagonals").dtype
        super().__init__(
            kind,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
        )
        self._self_arguments["diagonals"] = self._held_diagonals

    def _dims(self) -> Shape:
        if self.diagonals_format == "sequence":
            shape = self.diagonals[1]._shape_tuple
            return (*shape, shape[-1])
        if self.diagonals_format == "matrix":
            matrix_shape: Shape = self.diagonals._shape_tuple
            return matrix_shape
        *batch, _, size = self.diagonals._shape_tuple
        return (*batch, size, size)

    @property
    def diagonals(self) -> Any:
        """The diagonals as they were given; variables are read."""
        if self.diagonals_format == "sequence":
            return [convert_to_tensor(diagonal) for diagonal in self._held_diagonals]
        return convert_to_tensor(self._held_diagonals)

    def _batch_ranks(self) -> dict[str, int]:
        return {"diagonals": 1 if self.diagonals_format == "sequence" else 2}

    def _packed(self) -> Any:
        if self.diagonals_format == "sequence":
            return stack(self.diagonals, axis=-2)
        return self.diagonals

    def _to_dense(self) -> Any:
        if self.diagonals_format == "matrix":
            return self.diagonals
        return diag(self._packed(), k=(-1, 1), align="LEFT_RIGHT")

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        if adjoint or self.diagonals_format == "matrix":
            return matmul(self.to_dense(), x, adjoint_a=adjoint)
        return tridiagonal_matmul(self._packed(), x)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        if adjoint:
            return super()._solve(rhs, adjoint)
        form = "matrix" if self.diagonals_format == "matrix" else "compact"
        return tridiagonal_solve(self._packed(), rhs, diagonals_format=form)


class _Circulant(LinearOperator):
    """What circulant operators share: a product is a product of spectra."""

    spectrum = HeldTensor()

    _depth: int
    _transforms: Any
    _inverses: Any

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = True,
        name: str | None = None,
    ) -> None:
        self.spectrum = spectrum
        if len(self.spectrum._shape_tuple) < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Found: "
                f"{self.spectrum}."
            )
        if not self.spectrum.dtype.is_complex:
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        super().__init__(
            input_output_dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
        )
        self._complex = (
            self.dtype
            if self.dtype.is_complex
            else as_dtype("complex64" if self.dtype is float32 else "complex128")
        )

    @property
    def block_depth(self) -> int:
        """How many dimensions the transform has."""
        return self._depth

    @property
    def block_shape(self) -> Any:
        """The sizes of the blocks."""
        return self.spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """Return the sizes of the blocks as an int32 tensor."""
        return convert_to_tensor(self._sizes(), int32)

    def _sizes(self) -> list[Any]:
        """Return the sizes of the blocks: ints where they are known, else scalars."""
        return sizes_of(self.spectrum)[-self._depth :]

    def _side(self) -> Any:
        """Return the number of rows and columns: an int where it is known, else a scalar."""
        return reduce(operator.mul, self._sizes())

    def _dims(self) -> Shape:
        blocks = self.spectrum._shape_tuple[-self._depth :]
        size = None if None in blocks else int(np.prod(blocks))
        return (*self.spectrum._shape_tuple[: -self._depth], size, size)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Return the kernel that a product convolves with."""
        return cast(type(self)._inverses(cast(self.spectrum, self._complex)), self.dtype)

    def _through_spectrum(self, x: Tensor, spectrum: Tensor) -> Any:
        rows = matrix_transpose(cast(x, self._complex))
        *batch, columns, _ = sizes_of(rows)
        blocks = reshape(rows, [*batch, columns, *self._sizes()])
        weights = expand_dims(cast(spectrum, self._complex), -self._depth - 1)
        product = type(self)._inverses(weights * type(self)._transforms(blocks))
        flat = reshape(product, [*sizes_of(product)[: -self._depth], self._side()])
        return cast(matrix_transpose(flat), self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self._through_spectrum(x, conjugate(self.spectrum) if adjoint else self.spectrum)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        spectrum = conjugate(self.spectrum) if adjoint else self.spectrum
        return self._through_spectrum(rhs, 1.0 / spectrum)

    def _to_dense(self) -> Any:
        return self._matmul(eye(self._side(), dtype=self.dtype), False)

    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Any:
        return cast(reduce_prod(self.spectrum, axis=self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        total = reduce_sum(log_abs(self.spectrum), axis=self._axes())
        return cast(total, self.dtype)

    def _trace(self) -> Any:
        return cast(reduce_sum(self.spectrum, axis=self._axes()), self.dtype)

    def _diag_part(self) -> Any:
        size = self._side()
        mean = self._trace() / cast(size, self.dtype)
        return mean[..., None] * ones([size], self.dtype)

    def _eigvals(self) -> Any:
        flat = [*self.spectrum._shape_tuple[: -self._depth], self._dims()[-1]]
        return reshape(cast(self.spectrum, self._complex), flat)

    def _remade(self, spectrum: Tensor) -> Any:
        return type(self)(spectrum, input_output_dtype=self.dtype)

    def _inverse(self) -> Any:
        return self._remade(1.0 / self.spectrum)

    def _adjoint(self) -> Any:
        return self._remade(conjugate(self.spectrum))

    def _matmul_operator(self, other: Any) -> Any:
        if type(other) is type(self):
            return self._remade(self.spectrum * other.spectrum)
        return super()._matmul_operator(other)


def _named(cls: Any) -> Any:
    """Give a circulant operator its own name by default, which its signature shows."""
    shared = _Circulant.__init__
    own = FunctionType(
        shared.__code__, shared.__globals__, "__init__", shared.__defaults__, shared.__closure__
    )
    own.__defaults__ = (*(shared.__defaults__ or ())[:-1], cls.__name__)
    cls.__init__ = own
    return cls


@_named
class LinearOperatorCirculant(_Circulant):
    """A matrix whose rows are each other's rotations, given by its spectrum."""

    _depth, _transforms, _inverses = 1, staticmethod(fft), staticmethod(ifft)
    _batched: ClassVar[dict[str, int]] = {"spectrum": 1}


@_named
class LinearOperatorCirculant2D(_Circulant):
    """A circulant matrix of circulant blocks, given by its two-dimensional spectrum."""

    _depth, _transforms, _inverses = 2, staticmethod(fft2d), staticmethod(ifft2d)
    _batched: ClassVar[dict[str, int]] = {"spectrum": 2}


@_named
class LinearOperatorCirculant3D(_Circulant):
    """A circulant matrix of blocks of circulant blocks, given by its spectrum."""

    _depth, _transforms, _inverses = 3, staticmethod(fft3d), staticmethod(ifft3d)
    _batched: ClassVar[dict[str, int]] = {"spectrum": 3}
