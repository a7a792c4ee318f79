"""`set_learning_phase` of TensorFlow 1's tf.keras.backend: all layers train, or all infer.

Keras 3 has no such setting. Here it decides what a layer is told where a call says nothing of
`training`, and what `fit` and its like tell the layers, as in TensorFlow 1.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from placewise.core.runtime import State, runtime


@dataclass(slots=True)
class LearningPhase(State):
    """1 for training, 0 for inference, None where the program has not said."""

    value: int | None = None
    # In `fit`, `training=True` is Keras's own word and not the program's: the phase overrides it.
    overrides_calls: bool = False


_phase = runtime.state(LearningPhase)


def learning_phase() -> int:
    """Return the phase that was set, or else 0: inference."""
    return _phase.value or 0


def set_learning_phase(value: int) -> None:
    """Let layers train (1) or infer (0) from now on, where a call does not say `training`."""
    if value not in (0, 1):
        raise ValueError(f"Expected learning phase to be 0 or 1; got {value!r}.")
    _phase.value = int(value)


def clear_learning_phase() -> None:
    """Forget the phase that was set."""
    _phase.value = None


@contextmanager
def phase_over_calls() -> Iterator[None]:
    """Let the phase decide in a block, whatever calls of layers say."""
    before = _phase.overrides_calls
    _phase.overrides_calls = True
    try:
        yield
    finally:
        _phase.overrides_calls = before


def install(keras: Any) -> None:
    """Let the layers of Keras, once loaded, ask for the phase."""
    layer = keras.layers.Layer
    resolve = layer._resolve_and_populate_arg

    @functools.wraps(resolve)
    def resolved(self: Any, arg_name: str, call_spec: Any, call_context: Any, kwargs: Any) -> None:
        if arg_name == "training" and _phase.value is not None:
            said = call_spec.user_arguments_dict.get("training")
            inherited = call_context.get_value("training")
            if _phase.overrides_calls or (said is None and inherited is None):
                call_spec.user_arguments_dict["training"] = bool(_phase.value)
        resolve(self, arg_name, call_spec, call_context, kwargs)

    layer._resolve_and_populate_arg = resolved
    clear = keras.backend.clear_session

    @functools.wraps(clear)
    def clear_session(*args: Any, **kwargs: Any) -> None:
        clear_learning_phase()
        clear(*args, **kwargs)

    keras.backend.clear_session = keras.utils.clear_session = clear_session
    keras.backend.learning_phase = learning_phase
    keras.backend.set_learning_phase = set_learning_phase
