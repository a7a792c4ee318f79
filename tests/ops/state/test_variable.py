"""Variables as a user sees them."""

import copy
import pickle
import threading

import numpy as np
import pytest

import placewise as tf


def test_it_prints_as_tensorflow_prints():
    assert repr(tf.Variable(1.0)) == (
        "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"
    )
    assert tf.Variable(1.0, name="w").assign(2.0).name == "UnreadVariable"


def test_a_read_value_does_not_change_under_a_later_assignment():
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    v.assign_add([1.0, 1.0])
    v[0].assign(9.0)
    v.scatter_add(tf.IndexedSlices([1.0], [1]))
    assert before.numpy().tolist() == [1.0, 2.0]
    assert v.numpy().tolist() == [9.0, 4.0]


def test_numpy_is_a_copy():
    v = tf.Variable([1.0])
    v.numpy()[0] = 7.0
    assert v.numpy().tolist() == [1.0]


def test_wrong_shapes_and_types():
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    with pytest.raises(ValueError, match=r"Cannot assign value to variable ' v:0': Shape mismatch"):
        v.assign([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        v.assign_add(1.0)
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32"):
        v.assign(tf.constant([1, 2, 3]))
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]


def test_scatter_family():
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])

    def slices(values, indices):
        return tf.IndexedSlices(values, indices)

    v.scatter_update(slices([5.0, 6.0], [0, 0]))
    assert v.numpy().tolist() == [6.0, 2.0, 3.0, 4.0]
    v.scatter_add(slices([1.0, 1.0], [1, 1]))
    v.scatter_sub(slices([1.0], [2]))
    v.scatter_mul(slices([2.0, 2.0], [3, 3]))
    v.scatter_div(slices([2.0], [0]))
    assert v.numpy().tolist() == [3.0, 4.0, 2.0, 16.0]
    v.scatter_max(slices([10.0], [0]))
    v.scatter_min(slices([1.0], [3]))
    v.scatter_nd_update([[1]], [0.0])
    v.scatter_nd_add([[2], [2]], [1.0, 1.0])
    assert v.numpy().tolist() == [10.0, 0.0, 4.0, 1.0]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = 7 is not in \[0, 4\)"
    ):
        v.scatter_add(slices([1.0], [7]))


def test_reads_by_index():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v.sparse_read([1]).numpy().tolist() == [[3.0, 4.0]]
    assert v.gather_nd([[1, 0]]).numpy().tolist() == [3.0]
    assert v[1, 1].numpy() == 4.0
    v[:, 0].assign([8.0, 9.0])
    assert v.numpy().tolist() == [[8.0, 2.0], [9.0, 4.0]]


def test_it_survives_pickle_and_copies():
    v = tf.Variable([1.0], name="v", trainable=False)
    for other in (pickle.loads(pickle.dumps(v)), copy.deepcopy(v)):
        other.assign([5.0])
        assert (other.name, other.trainable) == ("v:0", False)
    assert v.numpy().tolist() == [1.0]
    assert copy.copy(v).assign([2.0]) is not None
    assert v.numpy().tolist() == [2.0]


def test_it_is_no_key_and_no_tensor_but_acts_like_one():
    v = tf.Variable(2.0)
    with pytest.raises(TypeError, match="Variable is unhashable"):
        hash(v)
    assert not isinstance(v, tf.Tensor)
    assert tf.is_tensor(v)
    assert float(v * v + 1.0) == 5.0
    assert np.asarray(tf.Variable([1.0])).tolist() == [1.0]
    assert bool(v == 2.0)


def test_adding_in_place_is_refused_rather_than_lost():
    v = tf.Variable([1.0])
    with pytest.raises(RuntimeError, match=r"Use `variable\.assign_add\(value\)`"):
        v += 1.0
    with pytest.raises(RuntimeError, match="is not supported"):
        v *= 2.0
    assert v.numpy().tolist() == [1.0]


def test_initial_values():
    assert tf.Variable(lambda: tf.ones(2)).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="must be specified"):
        tf.Variable()
    with pytest.raises(ValueError, match="not compatible with the explicitly supplied"):
        tf.Variable([1.0, 2.0], shape=[3])
    open_shape = tf.Variable([1.0], shape=tf.TensorShape(None))
    open_shape.assign([[1.0, 2.0]])
    assert open_shape.numpy().tolist() == [[1.0, 2.0]]


def test_creators_decide_what_is_made():
    made = []

    def creator(next_creator, **kwargs):
        made.append(kwargs["initial_value"])
        kwargs["trainable"] = False
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0)
    assert made == [1.0]
    assert not v.trainable


def test_name_scopes_prefix():
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.Variable(1.0, name="v").name == "a/b/v:0"


def test_adding_from_threads_loses_nothing():
    v = tf.Variable(tf.zeros([1000]))

    def work():
        for _ in range(50):
            v.assign_add(tf.ones([1000]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(v.numpy().tolist()) == {200.0}


def test_an_uninitialised_handle_says_so():
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="never_set")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable"):
        tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    tf.raw_ops.AssignVariableOp(resource=handle, value=2.0)
    assert float(tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)) == 2.0


def test_rows_are_gathered_batch_by_batch():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    taken = tf.raw_ops.ResourceGather(
        resource=table.handle, indices=[[1], [0]], dtype=tf.float32, batch_dims=1
    )
    assert taken.numpy().tolist() == [[2.0], [3.0]]


def test_the_last_of_repeated_rows_stays():
    table = tf.Variable([[1.0], [2.0], [3.0]])
    table.scatter_update(tf.IndexedSlices(tf.constant([[7.0], [8.0], [9.0]]), [2, 0, 2]))
    assert table.numpy().tolist() == [[8.0], [2.0], [9.0]]


def test_rows_of_wide_unsigned_integers_are_replaced():
    table = tf.Variable(np.asarray([1, 2, 3], np.uint16))
    table.scatter_update(tf.IndexedSlices(tf.constant([7, 9], tf.uint16), [2, 0]))
    assert table.numpy().tolist() == [9, 2, 7]


def test_rows_of_every_batch_entry_are_replaced_inside_a_function():
    variable = tf.Variable(tf.zeros([2, 3]))

    @tf.function
    def replace(rows):
        variable.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), rows))

    replace(tf.constant([[1], [0]]))
    assert variable.numpy().tolist() == [[0.0, 9.0, 0.0], [8.0, 0.0, 0.0]]


def test_a_function_refuses_a_value_whose_shape_turns_out_wrong():
    variable = tf.Variable([1.0, 1.0])
    assign = tf.function(lambda x: variable.assign(x), input_signature=[tf.TensorSpec(None)])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected \[2\] got \[3\]"):
        assign(tf.constant([1.0, 2.0, 3.0]))
    assert variable.numpy().tolist() == [1.0, 1.0]


def test_a_copy_keeps_synchronization_and_aggregation():
    variable = tf.Variable(
        1.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )
    copied = copy.deepcopy(variable)
    assert copied.synchronization is variable.synchronization
    assert copied.aggregation is variable.aggregation


def test_slices_of_an_array_are_converted_to_the_dtype_of_the_variable():
    variable = tf.Variable([1.0, 1.0])
    variable.scatter_add(tf.IndexedSlices(np.array([1.0]), np.array([0])))
    assert variable.numpy().tolist() == [2.0, 1.0]


def test_batches_of_slices_are_converted_to_the_dtype_of_the_variable():
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    variable.batch_scatter_update(tf.IndexedSlices([[7], [8]], [[1], [0]]))
    assert variable.numpy().tolist() == [[1.0, 7.0], [8.0, 4.0]]
