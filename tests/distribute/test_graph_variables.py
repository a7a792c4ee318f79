"""Variables of a strategy in a TensorFlow 1 graph: in collections and checkpoints they are one."""

import numpy as np
import pytest

import placewise
import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


@pytest.fixture
def strategy():
    placewise.simulate("2xV100")
    return tf.distribute.MirroredStrategy()


def test_collections_list_the_variable_not_its_parts(strategy):
    with strategy.scope():
        trained = tf.get_variable("v", [])
        own = tf.get_variable("w", [], trainable=False, collections=["mine"])
        step = tf.train.get_or_create_global_step()
    assert [each.name for each in tf.global_variables()] == ["v:0", "global_step:0"]
    assert tf.trainable_variables() == [trained]
    assert tf.get_collection("mine") == [own]
    assert tf.train.get_global_step() is step


def test_replicas_find_the_variables_of_the_first(strategy):
    def model():
        with tf.variable_scope(None, "layer"):
            return tf.get_variable("w", [], initializer=tf.ones_initializer()) + 1.0

    with strategy.scope():
        found = strategy.experimental_local_results(strategy.experimental_run_v2(model))
    assert [each.name for each in tf.global_variables()] == ["layer/w:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(found) == (2.0, 2.0)


@pytest.mark.parametrize("aggregation", ["MEAN", "SUM"])
def test_checkpoints_hold_a_variable_once_and_restore_all_parts(strategy, tmp_path, aggregation):
    with strategy.scope():
        mirrored = tf.get_variable("m", [], initializer=tf.ones_initializer())
        apart = tf.get_variable(
            "a",
            [],
            initializer=tf.zeros_initializer(),
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=getattr(tf.VariableAggregation, aggregation),
        )
    change = [part.assign(value) for part, value in zip(apart.values, [1.0, 3.0], strict=True)]
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(change)
        path = saver.save(session, str(tmp_path / "model"))
    reader = tf.train.load_checkpoint(path)
    whole = 2.0 if aggregation == "MEAN" else 4.0
    assert reader.get_variable_to_shape_map() == {"m": [], "a": []}
    assert reader.get_tensor("a") == whole
    with tf.Session() as session:
        saver.restore(session, path)
        assert session.run([*mirrored.values, *apart.values]) == [1.0, 1.0, 2.0, 2.0]
    np.testing.assert_equal(reader.get_tensor("m"), 1.0)


def test_summaries_are_those_of_the_first_replica(strategy):
    with strategy.scope():
        strategy.experimental_run_v2(lambda: tf.summary.scalar("loss", 1.0))
    assert [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)] == ["loss"]
