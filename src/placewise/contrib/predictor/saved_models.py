"""`tf.contrib.predictor.from_saved_model`: a signature of a saved model, called with a dict."""

from __future__ import annotations

from typing import Any

from placewise.graph.graph import Graph
from placewise.saving.saved_model_loader import load
from placewise.session.session import Session

_DEFAULT_SIGNATURE, _DEFAULT_TAGS = "serving_default", "serve"


class SavedModelPredictor:
    """A session with a loaded model; calling it feeds by name and returns results by name."""

    def __init__(
        self,
        export_dir: str,
        signature_def_key: str | None = None,
        signature_def: Any = None,
        input_names: dict[str, str] | None = None,
        output_names: dict[str, str] | None = None,
        tags: str | None = None,
        graph: Any = None,
        config: Any = None,
    ) -> None:
        _check(signature_def_key, signature_def, input_names, output_names)
        self._graph = graph or Graph()
        with self._graph.as_default():
            self._session = Session(config=config)
            wanted = (tags or _DEFAULT_TAGS).split(",")
            meta_graph = load(self._session, wanted, export_dir)
        if input_names is None or output_names is None:
            signature = signature_def
            if signature is None:
                signature = meta_graph.signature_def[signature_def_key or _DEFAULT_SIGNATURE]
            input_names = {name: info.name for name, info in signature.inputs.items()}
            output_names = {name: info.name for name, info in signature.outputs.items()}
        find = self._graph.get_tensor_by_name
        self._feed_tensors = {name: find(tensor) for name, tensor in input_names.items()}
        self._fetch_tensors = {name: find(tensor) for name, tensor in output_names.items()}

    @property
    def graph(self) -> Any:
        """The graph that the model is loaded into."""
        return self._graph

    @property
    def session(self) -> Any:
        """The session that runs it."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """The tensors that are fed, by name."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """The tensors that are fetched, by name."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors "
            f"{self._fetch_tensors}"
        )

    def __call__(self, input_dict: dict[str, Any]) -> dict[str, Any]:
        """Return the results for inputs, both by the names of the signature."""
        expected, unknown = set(self._feed_tensors), set(input_dict) - set(self._feed_tensors)
        if unknown:
            raise ValueError(
                f"Got unexpected keys in input_dict: {unknown}\nexpected: {expected or set()}"
            )
        feeds = {self._feed_tensors[name]: value for name, value in input_dict.items()}
        results: dict[str, Any] = self._session.run(self._fetch_tensors, feed_dict=feeds)
        return results


def _check(key: Any, signature: Any, inputs: Any, outputs: Any) -> None:
    if (inputs is None) != (outputs is None):
        raise ValueError(
            "input_names and output_names must both be specified or both be unspecified."
        )
    if sum(choice is not None for choice in (key, signature, inputs)) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )


def from_saved_model(
    export_dir: str,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: dict[str, str] | None = None,
    output_names: dict[str, str] | None = None,
    tags: str | None = None,
    graph: Any = None,
    config: Any = None,
) -> SavedModelPredictor:
    """Return a saved model as a function from a dict of arrays to a dict of arrays.

    What is fed and fetched is a signature's, `serving_default` if none is named, or tensors by
    name: `input_names` and `output_names`. `tags`: those of the meta graph, with commas.
    """
    return SavedModelPredictor(
        export_dir, signature_def_key, signature_def, input_names, output_names, tags, graph, config
    )
