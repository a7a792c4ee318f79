"""`tf.hessians`: second derivatives, by differentiating each element of a gradient."""

from __future__ import annotations

from typing import Any

from placewise.autodiff.graph_gradients import gradients
from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.shape import reshape, shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.loops import while_loop
from placewise.ops.flow.tensor_array import TensorArray


class AggregationMethod:
    """How gradients that flow to one tensor are summed; the results are the same."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def hessians_v2(
    ys: TensorLike,
    xs: TensorLike,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Return, for each of `xs`, the second derivatives of the sum of `ys`."""
    return hessians(ys, xs, name, True, gate_gradients, aggregation_method)


def hessians(
    ys: TensorLike,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Any]:
    """Return, for each of `xs`, the second derivatives of the sum of `ys`.

    The result for an x has the shape of x twice over.
    """
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    options = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    first = gradients(ys, sources, **options)
    result = []
    for gradient, source in zip(first, sources, strict=True):
        x = convert_to_tensor(source)
        flat = reshape(gradient, [-1])
        count = flat.shape[0]
        count = getattr(count, "value", count)
        if count is not None:
            rows = [reshape(gradients(flat[i], source, **options)[0], [-1]) for i in range(count)]
            square = stack(rows)
        else:
            square = _looped(flat, source, options)
        known = x.shape.is_fully_defined()
        dims = [*x.shape.as_list()] * 2 if known else concat([shape(x), shape(x)], 0)
        result.append(reshape(square, dims))
    return result


def _looped(flat: Tensor, source: Tensor, options: dict[str, Any]) -> Any:
    """Return the rows one after the other, when their number is known only at run time."""
    count = shape(flat)[0]
    rows = TensorArray(flat.dtype, size=count)

    def row(index: Tensor, rows: TensorArray) -> tuple[Any, Any]:
        derivative = gradients(flat[index], source, **options)[0]
        return index + 1, rows.write(index, reshape(derivative, [-1]))

    _, rows = while_loop(lambda index, _: index < count, row, [0, rows])
    return rows.stack()
