"""`tf.saved_model.save`: an object with its variables and traced functions, as TensorFlow reads it.

The objects and their functions are for TensorFlow 2. The graph beside them, with the signatures
written out and a saver of its own, is for programs and servers that know graphs only.
"""

from __future__ import annotations

import inspect
import itertools
import logging
import os
import shutil
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core import nest
from placewise.core.activity import phase
from placewise.core.errors import hint
from placewise.core.tensor import Tensor
from placewise.core.trackable import (
    AutoTrackable,
    SequenceView,
    Trackable,
    TrackableResource,
    is_trackable,
)
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.messages import add_function
from placewise.functions.polymorphic import Function
from placewise.graph.function_defs import Library
from placewise.graph.resource_variables import ResourceVariable
from placewise.ops.checkpoint import save_ops
from placewise.ops.flow.context import inside_function
from placewise.ops.io import paths
from placewise.ops.io.assets import Asset
from placewise.ops.specs import TensorSpec, TypeSpec, type_spec_from_value
from placewise.ops.state.variable import is_eager_variable
from placewise.saving import revived_types
from placewise.saving import saved_model_names as names
from placewise.saving.checkpoint import write_from_session
from placewise.saving.debug_info import write_debug_info
from placewise.saving.graph_reads import GraphReads
from placewise.saving.load_dependencies import load_dependencies
from placewise.saving.meta_graph import write_graph_message
from placewise.saving.object_graph import ObjectGraph
from placewise.saving.object_names import OBJECT_GRAPH
from placewise.saving.restored_functions import RestoredFunction
from placewise.saving.saveable import is_eager
from placewise.saving.saved_datasets import SavedDataset, is_saved_dataset
from placewise.saving.saved_model_load import RestoredResource, SignatureMap
from placewise.saving.saved_resources import SavedResource, makers, saved_state
from placewise.saving.serving_graph import serving_graph
from placewise.saving.structured_values import encoded
from placewise.saving.variable_policy import VariablePolicy
from placewise.session.session import get_default_session

if TYPE_CHECKING:
    from placewise.functions.function_types import Callable
    from placewise.ops.state.module import Module


class SaveOptions:
    """Settings of saving; only what concerns files of this machine has an effect."""

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: Any = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        self.namespace_whitelist = namespace_whitelist
        self.save_debug_info = save_debug_info
        self.function_aliases = function_aliases
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


SaveOptions.__module__ = "tensorflow.python.saved_model.save_options"

_FUNCTIONS = (Function, ConcreteFunction, RestoredFunction)
_SHOWN_UNTRACED = 5
_absl_log = logging.getLogger("absl")


class _Signatures(Trackable):
    """The signatures of a model, as its walk meets them."""

    def __init__(self, by_name: dict[str, ConcreteFunction]) -> None:
        self.by_name = by_name


class _SavedObjects(ObjectGraph):
    """The objects below a root, with their functions."""

    def children_of(self, obj: Any) -> dict[str, Any]:
        """Return an object's children by name, functions among them."""
        if isinstance(obj, _Signatures):
            return dict(obj.by_name)
        if isinstance(obj, (*_FUNCTIONS, Asset)):
            return {}
        found = super().children_of(obj)
        if isinstance(obj, TrackableResource):
            found |= self._makers(obj)
        found |= self._datasets(obj)
        for name, function in functions_of(obj).items():
            found.setdefault(name, function)
        found.pop("signatures", None)
        return {**found, **self._extra} if obj is self.root else found

    def _datasets(self, obj: Any) -> dict[str, Any]:
        """Return the datasets that an object has as attributes; of one, what makes it again."""
        if isinstance(obj, AutoTrackable):
            return {n: v for n, v in vars(obj).items() if is_saved_dataset(v)}
        if not is_saved_dataset(obj):
            return {}
        made: dict[int, SavedDataset] = self.__dict__.setdefault("datasets", {})
        return {"_variant_tracker": made.setdefault(id(obj), SavedDataset(obj))}

    def _makers(self, obj: TrackableResource) -> dict[str, Any]:
        """Return the functions that make and fill a resource, traced once."""
        made: dict[int, dict[str, Any]] = self.__dict__.setdefault("makers", {})
        if id(obj) not in made:
            # One that was loaded has them already.
            made[id(obj)] = {} if isinstance(obj, RestoredResource) else makers(obj)
        return made[id(obj)]


def functions_of(obj: Any) -> dict[str, Any]:
    """Return the functions that an object has as attributes or methods."""
    if not isinstance(obj, AutoTrackable):
        return {}
    found = {n: v for n, v in vars(obj).items() if isinstance(v, _FUNCTIONS)}
    for name in dir(type(obj)):
        if name not in found and isinstance(inspect.getattr_static(type(obj), name), Function):
            found[name] = getattr(obj, name)
    return found


@phase("saving")
def save(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Write an object with its variables and functions to a folder as a SavedModel.

    `obj`: a `tf.Module` or other object that tracks what it holds; its `tf.function` attributes are
        saved with their traces.
    `export_dir`: the folder.
    `signatures`: a function, or a dict of them, that serving systems call by name. It must have an
        input signature or be a concrete function.
    `options`: a `tf.saved_model.SaveOptions`.

    TensorFlow loads what is written here. Raises ValueError if `obj` cannot be tracked.

    >>> class Doubler(tf.Module):
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def double(self, x):
    ...         return 2 * x
    >>> tf.saved_model.save(Doubler(), "doubler")
    >>> tf.saved_model.load("doubler").double([1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)
    """
    if not is_trackable(obj):
        raise ValueError(
            f"Expected an object of type `Trackable`, such as `tf.Module` or a "
            f"subclass of the `Trackable` class, for export. Got {obj} with type "
            f"{type(obj)}."
        )
    if inside_function():
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to "
            "the outer eagerly-executed context."
        )
    folder = paths.local_path(export_dir)
    _check_no_signatures(obj)
    served = _Signatures(_signatures(obj, signatures))
    objects = _SavedObjects(obj, {"signatures": served})
    _tell_untraced(objects)
    policy = VariablePolicy.NONE if options is None else options.experimental_variable_policy
    exporter = _Exporter(objects, policy)
    meta = exporter.meta_graph(served.by_name)
    meta.meta_info_def.tags.append(names.SERVING)
    meta.meta_info_def.tags.extend(getattr(options, "extra_tags", None) or ())
    for alias, function in (getattr(options, "function_aliases", None) or {}).items():
        several = function if isinstance(function, (list, tuple)) else [function]
        if not all(isinstance(each, _FUNCTIONS) for each in several):
            raise TypeError(
                f"Unsupported type {type(function)}. Functions in `function_aliases` should be "
                "created by tf.function, or concrete functions, or collections of concrete "
                "functions."
            )
        for each in itertools.chain.from_iterable(map(_traces, several)):
            name = exporter.functions.get(id(each)) or each.called
            meta.meta_info_def.function_aliases[name] = alias
    inner = os.path.join(folder, names.VARIABLES_DIRECTORY)
    with paths.told(inner):
        os.makedirs(inner, exist_ok=True)
        os.makedirs(os.path.join(folder, names.ASSETS_DIRECTORY), exist_ok=True)
    exporter.copy_assets(folder)
    if getattr(options, "save_debug_info", False):
        write_debug_info(exporter.traced, folder)
    _write_variables(obj, os.path.join(inner, names.VARIABLES_FILENAME))
    made = messages.SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION)
    made.meta_graphs.append(meta)
    write_graph_message(made, os.path.join(folder, names.SAVED_MODEL_FILENAME_PB), False)


def _tell_untraced(objects: _SavedObjects) -> None:
    """Log which functions cannot be called once the model is loaded: they have no trace."""
    untraced = [
        str(each.name)
        for each in objects.objects
        if isinstance(each, Function) and not _traces(each)
    ]
    if untraced:
        _absl_log.info(
            "Found untraced functions such as %s while saving (showing %d of %d). These functions "
            "will not be directly callable after loading.",
            ", ".join(untraced[:_SHOWN_UNTRACED]),
            min(_SHOWN_UNTRACED, len(untraced)),
            len(untraced),
        )


def _check_no_signatures(obj: Any) -> None:
    """Raise ValueError if an attribute of the program would be lost to the model's signatures."""
    children = ObjectGraph(obj).children_of(obj)
    if "signatures" in children and not isinstance(children["signatures"], SignatureMap):
        raise ValueError(
            f"Exporting an object {obj} which has an attribute named 'signatures'. This is a "
            "reserved attribute used to store SavedModel signatures in objects which come from "
            "`tf.saved_model.load`. Delete this attribute (e.g. `del obj.signatures`) before "
            "saving if this shadowing is acceptable."
        )


def _write_variables(obj: Any, prefix: str) -> None:
    if not is_eager():
        if get_default_session() is None:
            raise RuntimeError(
                f'Unable to save checkpoint to "{prefix}" in graph mode without a default session. '
                "Please use `with tf.Session():` to create a session."
            )
        graph, tensors = ObjectGraph(obj).to_proto(GraphReads())
        write_from_session(prefix, list(tensors), list(tensors.values()), graph, None)
        return
    graph, tensors = ObjectGraph(obj).to_proto()
    save_ops.save_v2(
        prefix,
        [*tensors, OBJECT_GRAPH],
        [""] * (len(tensors) + 1),
        [*tensors.values(), graph.SerializeToString()],
    )


# Signatures.


def _signatures(obj: Any, given: Any) -> dict[str, ConcreteFunction]:
    if given is None and isinstance(vars(obj).get("signatures"), SignatureMap):
        given = dict(obj.signatures)  # a model that was loaded keeps them
    if given is None:
        given = _default_of(obj)
    if given is None:
        candidates = [
            each
            for each in functions_of(obj).values()
            if (
                isinstance(each, (ConcreteFunction, RestoredFunction))
                or getattr(each, "input_signature", None) is not None
            )
            and all(_gives_tensors(concrete) for concrete in _traces(each))
        ]
        given = candidates[0] if len(candidates) == 1 else {}
        if isinstance(given, RestoredFunction):
            several = given.concrete_functions
            given = several[0] if len(several) == 1 else {}
    if isinstance(given, (Function, ConcreteFunction)) or not isinstance(given, dict):
        given = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    return {key: _signature(key, function) for key, function in given.items()}


def _signature(key: str, function: Callable) -> ConcreteFunction:
    """Return a function of named tensors that returns a dict of tensors."""
    defaults: dict[str, Any] = {}
    if isinstance(function, Function):
        if function.input_signature is None:
            raise _no_signature(function)
        defaults = _defaults(function)
        function = function.get_concrete_function()
    if not isinstance(function, ConcreteFunction):
        raise _no_signature(function)
    inputs = list(function.graph.inputs)
    args, kwargs = function.structured_input_signature
    labels: list[str] = []
    wanted: dict[str, TensorSpec] = {}
    known: dict[str, Any] = {}
    for name, part in [*_by_parameter(function, args), *kwargs.items()]:
        given = nest.flatten(defaults[name]) if name in defaults else []
        leaves = nest.flatten(part)
        for place, leaf in enumerate(leaves):
            if not isinstance(leaf, TypeSpec):
                continue
            for spec in leaf._components():
                tensor = inputs[len(labels)]
                label = (
                    _input_name(leaf, tensor) if isinstance(leaf, TensorSpec) else tensor.op.name
                )
                labels.append(label)
                wanted[label] = TensorSpec(spec.shape, tensor.dtype, label)
                if len(given) == len(leaves) and isinstance(given[place], Tensor):
                    known[label] = given[place]
    if len(wanted) != len(inputs):
        raise ValueError(
            f"the inputs of the signature {key!r} have no names of their own: {labels}"
        )

    def signature_wrapper(**tensors: Any) -> Any:
        return _named_results(function.call_flat([tensors[label] for label in labels]), key)

    made = Function(signature_wrapper, autograph=False).get_concrete_function(**wanted)
    made.signature_defaults = known
    return made


def _no_signature(function: Any) -> ValueError:
    return ValueError(
        "Expected a TensorFlow function for which to generate a signature, but got "
        f"{function}. Only `tf.functions` with an input signature or concrete functions can be "
        "used as a signature."
    )


def _by_parameter(function: ConcreteFunction, args: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """Return positional arguments with the names of their parameters."""
    names_ = [*function.function_type.parameters, *map(str, range(len(args)))]
    return list(zip(names_, args, strict=False))


def _defaults(function: Function) -> dict[str, Any]:
    """Return the default values of a function's parameters, by name."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function.python_function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


def _default_of(obj: Module) -> Any:
    """Return the signature that an object, as Keras's models, offers by itself, or None."""
    try:
        return getattr(obj, "_default_save_signature", None)
    except Exception:  # it has one for some kinds of arguments only
        return None


def _gives_tensors(concrete: Any) -> bool:
    """Return True if what a function returns can be the results of a signature."""
    try:
        return bool(_named_results(concrete.structured_tensors, ""))
    except ValueError:
        return False


def _input_name(spec: TensorSpec, tensor: Tensor) -> str:
    """Return how a signature calls an input: as the program does, of a structure as the graph."""
    own = str(spec.name or "")
    cleaned = "".join(c if c.isalnum() or c in "_." else "_" for c in own)
    return own if cleaned == tensor.op.name else str(tensor.op.name)


def _named_results(results: Any, key: str) -> dict[str, Any]:
    if isinstance(results, dict):
        found = results
    else:
        several = results if isinstance(results, (list, tuple)) else [results]
        numbered = enumerate(several)
        found = {f"output_{number}": each for number, each in numbered if each is not None}
    if any(not hasattr(each, "dtype") for each in found.values()):
        raise ValueError(
            f"Got a non-Tensor value for key {key} in the output of a signature: {results}. "
            "Signatures return tensors, lists of tensors or dicts of tensors."
        )
    return found


# Writing.


class _Exporter:
    """Writes the objects of one model as a meta graph."""

    def __init__(self, objects: _SavedObjects, policy: VariablePolicy) -> None:
        self.objects = objects
        self.dependencies = load_dependencies(objects)
        self.policy = policy
        self.meta = messages.MetaGraphDef()
        self.functions: dict[int, str] = {}
        self.traced: dict[str, ConcreteFunction] = {}  # the same by name
        self.handles: dict[int, int] = {}  # what functions capture → the node that it belongs to
        self.assets: list[Asset] = []
        self.files: list[str] = []  # their names in the model's folder
        self._paths: dict[str, str] = {}
        self.resources: dict[int, SavedResource] = {}

    def meta_graph(self, signatures: dict[str, ConcreteFunction]) -> Any:
        """Return the meta graph of objects, functions and signatures."""
        variables: dict[int, Any] = {}
        for number, obj in enumerate(self.objects.objects):
            variable = variable_of(obj)
            if variable is not None:
                self.handles.setdefault(id(variable.handle), number)
                place = ""
                if self.policy is not VariablePolicy.NONE:
                    place = _saved_device(variable, self.policy)
                variables.setdefault(id(variable.handle), (variable, self._key(number), place))
            elif isinstance(obj, Asset):
                self.handles[id(obj.asset_path)] = number
                self.assets.append(obj)
                self.files.append(_file_name(obj._path, self._paths))
            elif isinstance(obj, TrackableResource):
                self.handles[id(obj.resource_handle)] = number
                self.resources[number] = self._resource(obj, number)
        saved = [one for each in self.resources.values() for one in each.state.values()]
        stateful = [each for one in saved for each in (one.save, one.restore)]
        concretes = [*self._concrete_functions(), *stateful]
        captured = self._captured_constants(concretes, list(signatures.values()))
        constants = {f"captured_{index}": each for index, each in enumerate(captured)}
        meta, feeds = serving_graph(
            list(variables.values()),
            constants,
            [each.asset_path for each in self.assets],
            list(self.resources.values()),
            signatures,
        )
        self.meta.CopyFrom(meta)
        for name, feed in zip(self.files, feeds, strict=True):
            self.meta.asset_file_def.add(filename=name).tensor_info.name = feed
        taken = {node.name for node in self.meta.graph_def.node}
        library = Library(self.meta.graph_def, taken)
        graph = self.meta.object_graph_def
        for concrete in concretes:
            name = self.functions[id(concrete)] = add_function(library, concrete)
            self.traced[name] = concrete
            made = graph.concrete_functions[name]
            made.bound_inputs.extend(
                self.handles[id(outer)] for outer, _ in concrete.graph.captures
            )
            made.canonicalized_input_signature.CopyFrom(
                encoded(concrete.structured_input_signature)
            )
            made.output_signature.CopyFrom(encoded(_output_specs(concrete.structured_tensors)))
        for number in range(len(self.objects.objects)):
            self._add_node(graph.nodes.add(), number)
        for index in range(len(captured)):
            node = graph.nodes.add(registered_name="tf.TrackableConstant")
            node.constant.operation = f"captured_{index}"
        for number, resource in self.resources.items():
            for name, one in resource.state.items():
                both = graph.nodes[number].saveable_objects[name]
                for what in ("save", "restore"):
                    setattr(both, f"{what}_function", len(graph.nodes))
                    self._describe_bare(graph.nodes.add(), getattr(one, what))
        return self.meta

    def _resource(self, obj: TrackableResource, number: int) -> SavedResource:
        """Return the functions of a resource, traced."""
        found = self.objects.children_of(obj)
        create, initialize = (
            _traces(found[name])[0] if name in found else None
            for name in ("_create_resource", "_initialize")
        )
        state = saved_state(obj, self.objects.keys(number))
        return SavedResource(obj.resource_handle, create, initialize, state)

    def _key(self, number: int) -> str:
        return f"{self.objects.keys(number)}/VARIABLE_VALUE"

    def _concrete_functions(self) -> Any:
        seen: set[int] = set()
        for obj in self.objects.objects:
            for each in _traces(obj):
                if id(each) not in seen:
                    seen.add(id(each))
                    yield each

    def _captured_constants(self, concretes: list[Any], signatures: list[Any]) -> list[Any]:
        """Return the tensors that functions captured; resources must belong to an object."""
        found: list[Any] = []
        for concrete in concretes:
            for outer, inner in concrete.graph.captures:
                if id(outer) in self.handles:
                    continue
                if outer.dtype.name in ("resource", "variant") or not hasattr(outer, "numpy"):
                    if not any(outer is one for each in signatures for one in each.captured_inputs):
                        raise KeyError(
                            f"Failed to add concrete function '{concrete.called}' to object-based "
                            f"SavedModel as it captures tensor {inner} which is unsupported or not "
                            "reachable from root. One reason could be that a stateful object or a "
                            "variable that the function depends on is not assigned to an attribute "
                            "of the serialized trackable object: assign it to one"
                        )
                    raise AssertionError(
                        "Tried to export a function which references an 'untracked' resource. "
                        "TensorFlow objects (e.g. tf.Variable) captured by functions must be "
                        "'tracked' by assigning them to an attribute of a tracked object or "
                        f"assigned to an attribute of the main object directly. See the "
                        f"information below:\n\tFunction name = {concrete.called}\n\tCaptured "
                        f"Tensor = {inner}\n\tTrackable referencing this tensor = "
                        f"{_holder_of(outer, concrete)}"
                    )
                self.handles[id(outer)] = len(self.objects.objects) + len(found)
                found.append(outer)
        return found

    def _add_node(self, node: Any, number: int) -> None:
        obj = self.objects.objects[number]
        for name, child in self.objects.children[number].items():
            node.children.add(node_id=child, local_name=name)
        for name, needed in self.dependencies.get(number, {}).items():
            node.dependencies.add(node_id=needed, local_name=name)
        variable = variable_of(obj)
        if variable is not None:
            made = node.variable
            made.dtype = variable.dtype.as_datatype_enum
            made.shape.CopyFrom(variable.shape.as_proto())
            made.trainable = bool(variable.trainable)
            made.synchronization = variable.synchronization.value
            made.aggregation = variable.aggregation.value
            made.name = variable._shared_name
            if self.policy is not VariablePolicy.NONE:
                made.device = _saved_device(variable, self.policy)
        elif isinstance(obj, Asset):
            node.asset.asset_file_def_index = self.assets.index(obj)
        elif isinstance(obj, TrackableResource):
            node.resource.device = obj._resource_device
        elif isinstance(obj, ConcreteFunction):
            self._describe_bare(node, obj)
        elif isinstance(obj, (Function, RestoredFunction)):
            traces = _traces(obj)
            node.function.concrete_functions.extend(self.functions[id(each)] for each in traces)
            _describe(node.function.function_spec, obj)
        else:
            if revived_types.describe(obj, node.user_object):
                return
            node.user_object.identifier = _identifier(obj)
            node.user_object.version.producer = 1
            node.user_object.version.min_consumer = 1

    def _describe_bare(self, node: Any, concrete: Any) -> None:
        bare = node.bare_concrete_function
        bare.concrete_function_name = self.functions[id(concrete)]
        specs = nest.flatten(list(concrete.structured_input_signature))
        labels = [
            _input_name(s, t)
            for s, t in zip(
                [s for s in specs if isinstance(s, TensorSpec)], concrete.graph.inputs, strict=False
            )
        ]
        bare.argument_keywords.extend(labels)
        bare.allowed_positional_arguments = len(labels)

    def copy_assets(self, folder: str) -> None:
        """Copy the files that belong to the model."""
        for asset, name in zip(self.assets, self.files, strict=True):
            target = os.path.join(folder, names.ASSETS_DIRECTORY, name)
            with paths.told(asset._path):
                shutil.copyfile(asset._path, target)


def _holder_of(handle: Any, concrete: Any) -> Any:
    """Return the variable that a captured handle belongs to, for an error."""
    known = [each for each in concrete.graph.variables if each.handle is handle]
    return known[0] if known else None


def _file_name(path: str, taken: dict[str, str]) -> str:
    """Return how a file is called among the model's; other files of its name get a number."""
    name = os.path.basename(path)
    tries = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(1)))
    return next(each for each in tries if taken.setdefault(each, path) == path)


def _saved_device(variable: Any, policy: VariablePolicy) -> str:
    """Return where a variable is, as the policies that keep devices write it."""
    is_distributed = len(getattr(variable, "values", ())) > 1
    if policy is VariablePolicy.EXPAND_DISTRIBUTED_VARIABLES and is_distributed:
        raise NotImplementedError(
            hint(
                f"The copies of the distributed variable {variable.name} cannot be saved one by "
                "one.",
                "SAVE_VARIABLE_DEVICES saves its value and the device of the first copy",
            )
        )
    return str(variable.device)


def variable_of(obj: Any) -> Any:
    """Return the variable that an object is, or stands for as Keras's do; else None."""
    if _is_variable(obj):
        return obj
    inner = getattr(obj, "value", None) if hasattr(type(obj), "_shared_name") else None
    return inner if _is_variable(inner) else None


def _is_variable(value: Any) -> bool:
    """Return True for variables of eager mode and those of graphs that have a handle."""
    return is_eager_variable(value) or isinstance(value, ResourceVariable)


def _traces(obj: Any) -> list[Any]:
    if isinstance(obj, ConcreteFunction):
        return [obj]
    if isinstance(obj, Function) and not obj._list_all_concrete_functions():
        return [obj.get_concrete_function()] if obj.input_signature is not None else []
    if isinstance(obj, (Function, RestoredFunction)):
        return obj._list_all_concrete_functions()
    return []


def _identifier(obj: Any) -> str:
    if isinstance(obj, _Signatures | SignatureMap):
        return "signature_map"
    value = obj.value if isinstance(obj, SequenceView) else obj
    if isinstance(value, tuple):
        return "trackable_tuple_wrapper"
    kind = getattr(obj, "value", obj) if type(obj).__name__ == "MappingView" else value
    if isinstance(kind, list):
        return "trackable_list_wrapper"
    if isinstance(kind, dict):
        return "trackable_dict_wrapper"
    return str(getattr(obj, "_object_identifier", "_generic_user_object"))


def _output_specs(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Return the specs of a function's results, with the names a loaded one gives them."""
    if value is None:
        return None
    if isinstance(value, nest.Composite):
        return type_spec_from_value(value)
    inner = nest.children(value)
    if inner is None:
        return TensorSpec(value.shape, value.dtype, _result_name(path))
    return nest.rebuild(value, [_output_specs(part, (*path, key)) for key, part in inner])


def _result_name(path: tuple[Any, ...]) -> str:
    """Return how a loaded function calls a result: by where it stands in the structure."""
    if not path:
        return "unknown"
    words = [str(step) for step in path]
    return "_".join(words if isinstance(path[0], str) else ["tensor", *words])


def _describe(made: Any, function: Any) -> None:
    """Tell the parameters of a function as a FullArgSpec."""
    signature = getattr(function, "signature", None) or function.function_type
    every = list(signature.parameters.values()) if signature is not None else []
    plain = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    only = [p for p in every if p.kind is p.KEYWORD_ONLY]
    defaults = tuple(p.default for p in plain if p.default is not p.empty)
    spec = inspect.FullArgSpec(
        [p.name for p in plain],
        next((p.name for p in every if p.kind is p.VAR_POSITIONAL), None),
        next((p.name for p in every if p.kind is p.VAR_KEYWORD), None),
        defaults or None,
        [p.name for p in only],
        {p.name: p.default for p in only if p.default is not p.empty} or None,
        {},
    )
    made.fullargspec.CopyFrom(encoded(spec))
    made.input_signature.CopyFrom(encoded(getattr(function, "input_signature", None)))
