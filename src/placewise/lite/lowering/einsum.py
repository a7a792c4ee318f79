"""`tf.einsum` of two operands as transposes, reshapes and a batched product."""

from __future__ import annotations

from math import prod

from placewise.lite.lowering.table import Place, lowers
from placewise.lite.subgraph import Value


@lowers("Einsum")
def lower_einsum(place: Place) -> Value:
    """Order axes as batch, kept, summed; multiply; restore the order of the result."""
    left, right, result = _labels(place)
    x, y = place.inputs
    sizes = dict(zip(left, x.shape, strict=True)) | dict(zip(right, y.shape, strict=True))
    batch = [label for label in left if label in right and label in result]
    summed = [label for label in left if label in right and label not in result]
    kept = [label for label in left if label not in right]
    other = [label for label in right if label not in left]
    if set(kept + other + batch) != set(result):
        raise place.unsupported("sum single operands with tf.reduce_sum before the product")
    operands: list[Value | None] = [
        _matrix(place, x, left, [batch, kept, summed], sizes),
        _matrix(place, y, right, [batch, summed, other], sizes),
    ]
    rows, columns = _size(kept, sizes), _size(other, sizes)
    like = Value(f"{place.op.name}/MatMul", x.dtype, (*_shape(batch, sizes), rows, columns))
    product = place.add("BATCH_MATMUL", operands, like, "BatchMatMulOptions")
    order = batch + kept + other
    spread = _reshaped(place, product, [sizes[label] for label in order])
    return _transposed(place, spread, [order.index(label) for label in result])


def _labels(place: Place) -> tuple[str, str, str]:
    equation = place.attr("equation").replace(" ", "")
    terms, _, result = equation.partition("->")
    operands = terms.split(",")
    if len(operands) != 2 or any(len(set(part)) != len(part) for part in operands):
        raise place.unsupported("einsum is converted for two operands without repeated labels")
    if "..." in equation:
        raise place.unsupported("write the labels of all axes instead of '...'")
    return operands[0], operands[1], result


def _shape(labels: list[str], sizes: dict[str, int]) -> list[int]:
    return [sizes[label] for label in labels]


def _size(labels: list[str], sizes: dict[str, int]) -> int:
    dims = _shape(labels, sizes)
    return -1 if -1 in dims else prod(dims)


def _matrix(
    place: Place, value: Value, labels: str, groups: list[list[str]], sizes: dict[str, int]
) -> Value:
    """Return an operand with its batch axes, one axis of rows and one of columns."""
    batch, rows, columns = groups
    order = [labels.index(label) for label in batch + rows + columns]
    ordered = _transposed(place, value, order)
    shape = [*_shape(batch, sizes), _size(rows, sizes), _size(columns, sizes)]
    return _reshaped(place, ordered, shape)


def _transposed(place: Place, value: Value, order: list[int]) -> Value:
    if order == list(range(len(order))):
        return value
    shape = tuple(value.shape[axis] for axis in order)
    like = Value(f"{place.op.name}/transpose", value.dtype, shape)
    inputs: list[Value | None] = [value, place.number(order, "int32")]
    return place.add("TRANSPOSE", inputs, like, "TransposeOptions")


def _reshaped(place: Place, value: Value, shape: list[int]) -> Value:
    if list(value.shape) == shape:
        return value
    if shape.count(-1) > 1:
        raise place.unsupported("more than one of its sizes is unknown: give the inputs a shape")
    like = Value(f"{place.op.name}/reshape", value.dtype, tuple(shape))
    inputs: list[Value | None] = [value, place.number(shape, "int32")]
    return place.add("RESHAPE", inputs, like, "ReshapeOptions")
