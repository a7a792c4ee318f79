"""What a saver can save: variables, parts of variables, and objects that say themselves how."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import hint
from placewise.core.saveable import SaveableObject as SaveableObject
from placewise.core.saveable import SaveSpec as SaveSpec
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.eager.device_scope import device
from placewise.graph.defaults import get_default_graph
from placewise.graph.tensor import GraphTensor
from placewise.graph.variable import VariableV1
from placewise.ops.array.shape import identity, reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state import reference, resource
from placewise.ops.state.variable import Variable as EagerVariable
from placewise.ops.state.variable import is_eager_variable

_READS = resource.read_variable.op
_RESOURCES = (resource.var_handle.op, _READS)
_VARIABLES = (reference.variable.op, *_RESOURCES)


def is_eager() -> bool:
    """Return True where ops run at once."""
    return current.interpreter is Scope.eager


class ReferenceVariableSaveable(SaveableObject):
    """A variable whose ops take a reference."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype.base_dtype)], name)

    def restore(self, restored_tensors: Tensor, restored_shapes: list[Any] | None) -> Any:
        """Return the operation that assigns the restored value."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        target = self.op._ref() if hasattr(self.op, "_ref") else self.op
        known = restored_shapes is None and self.op.get_shape().is_fully_defined()
        return reference.assign(target, value, validate_shape=known, use_locking=True)


class ResourceVariableSaveable(SaveableObject):
    """A variable whose ops take its handle."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        if isinstance(var, GraphTensor):  # what reads it
            self.handle = var.op.inputs[0] if var.op.declaration is _READS else var
            shape = self.handle.op.attrs.get("shape")
            tensor: Any = var
            if var.op.declaration is not _READS:
                tensor = resource.read_variable(var, dtype=var.op.attrs["dtype"])
            place, dtype = self.handle.op.device, tensor.dtype
        else:
            self.handle, shape, dtype = var.handle, var.shape._dims, var.dtype
            place = var.device
            tensor = var.read_value if is_eager() else var._as_graph_element()
        self._shape, self._place = shape, place
        super().__init__(var, [SaveSpec(tensor, slice_spec, name, dtype, place)], name)

    def restore(self, restored_tensors: Tensor, restored_shapes: Any) -> Any:
        """Return the operation that assigns the restored value."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        declared = TensorShape(self._shape)
        if not declared.is_compatible_with(value.shape):
            raise ValueError(
                hint(
                    f"Received incompatible tensor with shape {value.shape} when attempting to "
                    "restore "
                    f"variable with shape {declared} and name {self.name}.",
                    "build the variable with the checkpoint's shape; "
                    "tf.train.list_variables(path) lists them",
                )
            )
        with device(self._place or None):
            value = identity(value)
            return resource.assign_variable(self.handle, value)


class ReplicatedVariableSaveable(SaveableObject):
    """A variable of a strategy: saved once, restored into the part of every replica."""

    def __init__(self, var: Any, name: str) -> None:
        def read() -> Any:
            return convert_to_tensor(var._get_cross_replica())

        tensor = read if is_eager() else read()
        spec = SaveSpec(tensor, "", name, var.dtype, var.values[0].device)
        super().__init__(var, [spec], name)

    def restore(self, restored_tensors: Tensor, restored_shapes: Any) -> Any:
        """Return the operation that assigns the restored value to all parts."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        return self.op.assign(value, read_value=False)


def _is_replicated(var: Any) -> bool:
    return hasattr(var, "_get_cross_replica")


def named_variables(var_list: Any) -> dict[str, Any]:
    """Return variables and saveable objects by the name they are saved under."""
    if isinstance(var_list, (VariableV1, EagerVariable, GraphTensor, str)) or not hasattr(
        var_list, "__iter__"
    ):
        raise TypeError(f"Variables to save should be passed in a dict or a list: {var_list}")
    found: dict[str, Any] = {}
    for var in var_list:
        if isinstance(var, SaveableObject):
            found[var.name] = var
            continue
        parts = getattr(var, "_variable_list", None)
        if parts is not None and hasattr(var, "_set_save_slice_info") is False:
            _once(found, var.name)
            found[var.name] = list(parts)
            continue
        info = getattr(var, "_save_slice_info", None)
        if info is not None:
            found.setdefault(info.full_name, []).append(var)
            if not isinstance(found[info.full_name], list):
                raise ValueError(
                    f"Mixing slices and non-slices with the same name: {info.full_name}"
                )
            continue
        name, target = _named(var)
        _once(found, name)
        found[name] = target
    return found


def _once(found: dict[str, Any], name: str) -> None:
    if name in found:
        raise ValueError(f"At least two variables have the same name: {name}")


def _named(var: VariableV1) -> tuple[str, Any]:
    if is_eager():
        if not is_eager_variable(var):
            raise ValueError(
                "Can only save/restore ResourceVariables when eager execution is enabled, type: "
                f"{type(var)}."
            )
        return var._shared_name, var
    if _is_replicated(var):
        return var.name.removesuffix(":0"), var
    tensor = _as_variable_tensor(var)
    made = tensor.op.inputs[0].op if tensor.op.declaration is _READS else tensor.op
    return made.name, tensor


def _as_variable_tensor(var: VariableV1) -> Any:
    if isinstance(var, (VariableV1, EagerVariable)):
        variable: Any = var
        found = (
            variable._as_graph_element() if var.dtype.base_dtype is var.dtype else variable._ref()
        )
    elif isinstance(var, (list, dict)):
        raise TypeError(f"Variable to save is not a Variable: {var}")
    elif isinstance(var, GraphTensor):
        found = var
    else:
        found = convert_to_tensor(var)
    if not isinstance(found, GraphTensor) or found.op.declaration not in _VARIABLES:
        raise TypeError(f"Variable to save is not a Variable: {var}")
    return found


def saveables_of(names: dict[str, Any]) -> list[SaveableObject]:
    """Return what to save, in the order of the names; nothing may be saved twice."""
    made: list[SaveableObject] = []
    seen: set[Any] = set()
    for name in sorted(names, key=_text_key):
        for each in _saveables(name, names[name]):
            key = each.op if isinstance(each.op, GraphTensor) else id(each.op)
            key = id(key.op) if isinstance(key, GraphTensor) else key
            if key in seen:
                raise ValueError(f"The same saveable will be restored with two names: {each.name}")
            seen.add(key)
            made.append(each)
    return made


def _text_key(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to trackable operations. Name "
            f"is not a string: {name}"
        )
    return name


def _saveables(name: str, op: Any) -> list[SaveableObject]:
    if isinstance(op, SaveableObject):
        op.name = name
        return [op]
    if hasattr(op, "_variable_list") and not isinstance(op, (VariableV1, EagerVariable)):
        op = list(op._variable_list)
    if isinstance(op, (list, tuple)):
        return _parts(name, op)
    info = getattr(op, "_save_slice_info", None)
    if info is not None and not isinstance(op, GraphTensor):
        return _parts(name, [op])
    if hasattr(op, "_gather_saveables_for_checkpoint") and not isinstance(
        op, (VariableV1, EagerVariable)
    ):
        return _own(name, op)
    if _is_replicated(op):
        return [ReplicatedVariableSaveable(op, name)]
    if is_eager_variable(op):
        return [ResourceVariableSaveable(op, "", name)]
    if not isinstance(op, (GraphTensor, VariableV1)):
        get_default_graph()
        tensor = convert_to_tensor(op)
    else:
        tensor = _variable_tensor(op)
    if tensor.op.declaration not in _VARIABLES:
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a "
            f"variable: {tensor}"
        )
    if tensor.op.declaration in _RESOURCES:
        return [ResourceVariableSaveable(tensor, "", name)]
    return [ReferenceVariableSaveable(tensor, "", name)]


def _variable_tensor(op: Any) -> Any:
    if isinstance(op, GraphTensor):
        return op
    return op._as_graph_element() if op._is_resource else op._ref()


def _parts(name: str, variables: Any) -> list[SaveableObject]:
    whole = None
    made: list[SaveableObject] = []
    for variable in variables:
        info = getattr(variable, "_save_slice_info", None)
        if info is None:
            raise ValueError(f"Slices must all be slices: {variable}")
        whole = whole or info.full_name
        if info.full_name != whole:
            raise ValueError(
                f"Slices must all be from the same tensor: {whole} != {info.full_name}"
            )
        if getattr(variable, "_is_resource", False) or is_eager_variable(variable):
            made.append(ResourceVariableSaveable(variable, info.spec, name))
        else:
            made.append(_ReadPart(variable, info.spec, name))
    return made


class _ReadPart(ReferenceVariableSaveable):
    """A part of a partitioned variable: what is saved is its read value."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, slice_spec, name)
        read = convert_to_tensor(var)
        self.specs = [SaveSpec(read, slice_spec, name, dtype=read.dtype.base_dtype)]


def _own(name: str, op: Any) -> list[SaveableObject]:
    """Return what an object that knows how to save itself has to say."""
    made: list[SaveableObject] = []
    for attribute, factory in op._gather_saveables_for_checkpoint().items():
        full = name if attribute == "VARIABLE_VALUE" else f"{name}_{attribute}"
        made += [factory(full)] if callable(factory) else _saveables(full, factory)
    return made
