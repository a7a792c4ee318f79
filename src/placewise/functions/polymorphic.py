"""`tf.function`: one Python function, traced anew for every kind of arguments it is called with."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from placewise.core.activity import phase
from placewise.core.function_mode import function_mode
from placewise.core.scope import Scope, current, watch
from placewise.devices.inventory import inventory
from placewise.functions import function_types
from placewise.functions.autograph import converted
from placewise.functions.call_form import CallForm, tell_tapes
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.descriptions import spec_of
from placewise.functions.func_graph import FuncGraph, current_graph
from placewise.functions.methods import Method
from placewise.functions.parameters import Parameters, Taken
from placewise.functions.signature import Arguments, admits, covers, relaxed, widened
from placewise.functions.trace import Making, trace
from placewise.functions.trace_counter import retracing_of
from placewise.ops.values import EagerTensor, wrap
from placewise.planning.compilation import compile_with

if TYPE_CHECKING:
    from placewise.devices.device import Device


_PLAIN = frozenset({int, float, bool, str, type(None)})
_lock = threading.RLock()


class Function(function_types.PolymorphicFunction):
    """A Python function that runs as a graph; traces are kept by kind of arguments."""

    def __init__(
        self,
        python_function: Any,
        name: str | None = None,
        input_signature: Any = None,
        autograph: bool = True,
        jit_compile: Any = None,
        reduce_retracing: bool = False,
        experimental_autograph_options: Any = None,
        attributes: Any = None,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        self.python_function = python_function
        own = getattr(python_function, "__name__", type(python_function).__name__)
        self._name: str = name or str(own)
        self._autograph = autograph
        self._autograph_options = experimental_autograph_options
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._attributes = attributes
        self._parameters = Parameters(python_function, input_signature)
        self._traces: dict[Any, ConcreteFunction] = {}
        self._fast: dict[Any, Any] = {}
        self._bound: Any = None
        self._tracing_count = 0
        self._counts = retracing_of(python_function)
        self._last: Any = None  # the kind of arguments it was made for
        self._may_make_variables = True
        functools.update_wrapper(self, python_function, updated=())

    # What it is.

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._name

    @property
    def input_signature(self) -> Any:
        """The specs of the arguments, if they were given."""
        return self._parameters.input_signature

    @property
    def function_spec(self) -> Any:
        """The parameters of the Python function."""
        return self._parameters

    @property
    def function_type(self) -> Any:
        """The signature of the Python function."""
        return self._parameters.signature

    def experimental_get_tracing_count(self) -> int:
        """Return how often the function was traced."""
        return self._tracing_count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Return what goes in and comes out of every trace, for people."""
        several = self._list_all_concrete_functions()
        return "\n\n".join(item.pretty_printed_signature() for item in several)

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return list(dict.fromkeys(self._traces.values()))

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Return what is saved of a function: its traces, in a SavedModel only."""
        traces = [] if save_type == "checkpoint" else self._list_all_concrete_functions()
        return {f"trace_{number}": concrete for number, concrete in enumerate(traces)}

    # Calling.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the trace for these arguments; make it first if there is none."""
        device = current.fast
        is_watched = watch.on or watch.unit is not None
        if device is not None and not kwargs and not current.tapes and not is_watched:
            key: list[Any] = [device]
            contents: list[Any] = []
            for value in args:
                if type(value) is EagerTensor and value._device is device:
                    content = value._value
                    key.append(content.dtype)
                    key.append(getattr(content, "shape", None))
                    contents.append(content)
                elif type(value) in _PLAIN:
                    key.append(type(value))
                    key.append(value)
                else:
                    break
            else:
                entry = self._fast.get(tuple(key))
                if entry is not None and not function_mode.run_eagerly:
                    self._counts.found += 1
                    return entry(contents)
                return self._call(args, kwargs, tuple(key))
        return self._call(args, kwargs, None)

    def _call(self, args: Any, kwargs: Any, key: tuple[Any, ...] | None) -> Any:
        if function_mode.run_eagerly:
            return self.python_function(*args, **kwargs)
        taken = self._parameters.taken(args, kwargs)
        count = self._tracing_count
        concrete = self._trace_for(taken)
        if current.interpreter is Scope.eager:
            if self._tracing_count == count:
                self._counts.found += 1
            else:
                self._note(taken)
        tell_tapes(taken.arguments.variables)
        tensors = [leaf.value for leaf in taken.arguments.leaves]
        result = concrete.call_flat(tensors)
        if (
            key is not None
            and current.fast is key[0]
            and concrete.executor.compile_with is None
            and not inventory().is_joined  # it may belong to another process
            # Defaults may be tensors, too: those are not among what a call is given.
            and len(tensors) == sum(type(value) is EagerTensor for value in args)
        ):
            self._fast[key] = _fast_entry(concrete, key[0], len(tensors))
        return result

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for arguments, or for specs of them."""
        if not args and not kwargs and self._parameters.input_signature is not None:
            return self._trace_for(self._parameters.from_specs())
        taken = self._parameters.taken(args, kwargs)
        concrete = self._trace_for(taken)
        if concrete._call_form.has_names_of(taken.named):
            return concrete
        # Specs with other names: the placeholders, and with them the signature, are called so.
        renamed = self._traced(taken)
        for key in [key for key, known in self._traces.items() if known is concrete]:
            self._traces[key] = renamed
        return renamed

    def _trace_for(self, taken: Taken) -> ConcreteFunction:
        form, shapes = taken.form, taken.shapes
        graph = current_graph()
        here = None if graph is None else weakref.ref(graph)
        # A trace that uses nothing of the graph around it serves everywhere.
        anywhere = None if graph is None or isinstance(graph, FuncGraph) else here
        for surroundings in (anywhere, here):
            result = self._traces.get((surroundings, form, shapes))
            if result is not None:
                return result
        with _lock if current.replica is None else nullcontext():  # replicas take turns
            near = [
                (known_form, known, concrete)
                for (around, known_form, known), concrete in list(self._traces.items())
                if around in (anywhere, here)
            ]
            same = [(known, trace) for wide, known, trace in near if admits(wide, form)]
            fitting = [pair for pair in same if covers(pair[0], shapes)]
            if fitting:
                best = fitting[0]
                for pair in fitting[1:]:
                    if covers(best[0], pair[0]):
                        best = pair
                self._traces[here if _is_bound(best[1]) else anywhere, form, shapes] = best[1]
                return best[1]
            if self._reduce_retracing:
                taken = _widened(taken, [concrete for _, _, concrete in near])
                form = taken.form
                same_form = [known for wide, known, _ in near if admits(form, wide)]
                shapes = _relaxed(taken.shapes, same_form)
            taken = taken._replace(shapes=shapes)
            concrete = self._traced(taken)
            self._traces[here if _is_bound(concrete) else anywhere, form, shapes] = concrete
            return concrete

    @phase("tracing")
    def _traced(self, taken: Taken) -> ConcreteFunction:
        making = Making(self._may_make_variables)
        concrete = self._trace(taken, making)
        if making.made:
            # The variables exist now: a second trace finds them, and may make no others.
            concrete = self._trace(taken, Making(False))
        self._may_make_variables = False
        return concrete

    def _trace(self, taken: Taken, making: Making) -> ConcreteFunction:
        # Specs in place of tensors: a trace must not keep its first call's arguments alive.
        named = [(name, spec_of(value)) for name, value in taken.named]
        form = CallForm(named, taken.positional, self._parameters.spreads)
        result = trace(self._converted(), self._name, taken, form, making, self._compiler())
        self._tracing_count += 1
        return result

    def _note(self, taken: Taken) -> None:
        """Count a trace, for the warning about too many."""
        now = (taken.form, taken.shapes, [leaf.name for leaf in taken.arguments.leaves])
        function = getattr(self.python_function, "__func__", self.python_function)
        self._counts.traced(function, self._last, now)
        self._last = now

    def _converted(self) -> Any:
        if not self._autograph:
            return self.python_function

        return converted(self.python_function)

    def _compiler(self) -> Any:
        if not (function_mode.compile_all if self._jit_compile is None else self._jit_compile):
            return None

        return compile_with

    # As a Python object.

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        if self._bound is None:
            self._bound = weakref.WeakKeyDictionary()
        try:
            result = self._bound.get(instance)
        except TypeError:  # neither hashable nor to be referred to weakly
            return self._for(instance)
        if result is None:
            result = self._bound[instance] = self._for(instance)
        return result

    def _for(self, instance: Any) -> Function:
        return type(self)(
            Method(self.python_function, instance),
            self._name,
            self._parameters.input_signature,
            self._autograph,
            self._jit_compile,
            self._reduce_retracing,
            self._autograph_options,
            self._attributes,
        )

    def _decorate(self, decorator: Any) -> None:
        if self._traces:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self.python_function = decorator(self.python_function)

    def __reduce__(self) -> Any:
        return (
            _remade,
            (
                self.python_function,
                self._parameters.input_signature,
                self._autograph,
                self._jit_compile,
                self._reduce_retracing,
            ),
        )

    def __repr__(self) -> str:
        kind = "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function"
        return f"<{kind} object at {id(self):#x}>"


def _remade(
    function: Callable[..., Any], signature: Any, autograph: bool, jit: Any, relaxes: bool
) -> Function:
    return Function(function, None, signature, autograph, jit, relaxes)


def _is_bound(concrete: ConcreteFunction) -> bool:
    """Return True if a trace uses tensors of the graph around it."""
    return any(not isinstance(source, EagerTensor) for source in concrete.captured_inputs)


def _widened(taken: Taken, traces: list[ConcreteFunction]) -> Taken:
    """Return arguments whose composites are described so widely that known traces fit, too."""
    named = taken.named
    for concrete in traces:
        known = concrete._call_form.named
        if [name for name, _ in known] == [name for name, _ in named]:
            pairs = zip(named, known, strict=True)
            wider = [(name, widened(value, other)) for (name, value), (_, other) in pairs]
            if all(
                new is not None or old is None
                for (_, new), (_, old) in zip(wider, named, strict=True)
            ):
                named = wider
    described = Arguments(named)
    return taken._replace(named=named, form=described.form, shapes=described.shapes)


def _relaxed(shapes: tuple[Any, ...], known: list[Any]) -> Any:
    for other in known:
        wider = relaxed(shapes, other)
        if wider is not None:
            shapes = wider
    return shapes


def _fast_entry(concrete: ConcreteFunction, device: Device, count: int) -> Any:
    """Return a function of contents on one device that runs a trace with nothing in between."""
    runner = concrete.executor.runner((device,) * count)
    call, devices = runner.run, runner.devices
    pack = concrete._pack
    single = len(devices) == 1 and concrete.structured_tensors is concrete.outputs[0]
    where = devices[0] if single else None

    def run_single(contents: list[Any]) -> Any:
        (value,) = call(contents)
        return wrap(value, where)

    def run(contents: list[Any]) -> Any:
        values = call(contents)
        return pack([wrap(value, home) for value, home in zip(values, devices, strict=True)])

    return run_single if single else run


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """Return a callable that traces `func` into a graph and runs that graph's plan.

    Used as a decorator, with or without options. A call whose arguments are of a new kind (other
    dtypes, shapes or Python values) runs the Python once to write a graph; later calls of that kind
    run only the graph. Python effects such as `print` and list appends happen while tracing, ops
    and changes of variables at every call. Variables may be made in the first trace only.

    `func`: the function. Without it a decorator comes back.
    `input_signature`: specs of the arguments; then there is one trace, for all that fits them.
    `autograph`: turn `if`, `for` and `while` on tensors into ops of the graph.
    `jit_compile`: hand the plan to torch's compiler. Where that cannot be, the plan runs as it is
        and a warning says why.
    `reduce_retracing`: after a second trace, make one that takes any shape.
    `experimental_autograph_options`: options of `tf.autograph.experimental.Feature`.
    `experimental_attributes`: kept with the function, for its GraphDef.
    `experimental_implements`, `experimental_follow_type_hints`: accepted, without effect.
    `experimental_relax_shapes`, `experimental_compile`: the former names of `reduce_retracing` and
    `jit_compile`.

    Raises TypeError for arguments that do not fit a signature, ValueError if a later call would
    make a variable. `get_concrete_function(…).source()` shows the Python that a call runs.

    >>> @tf.function
    ... def power(x, n):
    ...     result = tf.ones_like(x)
    ...     for _ in tf.range(n):
    ...         result *= x
    ...     return result
    >>> power(tf.constant(2.0), tf.constant(3)).numpy()
    np.float32(8.0)
    >>> power.experimental_get_tracing_count()
    1
    """
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes
    if experimental_compile is not None:
        jit_compile = experimental_compile

    def decorated(inner: Callable[..., Any]) -> Function:
        return Function(
            inner,
            None,
            input_signature,
            autograph,
            jit_compile,
            reduce_retracing,
            experimental_autograph_options,
            experimental_attributes,
        )

    return decorated if func is None else decorated(func)


Function.__module__ = "tensorflow.python.eager.polymorphic_function.polymorphic_function"
