"""tf.test of TensorFlow 1: sessions of a test case, gradients checked."""

import unittest

import placewise.v1 as tf


def run_case(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


def test_each_test_has_a_graph_and_a_session(graph_mode):
    class Case(tf.test.TestCase):
        def test_eval(self):
            with self.test_session():
                self.assertAllClose(tf.constant([1.0, 2.0]).eval(), [1.0, 2.0])

        def test_state_stays_in_one_test(self):
            v = tf.Variable(1.0)
            with self.cached_session() as session:
                session.run(v.initializer)
            with self.cached_session():
                assert v.eval() == 1.0
            assert self.evaluate(v) == 1.0

        def test_begins_with_an_empty_graph(self):
            assert not tf.get_default_graph().get_operations()

    result = run_case(Case)
    assert result.testsRun == 4  # TestCase.test_session itself counts, and is skipped
    assert not result.errors and not result.failures


def test_gradients_are_checked_by_differences(graph_mode):
    x = tf.constant([1.0, 2.0])
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [2], x * x, [2]) < 1e-2
        given, measured = tf.test.compute_gradient(x, [2], x * x, [2], x_init_value=[1.0, 3.0])
    assert given.tolist() == [[2.0, 0.0], [0.0, 6.0]]
    assert abs(measured - given).max() < 1e-2


def test_stubs_are_put_back():
    class Thing:
        value = 1

    with tf.test.StubOutForTesting() as stubs:
        stubs.Set(Thing, "value", 2)
        assert Thing.value == 2
    assert Thing.value == 1


def test_set_up_may_be_called_inside_a_graph():
    class Case(tf.test.TestCase):
        def test_twice(self):
            with tf.Graph().as_default():
                self.setUp()

    assert run_case(Case).wasSuccessful()


def test_a_cached_session_evaluates_where_ops_run_at_once():
    class Case(tf.test.TestCase):
        def test_run(self):
            with self.cached_session() as session:
                assert session.run(tf.constant([1, 2]) * 2).tolist() == [2, 4]

    assert run_case(Case).wasSuccessful()
