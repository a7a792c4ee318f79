"""Ops on optionals: values that may be there or not; of datasets, and of branches in loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import zeros_like, zeros_like_kernel
from placewise.ops.declare import Call, define, takes_none
from placewise.ops.math.add_n import add_n_kernel
from placewise.ops.residence import relocated
from placewise.ops.values import Variant
from placewise.ops.work import view_work


class Present:
    """The content of an optional that has a value."""

    __slots__ = ("contents",)

    def __init__(self, contents: list[Any]) -> None:
        self.contents = contents


class Kept(Variant):
    """An optional that a loop keeps, and may want zeros of: its value is known to be tensors."""

    __slots__ = ()

    def moved(self, target: str) -> Kept:
        """Return it with what it holds in the memory of a torch device."""
        if self.value is None:
            return self
        return Kept(Present([relocated(each, target) for each in self.value.contents]))

    def zeros_like(self) -> Kept:
        """Return an optional that has zeros where this one has a value."""
        if self.value is None:
            return self
        return Kept(Present([zeros_like_kernel(each) for each in self.value.contents]))

    def added(self, other: Kept) -> Kept:
        """Return an optional of the sums; one without a value counts as zeros."""
        if self.value is None or other.value is None:
            return self if other.value is None else other
        both = zip(self.value.contents, other.value.contents, strict=True)
        return Kept(Present([add_n_kernel([one, two]) for one, two in both]))


from_value = define(
    "OptionalFromValue(components: [Toutput_types] >= 1) -> optional: variant",
    doc="Make an optional that has a value.",
    placement="cpu_first",
    work=view_work,
)
from_value.shape(lambda components: ())
from_value.kernel(lambda components: Kept(Present(list(components))))


@from_value.gradient
def from_value_gradient(call: Call, dy: Tensor) -> Any:
    components = list(call.inputs[0])
    found = get_value(
        dy,
        output_types=[each.dtype for each in components],
        output_shapes=[each.shape for each in components],
    )
    return [
        slope if _has_slope(each) else None for each, slope in zip(components, found, strict=True)
    ]


def _has_slope(tensor: Tensor) -> bool:
    dtype = tensor.dtype
    return bool(dtype.is_floating or dtype.is_complex or dtype is dtypes.variant)


none = define(
    "OptionalNone() -> optional: variant",
    differentiable=False,
    doc="Make an optional without a value.",
    placement="cpu_first",
    work=view_work,
)
none.shape(lambda: ())
none.kernel(lambda: Kept(None))

has_value = define(
    "OptionalHasValue(optional: variant) -> has_value: bool",
    host=("has_value",),
    differentiable=False,
    doc="Does an optional have a value?",
    placement="cpu_first",
    work=view_work,
)
has_value.shape(lambda optional: ())
has_value.kernel(lambda optional: torch.tensor(optional.value is not None))

get_value = define(
    "OptionalGetValue(optional: variant; output_types: list(type) >= 1,"
    " output_shapes: list(shape) >= 1)"
    " -> components: [output_types]",
    doc="The value of an optional.",
    placement="cpu_first",
    work=view_work,
)
get_value.shape(lambda optional, *, output_types, output_shapes: list(output_shapes))


@get_value.kernel
def get_value_kernel(
    optional: Variant, *, output_types: Sequence[Any], output_shapes: Sequence[Any]
) -> list[Any]:
    """Return the contents of the value."""
    if optional.value is None:
        raise invalid("The given optional does not have a value.")
    return list(optional.value.contents)


@get_value.gradient
@takes_none
def get_value_gradient(call: Call, *slopes: Any) -> Any:
    outputs = call.outputs
    return from_value(
        [
            zeros_like(each) if slope is None else slope
            for each, slope in zip(outputs, slopes, strict=True)
        ]
    )
