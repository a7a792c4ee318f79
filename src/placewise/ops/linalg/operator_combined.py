"""Operators made of operators: products, blocks, adjoints, inverses, small updates."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any, ClassVar

from placewise.core.shapes import broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import eye
from placewise.ops.array.shape import reshape, sizes_of
from placewise.ops.linalg.einsum import einsum_op
from placewise.ops.linalg.inverse import solve
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.operator import LinearOperator, Shape, agreed_hint, broadcast_batch
from placewise.ops.linalg.operator_parameters import HeldTensor
from placewise.ops.linalg.operator_plain import LinearOperatorDiag, LinearOperatorIdentity
from placewise.ops.linalg.transpose import adjoint as adjoint_of
from placewise.ops.math.arithmetic import conjugate


def _checked(given: Iterable[Any]) -> list[Any]:
    operators = list(given)
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    kinds = {operator.dtype for operator in operators}
    if len(kinds) > 1:
        shown = [(operator.name, operator.dtype) for operator in operators]
        raise TypeError(f"Expected all operators to have the same dtype.  Found {shown}")
    return operators


def _all(operators: list[Any], hint: str) -> bool | None:
    """Return True if a hint is True of all operators, else None."""
    return True if all(getattr(operator, hint) for operator in operators) else None


def _batch_of(operators: list[Any]) -> tuple[Any, ...]:
    return broadcast(*[operator._dims()[:-2] for operator in operators]) or ()


class LinearOperatorComposition(LinearOperator):
    """The product of operators, applied from the last to the first."""

    _batched: ClassVar[dict[str, int]] = {"operators": 0}

    def __init__(
        self,
        operators: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str | None = None,
    ) -> None:
        self.operators = _checked(operators)
        for left, right in zip(self.operators, self.operators[1:], strict=False):
            mine, theirs = left._dims()[-1], right._dims()[-2]
            if mine is not None and theirs is not None and mine != theirs:
                raise ValueError(
                    f"Operators are incompatible. Expected `x` to have dimension {mine} but got "
                    f"{theirs}."
                )
        name = name or "_o_".join(operator.name for operator in self.operators)
        super().__init__(
            self.operators[0].dtype,
            None,
            is_non_singular or _all(self.operators, "is_non_singular"),
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )

    def _dims(self) -> Shape:
        first, last = self.operators[0], self.operators[-1]
        return (*_batch_of(self.operators), first._dims()[-2], last._dims()[-1])

    def _to_dense(self) -> Any:
        if None not in self._dims():
            return super()._to_dense()
        *others, last = self.operators
        return reduce(lambda x, operator: operator._matmul(x, False), others[::-1], last.to_dense())

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        for operator in self.operators if adjoint else reversed(self.operators):
            x = operator._matmul(x, adjoint)
        return x

    def _cholesky(self) -> Any:
        if len(self.operators) == 2 and hasattr(self.operators[0], "_positive"):
            left, right = self.operators
            if right._is_adjoint and right.operator is left:
                return left._positive()
        return super()._cholesky()

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        for operator in reversed(self.operators) if adjoint else self.operators:
            rhs = operator.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Any:
        if all(operator.is_square for operator in self.operators):
            return reduce(lambda x, y: x * y, [o.determinant() for o in self.operators])
        return super()._determinant()

    def _log_abs_determinant(self) -> Any:
        if all(operator.is_square for operator in self.operators):
            return reduce(lambda x, y: x + y, [o.log_abs_determinant() for o in self.operators])
        return super()._log_abs_determinant()


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators."""

    _batched: ClassVar[dict[str, int]] = {"operators": 0}

    def __init__(
        self,
        operators: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str | None = None,
    ) -> None:
        self.operators = _checked(operators)
        name = name or "_x_".join(operator.name for operator in self.operators)
        super().__init__(
            self.operators[0].dtype,
            None,
            is_non_singular or _all(self.operators, "is_non_singular"),
            is_self_adjoint or _all(self.operators, "is_self_adjoint"),
            is_positive_definite or _all(self.operators, "is_positive_definite"),
            is_square,
            name,
        )

    def _dims(self) -> Shape:
        rows = _product([operator._dims()[-2] for operator in self.operators])
        columns = _product([operator._dims()[-1] for operator in self.operators])
        return (*_batch_of(self.operators), rows, columns)

    def _to_dense(self) -> Any:
        return reduce(_kronecker, [operator.to_dense() for operator in self.operators])

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        inverse = reduce(_kronecker, [o.inverse().to_dense() for o in self.operators])
        return matmul(inverse, rhs, adjoint_a=adjoint)

    def _determinant(self) -> Any:
        total = self._dims()[-1]
        parts = [o.determinant() ** (total // o._dims()[-1]) for o in self.operators]
        return reduce(lambda x, y: x * y, parts)

    def _log_abs_determinant(self) -> Any:
        total = self._dims()[-1]
        parts = [o.log_abs_determinant() * (total // o._dims()[-1]) for o in self.operators]
        return reduce(lambda x, y: x + y, parts)

    def _diag_part(self) -> Any:
        return reduce(_outer, [operator.diag_part() for operator in self.operators])

    def _trace(self) -> Any:
        return reduce(lambda x, y: x * y, [operator.trace() for operator in self.operators])

    def _inverse(self) -> Any:
        return LinearOperatorKronecker([operator.inverse() for operator in self.operators])

    def _adjoint(self) -> Any:
        return LinearOperatorKronecker([operator.adjoint() for operator in self.operators])

    def _cholesky(self) -> Any:
        return LinearOperatorKronecker([operator.cholesky() for operator in self.operators])


def _total(sizes: list[int | None]) -> int | None:
    return None if None in sizes else sum(sizes)  # type: ignore[arg-type]


def _product(sizes: list[int | None]) -> int | None:
    return None if None in sizes else reduce(lambda x, y: x * y, sizes)  # type: ignore[operator]


def _kronecker(x: Tensor, y: Tensor) -> Any:
    product = einsum_op([x, y], equation="...ij,...kl->...ikjl")
    *batch, rows, more, columns, across = sizes_of(product)
    return reshape(product, [*batch, rows * more, columns * across])


def _outer(x: Any, y: Any) -> Any:
    product = x[..., :, None] * y[..., None, :]
    *batch, first, second = sizes_of(product)
    return reshape(product, [*batch, first * second])


def _pieces(x: Tensor, sizes: list[int]) -> list[Any]:
    """Return the rows of `x` cut into pieces."""
    starts = [sum(sizes[:index]) for index in range(len(sizes))]
    return [x[..., at : at + size, :] for at, size in zip(starts, sizes, strict=True)]


def _stacked(parts: list[Any]) -> Any:
    """Return pieces one below the other; their batches broadcast."""
    batch = list(broadcast(*[part._shape_tuple[:-2] for part in parts]) or ())
    return concat([broadcast_to(p, batch + sizes_of(p)[-2:]) for p in parts], -2)


class LinearOperatorBlockDiag(LinearOperator):
    """Operators as blocks along the diagonal, zeros elsewhere."""

    _batched: ClassVar[dict[str, int]] = {"operators": 0}

    def __init__(
        self,
        operators: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = True,
        name: str | None = None,
    ) -> None:
        self.operators = _checked(operators)
        name = name or "_ds_".join(operator.name for operator in self.operators)
        super().__init__(
            self.operators[0].dtype,
            None,
            is_non_singular or _all(self.operators, "is_non_singular"),
            is_self_adjoint or _all(self.operators, "is_self_adjoint"),
            is_positive_definite or _all(self.operators, "is_positive_definite"),
            is_square,
            name,
        )

    def _dims(self) -> Shape:
        rows = sum(operator._dims()[-2] for operator in self.operators)
        columns = sum(operator._dims()[-1] for operator in self.operators)
        return (*_batch_of(self.operators), rows, columns)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        sizes = [o._dims()[-2] if adjoint else o._dims()[-1] for o in self.operators]
        parts = zip(self.operators, _pieces(x, sizes), strict=True)
        return _stacked([operator._matmul(part, adjoint) for operator, part in parts])

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        sizes = [o._dims()[-1] if adjoint else o._dims()[-2] for o in self.operators]
        parts = zip(self.operators, _pieces(rhs, sizes), strict=True)
        return _stacked([operator.solve(part, adjoint=adjoint) for operator, part in parts])

    def _diag_part(self) -> Any:
        if not all(operator.is_square for operator in self.operators):
            return super()._diag_part()
        parts = [operator.diag_part()[..., None] for operator in self.operators]
        return _stacked(parts)[..., 0]

    def _determinant(self) -> Any:
        return reduce(lambda x, y: x * y, [operator.determinant() for operator in self.operators])

    def _log_abs_determinant(self) -> Any:
        parts = [operator.log_abs_determinant() for operator in self.operators]
        return reduce(lambda x, y: x + y, parts)

    def _inverse(self) -> Any:
        return LinearOperatorBlockDiag([operator.inverse() for operator in self.operators])

    def _adjoint(self) -> Any:
        return LinearOperatorBlockDiag([operator.adjoint() for operator in self.operators])

    def _cholesky(self) -> Any:
        return LinearOperatorBlockDiag([operator.cholesky() for operator in self.operators])


class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Rows of operators as blocks, none above the diagonal."""

    _batched: ClassVar[dict[str, int]] = {"operators": 0}

    def __init__(
        self,
        operators: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        self.operators = [list(row) for row in operators]
        for index, row in enumerate(self.operators):
            if len(row) != index + 1:
                raise ValueError(
                    f"Argument `operators[{index}]` must contain `{index + 1}` blocks. "
                    f"Received: {len(row)} blocks."
                )
        flat = _checked([operator for row in self.operators for operator in row])
        diagonal = [row[-1] for row in self.operators]
        super().__init__(
            flat[0].dtype,
            None,
            is_non_singular or _all(diagonal, "is_non_singular"),
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )

    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self.operators]

    def _dims(self) -> Shape:
        flat = [operator for row in self.operators for operator in row]
        rows = _total([operator._dims()[-2] for operator in self._diagonal()])
        columns = _total([operator._dims()[-1] for operator in self._diagonal()])
        return (*_batch_of(flat), rows, columns)

    def _to_dense(self) -> Any:
        if None not in self._dims():
            return super()._to_dense()
        rows = []
        for index, row in enumerate(self.operators):
            right = [each.to_dense() for each in self._diagonal()[index + 1 :]]
            blocks = [each.to_dense() for each in row]
            # Above the diagonal, as many zeros as there are columns.
            empty = [blocks[-1][..., :1] * 0 * each[..., :1, :] for each in right]
            rows.append(concat([*blocks, *empty], -1))
        return concat(rows, -2)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        if adjoint:
            return matmul(self.to_dense(), x, adjoint_a=True)
        parts = _pieces(x, [operator._dims()[-1] for operator in self._diagonal()])
        rows = []
        for row in self.operators:
            products = [o._matmul(part, False) for o, part in zip(row, parts, strict=False)]
            rows.append(reduce(lambda a, b: a + b, products))
        return _stacked(rows)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        if adjoint:
            return super()._solve(rhs, adjoint)
        parts = _pieces(rhs, [operator._dims()[-2] for operator in self._diagonal()])
        solved: list[Any] = []
        for row, part in zip(self.operators, parts, strict=True):
            for operator, known in zip(row, solved, strict=False):
                part = part - operator._matmul(known, False)
            solved.append(row[-1].solve(part))
        return _stacked(solved)

    def _determinant(self) -> Any:
        return reduce(lambda x, y: x * y, [o.determinant() for o in self._diagonal()])

    def _log_abs_determinant(self) -> Any:
        return reduce(lambda x, y: x + y, [o.log_abs_determinant() for o in self._diagonal()])


class LinearOperatorAdjoint(LinearOperator):
    """The adjoint of an operator."""

    _batched: ClassVar[dict[str, int]] = {"operator": 0}
    _is_adjoint = True

    def __init__(
        self,
        operator: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str | None = None,
    ) -> None:
        self.operator = operator
        super().__init__(
            operator.dtype,
            None,
            agreed_hint("non-singular", "adjoint", is_non_singular, operator.is_non_singular),
            agreed_hint("self-adjoint", "adjoint", is_self_adjoint, operator.is_self_adjoint),
            agreed_hint(
                "positive-definite", "adjoint", is_positive_definite, operator.is_positive_definite
            ),
            agreed_hint("square", "adjoint", is_square, operator._is_square_hint),
            name or operator.name + "_adjoint",
        )

    def _dims(self) -> Shape:
        dims = self.operator._dims()
        if dims is None:
            return None
        *batch, rows, columns = dims
        return (*batch, columns, rows)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self.operator._matmul(x, not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self.operator._solve(rhs, not adjoint)

    def _to_dense(self) -> Any:
        return adjoint_of(self.operator.to_dense())

    def _diag_part(self) -> Any:
        return conjugate(self.operator.diag_part())

    def _determinant(self) -> Any:
        return conjugate(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _adjoint(self) -> Any:
        return self.operator


class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator."""

    _batched: ClassVar[dict[str, int]] = {"operator": 0}

    def __init__(
        self,
        operator: Any,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str | None = None,
    ) -> None:
        self.operator = operator
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError("operator and supplied hints must have `is_non_singular=True`.")
        super().__init__(
            operator.dtype,
            None,
            is_non_singular or operator.is_non_singular,
            agreed_hint("self-adjoint", "inverse", is_self_adjoint, operator.is_self_adjoint),
            agreed_hint(
                "positive-definite", "inverse", is_positive_definite, operator.is_positive_definite
            ),
            is_square,
            name or operator.name + "_inv",
        )

    def _dims(self) -> Shape:
        shape: Shape = self.operator._dims()
        return shape

    def _to_dense(self) -> Any:
        if (dims := self._dims()) is not None and None not in dims:
            return super()._to_dense()
        sizes = self.operator.shape_tensor()
        return self._matmul(eye(sizes[-1], batch_shape=sizes[:-2], dtype=self.dtype), False)

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Return the shape as an int32 tensor."""
        return self.operator.shape_tensor()

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        return self.operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return self.operator._matmul(rhs, adjoint)

    def _determinant(self) -> Any:
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self.operator.log_abs_determinant()

    def _inverse(self) -> Any:
        return self.operator


class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus u · diag · vᴴ, where u and v have few columns."""

    _batched: ClassVar[dict[str, int]] = {"base_operator": 0, "u": 2, "diag_update": 1, "v": 2}
    u, v, diag_update = HeldTensor(), HeldTensor(), HeldTensor()

    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: Any = None,
        is_non_singular: Any = None,
        is_self_adjoint: Any = None,
        is_positive_definite: Any = None,
        is_square: Any = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        self.base_operator = base_operator
        self.u = u
        self.v = u if v is None else v
        self.diag_update = diag_update
        self.is_diag_update_positive = True if diag_update is None else is_diag_update_positive
        if v is None and base_operator.is_self_adjoint and not self.u.dtype.is_complex:
            is_self_adjoint = True
            if base_operator.is_positive_definite and self.is_diag_update_positive:
                is_positive_definite = is_non_singular = True
        super().__init__(
            base_operator.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )

    @property
    def diag_operator(self) -> Any:
        """What stands between u and vᴴ."""
        if self.diag_update is None:
            return LinearOperatorIdentity(self.u._shape_tuple[-1], dtype=self.dtype)
        return LinearOperatorDiag(self.diag_update)

    def _dims(self) -> Shape:
        *batch, rows, columns = self.base_operator._dims()
        both = broadcast(tuple(batch), self.u._shape_tuple[:-2], self.v._shape_tuple[:-2]) or ()
        return (*both, rows, columns)

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        left, right = (self.v, self.u) if adjoint else (self.u, self.v)
        inner = matmul(right, x, adjoint_a=True)
        if self.diag_update is not None:
            inner = self.diag_operator._matmul(inner, adjoint)
        return self.base_operator._matmul(x, adjoint) + matmul(left, inner)

    def _to_dense(self) -> Any:
        update = adjoint_of(self.v)
        if self.diag_update is not None:
            update = self.diag_operator._matmul(update, False)
        return self.base_operator.to_dense() + matmul(self.u, update)

    def _capacitance(self) -> Any:
        """Return the small matrix that stands for the update in the Woodbury identity."""
        solved = self.base_operator.solve(self.u)
        return self.diag_operator.inverse().to_dense() + matmul(self.v, solved, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        left, right = (self.v, self.u) if adjoint else (self.u, self.v)
        first = self.base_operator.solve(rhs, adjoint=adjoint)
        small, inner = broadcast_batch(self._capacitance(), matmul(right, first, adjoint_a=True))
        inner = solve(small, inner, adjoint=adjoint)
        return first - self.base_operator.solve(matmul(left, inner), adjoint=adjoint)
