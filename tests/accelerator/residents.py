"""Samples of ops with all their tensors in a card's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import placewise as tf
from placewise.check.samples.sample import Sample
from placewise.devices.inventory import inventory
from placewise.eager import dispatch
from placewise.memory.transfer import move
from placewise.ops.declare import Op
from placewise.ops.values import EagerTensor, wrap


def card() -> Any:
    """Return the first of placewise's GPUs."""
    return inventory().of_kind("GPU")[0]


def on_card(item: Any) -> Any:
    """Return an input on the first card, in its memory; host values and strings as they are."""
    if type(item) is list:
        return [on_card(one) for one in item]
    if not isinstance(item, EagerTensor) or not isinstance(item._value, torch.Tensor):
        return item
    device = card()
    return wrap(move(item._value, device.torch_device), device)


def resident_inputs(op: Op, sample: Sample) -> list[Any]:
    """Return the inputs of a sample: tensors in the first card's memory, host values."""
    return [on_card(item) for item in dispatch.convert_inputs(op, sample.inputs, None)]


def runs_on_card(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> bool:
    """Return whether an op with these inputs is placed on a card."""
    return dispatch._place(op, inputs, with_defaults(op, attrs)).device.kind == "GPU"


def with_defaults(op: Op, attrs: dict[str, Any]) -> dict[str, Any]:
    """Return all attributes of an op, those of kind type as DTypes."""
    given = {attr.name: attr.default for attr in op.attrs} | attrs
    dispatch._normalise(op, given)
    return given


def as_function(body: Callable[..., Any], inputs: list[Any]) -> Callable[[], list[Any]]:
    """Return a call of a tf.function: `body` of inputs whose tensors are its arguments."""
    opened = [one for item in inputs for one in (item if type(item) is list else [item])]
    tensors = [one for one in opened if isinstance(one, EagerTensor)]

    @tf.function
    def call(given: list[Any]) -> Any:
        left = list(given)

        def put(item: Any) -> Any:
            if type(item) is list:
                return [put(one) for one in item]
            return left.pop(0) if isinstance(item, EagerTensor) else item

        return body(*[put(item) for item in inputs])

    return lambda: list(call(tensors))
