"""Updates of rows and slices of variables: text, and what is refused."""

import pytest

import placewise as tf

v1 = tf.compat.v1


def test_rows_of_text_are_replaced() -> None:
    variable = tf.Variable(["a", "b", "c"])
    variable.scatter_update(tf.IndexedSlices(tf.constant(["d", "e"]), [2, 2]))
    variable.scatter_nd_update([[0]], ["f"])
    assert variable.numpy().tolist() == [b"f", b"b", b"e"]
    tf.raw_ops.ResourceScatterUpdate(resource=variable.handle, indices=[0, 1], updates="g")
    assert variable.numpy().tolist() == [b"g", b"g", b"e"]


@pytest.mark.parametrize("is_resource", [False, True])
def test_rows_of_text_are_replaced_in_sessions(is_resource: bool) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(["a", "b"], use_resource=is_resource)
        session.run(variable.initializer)
        session.run(v1.scatter_update(variable, [1], ["c"]))
        session.run(v1.scatter_nd_update(variable, [[0]], ["d"]))
        assert session.run(variable).tolist() == [b"d", b"c"]


def test_only_numbers_are_added_to_rows() -> None:
    variable = tf.Variable([True, False])
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool is not in the list of allowed"):
        tf.raw_ops.ResourceScatterAdd(resource=variable.handle, indices=[1], updates=[True])


def test_rows_of_other_counts_are_refused_in_the_words_of_the_runtime() -> None:
    variable = tf.Variable([0, 1, 2, 3])
    words = r"shape of indices \(\[2\]\) must be a prefix of the shape of updates \(\[3\]\)"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        v1.scatter_update(variable, [0, 1], [0, 1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="updates must not contain 0"):
        v1.scatter_div(variable, [0], [0])


def test_gathering_from_a_variable_checks_the_batch() -> None:
    handle = tf.Variable([[1, 2], [3, 4]]).handle
    for batch_dims, words in ((-1, "batch_dims is negative"), (3, "must have at least 3")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.raw_ops.ResourceGather(
                resource=handle, indices=[[0], [1]], dtype=tf.int32, batch_dims=batch_dims
            )
