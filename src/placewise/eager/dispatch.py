"""How an op call runs at once when it is not plain: the general path of `bind`.

In this order: convert the inputs, place the op, copy inputs from other devices, run the kernel,
notify tapes and observers, wrap. Errors have TensorFlow's classes and words.
"""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.advice import advised
from placewise.core.arguments import TensorLike
from placewise.core.dispatchers import OpDispatcher, dispatch, is_stand_in
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownDeviceError,
    hint,
)
from placewise.core.foreign_words import in_own_words, stated
from placewise.core.interpreter import Interpreter
from placewise.core.nest import Composite
from placewise.core.scope import current, watch
from placewise.core.tensor import Tensor, out_of_scope
from placewise.devices.inventory import inventory
from placewise.eager import automatic_homes, context, observe
from placewise.eager.log import Executed
from placewise.memory.exhausted import described_as, is_out_of_memory, let_go
from placewise.memory.ledgers import copied_content
from placewise.memory.resident import also_listing, in_kernel
from placewise.ops import lazy
from placewise.ops import operators as operators  # installs the operators of tensors
from placewise.ops.attribute_limits import check_limits
from placewise.ops.convert import (
    as_default,
    convert_to_tensor,
    host_array,
    host_constant,
    host_type,
    not_allowed,
    only_tensor,
    scalar,
)
from placewise.ops.declare import Arg, Op
from placewise.ops.default_types import default_of
from placewise.ops.op_functions import op_function
from placewise.ops.ragged.value import RaggedTensorValue
from placewise.ops.random.streams import SEEDS
from placewise.ops.reservation import allocation_error, reserve, results_of
from placewise.ops.residence import is_resident, on_device, placed_constant, relocated
from placewise.ops.values import HOST_KEPT, EagerTensor, Handle, c_name, from_numpy, wrap
from placewise.placement.decision import Decision
from placewise.placement.eager_rules import constant_home, home_of_handles, what_exists

if TYPE_CHECKING:
    from placewise.devices.device import Device


class EagerInterpreter:
    """Gives an op call its eager meaning: it runs now. An `Interpreter`."""

    is_function = False
    makes_variables = False
    graph = None
    control_flow = None
    tf1_nodes = None

    def run(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Run one op and return its output, or a list of its outputs."""
        # Sparse and ragged inputs are looked for only after conversion failed: looking first would
        # slow down every op.
        try:
            tensors = convert_inputs(op, inputs, name)
        except (TypeError, ValueError):
            answer = composite_result(op, inputs, attrs, name)
            if answer is NotImplemented:
                raise
            return answer
        if current.fast is None:
            context.refresh()
        if not watch.on and _was_converted(op, inputs, tensors):
            # Now that all are tensors, the fast path may do. If not it comes back here, once: then
            # nothing is left to convert.
            return op.bind(*tensors, **attrs, name=name)
        _normalise(op, attrs)
        decision = _place(op, tensors, attrs)
        device = decision.device
        if device.remote is not None:
            return _run_elsewhere(device, op, tensors, attrs)
        values = [_value_on(device, item, op, index) for index, item in enumerate(tensors)]
        try:
            if op.is_limited:
                check_limits(op, values, attrs)
            if device.account is not None:
                reserve(op, values, attrs, device)
            kernel = op.kernel_for(device, values)
            if device.has_own_memory:
                kernel = on_device(op, kernel, device)
            since = perf_counter_ns()
            result = kernel(*values, **attrs)
        except Exception as failure:
            raise explained(failure, op, values, attrs, name, device) from _cause(failure)
        if device.account is not None:
            dtype_given = getattr(tensors[0], "dtype", None) if tensors else None
            result = _account(op, result, dtype_given, device, name)
        # Tapes see tensors, not contents: a gradient rule calls ops with them.
        outputs, returned = _wrapped(op, result, device)
        if op is automatic_homes.VARIABLE:
            automatic_homes.keep(outputs[0]._value)
        if op.differentiable:
            for tape in current.tapes:
                tape.ran(op, tuple(tensors), outputs, attrs)
        if watch.on:
            contents = tuple([output._value for output in outputs])
            call = Executed(op, tuple(values), contents, attrs, since=since)
            observe.executed(op, decision, name, call)
            for look in watch.after_op:
                look(op, tensors, outputs)
        return returned

    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> EagerTensor:
        """Return a host array as a tensor on the current device."""
        del shape, name
        device = current.fast
        if device is None:
            device = _constant_device(value)
        # TensorFlow has no strings on GPUs, whatever device is in force.
        if device.is_accelerator and value.dtype == object:
            device = inventory().cpu
        content = from_numpy(value)
        if device.remote is not None:
            remote: EagerTensor = device.remote.put(content, device)
            return remote
        if watch.on:
            observe.feeding(content, device)
        try:
            content = placed_constant(content, device)
            if device.account is not None:
                content = device.account(content, "Const")
        except ResourceExhaustedError as failure:
            raise _named(failure, "_EagerConst") from None
        result = wrap(content, device, "Const")
        if dtype is not None and as_dtype(dtype).is_quantized:
            raise UnimplementedError(None, None, f"tensors of {dtype!r} are not there yet")
        return result

    def capture(self, tensor: Any, name: str | None) -> Any:
        """Return the tensor: every eager op may use it."""
        del name
        return tensor

    def seeds(self, op_seed: Any) -> tuple[Any, Any]:
        """Return the global seed, and an op's own or the next one."""
        return SEEDS.for_op(op_seed)

    def make_variable(self, options: dict[str, Any]) -> Any:
        """Fail: `tf.Variable(...)` makes eager variables itself."""
        raise InternalError(None, None, f"an eager variable is not made here: {options}")

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[None]:
        """Return a context that changes nothing; of what to wait for, functions run now."""
        for dependency in [control_inputs] if callable(control_inputs) else control_inputs or ():
            if callable(dependency):
                dependency()
        return nullcontext()

    def group(self, inputs: Any, name: str | None) -> None:
        """Return None: what ran eagerly ran already."""
        del inputs, name

    def with_control_inputs(self, tensors: Any, control_inputs: Any, name: str | None) -> Any:
        """Return the tensors: what ran eagerly ran already."""
        del control_inputs, name
        return tensors


interpreter: Interpreter = EagerInterpreter()


def _run_elsewhere(device: Any, op: Op, tensors: list[Any], attrs: dict[str, Any]) -> Any:
    """Run an op on a device of another process; what it returns stays there."""
    outputs, returned = device.remote.run_op(device, op, tensors, attrs)
    if op.differentiable:
        for tape in current.tapes:
            tape.ran(op, tuple(tensors), outputs, attrs)
    return returned


def _constant_device(value: np.ndarray[Any, Any]) -> Any:
    context.refresh()
    return constant_home(current.request, inventory(), context.soft_placement())


def composite_result(op: Op, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """Return the result of an op that a sparse or ragged input computes; NotImplemented if none."""
    inputs = tuple([_with_ragged_values(value) for value in inputs])
    for value in inputs:
        several = value if isinstance(value, (list, tuple)) else (value,)
        for one in several:
            if isinstance(one, Composite):
                answer = one._run_op(op, inputs, attrs, name)
                if answer is not NotImplemented:
                    return answer
            elif is_stand_in(one):
                return _handled(op, inputs, attrs, name)
    return NotImplemented


def _with_ragged_values(value: Any) -> Any:
    """Return an input with ragged tensors in place of the values that sessions return of them."""
    if isinstance(value, RaggedTensorValue):
        return lazy.RaggedTensor.from_nested_row_splits(value.flat_values, value.nested_row_splits)
    if isinstance(value, (list, tuple)) and any(isinstance(i, RaggedTensorValue) for i in value):
        return [_with_ragged_values(item) for item in value]
    return value


def _handled(op: Op, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """Return what a library's handler makes of a call with its stand-ins for tensors."""
    result = dispatch(op_function(op.name), inputs, {**attrs, "name": name})
    return NotImplemented if result is OpDispatcher.NOT_SUPPORTED else result


def convert_inputs(op: Op, inputs: tuple[Any, ...], name: str | None) -> list[Any]:
    """Return the inputs as tensors of the dtypes the op declares; host inputs as arrays."""
    known = _known_types(op, inputs)
    types = op.types
    converted: list[Any] = []
    for index, (arg, value) in enumerate(zip(op.inputs, inputs, strict=True)):
        if arg.name in op.host:
            if type(value) is np.ndarray and value.dtype.kind in "fcb":
                value = _as_the_first(op, index, value, converted)
            read = _input_of_either if arg.name in op.host_or_device else _host_input
            converted.append(read(op, arg, value))
        elif arg.is_list:
            converted.append(_list_input(op, arg, value, known, name))
        else:
            tensor = _one_input(op, arg, value, index, known, name)
            converted.append(tensor)
    for attr, dtype in known.items():
        allowed = types.get(attr)
        if allowed is not None and dtype not in allowed:
            raise _typed_error(op, attr, dtype, allowed, name)
    return converted


def _as_the_first(op: Op, index: int, value: np.ndarray[Any, Any], before: list[Any]) -> Any:
    """Return an array in the dtype that an earlier input gave their type attribute, if one did.

    TensorFlow casts it, whatever is lost: ends of a slice, bounds of random integers.
    """
    attr = op.inputs[index].type_attr
    for arg, first in zip(op.inputs[:index], before, strict=True):
        if attr is not None and arg.type_attr == attr and isinstance(first, np.ndarray):
            with np.errstate(all="ignore"):
                return value.real.astype(first.dtype)
    return value


def _known_types(op: Op, inputs: tuple[Any, ...]) -> dict[str, DType]:
    """Return what the tensors say of the type attributes: the first decides, wherever it stands."""
    # Tensors before Python numbers: in `1 + tensor` the number takes the tensor's dtype.
    known: dict[str, DType] = {}
    for arg, value in zip(op.inputs, inputs, strict=True):
        attr = arg.type_attr
        if attr is None or attr in known or arg.is_list or arg.name in op.host:
            continue
        if isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__"):
            dtype = getattr(value, "dtype", None)
            if type(dtype) is DType:
                known[attr] = dtype.base_dtype
    return known


def _was_converted(op: Op, inputs: tuple[Any, ...], tensors: list[Any]) -> bool:
    """Return True if converting made a tensor of something that was none."""
    for arg, dtype_given, tensor in zip(op.inputs, inputs, tensors, strict=True):
        if arg.name in op.host:
            continue
        if type(tensor) is list:
            if any(one is not it for one, it in zip(dtype_given, tensor, strict=True)):
                return True
        elif dtype_given is not tensor:
            return True
    return False


def _typed_error(
    op: Op, attr: str, dtype: DType, allowed: frozenset[DType], name: str | None
) -> Exception:
    failure = not_allowed(attr, dtype, allowed)
    return InvalidArgumentError(
        None,
        None,
        advised(
            f"{failure}\n\t; NodeDef: {{{{node {op.name}}}}} [Op:{op.name}] name: {name or ''}"
        ),
    )


def _host_input(op: Op, arg: Arg, value: Any) -> Any:
    if arg.is_list:
        one = arg._replace(number_attr=None, is_type_list=False)
        return [_host_input(op, one, item) for item in _items(op, arg, value)]
    if arg.dtype is not None:
        allowed = frozenset({arg.dtype})
        if not isinstance(value, EagerTensor):
            value = host_constant(value, arg.dtype) if not _has_tensor(value) else value
    else:
        allowed = op.types.get(arg.type_attr or "", dtypes.ANY)
    usual = default_of(op, arg.type_attr)
    return host_array(value, allowed, arg.type_attr or arg.name, op.name, usual)


def _input_of_either(op: Op, arg: Arg, value: TensorLike) -> Any:
    """Return an input that a kernel takes from either memory: a tensor if it is in a GPU's own."""
    if type(value) is np.ndarray:
        return _host_input(op, arg, value)
    allowed = frozenset({arg.dtype}) if arg.dtype else op.types[arg.type_attr or ""]
    if type(value) is not EagerTensor and _has_tensor(value):
        is_list = isinstance(value, (list, tuple))
        value = convert_to_tensor(value, host_type(value, allowed) if is_list else None)
    if type(value) is EagerTensor and is_resident(value._value) and value.dtype in allowed:
        return value
    return _host_input(op, arg, value)


def _has_tensor(value: TensorLike) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_has_tensor(item) for item in value)
    return isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__")


def _items(op: Op, arg: Arg, value: Any) -> Any:
    """Return what is passed for a list: a tensor is its rows, of several dtypes an array too."""
    has_rows = isinstance(value, (np.ndarray, EagerTensor) if arg.is_type_list else EagerTensor)
    if has_rows and value.ndim:
        return list(value)
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"Expected list for '{arg.name}' argument to '{op.name}' Op, not {value!r}."
        )
    return value


def _list_input(
    op: Op, arg: Arg, value: Any, known: dict[str, DType], name: str | None
) -> list[Any]:
    value = _items(op, arg, value)
    if arg.is_type_list:
        return [only_tensor(item) for item in value]
    if arg.type_attr is not None and arg.type_attr not in known:
        for item in value:  # the first tensor decides, wherever it stands
            if isinstance(item, EagerTensor):
                known[arg.type_attr] = item.dtype
                break
    return [_one_input(op, arg, item, index, known, name) for index, item in enumerate(value)]


def _one_input(
    op: Op, arg: Arg, value: Any, index: int, known: dict[str, DType], name: str | None
) -> Any:
    wanted = arg.dtype if arg.type_attr is None else known.get(arg.type_attr)
    if type(value) is not EagerTensor:
        value = _converted(op, arg, value, wanted)
        if not isinstance(value, EagerTensor):
            raise out_of_scope(value)
    dtype = value.dtype
    if wanted is None:
        if arg.type_attr is not None:
            known[arg.type_attr] = dtype
    elif dtype is not wanted:
        raise InvalidArgumentError(
            None,
            None,
            advised(
                f"cannot compute {op.name} as input #{index}(zero-based) was expected to be a "
                f"{c_name(wanted)} tensor but is a {c_name(dtype)} tensor [Op:{op.name}] "
                f"name: {name or ''}",
                f"{arg.name} is {value.dtype.name}{list(value.shape)}",
            ),
        )
    return value


def _converted(op: Op, arg: Arg, value: Any, wanted: DType | None) -> Any:
    if isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__"):
        return convert_to_tensor(value)
    # A loop that adds 1 in each iteration makes one constant, not one per iteration.
    if wanted is not None and type(value) in (int, float):
        result = scalar(value, wanted)
        if result.dtype is wanted:
            return result
    tensor = only_tensor(value, wanted)
    allowed = op.types.get(arg.type_attr or "") if wanted is None else None
    if allowed is None or not isinstance(tensor, Tensor) or tensor.dtype in allowed:
        return tensor
    usual = default_of(op, arg.type_attr)
    array = None if usual is None else as_default(value, usual)
    return tensor if array is None else only_tensor(array)


def _normalise(op: Op, attrs: dict[str, Any]) -> None:
    for attr in op.attrs:
        if attr.kind == "type":
            dtype_given = attrs[attr.name]
            if dtype_given is not None and type(dtype_given) is not DType:
                attrs[attr.name] = as_dtype(dtype_given)


def _place(op: Op, tensors: list[Any], attrs: dict[str, Any]) -> Decision:
    homes = [
        (arg.name, item._value.device)
        for arg, item in zip(op.inputs, tensors, strict=True)
        if type(item) is EagerTensor  # reading the content of others may fetch it
        and isinstance(item._value, Handle)
        and item._value.device is not None
    ]
    # A variable is stronger than `with tf.device(…)`, as in TensorFlow: its content is not copied.
    if homes and (device := home_of_handles(op, homes)) is not None:
        return context.with_state(device, op)
    # Dtypes decide with the request whether a GPU has a kernel; `context.decide` remembers answers.
    # What such a kernel keeps on the host is of no matter to it.
    types: set[DType] = set()
    for arg, item in zip(op.inputs, tensors, strict=True):
        if op.gpu_types is not None and arg.name in op.host:
            continue
        if type(item) is list:
            types.update(t.dtype for t in item)
        elif isinstance(item, EagerTensor):
            types.add(item.dtype)
    for attr in op.attrs:
        if attr.kind == "type" and attrs[attr.name] is not None:
            types.add(attrs[attr.name])
    if automatic_homes.is_automatic(op):
        return automatic_homes.decide(op, frozenset(types), attrs)
    return context.decide(op, frozenset(types))


def _value_on(device: Device, item: TensorLike, op: Op, index: int) -> Any:
    if type(item) is list:
        return [_value_on(device, one, op, index) for one in item]
    if not isinstance(item, EagerTensor) or item._device is device:
        return getattr(item, "_value", item)
    if isinstance(item._value, Handle):
        return item._value
    return copied(item, device, op, index)._value


def copied(
    tensor: EagerTensor, device: Device, op: Op | None = None, index: int = 0
) -> EagerTensor:
    """Return `tensor` on another device.

    For an op, a second copy to the same device is the first one, which lives as long as the tensor.
    """
    # As TensorFlow does: a tensor that several ops read on another device is copied once.
    mirrors = tensor._mirrors
    if op is not None and mirrors is not None and device in mirrors:
        mirror: EagerTensor = mirrors[device]
        return mirror
    value = tensor._value
    if tensor.dtype in HOST_KEPT:
        moved = relocated(value, device.torch_device)  # in host memory it serves every device
    else:
        if watch.on:
            observe.copying(tensor, device, op, index)
        try:
            moved = copied_content(value, tensor._device, device, op or "Copy")
        except ResourceExhaustedError as failure:
            raise (failure if op is None else _named(failure, op.name)) from None
    result = wrap(moved, device, op or "Copy")
    if op is not None:
        if tensor._mirrors is None:
            tensor._mirrors = {}
        tensor._mirrors[device] = result
    return result


def _account(
    op: Op, result: Any, dtype_given: DType | None, device: Device, name: str | None
) -> Any:
    """Count what an op made on its device, and return it; drop it all if there is no room.

    `given` is the dtype of its first input.
    """

    def counted(part: Any, on_host: bool) -> Any:
        if on_host:
            return part
        if isinstance(part, (list, tuple)):
            return [counted(one, False) for one in part]
        return device.account(part, op)

    outputs = op.outputs
    on_host = [op.is_on_host(output, dtype_given) for output in outputs]
    try:
        if len(outputs) == 1 or not isinstance(result, (list, tuple)):
            return counted(result, bool(on_host) and on_host[0])
        return list(map(counted, result, on_host))
    except ResourceExhaustedError as failure:
        raise explained(failure, op, [], {}, name) from None


def _wrapped(op: Op, result: Any, device: Device) -> tuple[Any, Any]:
    outputs = op.outputs
    if len(outputs) == 1 and not outputs[0].is_list:
        if type(result) is Handle and result.device is None:
            result.device = device  # state lives where the op that made it ran
        tensor = wrap(result, device, op)
        return (tensor,), tensor
    if not outputs:
        return (), None
    if len(outputs) == 1:
        tensors = [wrap(value, device, op) for value in result]
        return tuple(tensors), tensors
    returned: list[Any] = []
    flat: list[Any] = []
    for arg, value in zip(outputs, result, strict=True):
        if arg.is_list:
            several = [wrap(one, device, op) for one in value]
            returned.append(several)
            flat.extend(several)
        else:
            one = wrap(value, device, op)
            returned.append(one)
            flat.append(one)
    return tuple(flat), returned


def _cause(failure: Exception) -> Exception | None:
    return None if isinstance(failure, OpError) else failure


def _named(failure: OpError, op: str, name: str | None = None) -> OpError:
    """Return an error that says which op failed."""
    failure._message = described_as(failure.message, op, name)
    return failure


def explained(
    failure: Exception,
    op: Op,
    values: list[Any],
    attrs: dict[str, Any],
    name: str | None,
    device: Any = None,
    results: list[Any] | None = None,
) -> Exception:
    """Return the error to raise for a kernel's failure: TensorFlow's class and words.

    Behind them stands what the op received, and what to do. `results` are shapes and torch dtypes
    of what was to be made, where `values` are not at hand.
    """
    error = _in_tensorflow_words(failure, op, values, attrs, name, device, results)
    if isinstance(error, OpError):
        error._message = advised(error.message, _received(op, values))
    return error


# A host input of so many elements is shown with its value.
_FEW = 8


def _received(op: Op, values: list[Any]) -> str:
    """Return the inputs of an op by name: dtype and shape, and the value of a small host input."""
    if len(values) != len(op.inputs):
        return ""
    shown = [
        f"{arg.name} {text}"
        for arg, value in zip(op.inputs, values, strict=True)
        if (text := _shown(value))
    ]
    return f"received: {', '.join(shown)}" if shown else ""


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_shown, value[:_FEW]))})" if value else ""
    if isinstance(value, np.ndarray):
        if value.size <= _FEW and value.dtype.kind in "biuf":
            return f"= {value.tolist()}"
        if value.dtype == object:
            return f"string{list(value.shape)}" if value.size else ""
    if type(value) is Handle or not hasattr(value, "shape") or not hasattr(value, "dtype"):
        return ""
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"


def _in_tensorflow_words(
    failure: Exception,
    op: Op,
    values: list[Any],
    attrs: dict[str, Any],
    name: str | None,
    device: Any,
    results: Any,
) -> Exception:
    tail = f" [Op:{op.name}] name: {name or ''}"
    if isinstance(failure, OpError):
        return _named(failure, op.name, name)
    text = str(failure).split("\n")[0]
    # Memory comes first: an error rule looks for what is wrong with the inputs, and some blame the
    # last thing that can be.
    if is_out_of_memory(str(failure)) or isinstance(failure, MemoryError):
        with also_listing(functools.partial(in_kernel, failure, op.name, values)):
            shortage = allocation_error(text, device, results or results_of(op, values, attrs))
        let_go(failure)  # release what the kernel allocated before it failed
        return _in_tensorflow_words(shortage, op, values, attrs, name, device, results)
    # The op's error rule runs only now, after a failure: calls that succeed pay
    # nothing.
    if op.error_rule is not None and len(values) == len(op.inputs):
        error = op.error_rule(*values, **attrs)
        if error:
            return InvalidArgumentError(None, None, error + tail)
    # torch says "not implemented for 'Half'" in a plain RuntimeError.
    is_lacking = isinstance(failure, NotImplementedError) or "not implemented for" in text
    # Strings are arrays of objects, which have none of a tensor's methods.
    if is_lacking or (isinstance(failure, AttributeError) and "'numpy.ndarray'" in text):
        shown = ", ".join(sorted({_type_of(v) for v in values}))
        return UnimplementedError(
            None, None, f"{op.name} is not implemented for inputs of {shown}{tail}"
        )
    if isinstance(failure, (RuntimeError, ValueError, TypeError)):
        return InvalidArgumentError(None, None, in_own_words(text, op.name) + tail)
    # Python's words for a list, a table or a number that is not what the kernel takes.
    if isinstance(failure, (LookupError, ArithmeticError)):
        return InvalidArgumentError(None, None, stated(text, op.name) + tail)
    return InternalError(None, None, f"{type(failure).__name__}: {text}{tail}")


def _type_of(value: Any) -> str:
    return str(getattr(value, "dtype", type(value).__name__)).removeprefix("torch.")


def to_cpu(tensor: EagerTensor) -> EagerTensor:
    """Return the tensor on the first CPU."""
    device = inventory().cpu
    return tensor if tensor._device is device else copied(tensor, device)


def to_gpu(tensor: EagerTensor, gpu_index: int = 0) -> EagerTensor:
    """Return the tensor on a GPU, by its index."""
    present = inventory()
    for device in present.of_kind("GPU"):
        if device.index == gpu_index:
            return tensor if tensor._device is device else copied(tensor, device)
    raise UnknownDeviceError(
        None, None, hint(f"GPU:{gpu_index} unknown device.", what_exists(present))
    )


# The only methods of a tensor that need to know devices.
EagerTensor.cpu, EagerTensor.gpu = to_cpu, to_gpu
