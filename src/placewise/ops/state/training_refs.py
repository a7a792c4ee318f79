"""The ops optimizers update TensorFlow 1's reference variables with: `ApplyAdam` and its like.

Each is the reference form of a resource op and shares its kernel; it returns the variable's
reference.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.shapes import Dims, Static, merge
from placewise.ops.declare import REQUIRED, Arg, Attr, Bind, Op, define
from placewise.ops.state import optimizer_ops, training_rows
from placewise.ops.state.resource import content_of
from placewise.ops.values import Handle


def _reference_form(same_as: Any) -> Bind:
    """Declare the reference form of an update op: the name without `Resource`."""
    given: Op = same_as.op
    types: dict[str, Any] = given.types
    slots = [arg.name for arg in given.inputs if arg.dtype is dtypes.resource]
    update = define(
        _signature(given, slots),
        stateful=True,
        differentiable=False,
        refs=(*slots, "out"),
        devices=given.devices,
        doc=given.doc,
        traceable=given.traceable,
        work=given.work,
        **types,
    )
    kernel_of, count = given.kernels[None], len(slots)
    settings = [
        index
        for index, arg in enumerate(given.inputs)
        if arg.name not in (*slots, "grad", "delta", "indices")
    ]

    @update.shape
    def shape(*inputs: Static, **_: object) -> Dims:
        for index in settings:
            rank = len(inputs[index].shape or ())
            if rank:
                raise ValueError(f"Shape must be rank 0 but is rank {rank}")
        whole = inputs[0].shape
        for slot in inputs[1:count]:
            whole = merge(whole, slot.shape)
        return whole

    @update.kernel
    def kernel(*values: Any, **attrs: Any) -> Handle:
        for handle in values[:count]:
            content_of(handle)  # raises TensorFlow's error for one without a value
        kernel_of(*values, **attrs)
        changed: Handle = values[0]
        return changed

    return update


def _signature(given: Op, slots: list[str]) -> str:
    inputs = ", ".join(_input(arg, slots) for arg in given.inputs)
    attrs = ", ".join(_attr(attr) for attr in given.attrs)
    return f"{given.name.removeprefix('Resource')}({inputs}; {attrs}) -> out: T"


def _input(arg: Arg, slots: list[str]) -> str:
    kind = "T" if arg.name in slots else arg.type_attr or (arg.dtype and arg.dtype.name)
    return f"{arg.name}: {kind}"


def _attr(attr: Attr) -> str:
    default = "" if attr.default is REQUIRED else f" = {attr.default}"
    return f"{attr.name}: {attr.kind}{default}"


apply_gradient_descent = _reference_form(optimizer_ops.apply_gradient_descent)
apply_proximal_gradient_descent = _reference_form(optimizer_ops.apply_proximal_gradient_descent)
apply_momentum = _reference_form(optimizer_ops.apply_momentum)
apply_adam = _reference_form(optimizer_ops.apply_adam)
apply_ada_max = _reference_form(optimizer_ops.apply_ada_max)
apply_adagrad = _reference_form(optimizer_ops.apply_adagrad)
apply_adagrad_v2 = _reference_form(optimizer_ops.apply_adagrad_v2)
apply_adagrad_da = _reference_form(optimizer_ops.apply_adagrad_da)
apply_proximal_adagrad = _reference_form(optimizer_ops.apply_proximal_adagrad)
apply_adadelta = _reference_form(optimizer_ops.apply_adadelta)
apply_rms_prop = _reference_form(optimizer_ops.apply_rms_prop)
apply_centered_rms_prop = _reference_form(optimizer_ops.apply_centered_rms_prop)
apply_ftrl = _reference_form(optimizer_ops.apply_ftrl)
apply_ftrl_v2 = _reference_form(optimizer_ops.apply_ftrl_v2)
apply_add_sign = _reference_form(optimizer_ops.apply_add_sign)
apply_power_sign = _reference_form(optimizer_ops.apply_power_sign)
apply_proximal_gradient_descent_rows = _reference_form(
    training_rows.apply_proximal_gradient_descent_rows
)
apply_momentum_rows = _reference_form(training_rows.apply_momentum_rows)
apply_adagrad_rows = _reference_form(training_rows.apply_adagrad_rows)
apply_adagrad_v2_rows = _reference_form(training_rows.apply_adagrad_v2_rows)
apply_adagrad_da_rows = _reference_form(training_rows.apply_adagrad_da_rows)
apply_proximal_adagrad_rows = _reference_form(training_rows.apply_proximal_adagrad_rows)
apply_adadelta_rows = _reference_form(training_rows.apply_adadelta_rows)
apply_rms_prop_rows = _reference_form(training_rows.apply_rms_prop_rows)
apply_centered_rms_prop_rows = _reference_form(training_rows.apply_centered_rms_prop_rows)
apply_ftrl_rows = _reference_form(training_rows.apply_ftrl_rows)
apply_ftrl_v2_rows = _reference_form(training_rows.apply_ftrl_v2_rows)
