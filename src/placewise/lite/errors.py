"""What conversion to TensorFlow Lite raises."""

from __future__ import annotations


class ConverterError(Exception):
    """A model that cannot be converted."""


def unsupported(kind: str, name: str, why: str = "") -> ConverterError:
    """Return the error for an operation that no operator of TensorFlow Lite computes."""
    advice = why or "replace it with supported ops, or run that part of the model in Python"
    return ConverterError(
        f"Some ops are not supported by the native TFLite runtime: 'tf.{kind}' op is neither a "
        f"custom op nor a flex op (operation {name!r})\n  {advice}"
    )
