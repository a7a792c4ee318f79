"""SavedModels that hold a graph and no objects: their signatures run in a session of their own."""

from __future__ import annotations

from typing import Any

from placewise.core.trackable import AutoTrackable
from placewise.graph.graph import Graph
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec
from placewise.saving import saved_model_names as names
from placewise.saving import signature_defs
from placewise.saving.saved_model_load import SignatureMap
from placewise.saving.saved_model_loader import load_meta_graph
from placewise.session.session import Session


class GraphSignature:
    """A signature of a graph: tensors in by name, tensors out by name."""

    def __init__(self, session: Any, signature: Any) -> None:
        graph = session.graph
        found = signature_defs.get_tensor_from_tensor_info
        self._session = session
        self._inputs = {name: found(info, graph) for name, info in signature.inputs.items()}
        self._outputs = {name: found(info, graph) for name, info in signature.outputs.items()}

    @property
    def structured_input_signature(self) -> Any:
        """The arguments as (args, kwargs), with specs for tensors."""
        specs = {n: TensorSpec(t.shape, t.dtype, n) for n, t in sorted(self._inputs.items())}
        return (), specs

    @property
    def structured_outputs(self) -> Any:
        """The specs of the results by name."""
        return {n: TensorSpec(t.shape, t.dtype, n) for n, t in sorted(self._outputs.items())}

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run the graph; one input may be given without its name."""
        given = dict(zip(sorted(self._inputs), args, strict=False)) | kwargs
        if set(given) != set(self._inputs):
            raise TypeError(
                f"the signature takes {sorted(self._inputs)}, but was called with {sorted(given)}"
            )
        feeds = {
            self._inputs[name]: convert_to_tensor(value, self._inputs[name].dtype).numpy()
            for name, value in given.items()
        }
        values = self._session.run(self._outputs, feeds)
        return {name: convert_to_tensor(values[name]) for name in sorted(values)}


def load_graph(meta: Any, folder: str) -> Any:
    """Return an object whose `signatures` run the graph of a meta graph."""
    session = Session(graph=Graph())
    load_meta_graph(session, meta, folder)
    root = AutoTrackable()
    root.signatures = SignatureMap(
        {
            key: GraphSignature(session, signature)
            for key, signature in meta.signature_def.items()
            if key not in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY)
        }
    )
    root.graph = session.graph
    root.tensorflow_version = meta.meta_info_def.tensorflow_version
    return root
