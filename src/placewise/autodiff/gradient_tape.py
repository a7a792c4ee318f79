"""`tf.GradientTape`: writes down what is computed, and differentiates it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.autodiff.backward import differentiate
from placewise.autodiff.composites import composite_gradient
from placewise.autodiff.composites import is_differentiable as is_differentiable
from placewise.autodiff.graph_tape import GraphTape
from placewise.autodiff.jacobian import batch_jacobian, jacobian
from placewise.autodiff.unconnected import UnconnectedGradients, wants_zeros
from placewise.core import dtypes, nest
from placewise.core.activity import activity
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.scope import Unit, current, watch
from placewise.core.tensor import Tensor
from placewise.eager.tape import Tape
from placewise.memory.exhausted import lets_go
from placewise.ops.array.creation import ones_like, zeros, zeros_like
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.operator_parameters import OperatorParameters
from placewise.ops.state.resource import read_variable
from placewise.ops.state.variable import is_variable
from placewise.ops.values import Handle, wrap


def _log(message: str, *values: Any) -> None:
    logging.getLogger("tensorflow").warning(message, *values)


class GradientTape:
    """Record the ops of a `with` block, to differentiate them.

    `persistent`: allow several calls of `gradient`; otherwise the record is dropped after the
        first, and a second raises RuntimeError.
    `watch_accessed_variables`: watch every trainable variable that is read. Tensors, and all other
        variables, have to be named with `watch`.

    `gradient(target, sources)` returns one derivative a source, None where the target does not
    depend on it. `jacobian` and `batch_jacobian` return those of each element. Tapes nest: a tape
    inside another gives second derivatives. Sums run on the devices of the ops they belong to.

    >>> import placewise as tf
    >>> x = tf.constant(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._tape: Tape | None = None
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._recording = False
        self._variables: dict[int, Any] = {}

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._recording:
            self._pop()

    def _push(self) -> None:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        if self._tape is None:
            self._tape = self._new()
        tell = watch.unit
        if tell is not None and current.interpreter.graph is None:
            tell(Unit("tape", False, self))
        self._tape.begin()
        current.tapes = (*current.tapes, self._tape)
        self._recording = True

    def _new(self) -> Tape:
        if current.interpreter.graph is None:
            return Tape(self._watch_variables)

        return GraphTape(current.interpreter.graph, self._watch_variables)

    def _pop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        if self._tape is not None:
            self._tape.end()
        current.tapes = tuple(tape for tape in current.tapes if tape is not self._tape)
        self._recording = False

    def _ensure_recording(self) -> Any:
        if self._recording:
            return _nothing()
        return self

    def watch(self, tensor: Any) -> None:
        """Follow what is computed from a tensor (or several, nested)."""
        for leaf in _followed_parts(tensor):
            variable = leaf if is_variable(leaf) else None
            if variable is not None:
                leaf = leaf.handle
            elif not isinstance(leaf, Tensor):
                raise ValueError(
                    f"Passed in object {leaf} of type {type(leaf).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            elif not is_differentiable(leaf) and leaf.dtype.name != "resource":
                _log(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    leaf.dtype,
                )
            if self._tape is None:
                self._tape = self._new()
            self._tape.watch(leaf)
            if variable is not None:
                self._tape.variables.setdefault(id(leaf), variable)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Write nothing down in a block inside the tape's."""
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        before = self._tape
        self._pop()
        try:
            yield
        finally:
            self._tape = before
            self._push()

    def reset(self) -> None:
        """Forget everything written down so far."""
        recording = self._recording
        if recording:
            self._pop()
        self._tape = None
        if recording:
            self._push()

    def watched_variables(self) -> tuple[Any, ...]:
        """Return the variables followed, in the order they were first read."""
        return (
            tuple(self._variables.values())
            if self._tape is None
            else tuple(self._tape.variables.values())
        )

    @lets_go
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the derivative of `target` with respect to each of `sources`."""
        tape = self._for_use()
        zero = wants_zeros(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        if self._recording:
            if self._persistent:
                _log(
                    "Calling GradientTape.gradient on a persistent tape inside its context is "
                    "significantly less efficient than calling it outside the context (it causes "
                    "the gradient ops to be recorded on the tape, leading to increased CPU and "
                    "memory usage). Only call GradientTape.gradient inside the context if you "
                    "actually want to trace the gradient in order to compute higher order "
                    "derivatives."
                )
            else:
                self._pop()
        targets = [_followed(leaf) for leaf in _followed_parts(target)]
        plain = nest.flatten(sources, expand_composites=True)
        derivatives = _differentiate(tape, targets, plain, _seeds(targets, output_gradients))
        if current.interpreter.graph is None:
            activity.steps += 1  # of a training loop that is no function
        if zero:
            derivatives = [
                _zeros_like(source) if gradient is None else gradient
                for source, gradient in zip(plain, derivatives, strict=True)
            ]
        self._used_up()
        return _arranged(sources, derivatives)

    def _used_up(self) -> None:
        """Let go of what was recorded, unless the tape is persistent."""
        if not self._persistent and self._tape is not None:
            self._variables = self._tape.variables
            self._tape = None

    def _for_use(self) -> Tape:
        if self._tape is None:
            raise RuntimeError(
                hint(
                    "A non-persistent GradientTape can only be used to compute one set of "
                    "gradients "
                    "(or jacobians)",
                    "make it with tf.GradientTape(persistent=True), or ask for all gradients in "
                    "one call",
                )
            )
        return self._tape

    @lets_go
    def jacobian(
        self,
        target: TensorLike,
        sources: TensorLike,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return the derivative of every element of `target` with respect to each source."""
        tape = self._for_use()
        zero = wants_zeros(unconnected_gradients)
        if self._recording and not self._persistent:
            self._pop()
        plain = nest.flatten(sources, expand_composites=True)
        derivatives = jacobian(tape, _followed(target), [_followed(item) for item in plain])
        if zero:
            derivatives = [
                _zero_jacobian(target, source) if jacobian_of_source is None else jacobian_of_source
                for source, jacobian_of_source in zip(plain, derivatives, strict=True)
            ]
        self._used_up()
        return _arranged(sources, derivatives)

    @lets_go
    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Return, for every entry of a batch, the derivatives of its target by its source."""
        tape = self._for_use()
        zero = wants_zeros(unconnected_gradients)
        shape = target.shape
        if shape.rank is None or shape.rank < 2 or source.shape.rank < 2:
            raise ValueError(
                f"Need first dimension of target shape ({shape}) and source shape "
                f"({source.shape}) to match."
                if shape.rank and source.shape.rank
                else f"Need rank of target and source to be at least 2, got {shape} and "
                f"{source.shape}."
            )
        if shape[0] != source.shape[0]:
            raise ValueError(
                f"Need first dimension of target shape ({shape}) and source shape "
                f"({source.shape}) to match."
            )
        if self._recording and not self._persistent:
            self._pop()
        result = batch_jacobian(tape, target, _followed(source))
        if result is None and zero:
            result = zeros([shape[0], *shape[1:], *source.shape[1:]], source.dtype)
        self._used_up()
        return result


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _followed(item: Any) -> Any:
    """Return the object a tape knows a value by: a variable's handle."""
    return item.handle if is_variable(item) else item


def _followed_parts(structure: Any) -> list[Any]:
    """Return the tensors of a structure; of a ragged or sparse one those that have gradients."""
    parts: list[Any] = []
    for leaf in nest.flatten(structure):
        if isinstance(leaf, OperatorParameters):
            parts.extend(part for part in leaf._unread_components() if is_differentiable(part))
        elif isinstance(leaf, nest.Composite):
            flat = nest.flatten(leaf, expand_composites=True)
            parts.extend(part for part in flat if is_differentiable(part))
        else:
            parts.append(leaf)
    return parts


def _seeds(targets: list[Any], output_gradients: Tensor | None) -> list[Any]:
    seeds: list[Any] = [None] * len(targets)
    if output_gradients is not None:
        flat = _followed_parts(output_gradients)
        seeds = [None if leaf is None else convert_to_tensor(leaf) for leaf in flat][: len(targets)]
    return [
        ones_like(_content(target)) if seed is None else seed
        for target, seed in zip(targets, seeds, strict=False)
    ]


def _content(target: Any) -> Any:
    value = getattr(target, "_value", None)
    if isinstance(value, Handle):
        return wrap(value.value, value.device)
    if target.dtype is dtypes.resource:  # of a variable in a graph
        op: Any = target.op
        return read_variable(target, dtype=getattr(op, "handle_dtype", None) or op.attrs["dtype"])
    return convert_to_tensor(target)


def _differentiate(tape: Tape, targets: list[Any], sources: list[Any], seeds: list[Any]) -> Any:
    usable = [
        (target, seed)
        for target, seed in zip(targets, seeds, strict=True)
        if _differentiable_target(target)
    ]
    followed = [_followed(source) for source in sources]
    for source in followed:
        if not isinstance(source, Tensor):
            raise TypeError(
                "Argument `sources` should be a list or nested structure of Tensors, Variables or "
                f"CompositeTensors, but contains {source!r} of type {type(source).__name__!r}."
            )
    return differentiate(tape, [t for t, _ in usable], followed, [s for _, s in usable])


def _differentiable_target(target: Tensor) -> bool:
    dtype = target.dtype
    if dtype.is_floating or dtype.is_complex or dtype.name == "resource":
        return True
    _log(
        "The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
        "GradientTape.gradient, got %r",
        dtype,
    )
    return False


def _zeros_like(source: Any) -> Any:
    return zeros_like(convert_to_tensor(source))


def _zero_jacobian(target: Any, source: Any) -> Any:
    return zeros([*target.shape, *source.shape], source.dtype)


def _arranged(sources: Any, derivatives: list[Any]) -> Any:
    """Return gradients in the structure of the sources; composites keep only their values'."""
    if type(sources) is list and not any(map(nest.has_parts, sources)):
        return list(derivatives)
    flat = nest.flatten(sources)
    expanded = [len(nest.flatten(leaf, expand_composites=True)) for leaf in flat]
    leaves: list[Any] = []
    position = 0
    for item, count in zip(flat, expanded, strict=True):
        part = derivatives[position : position + count]
        position += count
        leaves.append(composite_gradient(item, part) if nest.has_parts(item) else part[0])
    return nest.pack_sequence_as(sources, leaves) if nest.is_nested(sources) else leaves[0]
