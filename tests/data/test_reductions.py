"""What ends a pipeline, in graphs that are written and read."""

import placewise as tf


def test_reductions_are_saved_and_loaded(tmp_path):
    class Sums(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def total(self, factor):
            def add(state, element):
                return state[0] + element * factor, state[1] + 1

            zero = tf.constant(0, tf.int64)
            return tf.data.Dataset.range(4).map(lambda x: x + 1).reduce((zero, zero), add)

        @tf.function(input_signature=[])
        def first(self):
            return tf.data.Dataset.range(4).take(1).get_single_element()

    tf.saved_model.save(Sums(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert [int(part) for part in loaded.total(tf.constant(3, tf.int64))] == [30, 4]
    assert int(loaded.first()) == 0
