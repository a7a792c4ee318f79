"""Functions of `tf.raw_ops`: every declared op by its registry name, keyword arguments only."""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import OpError, invalid
from placewise.core.foreign_words import stated
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import REGISTRY, REQUIRED, Arg, Attr, Op, python_name
from placewise.ops.default_types import default_of, in_default_type
from placewise.ops.flow.context import executing_eagerly
from placewise.ops.raw_attributes import (
    checked_attribute,
    unknown_number,
    unknown_where_negative,
)
from placewise.ops.registry import load_everything


def _is_shape_unseen(declared: Op, inputs: list[Any], options: dict[str, Any]) -> bool:
    """Return whether negative dimensions of an op's shape are unknown ones, not mistakes."""
    if declared.shape_attr == "checked" or "shape" not in options:
        return False
    if declared.shape_attr == "unchecked":
        return True
    dims = options["shape"]
    is_checked = not isinstance(dims, (list, tuple)) or _is_read_in_python(declared, inputs)
    return not is_checked and all(type(dim) is int and dim >= -1 for dim in dims)


def _function(declared: Op) -> Any:
    renamed = declared.argument_names or {}
    names = [renamed.get(arg.name, arg.name) for arg in declared.inputs]
    attrs = {renamed.get(attr.name, attr.name): attr.default for attr in declared.attrs}
    declared_attrs = dict(zip(attrs, declared.attrs, strict=True))
    own = {public: name for name, public in renamed.items()}
    several = [arg.name for arg in declared.outputs] if len(declared.outputs) > 1 else []
    Outputs: Any = namedtuple(declared.name, several) if several else None  # noqa: N806

    @functools.wraps(declared.bind)
    def raw(*positional: Any, **options: Any) -> Any:
        if positional:
            raise TypeError(
                f"{python_name(declared.name)} only takes keyword args (possible keys: "
                f"{[*names, *attrs, 'name']}). Please pass these args as kwargs instead."
            )
        if declared.refs and executing_eagerly():
            raise _refused(declared)
        _check_lists(declared, names, attrs, options)
        name = options.pop("name", None)
        # Attributes that follow from the inputs may be passed too, as TensorFlow allows.
        for extra in [key for key in options if key not in names and key not in attrs]:
            if extra not in _inferred(declared):
                raise TypeError(f"{declared.name}() got an unexpected keyword argument {extra!r}")
            options.pop(extra)
        absent = [n for n in names if n not in options]
        absent += [n for n, default in attrs.items() if default is REQUIRED and n not in options]
        if absent:
            listed = " and ".join(repr(n) for n in absent)
            raise TypeError(
                f"{declared.name}() missing {len(absent)} required positional argument"
                f"{'s' if len(absent) > 1 else ''}: {listed}"
            )
        inputs = [options.pop(n) for n in names]
        inputs = _in_default_types(declared, inputs)
        if executing_eagerly() and _is_shape_unseen(declared, inputs, options):
            options["shape"] = unknown_where_negative(options["shape"])
        _check_dtypes(declared, declared_attrs, inputs, options)
        attributes = {
            own.get(key, key): checked_attribute(declared_attrs[key], key, value)
            for key, value in options.items()
        }
        try:
            results = declared.bind(*inputs, **attributes, name=name)
        except (LookupError, ArithmeticError, AttributeError, AssertionError) as problem:
            if isinstance(problem, OpError):  # UnknownDeviceError and its like are AttributeErrors
                raise
            raise invalid(stated(str(problem), declared.name)) from problem
        except RecursionError as problem:
            raise invalid(f"Invalid arguments for {declared.name}: nested too deep") from problem
        if Outputs is not None and isinstance(results, list):
            return Outputs._make(results)
        return results

    keyword = inspect.Parameter.KEYWORD_ONLY
    shown = [inspect.Parameter(n, keyword) for n in names]
    shown += [
        inspect.Parameter(n, keyword, default=inspect.Parameter.empty if d is REQUIRED else d)
        for n, d in attrs.items()
    ]
    shown.append(inspect.Parameter("name", keyword, default=None))
    raw.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    raw.__name__ = raw.__qualname__ = declared.name
    raw.__doc__ = declared.doc
    return raw


def _check_dtypes(
    declared: Op, attrs: dict[str, Attr], inputs: list[Any], given: dict[str, Any]
) -> None:
    """Refuse numbers that no dtype has, after the inputs: TensorFlow refuses when the op runs."""
    for public, value in given.items():
        number = unknown_number(attrs[public], value)
        if number is None:
            continue
        if _is_read_in_python(declared, inputs):
            raise TypeError(f"Expected DataType for argument '{public}' not {number!r}.")
        for arg, argument in zip(declared.inputs, inputs, strict=True):
            if arg.dtype is not None and not arg.is_list:
                convert_to_tensor(argument, arg.dtype)
        raise invalid(
            f"AttrValue has invalid DataType enum: {number}\n\t for attr '{attrs[public].name}'"
        )


def _in_default_types(declared: Op, inputs: list[Any]) -> list[Any]:
    """Return arrays whose dtype no tensor says in the op's default dtypes."""
    pairs = list(zip(declared.inputs, inputs, strict=True))
    if _is_read_in_python(declared, inputs):  # TensorFlow looks at the allowed dtypes first
        return inputs
    taken = {arg.type_attr for arg, value in pairs if _is_tensor(value)}
    return [
        value if arg.type_attr in taken or arg.is_list else _cast(declared, arg, value)
        for arg, value in pairs
    ]


def _is_read_in_python(declared: Op, inputs: list[Any]) -> bool:
    """Return whether TensorFlow leaves its C++ for a list that stands for a tensor."""
    pairs = zip(declared.inputs, inputs, strict=True)
    return any(isinstance(value, (list, tuple)) and not arg.is_list for arg, value in pairs)


def _cast(declared: Op, arg: Arg, value: Any) -> Any:
    dtype = default_of(declared, arg.type_attr)
    if dtype is None or not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind in "OSU" and dtype is not dtypes.string:
        return value.astype(dtype.as_numpy_dtype)  # NumPy reads texts as numbers, or says why not
    array = in_default_type(value, dtype)
    return value if array is None else array


def _is_tensor(value: TensorLike) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__tf_tensor__")


def _check_lists(
    declared: Op, names: list[str], attrs: dict[str, Any], given: dict[Any, Any]
) -> None:
    """Refuse what is no list where one is due."""
    for attr, public in zip(declared.attrs, attrs, strict=True):
        value = given.get(public, ())
        is_list = value is None or (
            hasattr(value, "__iter__") and not isinstance(value, (dict, str, bytes))
        )
        if attr.kind.startswith("list(") and not is_list:
            raise TypeError(
                f"Expected list for '{public}' argument to '{python_name(declared.name)}' Op, not "
                f"{value!r}."
            )
    _check_not_empty(declared, names, given)


def _check_not_empty(declared: Op, names: list[str], given: dict[str, Any]) -> None:
    """Refuse an empty list whose elements' dtype nothing else tells."""
    for arg, public in zip(declared.inputs, names, strict=True):
        value = given.get(public)
        if arg.is_list and isinstance(value, np.ndarray) and value.ndim > 1:
            attr = arg.number_attr or arg.type_attr
            raise ValueError(
                f"expected a sequence for attr {attr}, got an ndarray with rank {value.ndim} "
                "instead"
            )
        if arg.is_list and public in given and not hasattr(value, "__iter__"):
            raise TypeError(
                f"Expected list for '{public}' argument to '{python_name(declared.name)}' Op, not "
                f"{value!r}."
            )
        is_empty = arg.is_list and isinstance(value, (list, tuple)) and not value
        is_empty = is_empty and executing_eagerly()  # graphs check the length themselves
        if is_empty and not arg.is_type_list and arg.type_attr and arg.type_attr not in given:
            raise invalid(
                f"OpKernel '{declared.name}' has constraint on attr '{arg.type_attr}' not in "
                f"NodeDef '[{arg.number_attr}=0]'"
            )


def _refused(declared: Op) -> RuntimeError:
    """Return the error for an op of references, which only graphs have."""
    arguments = (*declared.inputs, *declared.outputs)
    refs = [arg.name for arg in arguments if arg.name in declared.refs]
    return RuntimeError(
        f"{python_name(declared.name)} op does not support eager execution. "
        f"Arg '{refs[-1] if refs else ''}' is a ref."
    )


def _inferred(declared: Op) -> set[str]:
    arguments = (*declared.inputs, *declared.outputs)
    attrs = {arg.type_attr for arg in arguments} | {arg.number_attr for arg in arguments}
    return {name for name in attrs if name}


def raw_op_names() -> list[str]:
    """Return the names of all ops that `tf.raw_ops` has."""
    load_everything()
    return sorted(name for name, declared in REGISTRY.items() if is_public(declared))


def raw_op(name: str) -> Any:
    """Return the function of an op, keyword arguments only; raise KeyError if there is none."""
    load_everything()
    if not is_public(REGISTRY[name]):
        raise KeyError(name)
    return _function(REGISTRY[name])


def is_public(declared: Op) -> bool:
    """Return True for TensorFlow's ops; those of replicas on several machines are our own."""
    kernel = declared.kernels.get(None)
    return not declared.name.startswith("_") and not getattr(kernel, "__module__", "").startswith(
        "placewise.distribute"
    )
