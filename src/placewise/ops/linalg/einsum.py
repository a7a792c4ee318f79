"""Einstein summation, and the contraction of tensors along given axes."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core.dtypes import int32
from placewise.core.errors import hint, invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import constant, ones
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.linalg import matrix_products
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.matrices import equal_dimension
from placewise.ops.linalg.written_tensordot import written_tensordot
from placewise.ops.math.arithmetic import conjugate
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.work import einsum_work

DOTS = "..."


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Return the sum of products of `inputs` that an equation describes.

    `equation`: one label a dimension, inputs separated by commas: "ij,jk->ik" is a matrix product.
        Labels that are missing on the right are summed over; "..." stands for dimensions that
        broadcast. Without "->" the labels that occur once remain, in alphabetical order.
    `inputs`: as many tensors of one dtype as the equation has.
    `kwargs`: `name`, and `optimize`: how to choose the pairs of more than two inputs ('greedy').

    Raises ValueError if the equation is malformed, InvalidArgumentError if it does not fit the
    inputs.

    >>> tf.einsum("ij,j->i", [[1, 2], [3, 4]], [10, 1]).numpy()
    array([12, 34], dtype=int32)
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. "
            "Valid arguments: name, optimize, greedy."
        )
    terms, result = _explicit(equation, len(inputs))
    operands = [x if hasattr(x, "dtype") else convert_to_tensor(x) for x in inputs]
    if len(operands) > 2:
        return _contract_in_pairs(equation, terms, result, operands, name)
    return einsum_op(operands, equation=f"{','.join(terms)}->{result}", name=name)


@lru_cache(maxsize=512)
def _explicit(equation: str, count: int) -> tuple[tuple[str, ...], str]:
    """Return the subscripts of each input and of the result, as given or implied."""
    compact = equation.replace(" ", "")
    marked = compact.replace(DOTS, "0")
    if DOTS in compact and "0" in compact:
        raise ValueError(f'Invalid character "0" in equation: {equation}.')
    allowed = "a-zA-Z0" if DOTS in compact else "a-zA-Z"
    match = re.match(f"^([{allowed},]*)(->[{allowed}]*)?$", marked)
    if match is None:
        raise ValueError(f"Subscripts have incorrect format: {marked}")
    terms = match.group(1).split(",")
    if len(terms) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(terms)}')
    if match.group(2) is None:
        counts = Counter(match.group(1))
        result = "".join(x for x in sorted(counts) if x != "," and counts[x] == 1)
    else:
        result = match.group(2)[2:]
    if len(set(result)) != len(result):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for label in result:
        if label != "0" and label not in match.group(1):
            raise ValueError(
                hint(
                    f"Output subscripts contain the label {label} not present in the input "
                    "subscripts.",
                    "each label behind -> must stand before it: 'ij,jk->ik'",
                )
            )
    return tuple(t.replace("0", DOTS) for t in terms), result.replace("0", DOTS)


def _contract_in_pairs(
    equation: str, terms: tuple[str, ...], result: str, operands: list[Any], name: str | None
) -> Any:
    sizes: dict[str, int] = {}
    for index, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        _check_term(index, term, operand, equation)
        shape = operand._shape_tuple
        before, dots, after = term.partition(DOTS)
        if shape is None:
            continue
        ends = [
            *zip(before, shape, strict=False),
            *zip(reversed(after), reversed(shape), strict=False),
        ]
        for label, size in ends:
            sizes[label] = max(sizes.get(label, 1), size or 1)
        if dots:
            middle = shape[len(before) : len(shape) - len(after)]
            sizes["0"] = max(sizes.get("0", 1), int(np.prod([d or 1 for d in middle])))
    left = [(t.replace(DOTS, "0"), x) for t, x in zip(terms, operands, strict=True)]
    wanted = result.replace(DOTS, "0")
    while len(left) > 1:
        i, j, kept = _cheapest_pair([t for t, _ in left], wanted, sizes)
        (second, y), (first, x) = left.pop(j), left.pop(i)
        pair = f"{first},{second}->{kept}".replace("0", DOTS)
        left.append((kept, einsum_op([x, y], equation=pair, name=None if left else name)))
    return left[0][1]


def _check_term(index: int, term: str, operand: Tensor, equation: str) -> None:
    if operand._shape_tuple is None:
        return
    shape = list(operand._shape_tuple)
    if term.count(DOTS) > 1:
        raise ValueError(f"Too many ellipses in input label {term}.")
    if DOTS in term:
        if len(term) - 3 > len(shape):
            raise ValueError(
                f"Too many named labels in {index}th subscript string of equation {equation} for "
                f"input shape {shape} "
            )
    elif len(term) != len(shape):
        raise ValueError(
            f"Number of named labels in input #{index} of equation {equation} must be equal to "
            f"the number of dimensions in shape {shape}"
        )


def _cheapest_pair(terms: list[str], wanted: str, sizes: dict[str, int]) -> tuple[int, int, str]:
    """Return the two terms whose product grows memory least, and its subscripts."""

    def size(labels: Any) -> int:
        return int(np.prod([sizes.get(label, 1) for label in labels], dtype=object))

    best: Any = None
    for i in range(len(terms)):
        for j in range(i + 1, len(terms)):
            others = [t for n, t in enumerate(terms) if n not in (i, j)]
            needed = set(wanted).union(*others)
            kept = "".join(sorted((set(terms[i]) | set(terms[j])) & needed))
            if not others:
                kept = wanted
            cost = size(kept) - size(set(terms[i])) - size(set(terms[j]))
            # Pairs that share a label come before outer products.
            rank = (not set(terms[i]) & set(terms[j]), cost)
            if best is None or rank < best[0]:
                best = (rank, i, j, kept)
    return best[1], best[2], best[3]


einsum_op = define(
    "Einsum(inputs: N*T >= 1; equation: string) -> output: T",
    doc="The sum of products of one or two tensors that an equation describes.",
    grows="product",
    work=einsum_work,
)


class _Plan(NamedTuple):
    """What an equation asks of torch: the equation with distinct labels, and the result's form."""

    equation: str
    repeated: str | None  # the result's subscripts, where a label occurs twice in them


def _sides(equation: str) -> tuple[list[str], str]:
    if isinstance(equation, bytes):
        equation = equation.decode()
    if equation.count("->") != 1:
        raise invalid(f"Expecting exactly one '->' in einsum equation: {equation}")
    given, result = equation.replace(" ", "").split("->")
    terms = given.split(",")
    if len(terms) not in (1, 2):
        raise invalid(
            f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(terms)}"
        )
    return terms, result


@lru_cache(maxsize=1024)
def _planned(equation: str, shapes: tuple[tuple[int, ...], ...]) -> _Plan:
    """Check an equation against shapes: torch would let dimensions of size 1 broadcast."""
    terms, result = _sides(equation)
    if len(terms) != len(shapes):
        raise invalid(
            f"Expected {len(shapes)} input subscripts in equation {equation} but got: {len(terms)}"
        )
    sizes: dict[str, int] = {}
    middles = []
    for index, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        labels = term.replace(DOTS, "")
        if DOTS not in term and len(labels) != len(shape):
            raise invalid(
                f"Expected input {index} to have rank {len(labels)} but got: {len(shape)}"
            )
        if len(labels) > len(shape) or term.count(DOTS) > 1:
            raise invalid(
                f"Expected input {index} to have rank at least {len(labels)} but got: {len(shape)}"
            )
        before, dots, after = term.partition(DOTS)
        gap = len(shape) - len(labels)
        if dots:
            middles.append(shape[len(before) : len(before) + gap])
        axes = [*range(len(before)), *range(len(before) + gap, len(shape))]
        for label, axis in zip(before + after, axes, strict=True):
            if sizes.setdefault(label, shape[axis]) != shape[axis]:
                raise invalid(
                    f"Expected dimension {sizes[label]} at axis {axis} of the input shaped "
                    f"{bracketed(shape)} but got dimension {shape[axis]}"
                )
    _check_broadcast(middles, result)
    distinct = "".join(dict.fromkeys(result.replace(DOTS, "0"))).replace("0", DOTS)
    return _Plan(f"{','.join(terms)}->{distinct}", None if distinct == result else result)


def _check_broadcast(middles: list[tuple[int, ...]], result: str) -> None:
    try:
        together = broadcast(*middles) if middles else ()
    except ValueError:
        shown = " vs. ".join(bracketed((*m, 1, 1)) for m in middles)
        raise invalid(f"Invalid broadcasting dimensions: {shown}") from None
    if together and DOTS not in result:
        raise invalid(
            f"Output contains {len(together)} broadcasting dimension(s) but no ellipsis (...) was "
            "found in the output subscripts."
        )


@einsum_op.shape
def einsum_shape(inputs: list[Static], *, equation: str) -> Dims:
    terms, result = _sides(equation)
    sizes: dict[str, int | None] = {}
    middle: Dims = ()
    for term, each in zip(terms, inputs, strict=True):
        before, dots, after = term.partition(DOTS)
        if each.shape is None:
            middle = None if dots else middle
            continue
        if not dots and len(term) != len(each.shape):
            raise ValueError(f"Shape must be rank {len(term)} but is rank {len(each.shape)}")
        gap = len(each.shape) - len(before) - len(after)
        if gap < 0:
            raise ValueError(
                f"Shape must be at least rank {len(before + after)} but is rank {len(each.shape)}"
            )
        dims = each.shape[: len(before)] + each.shape[len(before) + gap :]
        for label, size in zip(before + after, dims, strict=True):
            sizes[label] = equal_dimension(sizes.get(label), size)
        if dots and middle is not None:
            middle = broadcast(middle, each.shape[len(before) : len(before) + gap])
    if DOTS in result and middle is None:
        return None
    before, dots, after = result.partition(DOTS)
    return (
        *(sizes.get(label) for label in before),
        *((middle or ()) if dots else ()),
        *(sizes.get(label) for label in after),
    )


@einsum_op.kernel
def einsum_kernel(inputs: list[Any], *, equation: str) -> Any:
    plan = _planned(equation, tuple(tuple(x.shape) for x in inputs))
    form = _matrix_form(plan.equation)
    if form is None:
        product = torch.einsum(plan.equation, *inputs)
    else:
        factors = [inputs[place].mT if transposed else inputs[place] for place, transposed in form]
        product = matrix_products.product(*factors)
    return product if plan.repeated is None else _on_diagonals(product, plan)


@lru_cache(maxsize=256)
def _matrix_form(equation: str) -> tuple[tuple[int, bool], ...] | None:
    """Return the factors if an equation is a product of two matrices: place, whether transposed."""
    terms, result = equation.split("->")
    first, comma, second = terms.partition(",")
    labels = [set(first), set(second), set(result)]
    summed = labels[0] & labels[1]
    if not comma or any(len(s) != 2 or not s.isalpha() for s in (first, second, result)):
        return None
    if [len(s) for s in (*labels, summed)] != [2, 2, 2, 1] or labels[2] != labels[0] ^ labels[1]:
        return None
    inner = summed.pop()
    if result[0] in first:
        return (0, first[0] == inner), (1, second[1] == inner)
    return (1, second[0] == inner), (0, first[1] == inner)


def _on_diagonals(product: torch.Tensor, plan: _Plan) -> Any:
    """Return zeros with `product` where the indices of a repeated label agree."""
    distinct = plan.equation.split("->")[1].replace(DOTS, "0")
    wanted = (plan.repeated or "").replace(DOTS, "0")
    gap = product.dim() - len(distinct.replace("0", ""))
    axes: dict[str, list[int]] = {}
    for label in distinct:
        start = sum(len(a) for a in axes.values())
        axes[label] = list(range(start, start + (gap if label == "0" else 1)))
    shape = [product.shape[axis] for label in wanted for axis in axes[label]]
    spread = product.new_zeros(shape)
    steps = [0] * product.dim()
    for axis, stride in zip(
        (a for label in wanted for a in axes[label]), spread.stride(), strict=True
    ):
        steps[axis] += stride
    spread.as_strided(product.shape, steps).copy_(product)
    return spread


@einsum_op.gradient
def einsum_gradient(call: Call, dy: Tensor) -> Any:
    terms, result = _sides(call.attrs["equation"])
    inputs = call.inputs[0]
    if len(inputs) == 1:
        return ([_gradient_of(inputs[0], terms[0], dy, result, None, "")],)
    x, y = inputs
    x_term, y_term = terms
    if DOTS in result:
        x_term, y_term = (t if DOTS in t else DOTS + t for t in terms)
    return (
        [
            _gradient_of(x, x_term, dy, result, conjugate(y), y_term),
            _gradient_of(y, y_term, dy, result, conjugate(x), x_term),
        ],
    )


def _gradient_of(x: Any, term: str, dy: Any, result: str, other: Any, other_term: str) -> Any:
    """Return the gradient of one operand: the equation turned round."""
    dots, labels = DOTS if DOTS in term else "", term.replace(DOTS, "")
    summed = [label for label in dict.fromkeys(labels) if label not in result + other_term]
    left = dots + "".join(label for label in labels if label not in summed)
    if other is None:
        found = einsum_op([dy], equation=f"{result}->{left}")
    else:
        found = einsum_op([dy, other], equation=f"{result},{other_term}->{left}")
    if summed:
        # What was summed over gets the same gradient everywhere.
        axes = [
            labels.index(s) - (0 if not dots or labels.index(s) < term.index(DOTS) else len(labels))
            for s in summed
        ]
        ramp = ones(_sizes(x, axes), found.dtype)
        found = einsum_op([found, ramp], equation=f"{left},{''.join(summed)}->{dots}{labels}")
    elif dots + labels != left:
        found = einsum_op([found], equation=f"{left}->{dots}{labels}")
    if not dots:
        return found
    if len(labels) == len(x._shape_tuple or ()):
        return sum_to_shape_of(found, x)
    if term == dots + labels:
        return sum_to_shape_of(found, x)
    # Broadcast dimensions are undone in front, then put back where the operand has them.
    moved = einsum_op([x], equation=f"{term}->{dots}{labels}")
    return einsum_op([sum_to_shape_of(found, moved)], equation=f"{dots}{labels}->{term}")


def _sizes(x: Tensor, axes: list[int]) -> Any:
    static = x._shape_tuple
    found = [None if static is None else static[axis] for axis in axes]
    if None not in found:
        return np.asarray(found, np.int32)
    whole = shape_of(x)
    return stack([whole[axis] for axis in axes])


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Return the sum of products of `a` and `b` along `axes`: a count, or a list for each."""
    a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
    a_axes, b_axes = _contracted(a, axes)
    if is_tf1_graph():
        return written_tensordot(a, b, a_axes, b_axes, name)
    left, a_free = _as_matrix(a, a_axes, last=True)
    right, b_free = _as_matrix(b, b_axes, last=False)
    product = matmul(left, right)
    if isinstance(a_free, list) and isinstance(b_free, list):
        if len(a_free) == len(b_free) == 1:
            return product
        return reshape(product, np.asarray(a_free + b_free, np.int32), name=name)
    return reshape(product, concat([a_free, b_free], 0), name=name)


def _contracted(a: Tensor, axes: Any) -> tuple[Any, Any]:
    """Return the axes of each tensor that are summed over."""
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        rank = len(a._shape_tuple)
        if axes > rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {rank}."
            )
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        first, second = axes
        if isinstance(first, int) and isinstance(second, int):
            return [first], [second]
        if len(first) != len(second):
            raise ValueError(
                f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}."
            )
        return [int(axis) for axis in first], [int(axis) for axis in second]
    given = np.asarray(convert_to_tensor(axes, dtype=int32)).tolist()
    if isinstance(given, int):
        raise invalid("Index out of range using input dim 0; input has only 0 dims")
    pair = [each if isinstance(each, list) else [each] for each in given]
    return pair[0], pair[1]


def _as_matrix(x: Tensor, axes: list[int], *, last: bool) -> tuple[Any, Any]:
    """Return `x` as a matrix whose columns (rows if not `last`) are summed over; and the rest."""
    rank = len(x._shape_tuple)
    summed = [axis + rank if axis < 0 else axis for axis in axes]
    free = [axis for axis in range(rank) if axis not in summed]
    order = free + summed if last else summed + free
    moved = x if order == list(range(rank)) else transpose(x, np.asarray(order, np.int32))
    static = x._shape_tuple
    kept: Any
    rows: Any
    columns: Any
    if None not in static:
        kept = [static[axis] for axis in free]
        if len(free) == len(summed) == 1:
            return moved, kept
        columns = int(np.prod([static[axis] for axis in summed], dtype=np.int64))
        rows = int(np.prod(kept, dtype=np.int64))
        target = [rows, columns] if last else [columns, rows]
        return reshape(moved, np.asarray(target, np.int64)), kept
    whole = shape_of(x)
    kept = stack([whole[axis] for axis in free]) if free else constant([], int32)
    columns = reduce_prod(stack([whole[axis] for axis in summed])) if summed else constant(1)
    rows = reduce_prod(kept)
    return reshape(moved, stack([rows, columns] if last else [columns, rows])), kept
