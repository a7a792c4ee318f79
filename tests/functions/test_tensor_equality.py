"""What `==` of tensors means in functions: where graphs are around them, identity."""

from typing import Any

import placewise as tf


def kinds(x: Any) -> list[str]:
    seen = []

    @tf.function
    def compared(y: Any) -> Any:
        seen.append(type(y == 1).__name__)
        return y

    compared(x)
    tf.data.Dataset.range(2).map(lambda y: (seen.append(type(y == 1).__name__), y)[1])
    tf.compat.v1.wrap_function(compared.python_function, [tf.TensorSpec([], tf.int32)])
    return seen


def test_elements_are_compared_in_functions() -> None:
    assert kinds(tf.constant(1)) == ["GraphTensor"] * 3


def test_identity_counts_in_functions_among_graphs() -> None:
    with tf.Graph().as_default():
        assert kinds(tf.constant(1)) == ["bool"] * 3
