"""The sizes of tensors in a run: static shapes, worked out further from what is fed.

A size that nobody knows is assumed. Where a run feeds a tensor of unknown size (mostly the batch),
all unknown sizes are taken to be that one; else `ASSUMED_SIZE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from placewise.core.shapes import Static
from placewise.graph import static_values
from placewise.ops import graph_only

ASSUMED_SIZE = 32
_CONSTANT = graph_only.const.op
_MOST_ELEMENTS = 1024  # of contents that shapes are computed from

Shape = tuple[int, ...]


class Sizes:
    """The shape of every tensor of some operations, given the shapes of some of them."""

    def __init__(self, operations: Sequence[Any], known: Mapping[Any, Shape]) -> None:
        self.assumed = _unknown_size(known)
        self.has_assumed = False
        self._shapes: dict[Any, Shape] = dict(known)
        self._contents: dict[Any, Any] = {}  # of small tensors of integers
        for op in operations:
            self._work_out(op)

    def __getitem__(self, tensor: Any) -> Shape:
        shape = self._shapes.get(tensor)
        return self._assume(tensor, tensor._dims, ()) if shape is None else shape

    def _work_out(self, op: Any) -> None:
        outputs = op.outputs
        if op.declaration is _CONSTANT:
            self._contents[outputs[0]] = op.attrs["value"]
        elif op.declaration.static != "unknown" and len(outputs) == 1:
            content = self._content(op)
            if content is not None and content.size <= _MOST_ELEMENTS:
                self._contents[outputs[0]] = content
        for tensor, dims in zip(outputs, self._dims(op), strict=True):
            if tensor not in self._shapes:
                self._shapes[tensor] = self._assume(tensor, dims, op.inputs)

    def _dims(self, op: Any) -> list[Any]:
        """Return the shapes of an operation's results, as its rule has them for these inputs."""
        static = [tensor._dims for tensor in op.outputs]
        if all(dims is not None and None not in dims for dims in static):
            return static
        rule = op.declaration.shape_rule
        if rule is None or op.blocks:
            return static
        arguments = [
            [self._static(tensor) for tensor in item] if type(item) is list else self._static(item)
            for item in op.spread
        ]
        try:
            shapes = rule(*arguments, **op.attrs)
        except Exception:
            return static  # sizes that were assumed need not go together
        if len(op.outputs) == 1:
            shapes = shapes if isinstance(shapes, list) else [shapes]
        elif not isinstance(shapes, list | tuple) or len(shapes) != len(op.outputs):
            return static
        return [_more_known(a, b) for a, b in zip(static, shapes, strict=True)]

    def _static(self, tensor: Any) -> Static:
        return Static(self[tensor], tensor.dtype.base_dtype, self._contents.get(tensor))

    def _content(self, op: Any) -> Any:
        declaration = op.declaration
        if declaration.metadata:
            rule = declaration.static_rule
            if rule is None:
                return None
            arguments = [
                [Static(self[tensor], tensor.dtype) for tensor in item]
                if type(item) is list
                else Static(self[item], item.dtype)
                for item in op.spread
            ]
            elements = rule(*arguments, **op.attrs)
            if elements is None or None in elements:
                return None
            output = op.outputs[0]
            dtype = output.dtype.base_dtype.as_numpy_dtype
            return np.array(elements[0] if output._dims == () else elements, dtype)
        contents = [self._contents.get(tensor) for tensor in op.inputs]
        if not contents or any(content is None or content.dtype == object for content in contents):
            return None
        return static_values.computed(op, contents)

    def _assume(self, tensor: Any, dims: Any, inputs: Sequence[Any]) -> Shape:
        """Return a shape with the sizes that are not known assumed."""
        if dims is not None and None not in dims:
            known: Shape = tuple(dims)
            return known
        self.has_assumed = True
        if dims is None:
            # Of reductions and the like: the result is not larger than what goes in.
            shapes = [self[source] for source in inputs if source.dtype == tensor.dtype]
            return max(shapes, key=lambda shape: int(np.prod(shape)), default=())
        return tuple(self.assumed if size is None else size for size in dims)


def _unknown_size(known: Mapping[Any, Shape]) -> int:
    """Return the first size that is fed where the graph has none."""
    for tensor, shape in known.items():
        dims = tensor._dims
        if dims is None:
            continue
        for size, static in zip(shape, dims, strict=False):
            if static is None:
                return int(size)
    return ASSUMED_SIZE


def _more_known(static: Any, dims: Any) -> Any:
    """Return a shape with the sizes that either of two has."""
    if static is None or dims is None or len(static) != len(dims):
        return static if dims is None else dims
    return tuple(b if a is None else a for a, b in zip(static, dims, strict=True))
