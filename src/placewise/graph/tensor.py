"""The symbolic tensor: an output of an operation in a graph."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from placewise.core.arguments import ShapeLike
from placewise.core.dtypes import DType
from placewise.core.errors import OperatorNotAllowedInGraphError, hint
from placewise.core.scope import era
from placewise.core.shapes import Dims, TensorShape
from placewise.core.tensor import Tensor

_ADVICE = (
    "You can attempt the following resolutions to the problem: If you are running in Graph mode, "
    "use Eager execution mode or decorate this function with @tf.function. If you are using "
    "AutoGraph, you can try decorating this function with @tf.function. If that does not work, "
    "then you may be using an unsupported feature or your source code may not be visible to "
    "AutoGraph. See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/"
    "autograph/g3doc/reference/limitations.md#access-to-source-code for more information."
)


class GraphTensor(Tensor):
    """What an operation will compute when its graph runs."""

    __slots__ = ("_dims", "_dtype", "op", "value_index")

    op: Any
    _dims: Dims

    def __init__(self, op: Any, value_index: int, dtype: DType, dims: Dims) -> None:
        self.op = op
        self.value_index = value_index
        self._dtype = dtype
        self._dims = dims

    @property
    def numpy(self) -> Any:
        """Raise AttributeError, so that `hasattr` says no: only eager tensors have values."""
        raise AttributeError(
            hint(
                f"'{type(self).__name__}' object has no attribute 'numpy'",
                f"{self.name} is symbolic: return it from the tf.function, run it in a session, or "
                "see tf.py_function",
            )
        )

    @property
    def graph(self) -> Any:
        """The graph the tensor is part of."""
        return self.op.graph

    @property
    def name(self) -> str:
        """The operation's name, a colon and the number of the output."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return TensorShape._of(self._dims)

    @property
    def _shape_tuple(self) -> Dims:
        return self._dims

    def _beside(self) -> AbstractContextManager[Any]:
        graph, home = self.op.graph, self.op.block
        here = graph.scopes.block
        if here is home or (home is not None and not home.encloses(here)):
            return nullcontext()
        result: AbstractContextManager[Any] = graph._changed(block=home, control=())
        return result

    def _static_value(self, partial: bool = False) -> Any:
        """Return the content where it is known before the graph runs, else None."""
        from placewise.graph.static_values import content, partial_content  # noqa: PLC0415 - keeps torch out

        value = content(self)
        return partial_content(self) if value is None and partial else value

    def _is_told(self) -> bool:
        """Return True if `tf.get_static_value` follows what this tensor is made of."""
        from placewise.graph.static_values import is_told  # noqa: PLC0415 - keeps torch out

        return is_told(self)

    def set_shape(self, shape: ShapeLike) -> None:
        """Add what is known about the shape."""
        self._dims = self.shape.merge_with(shape)._dims

    @property
    def device(self) -> str:
        """The device requested for the operation, or an empty string."""
        device: str = self.op.device
        return device

    def consumers(self) -> list[Any]:
        """Return the operations that read this tensor."""
        return [
            op for op in self.graph.get_operations() if any(source is self for source in op.inputs)
        ]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Run the graph as far as this tensor, in the given or the default session."""
        chosen = session or self.graph.session_in_force()
        if chosen is None:
            raise ValueError(
                hint(
                    "Cannot evaluate tensor using `eval()`: No default session is registered. Use "
                    "`with sess.as_default()` or pass an explicit session to `eval(session=sess)`",
                    "or call session.run(tensor); in eager mode see .numpy()",
                )
            )
        return chosen.run(self, feed_dict)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise NotImplementedError(
            hint(
                f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error "
                "may "
                "indicate that you're trying to pass a Tensor to a NumPy call, which is not "
                "supported.",
                "call Session.run(tensor) in a graph; inside tf.function use tf functions, or "
                "tf.numpy_function for NumPy",
            )
        )

    def _refuse(self, task: str, in_functions: str) -> TypeError:
        if not era.dimensions_are_objects:
            return OperatorNotAllowedInGraphError(f"{in_functions} is not allowed. {_ADVICE}")
        return OperatorNotAllowedInGraphError(
            f"{task} is not allowed in Graph execution. Use Eager execution or decorate this "
            "function with @tf.function."
        )

    def __bool__(self) -> bool:
        raise self._refuse(
            "using a `tf.Tensor` as a Python `bool`",
            "Using a symbolic `tf.Tensor` as a Python `bool`",
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call "
            "`x.shape` rather than `len(x)` for shape information."
        )

    def __iter__(self) -> Any:
        raise self._refuse("iterating over `tf.Tensor`", "Iterating over a symbolic `tf.Tensor`")

    # In graphs of TensorFlow 1, tensors are keys of feed_dict: identity is what counts.
    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        if self.graph.tensor_equality:
            from placewise.ops.operators import METHODS  # noqa: PLC0415 - keeps torch out

            return METHODS["__eq__"](self, other)
        return self is other

    def __ne__(self, other: object) -> Any:
        if self.graph.tensor_equality:
            from placewise.ops.operators import METHODS  # noqa: PLC0415 - keeps torch out

            return METHODS["__ne__"](self, other)
        return self is not other

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape_text()} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        device = f", device={self.device}" if self.device else ""
        # TensorFlow 1 says nothing of a shape it does not know.
        is_told = self._dims is not None or not era.dimensions_are_objects
        shape = f", shape={self._shape_text()}" if is_told else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def _shape_text(self) -> str:
        unknown = "?" if era.dimensions_are_objects else "None"
        if self._dims is None:
            return "<unknown>"
        text = ", ".join(unknown if d is None else str(d) for d in self._dims)
        return f"({text},)" if len(self._dims) == 1 else f"({text})"


GraphTensor.__module__, GraphTensor.__qualname__ = "tensorflow.python.framework.ops", "Tensor"
