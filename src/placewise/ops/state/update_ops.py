"""How an update of variables becomes an op: what all of them check, lock and replace.

A rule is a function of contents: the variable, its slots, the gradient, then scalars and attributes
by name; it returns the new contents in the same order, and may write into the old ones, which
nobody else holds. `updates_all` makes of it an op on whole variables, `updates_rows` one on the
rows that indices name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.dtypes import COMPLEX, FLOATS, INDEX
from placewise.core.errors import InternalError, invalid
from placewise.ops.array.out_of_range import are_inside
from placewise.ops.declare import Bind, Op, define
from placewise.ops.families import bracketed
from placewise.ops.state.resource import VariableLocks, is_own, own_content, variable_lock
from placewise.ops.values import DTYPE, Handle
from placewise.ops.work import sparse_update_work, update_work

Rule = Callable[..., tuple[Any, ...]]

# What TensorFlow calls some scalars in its messages.
_LONG_NAMES = {
    "l1": "l1 regularization strength",
    "l2": "l2 regularization strength",
    "l2_shrinkage": "l2 shrinkage regularization strength",
}


def updates_all(
    signature: str, rule: Rule, doc: str, rule_of_many: Callable[..., bool] | None = None
) -> Bind:
    """Declare an op that replaces whole variables by what `rule` makes of them.

    `rule_of_many` gets lists of contents and of gradients of one dtype. It writes into the
    contents, or returns False.
    """
    states = signature.count(": resource")
    facts: Any = {"stateful": True, "differentiable": False, "traceable": True}
    facts["work"] = update_work(states)
    update = define(signature, doc=doc, T=FLOATS | COMPLEX, **facts)
    update.shape(_no_outputs)
    arranged = _Arguments(update.op)

    @update.kernel
    def kernel(*values: Any, use_locking: bool, **attrs: Any) -> None:
        handles, gradient, _, scalars = arranged(values)
        with variable_lock(handles[0]) if len(handles) == 1 else VariableLocks(handles):
            shared = [not is_own(handle.value) for handle in handles]
            contents = _contents(arranged.slots, handles, gradient)
            if contents[0].shape != gradient.shape:
                raise invalid(
                    f"var and {arranged.gradient} do not have the same shape"
                    f"{bracketed(contents[0].shape)} {bracketed(gradient.shape)}"
                )
            if True in shared:
                contents = [
                    content.clone(memory_format=torch.contiguous_format) if is_shared else content
                    for content, is_shared in zip(contents, shared, strict=True)
                ]
            for handle, new in zip(
                handles, rule(*contents, gradient, **scalars, **attrs), strict=True
            ):
                handle.put(new, update.op.name)

    if rule_of_many is not None:
        update.op.together = _Together(arranged, rule_of_many)
    return update


class _Together:
    """Updates several variables by one call of a rule, if it may write into all of them."""

    def __init__(self, arranged: _Arguments, rule: Callable[..., bool]) -> None:
        self._arranged, self._rule = arranged, rule

    def __call__(self, calls: Sequence[tuple[Any, ...]], attrs: dict[str, Any]) -> bool:
        arranged = [self._arranged(values) for values in calls]
        _, first, _, scalars = arranged[0]
        for _, gradient, _, others in arranged:
            is_same = all(others[name] is value for name, value in scalars.items())
            if not is_same or gradient.dtype is not first.dtype:
                return False
        with VariableLocks([handle for handles, *_ in arranged for handle in handles]):
            for handles, gradient, _, _ in arranged:
                for handle in handles:
                    if not (is_own(handle.value) and _is_like(handle.value, gradient)):
                        return False
            variables = zip(*(handles for handles, *_ in arranged), strict=True)
            contents = [[handle.value for handle in handles] for handles in variables]
            settings = {name: value for name, value in attrs.items() if name != "use_locking"}
            gradients = [gradient for _, gradient, *_ in arranged]
            return self._rule(*contents, gradients, **scalars, **settings)


def _is_like(content: torch.Tensor, gradient: torch.Tensor) -> bool:
    return content.dtype is gradient.dtype and content.shape == gradient.shape


def updates_rows(
    signature: str, rule: Rule, doc: str, devices: tuple[str, ...] = ("CPU", "GPU")
) -> Bind:
    """Declare an op that replaces the rows of variables that `indices` names, one by one."""
    update = define(
        signature,
        stateful=True,
        differentiable=False,
        devices=devices,
        doc=doc,
        work=sparse_update_work(signature.count(": resource")),
        T=FLOATS | COMPLEX,
        Tindices=INDEX,
    )
    update.shape(_no_outputs)
    arranged = _Arguments(update.op)

    @update.kernel
    def kernel(*values: Any, use_locking: bool, **attrs: Any) -> None:
        handles, gradient, indices, scalars = arranged(values)
        with VariableLocks(handles):
            contents = _contents(arranged.slots, handles, gradient)
            rows = _checked_rows(contents[0], gradient, indices)
            if not rows.numel():
                return
            del contents
            contents = [own_content(handle, update.op.name) for handle in handles]
            if not rows.is_cpu:
                _update_unchecked(rule, contents, rows, gradient, {**scalars, **attrs})
                return
            for places in _turns(rows):
                now, part = (rows, gradient) if places is None else (rows[places], gradient[places])
                before = [content[now] for content in contents]
                after = rule(*before, part, **scalars, **attrs)
                for content, new in zip(contents, after, strict=True):
                    content[now] = new

    return update


def _update_unchecked(
    rule: Rule, contents: list[Any], rows: Any, gradient: Any, settings: dict[str, Any]
) -> None:
    """Update rows on a device, where nobody looks at them.

    Those out of range are dropped. A row named twice is updated once, by the sum of its gradients:
    how many turns it would take is known on the device alone, and TensorFlow's GPU kernels leave
    open what comes out.
    """
    count = contents[0].shape[0]
    if not count:
        return
    inside = are_inside(rows, count)
    is_any, first = inside.any(), inside.to(torch.uint8).argmax().reshape(1)
    rows = torch.where(inside, rows, torch.where(is_any, rows.index_select(0, first), 0))
    spread = inside.reshape([-1] + [1] * (gradient.dim() - 1))
    rows, gradient = _summed(rows, gradient.masked_fill(~spread, 0))
    before = [content.index_select(0, rows) for content in contents]
    after = rule(*[each.clone() for each in before], gradient, **settings)
    for content, old, new in zip(contents, before, after, strict=True):
        content.index_copy_(0, rows, torch.where(is_any, new, old))


def _summed(rows: Any, gradient: Any) -> tuple[Any, Any]:
    """Return sorted rows, each with the sum of the gradients of all that are equal to it."""
    rows, order = torch.sort(rows, stable=True)
    is_first = torch.ones_like(rows)
    is_first[1:] = rows[1:] != rows[:-1]
    group = is_first.cumsum(0) - 1
    sums = torch.zeros_like(gradient).index_add_(0, group, gradient.index_select(0, order))
    return rows, sums.index_select(0, group)


def _no_outputs(*_: object, **__: object) -> list[Any]:
    return []


class _Arguments:
    """Sorts the inputs of an update op into handles, gradient, indices and named scalars."""

    def __init__(self, op: Op) -> None:
        names = [arg.name for arg in op.inputs]
        self.slots = [arg.name for arg in op.inputs if arg.dtype is dtypes.resource]
        self.gradient = "delta" if "delta" in names else "grad"
        self._gradient = names.index(self.gradient)
        self._indices = names.index("indices") if "indices" in names else None
        taken = {*self.slots, self.gradient, "indices"}
        self._scalars = [(i, name) for i, name in enumerate(names) if name not in taken]

    def __call__(
        self, values: tuple[Any, ...]
    ) -> tuple[tuple[Handle, ...], Any, Any, dict[str, Any]]:
        scalars = {}
        for index, name in self._scalars:
            value = scalars[name] = values[index]
            if value.dim():
                told = _LONG_NAMES.get(name, name)
                raise invalid(f"{told} is not a scalar: {bracketed(value.shape)}")
        indices = None if self._indices is None else values[self._indices]
        return values[: len(self.slots)], values[self._gradient], indices, scalars


def _contents(names: list[str], handles: Iterable[Handle], gradient: torch.Tensor) -> list[Any]:
    contents = [handle.value for handle in handles]
    shape = getattr(contents[0], "shape", None)
    for name, content in zip(names, contents, strict=True):
        if content is None:
            raise InternalError(None, None, "Invalid variable reference.")
        if content.dtype is not gradient.dtype:
            raise invalid(
                f"{name} has dtype {DTYPE[content.dtype].name}, but the gradient has "
                f"{DTYPE[gradient.dtype].name}"
            )
        if content.shape != shape:
            raise invalid(
                f"var and {name} do not have the same shape{bracketed(contents[0].shape)} "
                f"{bracketed(content.shape)}"
            )
    return contents


def _checked_rows(var: torch.Tensor, gradient: torch.Tensor, indices: torch.Tensor) -> Any:
    if not var.dim():
        raise invalid("var must be at least 1 dimensional")
    if indices.dim() != 1:
        raise invalid("indices must be one-dimensional")
    if not gradient.dim() or gradient.shape[0] != indices.shape[0]:
        raise invalid("grad must be the same size as indices in the first dimension.")
    for axis in range(1, max(var.dim(), gradient.dim())):
        if var.shape[axis : axis + 1] != gradient.shape[axis : axis + 1]:
            raise invalid(f"var and grad must match in dimension {axis}")
    rows = indices.to(torch.int64)
    if not rows.is_cpu:
        return rows
    outside = (rows < 0) | (rows >= var.shape[0])
    if bool(outside.any()):
        at = int(outside.nonzero()[0])
        raise invalid(f"Index {int(rows[at])} at offset {at} in indices is out of range")
    return rows


def _turns(rows: torch.Tensor) -> list[Any]:
    """Return positions in rounds, so that a row named twice is updated twice; None: all at once."""
    order = torch.argsort(rows, stable=True)
    ranked = rows[order]
    is_first = torch.ones_like(ranked, dtype=torch.bool)
    is_first[1:] = ranked[1:] != ranked[:-1]
    if bool(is_first.all()):
        return [None]
    places = torch.arange(len(rows), device=rows.device)
    start = torch.where(is_first, places, 0).cummax(0).values
    turn = torch.empty_like(places)
    turn[order] = places - start
    return [(turn == number).nonzero()[:, 0] for number in range(int(turn.max()) + 1)]
