"""SavedModels that hold a graph and no objects: functions that are parts of the graph.

The graph is loaded into a session, which restores its variables and fills its tables. Variables
then become variables of the program; functions capture these, and the session's tables.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import nest
from placewise.core.trackable import AutoTrackable
from placewise.devices.inventory import inventory
from placewise.functions.call_form import CallForm
from placewise.functions.wrap_function import UnliftableError, WrappedFunction, cut
from placewise.graph.collections import GraphKeys
from placewise.graph.graph import Graph
from placewise.graph.variable import VariableV1
from placewise.ops.flow.context import executing_eagerly
from placewise.ops.io import paths
from placewise.ops.io.assets import Asset
from placewise.ops.specs import TensorSpec
from placewise.ops.state.variable import Variable
from placewise.ops.values import to_numpy, wrap
from placewise.saving import saved_model_names as names
from placewise.saving import signature_defs
from placewise.saving.saved_model_load import SignatureMap
from placewise.saving.saved_model_loader import asset_files, load_meta_graph
from placewise.session.session import Session

if TYPE_CHECKING:
    from placewise.functions.func_graph import FuncGraph
    from placewise.functions.inline import Inliner
    from placewise.graph.operation import Operation
    from placewise.saving.saver import Saver

_log = logging.getLogger("tensorflow")
_REFERENCES = ("Variable", "VariableV2")
_VARIABLES = (*_REFERENCES, "VarHandleOp")
_NOT_SERVED = (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY)


class _ByName(CallForm):
    """Arguments that are given by name; a single one may go without."""

    def structured(self) -> Any:
        """Return the arguments as (args, kwargs), with specs for tensors."""
        args, kwargs = super().structured()
        return (), dict(zip([name for name, _ in self.named], args, strict=False)) | kwargs


class LoadedGraph:
    """A graph whose variables are outside of it; `prune` cuts functions out of it."""

    def __init__(self, session: Session, saver: Saver | None) -> None:
        self._session, self._saver, self.graph = session, saver, session.graph
        trainable = {v.op.name for v in self.graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
        self._variables: dict[Operation, Any] = {
            op: self._lifted(op, op.name in trainable)
            for op in self.graph.get_operations()
            if op.type in _VARIABLES
        }
        self._tables: dict[Operation, Any] = {}

    @property
    def variables(self) -> list[Any]:
        """The variables that programs see; as in TensorFlow none of the reference variables."""
        return [v for op, v in self._variables.items() if op.type not in _REFERENCES]

    def _lifted(self, op: Operation, is_trainable: bool) -> Any:
        """Return a variable of the program with the value that one of the graph has."""
        if op.type in _REFERENCES:
            _log.warning(
                "Unable to create a python object for variable %r because it is a reference "
                "variable. It may not be visible to training APIs. If this is a problem, consider "
                "rebuilding the SavedModel after running "
                "tf.compat.v1.enable_resource_variables().",
                op.outputs[0],
            )
        value = self._value(op)
        dtype, shape = op.attrs["dtype"], op.attrs["shape"]
        if value is None:
            sizes = [size or 0 for size in shape or ()]
            start = np.zeros(sizes, dtype.base_dtype.as_numpy_dtype)
        else:
            start = value
        if not executing_eagerly():
            return VariableV1(  # type: ignore[call-arg]  # its metaclass takes use_resource
                start, is_trainable, name=op.name, use_resource=True
            )
        variable = Variable(start, is_trainable, name=op.name, shape=shape)
        if value is None:  # whoever reads it is told
            variable.handle._value.value = None
        return variable

    def _value(self, op: Operation) -> Any:
        """Return the value that a variable has in the session; None if it has none."""
        handle = self._session._state.known_handle(op)
        if handle is None or handle.value is None:
            return None
        return to_numpy(handle.value)

    def restore(self, path: Any) -> None:
        """Give the variables the values of another checkpoint."""
        if self._saver is None:
            raise ValueError("The SavedModel has no saver, so its variables cannot be restored.")
        with self.graph.as_default():
            self._saver.restore(self._session, paths.local_path(path))
        for op, variable in self._variables.items():
            value = self._value(op)
            if value is not None:
                variable.assign(value)

    def prune(
        self,
        feeds: Any,
        fetches: Any,
        name: str | None = None,
        input_signature: Any = None,
        are_keyword_args_also_positional: bool = False,
    ) -> WrappedFunction:
        """Return the function of `feeds` that computes `fetches`, both tensors of the graph."""
        return self.function(feeds, fetches, name or "pruned", None)

    def function(
        self, feeds: Any, fetches: Any, name: str, form: CallForm | None
    ) -> WrappedFunction:
        """Return a function of tensors of the graph; `form` says how it is called."""
        graph, outputs = cut(self.graph, feeds, fetches, name, self._bind)
        return WrappedFunction(graph, outputs, call=form)

    def _bind(self, graph: FuncGraph, inliner: Inliner, needed: list[Operation]) -> None:
        for op in self.graph.get_operations() if self.graph.has_overrides else needed:
            if op.type in _VARIABLES:
                variable = self._variables[op]
                graph.accessed.variable_accessed(variable)
                reads = op.type in _REFERENCES
                stand_in = variable.read_value() if reads else graph.capture(variable.handle)
                inliner.bind(op.outputs[0], stand_in)
            elif op.declaration.makes_state:
                inliner.bind(op.outputs[0], graph.capture(self._table(op)))

    def _table(self, op: Operation) -> Any:
        """Return the resource of the session that an operation makes, as an eager tensor."""
        if op not in self._tables:
            device = inventory().cpu
            self._tables[op] = wrap(self._session._state.handle(op, device), device)
        return self._tables[op]


def _signature(loaded: LoadedGraph, key: str, signature: Any) -> WrappedFunction:
    """Return a signature as a function of named tensors that returns a dict of tensors."""

    def find(info: Any) -> Any:
        return signature_defs.get_tensor_from_tensor_info(info, loaded.graph)

    inputs = {name: find(signature.inputs[name]) for name in sorted(signature.inputs)}
    named: list[tuple[str, Any]] = []
    for name, element in inputs.items():
        parts = nest.flatten(element, True)
        labels = [name]
        if len(parts) > 1:  # TensorInfo has no names for them
            labels = [f"{name}_{part}" for part in ("indices", "values", "dense_shape")]
        named += [
            (label, TensorSpec(part.shape, part.dtype, label))
            for label, part in zip(labels, parts, strict=True)
        ]
    form = _ByName(named, 1 if len(named) == 1 else 0)
    fetches = {name: find(info) for name, info in signature.outputs.items()}
    try:
        return loaded.function(list(inputs.values()), fetches, f"signature_{key}", form)
    except UnliftableError as problem:
        raise UnliftableError(
            "A SavedModel signature needs an input for each placeholder the signature's outputs "
            f"use. An output for signature '{key}' depends on a placeholder which is not an input "
            f"(i.e. the placeholder is not fed a value).\n\n{problem}"
        ) from None


def load_graph(meta: Any, folder: str) -> Any:
    """Return an object with the `signatures` of a meta graph, its `variables`, and `prune`."""
    session = Session(graph=Graph())
    loaded = LoadedGraph(session, load_meta_graph(session, meta, folder))
    root = AutoTrackable()
    root.asset_paths = [Asset(path) for path in asset_files(meta, folder).values()]
    root.signatures = SignatureMap(
        {
            key: _signature(loaded, key, signature)
            for key, signature in meta.signature_def.items()
            if key not in _NOT_SERVED
        }
    )
    root.variables = loaded.variables
    root.tensorflow_version = meta.meta_info_def.tensorflow_version
    root.tensorflow_git_version = meta.meta_info_def.tensorflow_git_version
    root.graph, root.prune, root.restore = loaded.graph, loaded.prune, loaded.restore
    return root
