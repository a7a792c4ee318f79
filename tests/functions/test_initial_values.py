"""What variables begin with that a function makes while it is traced."""

from typing import Any

import placewise as tf


def test_in_a_graph_the_value_is_computed_when_the_session_initializes_it() -> None:
    with tf.Graph().as_default():
        kept: list[Any] = []

        @tf.function
        def scaled(x: Any) -> Any:
            if not kept:
                kept.append(tf.compat.v1.get_variable("w", [2], initializer=tf.ones_initializer()))
            return x * kept[0]

        result = scaled(tf.constant([3.0, 4.0]))
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            assert session.run(result).tolist() == [3.0, 4.0]
