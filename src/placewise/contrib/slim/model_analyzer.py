"""slim.model_analyzer: how large the variables and operations of a model are."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def tensor_description(var: Any) -> str:
    """Return a tensor's dtype and shape in a few characters."""
    kind = var.dtype.name.removesuffix("_ref")
    sizes = "x".join("?" if size is None else str(size) for size in var.shape.as_list())
    return f"({kind} {sizes})"


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """Return the number of elements all operations give, as far as it is known."""
    if print_info:
        _say("---------\nOperations: name -> (type shapes) [size]\n---------")
    total = 0
    for op in graph.get_operations():
        size, shapes = 0, []
        for output in op.outputs:
            count = output.shape.num_elements() or 0
            shapes.append(tensor_description(output) if output.shape.rank is not None else "(?)")
            size += count
        if print_info:
            _say(f"{op.name} -> {', '.join(shapes)} [{size}]")
        total += size
    return total


def analyze_vars(variables: Any, print_info: bool = False) -> tuple[int, int]:
    """Return the number of elements and of bytes of variables."""
    if print_info:
        _say("---------\nVariables: name (type shape) [size]\n---------")
    elements = memory = 0
    for var in variables:
        size = int(np.prod(var.shape.as_list()))
        count = size * var.dtype.base_dtype.size
        elements, memory = elements + size, memory + count
        if print_info:
            _say(f"{var.name} {tensor_description(var)} [{size}, bytes: {count}]")
    if print_info:
        _say(f"Total size of variables: {elements}\nTotal bytes of variables: {memory}")
    return elements, memory


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
