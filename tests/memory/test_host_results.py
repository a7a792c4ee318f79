"""Results that a GPU's kernels have in host memory do not count on the GPU."""

import placewise as tf
import placewise.compat.v1 as v1


def used():
    return tf.config.experimental.get_memory_info("GPU:0")["current"]


def compared(i, x):
    return [
        i > 3,
        i >= 3,
        i < 3,
        i <= 3,
        tf.equal(i, i),
        tf.not_equal(i, i),
        tf.size(x, out_type=tf.int64),
        tf.shape(x, out_type=tf.int64),
        tf.rank(x),
        *tf.shape_n([x, x], out_type=tf.int64),
    ]


def test_at_once():
    with tf.simulate("V100"):
        i, x = tf.range(1000), tf.ones([4, 4])
        before = used()
        made = compared(i, x)
        assert used() == before
        with tf.device("GPU:0"):
            made += compared(i, x)
        assert used() == before
        assert made[0].numpy().sum() == 996
        assert made[7].numpy().tolist() == [4, 4]


def test_in_a_function():
    with tf.simulate("V100"):
        i, x = tf.range(1000), tf.ones([4, 4])
        before = used()
        # Of unknown sizes: what is known is a constant on the GPU.
        signature = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, None])]
        made = tf.function(compared, input_signature=signature)(i, x)
        assert used() == before
        assert made[3].numpy().sum() == 4


def test_other_comparisons_count():
    with tf.simulate("V100"):
        x, three = tf.range(1000.0), tf.constant(3.0)
        before = used()
        made = [x > three, tf.range(1000) > 3]
        assert used() == before + 1024
        del made


def test_a_loop_on_a_full_card_goes_on(graph_mode):
    with tf.simulate("V100"):
        with v1.device("/gpu:0"):
            i, _ = v1.while_loop(
                lambda i, x: v1.reduce_sum(x) < 1e9,
                lambda i, x: (i + 1, x * 2.0),
                (v1.constant(0), v1.ones([2])),
            )
            steps = v1.while_loop(lambda i: i < 5, lambda i: i + 1, (v1.constant(0),))
        metadata = v1.RunMetadata()
        with v1.Session() as session:
            assert session.run(i) == 29
            full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            assert session.run(steps, options=full, run_metadata=metadata) == 5
