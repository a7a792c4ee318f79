"""Repeating keeps what is known of the other dimensions."""

import placewise as tf


def test_a_count_that_is_not_known_leaves_the_other_sizes_known() -> None:
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def repeated(count):  # type: ignore[no-untyped-def]
        x = tf.zeros([1, 4, 2])
        several = [tf.repeat(x, count, axis=axis) for axis in (0, 1, -1)]
        seen.extend(each.shape.as_list() for each in several)
        return several[0]

    assert repeated(3).shape == [3, 4, 2]
    assert seen == [[None, 4, 2], [1, None, 2], [1, 4, None]]
