"""Variables in parts: names, slices, lookups, sharing and errors, as TensorFlow 1.15 has them."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def parts(count=3, **options):
    return tf.get_variable("v", [5, 2], partitioner=tf.fixed_size_partitioner(count), **options)


def test_the_first_parts_get_what_does_not_divide_evenly():
    v = parts(initializer=tf.ones_initializer())
    assert [each.name for each in v] == ["v/part_0:0", "v/part_1:0", "v/part_2:0"]
    assert [each.shape.as_list() for each in v] == [[2, 2], [2, 2], [1, 2]]
    told = [each._get_save_slice_info().spec for each in v]
    assert told == ["5 2 0,2:0,2", "5 2 2,2:0,2", "5 2 4,1:0,2"]
    assert (v.name, v.shape.as_list(), len(v)) == ("v", [5, 2], 3)
    assert v.as_tensor().name == "v:0"
    assert [each.name for each in tf.trainable_variables()] == [each.name for each in v]


def test_lookups_read_the_parts_and_gradients_stay_sparse():
    whole = np.arange(10, dtype=np.float32).reshape(5, 2)
    v = tf.get_variable("v", partitioner=tf.fixed_size_partitioner(2), initializer=whole)
    ids = tf.constant([[0, 3], [4, 1]])
    by_stretch = tf.nn.embedding_lookup(v, ids, partition_strategy="div")
    in_turn = tf.nn.embedding_lookup(v, ids[:, :1])
    first, second = tf.gradients(tf.reduce_sum(by_stretch), list(v))
    assert isinstance(first, tf.IndexedSlices)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(by_stretch), whole[[[0, 3], [4, 1]]])
        # Ids dealt out in turn: 0 is the first of part 0, 4 its third.
        np.testing.assert_array_equal(session.run(in_turn), whole[[[0], [2]]])
        assert sorted(session.run(second).indices.tolist()) == [0, 1]
        session.run(v.assign(tf.zeros([5, 2])))
        assert not session.run(v.as_tensor()).any()


def test_sharing_needs_the_same_parts():
    v = parts()
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        assert parts() is v
        assert tf.get_variable("v", [5, 2]) is v
        with pytest.raises(ValueError, match=r"specified partitions \[2, 1\] and found .*\[3, 1\]"):
            parts(2)
    with pytest.raises(ValueError, match="Partitioned variable with name v already exists"):
        parts()


@pytest.mark.parametrize(
    ("cuts", "words"),
    [
        (lambda **_: [2, 2], "Can only slice a variable along one dimension"),
        (lambda **_: [2], "does not match the Variable's rank"),
        (3, "Partitioner must be callable, but received: 3"),
    ],
)
def test_bad_partitioners_are_refused(cuts, words):
    with pytest.raises(ValueError, match=words):
        tf.get_variable("v", [4, 4], partitioner=cuts)


def test_partitioners_by_size():
    by_bytes = tf.variable_axis_size_partitioner(max_shard_bytes=40)
    assert by_bytes(shape=tf.TensorShape([10, 4]), dtype=tf.float32) == [5, 1]
    bounded = tf.min_max_variable_partitioner(max_partitions=4, min_slice_size=32)
    assert bounded(shape=tf.TensorShape([16, 4]), dtype=tf.float32) == [4, 1]
    assert bounded(shape=tf.TensorShape([2, 4]), dtype=tf.float32) == [1, 1]


def test_a_scope_partitions_the_variables_of_layers():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        made = tf.layers.dense(tf.ones([2, 4]), 3, name="d")
    names = [each.name for each in tf.trainable_variables()]
    assert names == [f"s/d/{n}/part_{k}:0" for n in ("kernel", "bias") for k in (0, 1)]
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(made))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(made).shape == (2, 3)


def test_parts_are_saved_as_slices_of_one(tmp_path):
    v = parts(initializer=tf.ones_initializer())
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "m"))
        session.run(v.assign(tf.zeros([5, 2])))
        saver.restore(session, path)
        assert session.run(v.as_tensor()).sum() == 10
    assert tf.train.load_checkpoint(path).get_tensor("v").shape == (5, 2)
