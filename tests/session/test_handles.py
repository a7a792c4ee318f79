"""Tensors that a session keeps between runs; and what is said of feeds and empty graphs."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.ops.state import session_tensors

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_a_kept_tensor_is_found_by_its_handle():
    kept = tf.get_session_handle(tf.constant([1.0, 2.0]))
    with tf.Session() as session:
        handle = session.run(kept)
        assert str(handle).startswith("GetSessionHandle;")
        assert handle.eval().tolist() == [1.0, 2.0]
        holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
        assert session.run(tensor * 2.0, {holder: handle.handle}).tolist() == [2.0, 4.0]
        x = tf.placeholder(tf.float32, [2])
        assert session.run(x + 1.0, {x: handle}).tolist() == [2.0, 3.0]
        holder, gone = tf.delete_session_tensor(handle.handle)
        session.run(gone, {holder: handle.handle})
        holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
            session.run(tensor, {holder: handle.handle})


def test_a_tensor_goes_with_its_handle():
    kept = tf.get_session_handle(tf.constant(1.0))
    with tf.Session() as session:
        handle = session.run(kept)
        assert handle.handle in session_tensors.tensors.kept
        name = handle.get_raw_handle()
        del handle
        assert name in session_tensors.tensors.kept  # asked for: it stays
        session_tensors.tensors.kept.pop(name)
        handle = session.run(kept)
        name = handle.handle
        del handle
        assert name not in session_tensors.tensors.kept


def test_words_for_feeds_that_do_not_fit():
    x, i = tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, [])
    with tf.Session() as session:
        with pytest.raises(ValueError, match="could not convert string to float: 'abc'"):
            session.run(x, {x: "abc"})
        with pytest.raises(TypeError, match="Type of feed value 1099511627776 with type"):
            session.run(i, {i: 2**40})
        with pytest.raises(TypeError, match="as Tensor: The name 'nope:0' refers"):
            session.run(x, {"nope:0": 1})
        assert np.isnan(session.run(x, {x: None}))


def test_an_empty_graph_has_nothing_to_run():
    with (
        tf.Session(graph=tf.Graph()) as session,
        pytest.raises(RuntimeError, match="The Session graph is empty"),
    ):
        session.run([])
