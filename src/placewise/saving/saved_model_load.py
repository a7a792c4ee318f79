"""`tf.saved_model.load`: the objects of a SavedModel, with their variables and functions."""

from __future__ import annotations

import functools
import os
from contextlib import nullcontext
from typing import Any

from placewise.core.activity import phase
from placewise.core.dtypes import as_dtype
from placewise.core.errors import invalid
from placewise.core.foreign_words import read_as
from placewise.core.saveable import SaveableObject, SaveSpec
from placewise.core.shapes import TensorShape
from placewise.core.trackable import (
    AutoTrackable,
    ListWrapper,
    TrackableResource,
    _DictWrapper,
)
from placewise.eager.device_scope import device
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection_ref
from placewise.graph.defaults import get_default_graph
from placewise.graph.import_graph_def import load_ops_of
from placewise.ops.array.creation import constant, zeros
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io import paths
from placewise.ops.io.assets import Asset
from placewise.ops.io.tensor_proto import make_ndarray
from placewise.ops.state.variable import (
    Variable,
    VariableAggregationV2,
    VariableSynchronization,
    is_eager_variable,
)
from placewise.saving import lazy, revived_types
from placewise.saving import saved_model_names as names
from placewise.saving.load_context import get_load_options
from placewise.saving.object_restore import Restoring
from placewise.saving.restored_functions import RestoredFunction, concrete_function
from placewise.saving.saveable import is_eager
from placewise.saving.saved_model_loader import meta_graph_of, parse_saved_model
from placewise.saving.structured_values import decoded
from placewise.saving.variable_policy import VariablePolicy


class LoadOptions:
    """Settings of loading; variables are restored on this machine, all of them."""

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: Any = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases


LoadOptions.__module__ = "tensorflow.python.saved_model.load_options"


class UserObject(AutoTrackable):
    """An object of a SavedModel: what it held are its attributes again."""


class CallableUserObject(UserObject):
    """One that could be called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call what the saved object's own `__call__` was."""
        return self.__dict__["__call__"](*args, **kwargs)


for _kind in (UserObject, CallableUserObject):
    _kind.__name__ = _kind.__qualname__ = "_UserObject"
    _kind.__module__ = "tensorflow.python.saved_model.load"


class RestoredResource(TrackableResource):
    """A table or the like: functions of the model make it, fill it, save and restore it."""

    def __init__(self) -> None:
        super().__init__()
        self._self_saving: dict[str, tuple[Any, Any]] = {}  # attribute → what saves and restores it

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            name: functools.partial(_RestoredSaveable, self, *both)
            for name, both in self._self_saving.items()
        }


class _RestoredSaveable(SaveableObject):
    """The state of a resource, by the functions that were saved with it."""

    def __init__(self, op: Any, save: Any, restore: Any, name: Any) -> None:
        self._restore = restore
        specs = []
        for part in save(convert_to_tensor(name)):
            tensor, key, cut = part["tensor"], part["name"], part["slice_spec"]
            if hasattr(key, "numpy"):
                key, cut = key.numpy().decode(), cut.numpy().decode()
            specs.append(SaveSpec(tensor, cut, key))
        super().__init__(op, specs, name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Hand restored tensors to the function that puts them in place."""
        return self._restore(*restored_tensors)


class SignatureMap(dict[str, Any]):
    """The signatures of a model by name."""

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self)!r})"


class Loader:
    """Makes the objects of one meta graph."""

    def __init__(self, meta: Any, folder: str, options: LoadOptions) -> None:
        self.meta, self.folder, self.options = meta, folder, options
        self.graph = meta.object_graph_def
        self.library = {f.signature.name: f for f in meta.graph_def.library.function}
        self.constants = {n.name: n for n in meta.graph_def.node if n.op == "Const"}
        self.objects: dict[int, Any] = {}
        self.functions: dict[str, Any] = {}
        self.parameters: dict[str, list[str]] = {}

    def load(self) -> Any:
        """Return the root object."""
        nodes = self.graph.nodes
        for node in nodes:
            if node.WhichOneof("kind") == "function":
                spec = decoded(node.function.function_spec.fullargspec)
                drop = 1 if node.function.function_spec.is_method else 0
                for each in node.function.concrete_functions:
                    self.parameters[each] = list(spec.args)[drop:] if spec is not None else []
        for number in range(len(nodes)):
            self.object(number)
        for number, node in enumerate(nodes):
            self._attach(number, node)
            for name, both in node.saveable_objects.items():
                if isinstance(self.objects[number], RestoredResource):
                    self.objects[number]._self_saving[name] = (
                        self.object(both.save_function),
                        self.object(both.restore_function),
                    )
        root = self.objects[0]
        self._restore(root)
        for node_object in self.objects.values():
            start = getattr(node_object, "__dict__", {}).get("_initialize")
            if isinstance(node_object, RestoredResource) and start is not None:
                _start(_function(start, "'_initialize' of a resource"))
        root.tensorflow_version = self.meta.meta_info_def.tensorflow_version
        root.tensorflow_git_version = self.meta.meta_info_def.tensorflow_git_version
        if "signatures" not in root.__dict__:
            root.signatures = SignatureMap()
        if self.options.experimental_load_function_aliases:
            root.function_aliases = self._aliases()
        return root

    def _aliases(self) -> dict[str, Any]:
        """Return the functions that have a second name, by it."""
        several: dict[str, list[Any]] = {}
        specs = {}
        for name, alias in self.meta.meta_info_def.function_aliases.items():
            several.setdefault(alias, []).append(self.concrete(name))
            for node in self.graph.nodes:
                if name in node.function.concrete_functions:
                    specs[alias] = node.function.function_spec
        return {
            alias: RestoredFunction(alias, specs[alias], traces) if alias in specs else traces[0]
            for alias, traces in several.items()
        }

    def object(self, number: int) -> Any:
        """Return the object of a node, made if it is not there yet."""
        if number not in self.objects:
            self.objects[number] = self._made(self.graph.nodes[number])
        return self.objects[number]

    def _made(self, node: Any) -> Any:
        kind = node.WhichOneof("kind")
        if kind == "variable":
            keeps_devices = self.options.experimental_variable_policy is not VariablePolicy.NONE
            saved_device = node.variable.device if keeps_devices else ""
            with device(saved_device) if saved_device else nullcontext():
                return _variable(node.variable)
        if kind == "constant":
            proto = self.constants[node.constant.operation].attr["value"].tensor
            return constant(make_ndarray(proto))
        if kind == "asset":
            name = self.meta.asset_file_def[node.asset.asset_file_def_index].filename
            return Asset(os.path.join(self.folder, names.ASSETS_DIRECTORY, name))
        if kind == "function":
            several = [self.concrete(each) for each in node.function.concrete_functions]
            return RestoredFunction("function", node.function.function_spec, several)
        if kind == "bare_concrete_function":
            return self.concrete(node.bare_concrete_function.concrete_function_name)
        if kind == "resource":
            return RestoredResource()
        if kind == "captured_tensor":
            raise NotImplementedError(
                "the SavedModel captures a tensor of another function, which placewise cannot load"
            )
        identifier = node.user_object.identifier
        if identifier == "trackable_list_wrapper":
            return ListWrapper()
        if identifier == "trackable_dict_wrapper":
            return _DictWrapper()
        if identifier == "signature_map":
            return SignatureMap()
        if identifier == "trackable_tuple_wrapper":
            held = sorted(node.children, key=lambda child: int(child.local_name))
            return tuple(self.object(child.node_id) for child in held)
        revived = revived_types.revive(node.user_object)
        if revived is not None:
            return revived
        is_callable = any(child.local_name == "__call__" for child in node.children)
        return CallableUserObject() if is_callable else UserObject()

    def concrete(self, name: str) -> Any:
        """Return a concrete function by name."""
        if name not in self.functions:
            saved = self.graph.concrete_functions[name]
            captured, variables = [], []
            for number in saved.bound_inputs:
                held = self.object(number)
                captured.append(self._captured(number, held))
                if isinstance(held, Variable):
                    variables.append(held)
            self.functions[name] = concrete_function(
                self.library[name],
                self.library,
                captured,
                variables,
                saved,
                self.parameters.get(name, []),
            )
        return self.functions[name]

    def _captured(self, number: int, held: Any) -> Any:
        if isinstance(held, Variable):
            return held.handle
        if isinstance(held, Asset):
            return held.asset_path
        if isinstance(held, RestoredResource):
            if held._self_handle is None:
                children = self.graph.nodes[number].children
                made_by = {child.local_name: child.node_id for child in children}
                if "_create_resource" not in made_by:
                    raise invalid(
                        f"the SavedModel is damaged: node {number} is a resource that a function "
                        "captures, and has no function '_create_resource' which makes it"
                    )
                made = self.object(made_by["_create_resource"])
                held._self_handle = _function(made, f"'_create_resource' of node {number}")()
            return held._self_handle
        return held

    def _attach(self, number: int, node: Any) -> None:
        """Give an object what it holds."""
        obj = self.objects[number]
        if isinstance(obj, tuple):
            return
        if set_child := revived_types.get_setter(node.user_object):
            for child in node.children:
                set_child(obj, child.local_name, self.objects[child.node_id])
            return
        for child in node.children:
            value, name = self.objects[child.node_id], child.local_name
            if isinstance(obj, ListWrapper):
                place = int(name)
                while len(obj) <= place:
                    list.append(obj, None)
                list.__setitem__(obj, place, value)
            elif isinstance(obj, (_DictWrapper, SignatureMap)):
                dict.__setitem__(obj, name, value)
            elif isinstance(obj, AutoTrackable):
                if isinstance(value, RestoredFunction):
                    value._name = name
                obj.__dict__[name] = value

    def _restore(self, root: Any) -> None:
        path = os.path.join(self.folder, names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
        if self.options.experimental_skip_checkpoint or not os.path.exists(f"{path}.index"):
            return
        restoring = Restoring(path)
        restoring._farewell.is_partial = True
        # The checkpoint's nodes are numbered in its own way; names lead from one to the other.
        restoring.restore(root)
        # In a graph a session restores: initializing a variable is reading it from the checkpoint.
        for variable, value in restoring.assigned:
            variable._initialize_with(value)
        for operation in restoring.operations:
            add_to_collection(GraphKeys.TABLE_INITIALIZERS, operation)
        missing = [
            each
            for each in self.objects.values()
            if isinstance(each, Variable)
            and not any(each is found for found in restoring.found.values())
        ]
        if missing and not self.options.allow_partial_checkpoint:
            raise AssertionError(
                f"Found {len(missing)} Python objects that were not bound to checkpointed values: "
                f"{missing[:10]}"
            )


def _function(made: Any, what: str) -> Any:
    """Return an object if it is a function; a damaged file may have anything in its place."""
    if isinstance(made, UserObject) or not callable(made):
        raise invalid(f"the SavedModel is damaged: {what} is no function")
    return made


def _start(initialize: Any) -> None:
    """Fill a table or the like; in a graph a session does it, with the other tables."""
    if is_eager():
        initialize()
        return
    graph = get_default_graph()
    count = len(graph.get_operations())
    initialize()
    for operation in graph.get_operations()[count:]:
        if operation.declaration.stateful and not operation.outputs:
            add_to_collection(GraphKeys.TABLE_INITIALIZERS, operation)


def _variable(saved: Any) -> Variable:
    shape = TensorShape(saved.shape)
    dtype = as_dtype(saved.dtype)
    dims = [] if shape.rank is None else [0 if d is None else d for d in shape.as_list()]
    made = Variable(
        zeros(dims, dtype),
        trainable=saved.trainable,
        dtype=dtype,
        shape=shape,
        synchronization=VariableSynchronization(saved.synchronization),
        aggregation=VariableAggregationV2(saved.aggregation),
    )
    if not is_eager_variable(made):
        # As in TensorFlow, optimizers of a graph are not given what was loaded.
        trainable = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        trainable[:] = [each for each in trainable if each is not made]
        return made
    made._name = saved.name or "Variable"
    return made


@phase("restoring")
def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """Return the object that was saved to a folder, with its variables and functions.

    `export_dir`: the folder of a SavedModel, written here or by TensorFlow.
    `tags`: which graph to load, where the folder has several.
    `options`: a `tf.saved_model.LoadOptions`.

    Attributes are what the saved object had: variables, functions, other objects. `signatures`
    holds the functions of serving systems. Variables are placed anew, on the devices there are.
    Raises OSError if there is no SavedModel, ValueError if several graphs are there and no tags.

    >>> saved = tf.Module()
    >>> saved.w = tf.Variable([1.0, 2.0])
    >>> tf.saved_model.save(saved, "saved")
    >>> tf.saved_model.load("saved").w.numpy()
    array([1., 2.], dtype=float32)
    """
    folder = paths.local_path(export_dir)
    saved = parse_saved_model(folder)
    if tags is not None:
        wanted = [tags] if isinstance(tags, str) else list(tags)
        meta = meta_graph_of(saved, wanted)
    elif len(saved.meta_graphs) != 1:
        available = [list(each.meta_info_def.tags) for each in saved.meta_graphs]
        raise ValueError(
            "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if "
            f"there is more than one MetaGraph. Got `tags=None`, but there are "
            f"{len(available)} MetaGraphs in the SavedModel with the following tags: {available}"
        )
    else:
        meta = saved.meta_graphs[0]
    if not meta.HasField("object_graph_def"):
        with read_as("The SavedModel"):
            return lazy.load_graph(meta, folder)

    load_ops_of(meta.graph_def)
    with read_as("The SavedModel"):
        return Loader(meta, folder, options or get_load_options() or LoadOptions()).load()


load_v2 = load  # TensorFlow 1's name for it
