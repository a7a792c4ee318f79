"""A linear map of several inputs, with variables under the scope in force."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.graph.initializers import Zeros
from placewise.graph.variable_scope import get_variable


def linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """Return concat(args) · kernel, plus a bias where asked for."""
    if args is None or (isinstance(args, (list, tuple)) and not args):
        raise ValueError("`args` must be specified")
    given = list(args) if isinstance(args, (list, tuple)) else [args]
    width = 0
    for each in given:
        if each.shape.rank != 2:
            raise ValueError(f"linear is expecting 2D arguments: {[e.shape for e in given]}")
        size = each.shape.as_list()[1]
        if size is None:
            raise ValueError(
                f"linear expects shape[1] to be provided for shape {each.shape}, but saw {size}"
            )
        width += size
    kind = given[0].dtype
    kernel = get_variable("kernel", [width, output_size], kind, initializer=kernel_initializer)
    outputs = tf.matmul(given[0] if len(given) == 1 else tf.concat(given, 1), kernel)
    if not bias:
        return outputs
    offsets = get_variable(
        "bias", [output_size], kind, initializer=bias_initializer or Zeros(dtype=kind)
    )
    return tf.nn.bias_add(outputs, offsets)
