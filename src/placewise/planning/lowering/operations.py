"""Operations become steps: constants folded, duplicates merged, identities gone, copies put in.

One walk over the needed operations, in order. A value is looked up where it is needed: on the
same device it is used as it is, on another one a copy is made, once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only
from placewise.ops.declare import WIDE_UNSIGNED
from placewise.ops.values import HOST_KEPT, from_numpy, to_numpy
from placewise.planning.lowering import blocks, device_memory
from placewise.planning.lowering.variable_reads import Reads
from placewise.planning.passes import combination
from placewise.planning.passes.prune import needed
from placewise.planning.plan import Combined, Host, Number, Plan, Read, Ref, Step, ref_of
from placewise.planning.rules import broadcast_sums
from placewise.planning.scalars import chains, loops

_CONSTANT = graph_only.const.op
_FOLD_LIMIT_BYTES = 1 << 20
_FREELY_FOLDED_BYTES = 1 << 14
_SAME = frozenset(
    {
        "Identity",
        "IdentityN",
        "StopGradient",
        "PreventGradient",
        "PlaceholderWithDefault",
        "Snapshot",
    }
)
_COPYING = ("Identity", "IdentityN")  # what a program copies to a device with
_MAYBE_SAME = frozenset({"Reshape", "Mul", "Sum", "Tile", "Transpose"})
_SUM_BACK = Combined("SumBack")
_FILLING = {"OnesLike": 1, "ZerosLike": 0}


class _Dtypes(dict[Ref, Any]):
    """The dtypes of values: those of results of operations are known by the operation."""

    def __init__(self, every: list[Step]) -> None:
        self.every = every

    def __missing__(self, ref: Ref) -> Any:
        return self.every[ref.step].op.outputs[ref.output].dtype


class Builder:
    """Makes one plan."""

    def __init__(self, placement: Any, client: Any) -> None:
        self.placement = placement
        self.client = client  # where feeds come from and fetches go: the CPU
        self.plan = Plan([], [], [], {})
        self.where: dict[Ref, Any] = self.plan.homes
        self.plan.client = client
        self.dtype = _Dtypes(self.plan.every)
        self.copied: dict[Any, Ref] = {}  # (value, device) or (value, device, how) → the copy
        self.host_of: dict[Ref, Any] = {}
        self.known: dict[Any, int] = {}  # what makes steps the same → the number of the first
        self.refs: dict[int, Ref] = {}
        self.lazy: set[int] = set()  # tensors that are what a reference variable holds when used
        self.steps = self.plan.steps  # where steps go: those of a block, while it is built
        self.levels: list[Any] = [(self.steps, self.copied, False)]
        self._homes: dict[int, Any] = {-1: self.steps}
        self.numbers: set[int] = set()  # tensors that are numbers: scalars of loops
        self.number_refs: dict[Ref, Number] = {}
        self.depths: dict[Ref, int] = {}  # 2: a list of numbers, 3: a list of those, …
        self.item_homes: dict[Ref, Any] = {}  # histories of loops → the device of what they hold
        self._used: set[int] | None = None
        self._fed: set[int] = set()
        self._constants = 0
        self._numbers: dict[Any, Ref] = {}  # small constants, by what they are
        self._reads = Reads()

    def build(
        self,
        fetches: list[Any],
        feeds: list[GraphTensor],
        homes: list[Any] | None = None,
        bound: list[tuple[GraphTensor, Any, Any]] | None = None,
        stay: bool = False,
    ) -> Plan:
        """Return the plan that computes `fetches` from `feeds`.

        Feeds come from the client, or from `homes`; fetches go there, or `stay` where they are
        made. `bound` are (tensor, content, device) of tensors that never change.
        """
        for index, tensor in enumerate(feeds):
            ref = Ref(-1, index)
            self.refs[id(tensor)] = ref
            self.where[ref] = self.client if homes is None else homes[index]
            self.dtype[ref] = tensor.dtype
        for tensor, content, device in bound or ():
            ref = self.refs[id(tensor)] = self._constant(content, device, tensor.dtype)
            self.plan.bound.add(ref)
        self.plan.feeds = list(feeds)
        self._fed = {id(tensor) for tensor in feeds}
        operations = needed(fetches, feeds)
        if any(op.blocks for op in operations):
            self._used = set()
            self.note_used(operations, fetches)
        chains.find(self, operations, fetches)
        for op in operations:
            self._add(op)
        tensors = [each for each in fetches if isinstance(each, GraphTensor)]
        if not stay:
            self.plan.fetches = [self._fetched(each) for each in tensors]
        else:
            self.plan.fetches = [self._as_made(each) for each in tensors]
            self.plan.fetched_from = [self.where[ref_of(each)] for each in self.plan.fetches]
        combination.combine(self.plan)
        blocks.set_lifetimes(self.plan)
        return self.plan

    def _fetched(self, tensor: GraphTensor) -> Any:
        ref = self.refs[id(tensor)]
        return Read(ref) if self.is_read(tensor) else self._on(ref, self.client)

    def _as_made(self, tensor: GraphTensor) -> Any:
        """Return a fetched value on the device it was made on."""
        ref = self.refs[id(tensor)]
        if self.is_read(tensor):
            return Read(ref)
        is_number = ref in self.number_refs or ref in self.depths
        return loops.as_tensor(self, ref) if is_number else ref

    def is_read(self, tensor: GraphTensor) -> bool:
        """Return True for a reference, and what merely passes on what one refers to.

        As in TensorFlow, whose Identity shares the variable's memory: who uses it after an
        assignment sees the new value.
        """
        return tensor.dtype._is_ref or id(tensor) in self.lazy

    # What blocks need to know and do.

    def note_used(self, operations: list[Any], results: list[Any]) -> None:
        """Take in which tensors are read: of loops and branches, nothing else is computed."""
        if self._used is not None:
            self._used.update(map(id, results))
            # Who reads comes before who is read: then it is known what of a loop is wanted.
            for op in reversed(operations):
                if op.blocks:
                    blocks.note_used(self, op, self._used)
                else:
                    self._used.update(map(id, op.inputs))

    def is_wanted(self, tensor: GraphTensor) -> bool:
        """Return True if a tensor is read and not fed."""
        return id(tensor) not in self.refs and (self._used is None or id(tensor) in self._used)

    def define(self, tensor: GraphTensor, ref: Ref, device: Any) -> None:
        """Let the result of an operation be a value of the plan, on a device."""
        self.where[ref] = device
        self.refs.setdefault(id(tensor), ref)

    def next_number(self) -> int:
        """Return the number of the next step."""
        return len(self.plan.every)

    def place_step(self, step: Step) -> None:
        """Let a step whose number is taken follow those before it."""
        self._homes[step.number] = self.steps
        self.steps.append(step)

    def _emit(self, step: Step) -> None:
        self.plan.every.append(step)
        self._homes[step.number] = self.steps
        self.steps.append(step)

    def _constant(self, value: Any, device: Any, dtype: Any) -> Ref:
        self._constants += 1
        ref = Ref(-2, self._constants)
        self.plan.constants[ref] = value
        self.plan.where[ref] = device
        self.where[ref], self.dtype[ref] = device, dtype
        return ref

    def _given(self, value: Any, device: Any, dtype: Any) -> Ref:
        """Return a constant with a value known now; equal single numbers are one."""
        key = None
        if not value.shape and value.dtype != object:
            key = (value.tobytes(), dtype, device)
            if key in self._numbers:
                return self._numbers[key]
        ref = self._constant(from_numpy(value), device, dtype)
        self.host_of[ref] = value
        if key is not None:
            self._numbers[key] = ref
        return ref

    def _add(self, op: Operation) -> None:
        declaration, outputs = op.declaration, op.outputs
        device = self.placement[op]
        if (
            outputs
            and id(outputs[0]) in self.refs
            and all(id(each) in self.refs for each in outputs)
        ):
            return
        if declaration is _CONSTANT:
            self.refs[id(op.outputs[0])] = self._given(op.attrs["value"], device, op.attrs["dtype"])
            return
        if declaration.stateful and declaration.makes_state:
            ref = self._constant(None, device, op.outputs[0].dtype)
            self.plan.handles[ref] = op
            self.refs[id(op.outputs[0])] = ref
            return
        if op.blocks:
            self._reads.changed(self, op)
            blocks.add(self, op, device)
            self._reads.changed(self, op)
            return
        kind = declaration.name
        if kind in _SAME and self._pass_on(op, device):
            return
        if kind in _MAYBE_SAME and self._keeps(op, device):
            return
        if kind == "Reshape" and self._sum_back(op, device):
            return
        if kind == "HistoryItem":
            loops.add_item(self, op, device)
        elif outputs and id(outputs[0]) in self.numbers:
            loops.add(self, op, device)
        else:
            known = self._reads.again(self, op, device) if declaration.stateful else None
            if known is None:
                self._step(op, declaration, device)
            else:
                self.refs[id(outputs[0])] = known

    def _keeps(self, op: Operation, device: Any) -> bool:
        """Let the result of an operation that changes nothing be what it was given."""
        output, kept = op.outputs[0], op.inputs[0]
        if op.type == "Reshape" and op.keeps_shape:
            return self._stay(op, device)
        if op.control or id(output) in self.numbers:
            return False
        if op.type == "Mul":
            first, second = op.inputs
            if not self._is_one(second):
                if not self._is_one(first):
                    return False
                kept = second
        elif op.type == "Transpose":
            if not self._is_order(op.inputs[1]):
                return False
        elif op.type in ("Reshape", "Tile"):
            if kept._dims is None or None in kept._dims or kept._dims != output._dims:
                return False
        elif kept._dims != ():
            return False
        return not self.is_read(kept) and self._pass_on(op, device, (kept,))

    def _stay(self, op: Operation, device: Any) -> bool:
        """Pass on the first input of an operation whose others are not there."""
        kept = op.inputs[:1]
        if not self._pass_on(op, device, kept):
            read = self._read_on(kept[0], self.refs[id(kept[0])], device)
            self.refs[id(op.outputs[0])] = ref_of(read)
        return True

    def _is_one(self, tensor: GraphTensor) -> bool:
        """Return True for a constant that is the number 1."""
        value = self.host_of.get(self.refs[id(tensor)])
        return value is not None and value.ndim == 0 and value.dtype != object and value == 1

    def _is_order(self, permutation: GraphTensor) -> bool:
        """Return True for constants 0, 1, 2, …: a transpose by them changes nothing."""
        value = self.host_of.get(self.refs[id(permutation)])
        return value is not None and value.tolist() == list(range(value.size))

    def _pass_on(self, op: Operation, device: Any, given: tuple[GraphTensor, ...] = ()) -> bool:
        """Let outputs be the inputs themselves, or the copies of them on the device asked for."""
        inputs = given or op.inputs
        sources = [self.refs[id(each)] for each in inputs]
        for index, source in enumerate(sources):
            if self.where[source] is not device:
                if self.is_read(inputs[index]) or self.dtype[source].base_dtype in HOST_KEPT:
                    return False
                is_new = (source, device) not in self.copied
                sources[index] = self._on(source, device)
                # What a loop ends with is an Identity too, but nobody asked for that.
                if is_new and op.type in _COPYING and "/Exit" not in op.name:
                    self.plan.asked[sources[index]] = op
        for each, output, source in zip(inputs, op.outputs, sources, strict=True):
            if self.is_read(each):
                self.lazy.add(id(output))
            self.refs.setdefault(id(output), source)
        return True

    def _sum_back(self, op: Operation, device: Any) -> bool:
        """Add the one call that sums a gradient back over a broadcast, if `op` ends that."""
        found = broadcast_sums.summed_back(op, self._fed)
        if found is None:
            return False
        gradient, shape, known = found
        if known is not None:
            return self._sum_known(op, gradient, broadcast_sums.sum_over(*known), device)
        if id(shape) not in self.refs:
            return False
        ref = self.refs[id(shape)]
        size = Number(ref, True) if ref in self.number_refs else Host(ref)
        inputs = [self._on(self.refs[id(gradient)], device), size]
        number = self.next_number()
        self._emit(Step(number, op, broadcast_sums.sum_back, inputs, {}, device, 1))
        self.define(op.outputs[0], Ref(number), device)
        return True

    def _sum_known(self, op: Operation, gradient: GraphTensor, kernel: Any, device: Any) -> bool:
        """Add the call that sums a gradient along axes known now, or pass it on as it is."""
        source = self._on(self.refs[id(gradient)], device)
        if kernel is None:
            self.refs[id(op.outputs[0])] = source
            return True
        number = self.next_number()
        self._emit(Step(number, op, kernel, [source], {}, device, 1, combined=_SUM_BACK))
        self.define(op.outputs[0], Ref(number), device)
        return True

    def _step(self, op: Operation, declaration: Any, device: Any) -> None:
        inputs = [
            self._input(arg, item, device, declaration)
            for arg, item in zip(declaration.inputs, op.spread, strict=True)
        ]
        kernel = _kernel(op, declaration, device)
        if device.has_own_memory:
            inputs, kernel = device_memory.in_one_memory(self, op, inputs, kernel, device)
        key = None
        if not declaration.stateful and declaration.outputs:
            key = _key(op, inputs, device)
            same = self.known.get(key) if key is not None else None
            if same is not None:
                for index, output in enumerate(op.outputs):
                    self.refs.setdefault(id(output), Ref(same, index))
                return
            if inputs and not op.control and self._fold(op, kernel, inputs, device):
                return
        number = self.next_number()
        is_list = len(declaration.outputs) != 1 or declaration.outputs[0].is_list
        step = Step(number, op, kernel, inputs, op.attrs, device, len(op.outputs), is_list)
        self._emit(step)
        for index, output in enumerate(op.outputs):
            self.define(output, Ref(number, index), device)
        if key is not None:
            self.known[key] = number

    def _input(self, arg: Any, item: Any, device: Any, declaration: Any) -> Any:
        if type(item) is list:
            return [self._input(arg, one, device, declaration) for one in item]
        ref, dtype = self.refs[id(item)], item._dtype
        if dtype is dtypes.resource or arg.name in declaration.refs:
            return ref
        is_on_host = arg.name in declaration.host
        if device.has_own_memory and arg.name in declaration.host_or_device:
            is_on_host = ref in self.host_of  # what is not known now may lie in the device's memory
        if dtype._is_ref or id(item) in self.lazy:  # is_read
            if is_on_host:
                return Host(self._copy(ref, self.client, Read(ref)))
            return self._read_on(item, ref, device)
        if is_on_host:
            return Number(ref, True) if ref in self.number_refs else Host(ref)
        return self._on(ref, device)

    def _read_on(self, tensor: GraphTensor, ref: Ref, device: Any) -> Any:
        """Return what a variable holds, on a device; elsewhere than it is, one copy per tensor."""
        if self.where[ref] is device or self.dtype[ref].base_dtype in HOST_KEPT:
            return Read(ref)
        key: Any = (id(tensor), device)
        if key not in self.copied:
            self.copied[key] = self._copy(ref, device, Read(ref))
        return self.copied[key]

    def _on(self, ref: Ref, device: Any) -> Ref:
        """Return a value on a device: itself, or the one copy made of it."""
        if ref in self.number_refs or ref in self.depths:
            ref = loops.as_tensor(self, ref)
        if self.where[ref] is device:
            return ref
        found = self.copied.get((ref, device))
        if found is None:
            if ref in self.host_of:  # a constant is made where it is needed
                found = self._constant(from_numpy(self.host_of[ref]), device, self.dtype[ref])
                self.host_of[found] = self.host_of[ref]
            elif self.dtype[ref].base_dtype in HOST_KEPT:
                found = device_memory.reachable(self, ref, device)
            else:
                return self._copy(ref, device, ref)
            self.copied[ref, device] = found
        return found

    def _copy(self, ref: Ref, device: Any, item: Any) -> Ref:
        number = self.next_number()
        step = Step(number, None, None, [item], {}, device, 1, source=self.where[ref])
        made = self._outside_loops(ref, step)
        if item is ref:
            self.levels[self.level_of(step)][1][ref, device] = made
        return made

    def _outside_loops(self, ref: Ref, step: Step) -> Ref:
        """Add a step that reads one value; if that is from outside of a loop, before the loop."""
        level = len(self.levels) - 1
        home = self._homes.get(ref.step)
        while home is not None and self.levels[level][2] and self.levels[level][0] is not home:
            level -= 1
        steps = self.levels[level][0]
        self.plan.every.append(step)
        self._homes[step.number] = steps
        steps.append(step)
        made = Ref(step.number)
        self.where[made], self.dtype[made] = step.device, self.dtype[ref]
        return made

    def level_of(self, step: Step) -> int:
        """Return at which level of blocks a step was added."""
        home = self._homes[step.number]
        return next(i for i, level in enumerate(self.levels) if level[0] is home)

    def _fold(self, op: Operation, kernel: Any, inputs: list[Any], device: Any) -> bool:
        """Compute now what depends on constants alone, if it is small."""
        if op.declaration.name in _FILLING and self._fill(op, device):
            return True
        for item in inputs:
            for one in item if type(item) is list else (item,):
                if ref_of(one) not in self.host_of:
                    return False
        if any(
            output.dtype.base_dtype in (dtypes.resource, dtypes.variant) for output in op.outputs
        ):
            return False
        if any(_too_large(output, op.inputs) for output in op.outputs):
            return False
        try:
            # On the host, whatever the device: there the constants are.
            result = _kernel(op, op.declaration, self.client)(
                *[self._content(item) for item in inputs], **op.attrs
            )
        except Exception:
            return False  # it fails again when it runs, where the error belongs
        several = len(op.declaration.outputs) != 1 or op.declaration.outputs[0].is_list
        values = _flat(result) if several else [result]
        for output, value in zip(op.outputs, values, strict=True):
            ref = self._given(to_numpy(value), device, output.dtype)
            self.refs.setdefault(id(output), ref)
        return True

    def _fill(self, op: Operation, device: Any) -> bool:
        """Let a small value that is the same whatever its input holds be a constant."""
        output = op.outputs[0]
        dims, dtype = output._dims, output.dtype
        if dims is None or None in dims or not dtype.is_floating or _too_large(output, op.inputs):
            return False
        value: Any = np.full(list(dims), _FILLING[op.type], dtype._numpy)
        self.refs[id(output)] = self._given(value, device, dtype)
        return True

    def _content(self, item: Any) -> Any:
        if type(item) is list:
            return [self._content(one) for one in item]
        if type(item) is Host:
            return self.host_of[item.ref]
        return self.plan.constants[item]


def _flat(result: Any) -> list[Any]:
    return [one for item in result for one in (item if isinstance(item, list) else [item])]


def _too_large(output: GraphTensor, inputs: tuple[GraphTensor, ...]) -> bool:
    """Return True for what is better computed at each run than kept: zeros are quickly made."""
    size = _bytes(output)
    if size <= _FREELY_FOLDED_BYTES:
        return False
    return size > _FOLD_LIMIT_BYTES or size > sum(map(_bytes, inputs))


def _bytes(tensor: GraphTensor) -> int:
    dims = tensor._dims
    if dims is None or None in dims:
        return 0
    return math.prod(dims) * tensor.dtype.size  # type: ignore[arg-type]


def _kernel(op: Operation, declaration: Any, device: Any) -> Any:
    is_wide_unsigned = "wide_unsigned" in declaration.kernels and any(
        tensor._dtype.base_dtype in WIDE_UNSIGNED for tensor in op.inputs
    )
    return declaration.kernel_on(device, is_wide_unsigned)


def _key(op: Operation, inputs: list[Any], device: Any) -> Any:
    """Return what makes two steps the same; None if that cannot be told."""
    attrs: Any = ()
    if op.attrs:
        attrs = tuple(sorted([(name, _hashable(value)) for name, value in op.attrs.items()]))
    key: list[Any] = [op.declaration, device, op.control, attrs]
    for item in inputs:
        if type(item) is list:
            if Read in map(type, item):
                return None
            item = tuple(item)
        elif type(item) is Read:
            return None  # it may hold something else by then
        key.append(item)
    try:
        found = tuple(key)
        hash(found)
    except TypeError:
        return None
    return found


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
