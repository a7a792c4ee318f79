"""Functions of a SavedModel: FunctionDefs become callable graphs again."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.functions.call_form import CallForm
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.func_graph import FuncGraph
from placewise.graph.function_bodies import body_of
from placewise.graph.import_graph_def import Importer
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec, TypeSpec
from placewise.ops.state.variable import is_variable
from placewise.ops.values import Handle
from placewise.saving.structured_values import decoded


def concrete_function(
    function: Any,
    library: dict[str, Any],
    captured: list[Any],
    variables: list[Any],
    saved: Any,
    names: list[str],
) -> ConcreteFunction:
    """Return a FunctionDef as a function; its last arguments are what it captured.

    `saved` tells the structure of arguments and results, `names` how parameters are called.
    """
    graph = FuncGraph(function.signature.name, None)
    arguments = list(function.signature.input_arg)
    shapes = list(function.attr["_input_shapes"].list.shape) if function.attr else []
    own = len(arguments) - len(captured)
    with graph.as_default():
        made = []
        for index, each in enumerate(arguments):
            dims = TensorShape(shapes[index])._dims if index < len(shapes) else None
            outer = captured[index - own] if index >= own else None
            content = getattr(outer, "_value", None)
            handle = content if isinstance(content, Handle) else None
            tensor = graph.argument(as_dtype(each.type), dims, each.name, handle)
            made.append(tensor)
            if outer is not None:
                graph.captured[id(outer)] = outer, tensor
        graph.inputs = made[:own]
        body = body_of(function, library)
        given = {f"{n}:0": tensor for n, tensor in zip(body.arguments, made, strict=True)}
        importer = Importer(graph, library, "", given)
        importer.inner = True
        importer.add_all(body.nodes)
        results = [importer.tensor(text) for text in body.results]
    for variable in variables:
        graph.accessed.variable_accessed(variable)
    args, kwargs = decoded(saved.canonicalized_input_signature) or ((), {})
    named = list(zip(_names(names, len(args)), args, strict=True)) + sorted(kwargs.items())
    structure = decoded(saved.output_signature)
    for spec, tensor in zip(_specs(structure), results, strict=False):
        if tensor.shape.is_compatible_with(spec.shape):
            tensor._dims = tensor.shape.merge_with(spec.shape)._dims
    form = CallForm(named, len(args))
    concrete = ConcreteFunction(graph, _filled(structure, results), None, form)
    concrete.structured_outputs = structure  # as in TensorFlow: specs, a traced one has tensors
    return concrete


def _names(names: list[str], count: int) -> list[str]:
    return [names[i] if i < len(names) else f"args_{i}" for i in range(count)]


def _specs(structure: Any) -> list[Any]:
    """Return the specs of the tensors of a structure, parts of ragged and sparse ones too."""
    return [
        part
        for each in nest.flatten(structure)
        if isinstance(each, TypeSpec)
        for part in each._components()
    ]


def _filled(structure: Any, tensors: list[Any]) -> Any:
    """Return a structure of specs with tensors in their place."""
    waiting = iter(tensors)
    leaves = [
        each.from_tensors([next(waiting) for _ in each._components()])
        if isinstance(each, TypeSpec)
        else each
        for each in nest.flatten(structure)
    ]
    return nest.pack_sequence_as(structure, leaves)


class RestoredFunction:
    """A function of a SavedModel: calls the trace that was saved for such arguments."""

    def __init__(self, name: str, spec: Any, concrete_functions: list[ConcreteFunction]) -> None:
        self._name = name
        self.concrete_functions = concrete_functions
        self.input_signature = decoded(spec.input_signature) or None
        self.signature = _signature(decoded(spec.fullargspec), spec.is_method)

    @property
    def name(self) -> str:
        """The name of the attribute it is."""
        return self._name

    @property
    def __name__(self) -> str:  # as a Python function has one
        return self._name

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return self.concrete_functions

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the trace whose arguments were like these."""
        concrete, tensors = self._found(args, kwargs)
        return concrete.call_flat(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace that was saved for arguments, or specs, like these."""
        return self._found(args, kwargs)[0]

    def _found(
        self, args: TensorLike, kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, list[Any]]:
        if not self.concrete_functions:
            raise ValueError("Found zero restored functions for caller function.")
        given = self._canonical(args, kwargs)
        for converts in (False, True):
            for concrete in self.concrete_functions:
                form = concrete._call_form
                expected = (
                    tuple(value for _, value in form.named[: form.positional]),
                    dict(form.named[form.positional :]),
                )
                tensors: list[Any] = []
                if _matches(given, expected, tensors, converts):
                    return concrete, tensors
        if self.input_signature is not None:
            raise self._unbound(self._reason(given), args, kwargs)
        options = "\n\n".join(
            f"Option {number}:\n  {concrete.pretty_printed_signature()}"
            for number, concrete in enumerate(self.concrete_functions, 1)
        )
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n  "
            f"Positional arguments: {given[0]}\n  Keyword arguments: {given[1]}\n\n Expected these "
            f"arguments to match one of the following {len(self.concrete_functions)} option(s):"
            f"\n\n{options}"
        )

    def _canonical(self, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if self.signature is None:
            return args, kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise self._unbound(str(problem), args, kwargs) from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _reason(self, given: tuple[Any, Any]) -> str:
        """Return why arguments do not go into the signature that the program gave."""
        for value, expected in zip(given[0], self.input_signature or (), strict=False):
            if not _matches(value, expected, [], True):
                found = TensorSpec.from_tensor(value) if isinstance(value, Tensor) else value
                return f"Can not cast {found!r} to {expected!r}"
        return "the arguments do not fit the signature"

    def _unbound(self, reason: str, args: Any, kwargs: Any) -> TypeError:
        shown = str(self.signature)
        if self.input_signature is not None and self.signature is not None:
            named = zip(self.signature.parameters, self.input_signature, strict=False)
            shown = f"({', '.join(f'{name}: {spec!r}' for name, spec in named)})"
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: {shown}."
        )

    def __repr__(self) -> str:
        return f"<RestoredFunction {self._name}>"


RestoredFunction.__module__ = "tensorflow.python.saved_model.function_deserialization"


def _signature(spec: Any, is_method: bool) -> inspect.Signature | None:
    """Return a FullArgSpec as a signature; of a method without its object."""
    if spec is None:
        return None
    kind = inspect.Parameter
    names = list(spec.args)
    if is_method and names:
        names = names[1:]
    defaults = list(spec.defaults or ())
    made = []
    for index, name in enumerate(names):
        place = index - (len(names) - len(defaults))
        default = defaults[place] if place >= 0 else kind.empty
        made.append(kind(name, kind.POSITIONAL_OR_KEYWORD, default=default))
    if spec.varargs:
        made.append(kind(spec.varargs, kind.VAR_POSITIONAL))
    for name in spec.kwonlyargs or ():
        default = (spec.kwonlydefaults or {}).get(name, kind.empty)
        made.append(kind(name, kind.KEYWORD_ONLY, default=default))
    if spec.varkw:
        made.append(kind(spec.varkw, kind.VAR_KEYWORD))
    return inspect.Signature(made)


def _matches(value: Any, expected: Any, tensors: list[Any], converts: bool) -> bool:
    """Return True if a value is what a trace expects; its tensors are added to `tensors`."""
    if isinstance(expected, TensorSpec):
        return _takes_tensor(value, expected, tensors, converts)
    if isinstance(expected, TypeSpec):
        if isinstance(value, TypeSpec):
            tensors.extend([None] * len(expected._components()))
            return expected.is_compatible_with(value)
        if not isinstance(value, nest.Composite) or not expected.is_compatible_with(value):
            return False
        tensors.extend(expected.to_tensors(value))
        return True
    parts, given = nest.children(expected), nest.children(value)
    if parts is None or given is None:
        if parts is not None or given is not None:
            return False
        return bool(type(value) is type(expected) and value == expected) or value is expected
    if [key for key, _ in parts] != [key for key, _ in given]:
        return False
    return all(
        _matches(v, e, tensors, converts) for (_, v), (_, e) in zip(given, parts, strict=True)
    )


def _takes_tensor(value: TensorLike, spec: TensorSpec, tensors: list[Any], converts: bool) -> bool:
    if isinstance(value, TensorSpec):
        tensors.append(None)
        return value.dtype is spec.dtype and spec.shape.is_compatible_with(value.shape)
    if is_variable(value) or (isinstance(value, (np.ndarray, np.generic)) and not converts):
        value = convert_to_tensor(value)
    if not isinstance(value, Tensor):
        if not converts or value is None:
            return False
        try:
            value = convert_to_tensor(value, spec.dtype)
        except (TypeError, ValueError):
            return False
    tensors.append(value)
    return value.dtype.base_dtype is spec.dtype and spec.shape.is_compatible_with(value.shape)
