"""`tf.Graph`: operations in the order they were made, by name; and the scopes that shape them."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.gc_pause import seldom_searched
from placewise.core.scope import current, era, replaced
from placewise.devices.names import canonical, merge_graph, to_text
from placewise.graph import lazy
from placewise.graph.lookup import find
from placewise.graph.names import VALID, Names
from placewise.graph.operation import Operation
from placewise.graph.overrides import checked as checked_overrides
from placewise.graph.overrides import override, put_in_container
from placewise.graph.subgraphs import Block, capture
from placewise.graph.tensor import GraphTensor


class Scopes:
    """What is in force in one thread while a graph is built: names, devices, control, groups."""

    def __init__(self) -> None:
        self.name = ""
        self.devices: tuple[Any, ...] = ()
        self.control: tuple[Operation, ...] = ()
        self.colocate: tuple[Operation, ...] = ()
        self.block: Block | None = None
        self.container = ""  # where the state of ops is kept
        self.overrides: dict[str, str] = {}  # op types → names of registered gradients
        self.gradients = ""  # of which call of tf.gradients operations are being made


class _Threads(threading.local):
    """The scopes of each thread."""

    def __init__(self) -> None:
        self.scopes = Scopes()


class LibraryFunction(NamedTuple):
    """A function of a graph's library."""

    definition: Any

    @property
    def cached_definition(self) -> Any:
        """The FunctionDef."""
        return self.definition

    @property
    def name(self) -> str:
        """How nodes call it."""
        return str(self.definition.signature.name)


class Graph:
    """Operations, and the tensors between them.

    `tensor_equality`: let `==` of its tensors compare elements, as in TensorFlow 2; by default it
        compares identity, as in TensorFlow 1.

    `with graph.as_default():` lets ops be written into it instead of running. `get_operations`,
    `get_tensor_by_name`, collections and `as_graph_def` read it. `finalize` forbids changes: then
    adding an operation raises RuntimeError.

    >>> graph = Graph()
    >>> with graph.as_default():
    ...     total = tf.constant(1.0, name="one") + 2.0
    >>> [operation.name for operation in graph.get_operations()]
    ['one', 'add/y', 'add']
    """

    # Do operations that act on something run even if no fetch depends on them?
    runs_effects = False
    array_class: Any = None  # the class of its TensorArrays, if it is not that of graphs
    has_overrides = False  # does an operation have a gradient rule of its own?
    last_loss_reduction: str | None = None  # how `tf.losses` reduced the loss that was made last
    loss_replicas = 1  # how many replicas of an Estimator's model share one loss

    def __init__(self, tensor_equality: bool = False) -> None:
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}  # brought up to date when it is asked
        self._named = 0  # how many operations are in it
        self._names = Names()
        self._lock = threading.RLock()
        self._threads = _Threads()
        self._collections: dict[Any, list[Any]] = {}
        self._finalized = False
        self.seed: int | None = None
        self.tensor_equality = tensor_equality
        self._session_stack: list[Any] = []
        self._unfeedable: set[int] = set()
        self._seeds_taken: dict[Block | None, int] = {}
        # How many ops TensorFlow 1 has for loops and branches beside those that stand here.
        self.further_ops = 0
        self.library: dict[str, Any] = {}  # functions that a program added, by name

    # Scopes.

    @property
    def scopes(self) -> Scopes:
        """The scopes in force in this thread."""
        return self._threads.scopes

    @contextmanager
    def _changed(self, **values: Any) -> Iterator[None]:
        scopes = self.scopes
        before = {field: getattr(scopes, field) for field in values}
        for field, value in values.items():
            setattr(scopes, field, value)
        try:
            yield
        finally:
            for field, value in before.items():
                setattr(scopes, field, value)

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Make this the graph that ops are added to, in this thread."""
        if era.base is not None:  # a program of TensorFlow 1: dimensions are objects
            era.dimensions_are_objects = True
        recorder = lazy.Recorder(self)
        with seldom_searched(), replaced(interpreter=recorder, request="", requests=(), tapes=()):
            yield self
            if current.interpreter is not recorder:
                raise AssertionError(
                    f"Nesting violated for default stack of {type(self)} objects"
                    "\n  leave graphs in the reverse of the order they were entered in"
                )

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Prefix the names of what is made in the block; each entry gets a scope of its own."""
        if name:
            self._check_scope(name)
        if not name:
            scope = ""
        elif name.endswith("/"):
            scope = name
        else:
            scope = self.unique_name(name) + "/"
        with self._changed(name=scope):
            yield scope

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Ask that the ops of the block run on a device; a function decides op by op."""
        request = device_name_or_function
        if request is not None and not callable(request):
            request = canonical(to_text(request))
        stack = (*self.scopes.devices, request)
        with self._changed(devices=stack):
            yield
            if self.scopes.devices is not stack:
                raise RuntimeError(
                    "Exiting device scope without proper scope nesting."
                    "\n  leave tf.device blocks in the reverse of the order they were entered in"
                )

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Let the ops of the block run only after `control_inputs`; None forgets outer ones."""
        if control_inputs is None:
            with self._changed(control=(), block=None):  # outside of loops and branches, too
                yield
            return
        operations = [self.as_operation(source) for source in control_inputs]
        before = self.scopes.control
        control = (*before, *[op for op in operations if op not in before])
        with self._changed(control=control):
            yield
            if self.scopes.control is not control:
                raise AssertionError(
                    "Exiting control_dependencies without proper scope nesting: leave the blocks "
                    "in the reverse of the order they were entered in"
                )

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Put the ops of the block where `op` is."""
        if op is None:
            if not ignore_existing:
                raise ValueError(
                    "Trying to reset colocation (op is None) but ignore_existing is not True"
                )
            with self._changed(colocate=(), devices=()):
                yield
            return
        target = self.as_operation(op)
        outer = () if ignore_existing else self.scopes.colocate
        with self._changed(colocate=(*outer, target), devices=(target.device or None,)):
            yield

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Keep the state that ops of the block make in a container of that name."""
        with self._changed(container=container_name):
            yield container_name

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Let ops of the block, by their type, use gradients of `tf.RegisterGradient`."""
        more = checked_overrides(op_type_map)
        with self._changed(overrides={**self.scopes.overrides, **more}):
            yield

    @property
    def _functions(self) -> dict[str, Any]:
        """The functions of the graph's library, as libraries read them: `.definition`, by name."""
        written = lazy.to_graph_def(self).library.function
        return {item.signature.name: LibraryFunction(item) for item in written}

    def _get_control_flow_context(self) -> None:
        """Return None, as TensorFlow does where branches and loops are functions of their own."""

    def get_name_scope(self) -> str:
        """Return the name scope in force, without the slash at its end."""
        return self.scopes.name.rstrip("/")

    def switch_to_thread_local(self) -> None:
        """Do nothing: scopes are each thread's own from the beginning."""

    def _check_scope(self, name: str) -> None:
        # Within a scope, names may begin with what no operation's own name begins with.
        whole = f"x/{name}" if self.scopes.name else name
        if not VALID.match(whole):
            raise ValueError(f"'{name}' is not a valid scope name")

    # Building.

    def create_op(
        self,
        op_type: str,
        inputs: TensorLike,
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: Mapping[Any, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Add an operation of any op, by the op's name."""
        operation: Operation = lazy.create_op(self, op_type, inputs, name, attrs)
        return operation

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return a name nobody has, under the scope in force."""
        name = self._threads.scopes.name + name
        self._lock.acquire()  # `with` takes twice as long, for each operation
        try:
            return self._names.unique(name, mark_as_used)
        finally:
            self._lock.release()

    def add(
        self,
        declaration: Any,
        name: str,
        spread: tuple[Any, ...],
        attrs: dict[str, Any],
        outputs: list[tuple[Any, Any]],
        origin: Any,
    ) -> Operation:
        """Add an operation; `outputs` are (dtype, shape) pairs."""
        scopes = self._threads.scopes
        block = scopes.block
        if block is not None or _has_inner(spread):
            spread = capture(spread, block, name)
        self._lock.acquire()
        try:
            if self._finalized:
                self.check_changeable()
            groups: tuple[Any, ...] = ()
            if scopes.colocate:
                groups = tuple(sorted({item for op in scopes.colocate for item in _groups_of(op)}))
            control = _still_needed(scopes.control, spread) if scopes.control else ()
            operation = Operation(
                self,
                len(self._operations),
                name,
                declaration,
                spread,
                attrs,
                "",
                control,
                groups,
                origin,
                block,
                outputs,
            )
            if scopes.container:
                operation.attrs = put_in_container(declaration, attrs, scopes.container)
            if scopes.overrides and declaration.name in scopes.overrides:
                override(operation, scopes.overrides[declaration.name])
            if scopes.devices:
                operation.device = merge_graph(scopes.devices, functools.partial(_asked, operation))
            for beside in scopes.colocate:
                # A device scope inside of colocate_with does not move an op away from the other.
                operation.device = beside.device or operation.device
            if block is not None:
                block.operations.append(operation)
            self._operations.append(operation)
        finally:
            self._lock.release()
        return operation

    def check_changeable(self) -> None:
        """Raise RuntimeError if the graph is finalized."""
        if self._finalized:
            raise RuntimeError(
                hint(
                    "Graph is finalized and cannot be modified.",
                    "add all operations before the session starts; make tf.assign and the "
                    "like once, outside of the loop",
                )
            )

    def forget_since(self, version: int) -> None:
        """Take out the operations added since the graph had a version."""
        with self._lock:
            for op in self._operations[version:]:
                self._names.forget(op.name)
            del self._operations[version:]
            self._by_name.clear()
            self._named = 0

    # Finding.

    def get_operations(self) -> list[Operation]:
        """Return every operation, in the order they were made."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation of that name."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        operation: Operation = self.as_graph_element(name, allow_tensor=False)
        return operation

    def get_tensor_by_name(self, name: str) -> GraphTensor:
        """Return the tensor of that name: an operation's name, a colon and a number."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        tensor: GraphTensor = self.as_graph_element(name, allow_operation=False)
        return tensor

    def as_operation(self, obj: Any) -> Operation:
        """Return the operation that `obj` is, or that makes it."""
        if isinstance(obj, Operation):
            return obj
        if isinstance(obj, GraphTensor):
            op: Operation = obj.op
            return op
        if hasattr(obj, "op"):
            return self.as_operation(obj.op)
        operation: Operation = self.as_graph_element(obj, allow_tensor=False)
        return operation

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Return the tensor or operation that `obj` is or names."""
        return find(self, obj, allow_tensor, allow_operation)

    def operation_named(self, name: str) -> Operation | None:
        """Return the operation of that name, or None."""
        with self._lock:
            for op in self._operations[self._named :]:
                self._by_name[op.name] = op
            self._named = len(self._operations)
            return self._by_name.get(name)

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """Return the graph as a GraphDef message."""
        return lazy.to_graph_def(self, from_version, add_shapes)

    # Collections, seeds, state.

    def add_to_collection(self, name: str, value: Any) -> None:
        """Put a value into a collection."""
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Put a value into several collections."""
        for name in {names} if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Return the collection itself; changes to the list are kept."""
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """Return a collection's values, or those whose name begins with `scope` (a pattern)."""
        collection = list(self._collections.get(name, ()))
        if scope is None:
            return collection
        pattern = re.compile(scope)
        return [item for item in collection if hasattr(item, "name") and pattern.match(item.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """Return the names of all collections."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: str) -> None:
        """Empty a collection."""
        self._collections.pop(name, None)

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    @property
    def finalized(self) -> bool:
        """Can nothing be added any more?"""
        return self._finalized

    def finalize(self) -> None:
        """Let nothing be added from now on."""
        self._finalized = True

    @property
    def version(self) -> int:
        """A number that grows with every operation added."""
        return len(self._operations)

    def next_op_seed(self) -> int:
        """Return the seed of an op that has none of its own, where the graph has one.

        TensorFlow 1 takes the op's place in the graph; TensorFlow 2 counts the ops that ask, in
        each branch and each body of a loop anew, since they are graphs of their own there.
        """
        if era.is_tf1 and not self.building_function:
            return self.version + self.further_ops
        block = self.scopes.block
        taken = self._seeds_taken.get(block, 0)
        self._seeds_taken[block] = taken + 1
        return taken

    @property
    def building_function(self) -> bool:
        """Is this graph the body of a function?"""
        return False

    @property
    def graph_def_versions(self) -> Any:
        """The versions a GraphDef of this graph has, as a message."""
        return lazy.versions()

    def prevent_feeding(self, tensor: GraphTensor) -> None:
        """Refuse feeds of a tensor."""
        self._unfeedable.add(id(tensor))

    def is_feedable(self, tensor: GraphTensor) -> bool:
        """Return whether a tensor may be fed."""
        return id(tensor) not in self._unfeedable and tensor.op.block is None

    def prevent_fetching(self, op: Operation) -> None:
        """Refuse fetches of an operation."""
        self._unfeedable.add(id(op))

    def is_fetchable(self, element: Any) -> bool:
        """Return whether a tensor or operation may be fetched."""
        owner = getattr(element, "op", element)
        return id(element) not in self._unfeedable and owner.block is None

    def session_in_force(self) -> Any:
        """Return the default session of this thread, or None."""
        stack = current.sessions
        return stack[-1] if stack else None


def _has_inner(spread: tuple[Any, ...]) -> bool:
    """Return True if an input is part of a loop or branch."""
    for item in spread:
        if type(item) is list:
            for tensor in item:
                if tensor.op.block is not None:
                    return True
        elif item.op.block is not None:
            return True
    return False


def _groups_of(op: Operation) -> tuple[str, ...]:
    return op.colocation or (f"loc:@{op.name}",)


def _asked(op: Operation, function: Callable[[Operation], str], so_far: str) -> str:
    op.device = so_far
    return function(op) or ""


def _still_needed(control: tuple[Operation, ...], spread: tuple[Any, ...]) -> tuple[Operation, ...]:
    """Return the control inputs that the data inputs do not imply already."""
    if not control:
        return ()
    direct = {tensor.op for item in spread for tensor in (item if type(item) is list else [item])}
    return tuple(op for op in control if op not in direct)


Graph.__module__ = "tensorflow.python.framework.ops"
