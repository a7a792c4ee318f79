"""Patterns of objects: savers, files, tensors as Python values, test cases."""

import importlib
import os
import unittest
import weakref

import numpy as np

from .table import pattern


@pattern
def a_saver_saves_eager_variables(tf, folder):
    variable = tf.Variable(3.0, name="v")
    saver = tf.compat.v1.train.Saver([variable])
    path = saver.save(None, folder + "/m")
    variable.assign(4.0)
    saver.restore(None, path)
    return variable


@pattern
def a_file_that_is_not_there_is_made_by_r_plus(tf, folder):
    with tf.io.gfile.GFile(folder + "/new", "r+") as file:
        file.write("X")
    return tf.io.gfile.GFile(folder + "/new").read()


@pattern
def files_are_kept_in_memory(tf, folder):
    files = tf.io.gfile
    with files.GFile("ram://in_memory/a.txt", "w") as file:
        file.write("hello")
    files.copy("ram://in_memory/a.txt", "ram://in_memory/b.txt")
    return [
        files.GFile("ram://in_memory/a.txt").read(),
        files.exists("ram://in_memory/c.txt"),
        files.listdir("ram://in_memory"),
        files.glob("ram://in_memory/*"),
        list(files.walk("ram://in_memory")),
        tf.io.read_file("ram://in_memory/a.txt"),
    ]


@pattern
def checkpoints_are_kept_in_memory(tf, folder):
    variable = tf.Variable(2.0)
    checkpoint = tf.train.Checkpoint(v=variable)
    path = checkpoint.save("ram://kept/c")
    variable.assign(1.0)
    checkpoint.restore(tf.train.latest_checkpoint("ram://kept"))
    return [path, variable]


@pattern
def a_reference_of_a_tensor_is_weakly_referenced(tf, folder):
    reference = tf.constant(1.0).ref()
    return weakref.ref(reference)() is reference


@pattern
def a_static_value_is_known_in_part(tf, folder):
    with tf.Graph().as_default():
        size = tf.shape(tf.compat.v1.placeholder(tf.float32, [None, 3]))
        known = tf.get_static_value(tf.stack([size[0], 3]), partial=True)
        return [str(known), tf.get_static_value(tf.stack([size[0], 3]))]


@pattern
def a_variable_has_no_static_value(tf, folder):
    return [tf.get_static_value(tf.Variable(3.0)), tf.get_static_value(tf.constant(2))]


@pattern
def the_spread_of_ragged_rows(tf, folder):
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    deep = tf.ragged.constant([[[1.0, 2.0], [3.0]], [[5.0]]])
    return [
        tf.math.reduce_std(ragged, axis=0),
        tf.math.reduce_std(ragged, axis=1, keepdims=True),
        tf.math.reduce_variance(deep, axis=0).to_list(),
        tf.math.reduce_variance(deep, axis=2).to_list(),
    ]


@pattern
def sparse_branches_keep_their_shape(tf, folder):
    with tf.Graph().as_default():
        choice = tf.compat.v1.placeholder(tf.bool, [])
        first = tf.SparseTensor([[0, 0]], [1.0], [2, 3])
        second = tf.SparseTensor([[1, 1]], [5.0], [2, 3])
        return tf.cond(choice, lambda: first, lambda: second).shape


@pattern
def names_are_mapped_as_bytes(tf, folder):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, name="x")
        tf.identity(x, name="y")
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(
            graph.as_graph_def(),
            input_map={b"x:0": tf.constant(3.0)},
            return_elements=[b"y:0"],
        )
        return tf.compat.v1.Session().run(y)


@pattern
def a_scaffold_feeds_what_initializes_local_variables(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float32, [])
        local = v1.get_variable("v", initializer=1.0, collections=["local_variables"])
        scaffold = v1.train.Scaffold(
            local_init_op=local.assign(fed), local_init_feed_dict={fed: 5.0}
        )
        with v1.train.MonitoredTrainingSession(scaffold=scaffold) as session:
            return session.run(local)


def _outcomes(case):
    with open(os.devnull, "w") as nowhere:
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
        result = unittest.TextTestRunner(stream=nowhere).run(suite)
    return [result.testsRun, [str(test) for test, _ in result.errors + result.failures]]


@pattern
def test_cases_run_graphs_in_sessions(tf, folder):
    class Graphs(tf.test.TestCase):
        def test_evaluate(self):
            with tf.Graph().as_default(), self.session():
                self.assertAllEqual(self.evaluate(tf.constant(2) * 2), 4)
                self.assertAllEqual(tf.constant([1, 2]) + 1, [2, 3])
                self.assertAllClose(tf.constant([1.0, 2.0]) + 1.0, [2.0, 3.0])
                rows = self.evaluate(tf.ragged.constant([[1], [2, 3]]))
                self.assertAllEqual(rows.to_list(), [[1], [2, 3]])
                self.assertAllEqual(self.evaluate(tf.SparseTensor([[0]], [1], [2])).values, [1])

        def test_one_session_for_a_test(self):
            with tf.Graph().as_default():
                with self.cached_session() as first:
                    pass
                with self.cached_session() as second:
                    self.assertIs(first, second)

        def test_eager(self):
            self.assertAllEqual(self.evaluate(tf.ragged.constant([[1], [2, 3]])), [[1], [2, 3]])
            self.assertAllEqual(self.evaluate(tf.SparseTensor([[0]], [1], [2])).values, [1])

        def test_differences_are_found(self):
            graph = tf.Graph().as_default()
            with graph, self.session(), self.assertRaises(AssertionError):
                self.assertAllEqual(tf.constant([1, 2]), [1, 3])
            with self.assertRaises(AssertionError):
                self.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]])

        def test_compute_gradient_in_a_graph(self):
            with tf.Graph().as_default(), self.session():
                x = np.array([1.0, 2.0], np.float32)
                theoretical, numerical = tf.test.compute_gradient(lambda x: x * x, [x])
                self.assertAllClose(theoretical, numerical, 1e-2, 1e-2)
                self.assertAllClose(theoretical[0], [[2.0, 0.0], [0.0, 4.0]], 1e-2, 1e-2)

    return _outcomes(Graphs)


@pattern
def a_test_begins_with_an_empty_default_graph(tf, folder):
    counts = []

    class Twice(tf.test.TestCase):
        def test_a(self):
            self._count()

        def test_b(self):
            self._count()

        def _count(self):
            graph = tf.compat.v1.get_default_graph()
            counts.append(len(graph.get_operations()))
            with graph.as_default():
                tf.constant(1.0)

    return [_outcomes(Twice), counts]


@pattern
def benchmarks_say_what_they_measured(tf, folder):
    class Addition(tf.test.Benchmark):
        def benchmark_add(self):
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                return self.run_op_benchmark(session, tf.constant(1.0) + 1.0, min_iters=3)

    result = Addition().benchmark_add()
    return [
        sorted(result),
        result["iters"],
        Addition.is_abstract(),
        tf.test.Benchmark.is_abstract(),
    ]


@pattern
def a_timeline_is_analyzed(tf, folder):
    home = "placewise.session" if "placewise" in tf.__name__ else "tensorflow.python.client"
    timeline = importlib.import_module(f"{home}.timeline")
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        metadata = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        total = tf.constant(1.0) + tf.constant(2.0)
        v1.Session().run(total, options=options, run_metadata=metadata)
        analysis = timeline.Timeline(metadata.step_stats).analyze_step_stats()
        return [analysis._fields, "traceEvents" in analysis.chrome_trace.format_to_string()]


@pattern
def variables_are_saved_as_parts_of_one(tf, folder):
    v1 = tf.compat.v1
    make = tf.Variable.SaveSliceInfo
    with tf.Graph().as_default(), v1.Session() as session:
        for number, name in enumerate("ab"):
            value = [[2.0 * number + 1, 2.0 * number + 2]]
            part = v1.get_variable(name, initializer=value)
            part._set_save_slice_info(make("full", [2, 2], [number, 0], [1, 2]))
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, folder + "/c")
    said = part._get_save_slice_info()
    again = make(save_slice_info_def=said.to_proto())
    return [tf.train.load_variable(path, "full"), said.spec, again.var_offset]


@pattern
def checkpoints_may_be_without_graphs(tf, folder):
    v1 = tf.compat.v1
    names = []
    for keeps in (False, True):
        place = f"{folder}/{keeps}"
        with tf.Graph().as_default():
            step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
            hook = v1.train.CheckpointSaverHook(place, save_steps=1, save_graph_def=keeps)
            with v1.train.MonitoredSession(hooks=[hook]) as session:
                session.run(step)
        names.append(sorted(name for name in os.listdir(place) if "events" not in name))
    return names
