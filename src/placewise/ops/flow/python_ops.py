"""Python functions as ops of a graph: PyFunc, PyFuncStateless, EagerPyFunc.

An op names its function by a token; the operation in the graph keeps the function alive.
"""

from __future__ import annotations

import importlib
import traceback
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes, errors
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import invalid
from placewise.core.names import next_number
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current, replaced
from placewise.memory.transfer import place
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, Call, define
from placewise.ops.values import c_name, from_numpy, to_numpy

_SIGNATURE = "(input: [Tin]; token: string, Tout: list(type)) -> output: [Tout]"


class _Function:
    """A Python function that an op calls, and the dtypes it is to return."""

    def __init__(self, call: Any, wanted: list[Any]) -> None:
        self.call, self.wanted = call, wanted


@dataclass(slots=True)
class PythonFunctions(State):
    """The functions that operations of living graphs call, by token."""

    by_token: weakref.WeakValueDictionary[str, _Function] = field(
        default_factory=weakref.WeakValueDictionary
    )


_functions = runtime.state(PythonFunctions, lasting=True)


def _found(token: str) -> _Function:
    found = _functions.by_token.get(token)
    if found is None:
        raise errors.UnknownError(None, None, f"ValueError: callback {token} is not found")
    return found


_KINDS: list[tuple[type[BaseException], Any]] = [
    (TypeError, errors.InvalidArgumentError),
    (ValueError, errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
]


def told(problem: Exception) -> Exception:
    """Return what TensorFlow raises for an exception of the user's function."""
    if isinstance(problem, errors.OpError):
        return problem
    kind = next(
        (ours for theirs, ours in _KINDS if isinstance(problem, theirs)), errors.UnknownError
    )
    lines = "\n".join(traceback.format_exception(problem))
    made: Exception = kind(None, None, f"{type(problem).__name__}: {problem}\n{lines}\n")
    return made


def result_array(value: TensorLike) -> Any:
    """Return what a function gave as an array; strings are objects, whole with zeros at the end."""
    array = np.asarray(value, order="C")
    if array.dtype.kind in "SU":
        flat = np.asarray(value, dtype=object)
        encoded = [each.encode() if isinstance(each, str) else bytes(each) for each in flat.ravel()]
        array = np.empty(flat.shape, dtype=object)
        array.ravel()[:] = encoded
    return array


def _as_declared(results: TensorLike, function: _Function, token: str) -> list[Any]:
    wanted = function.wanted
    if not wanted:
        return []
    given = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(given) != len(wanted):
        raise invalid(
            f"{token} returns {len(given)} values, but expects to see {len(wanted)} values."
        )
    made = []
    for index, (value, dtype) in enumerate(zip(given, wanted, strict=True)):
        array = result_array(value)
        found = as_dtype(array.dtype)
        if found is not dtype:
            raise invalid(
                errors.hint(
                    f"{index}-th value returned by {token} is {c_name(found)}, but expects "
                    f"{c_name(dtype)}",
                    "return x.astype(...) from the function, or change Tout",
                )
            )
        made.append(from_numpy(array.copy() if array.dtype != object else array))
    return made


def _call_with_arrays(input: list[Any], *, token: str, Tout: tuple[Any, ...]) -> list[Any]:  # noqa: N803
    function = _found(token)
    # The function may change what it gets; a scalar is NumPy's, a string plain bytes.
    arrays = [np.array(to_numpy(each)) for each in input]
    arrays = [each if each.ndim else each[()] for each in arrays]
    try:
        results = function.call(*arrays)
    except Exception as problem:
        raise told(problem) from problem
    return _as_declared(results, function, token)


def _call_with_tensors(
    input: list[Any],
    *,
    token: str,
    Tout: tuple[Any, ...],  # noqa: N803
    torch_device: str = "cpu",
) -> list[Any]:
    function = _found(token)
    if input and isinstance(input[0], torch.Tensor):
        torch_device = str(input[0].device)
    with replaced(interpreter=Scope.eager, request="", requests=(), tapes=()):
        tensors = [convert_to_tensor(np.array(to_numpy(each))) for each in input]
        try:
            results = function.call(*tensors)
            if not function.wanted:
                return []
            given = list(results) if isinstance(results, (list, tuple)) else [results]
            if len(given) != len(function.wanted):
                raise ValueError(
                    f"pyfunc returned {len(given)} values, but expects to see "
                    f"{len(function.wanted)} values."
                )
            made = [
                convert_to_tensor(value, dtype)
                for value, dtype in zip(given, function.wanted, strict=True)
            ]
        except Exception as problem:
            raise told(problem) from problem
        # The function may have computed elsewhere than where the op is.
        return [_brought(each._value, torch_device) for each in made]


def _brought(value: Any, torch_device: str) -> Any:
    return place(value, torch_device) if isinstance(value, torch.Tensor) else value


def _declared(
    name: str, kernel: Callable[..., Any], stateful: bool, doc: str, **facts: Any
) -> Bind:
    made = define(f"{name}{_SIGNATURE}", stateful=stateful, doc=doc, **facts)
    made.shape(lambda input, **attrs: [None] * len(attrs["Tout"]))
    made.kernel(kernel)
    return made


py_func_op = _declared(
    "PyFunc",
    _call_with_arrays,
    True,
    "Call a Python function with arrays.",
    devices=("CPU",),
    differentiable=False,
)
py_func_stateless_op = _declared(
    "PyFuncStateless",
    _call_with_arrays,
    False,
    "Call a Python function without side effects.",
    devices=("CPU",),
    differentiable=False,
)
# On a GPU the function still chooses the devices of its own ops: only what goes in and comes out
# is there. Of int32 and strings TensorFlow has no such kernel.
eager_py_func_op = _declared(
    "EagerPyFunc",
    _call_with_tensors,
    True,
    "Call a Python function with tensors.",
    gpu_types=(dtypes.NUMBERS | dtypes.QUANTIZED_DTYPES | {dtypes.bool}) - {dtypes.int32},
)


def written(
    op: Callable[..., Any], func: Callable[..., Any], inp: Any, wanted: Any, name: str | None
) -> Any:
    """Add an op that calls `func` to the graph in force; return its results as asked for."""
    is_list = isinstance(wanted, (list, tuple))
    kinds = [as_dtype(each) for each in (wanted if is_list else [wanted])]
    token = f"pyfunc_{next_number('pyfunc')}"
    function = _Function(func, kinds)
    _functions.by_token[token] = function
    results = op(list(inp), token=token, Tout=tuple(kinds), name=name)
    made = results[0].op if kinds else current.interpreter.graph._operations[-1]
    made._python_function = function
    if not is_list:
        return results[0]
    return results if kinds else made


@eager_py_func_op.gradient
def eager_py_func_gradient(call: Call, *dys: Any) -> Any:
    """Call the function once more, watched by a tape, and take the gradient there."""
    inputs = list(call.inputs[0])
    function = _found(call.attrs["token"])
    wants = [index for index, each in enumerate(inputs) if each.dtype.base_dtype.is_floating]
    count = len(inputs)

    def backwards(*values: Any) -> Any:
        # ops stand above autodiff, which is only asked when the function runs.
        tape_of = importlib.import_module("placewise.autodiff.gradient_tape").GradientTape
        given, flowed = list(values[:count]), list(values[count:])
        with tape_of() as tape:
            for each in given:
                tape.watch(each)
            results = function.call(*given)
        outputs = list(results) if isinstance(results, (list, tuple)) else [results]
        found = tape.gradient(outputs, [given[i] for i in wants], output_gradients=flowed)
        return [
            _zeros(given[i]) if each is None else convert_to_tensor(each)
            for i, each in zip(wants, found, strict=True)
        ]

    kinds = [inputs[i].dtype.base_dtype for i in wants]
    if current.interpreter is Scope.eager:
        made = backwards(*inputs, *dys)
    else:
        made = written(eager_py_func_op, backwards, [*inputs, *dys], kinds, None)
    gradients: list[Any] = [None] * count
    for index, gradient in zip(wants, made, strict=True):
        if hasattr(gradient, "set_shape"):
            gradient.set_shape(inputs[index].shape)
        gradients[index] = gradient
    return gradients


def _zeros(tensor: Any) -> Any:
    return convert_to_tensor(np.zeros(tuple(tensor.shape), tensor.dtype.as_numpy_dtype))
