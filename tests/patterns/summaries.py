"""Patterns of summaries and files: what is written is in the file, and what is flushed is read."""

import glob

import numpy as np

from .table import pattern


def _written(tf, folder):
    (file,) = glob.glob(folder + "/*")
    events = tf.compat.v1.train.summary_iterator(file)
    return [[event.step, [value.tag for value in event.summary.value]] for event in events][1:]


@pattern
def a_condition_is_asked_once_a_summary(tf, folder):
    step = tf.Variable(-1, dtype=tf.int64)

    def is_even():
        step.assign_add(1)
        return int(step % 2) == 0

    with tf.summary.create_file_writer(folder).as_default(), tf.summary.record_if(is_even):
        answers = [bool(tf.summary.write("tag", 1, step=step)) for _ in range(5)]
    return [answers, _written(tf, folder)]


@pattern
def a_writer_that_writes_nothing_is_transparent(tf, folder):
    with tf.summary.create_file_writer(folder).as_default():
        with tf.summary.create_noop_writer().as_default(step=4):
            answer = bool(tf.summary.write("inner", 1, step=1))
        tf.summary.write("outer", 1, step=2)
    return [answer, _written(tf, folder)]


@pattern
def a_function_flushes_the_writer_it_leaves(tf, folder):
    writer = tf.summary.create_file_writer(folder)

    @tf.function
    def write(value):
        with writer.as_default():
            return tf.summary.write("tag", value, step=12)

    return [write(tf.constant([1, 2])), _written(tf, folder)]


@pattern
def flushed_records_are_read_while_the_file_is_open(tf, folder):
    answers = []
    for kind in ("GZIP", "ZLIB", ""):
        path = f"{folder}/records{kind}"
        writer = tf.io.TFRecordWriter(path, kind)
        for number in range(3):
            writer.write(f"record {number}")
        writer.flush()
        answers.append([item.numpy() for item in tf.data.TFRecordDataset(path, kind)])
        writer.close()
    with open(folder + "/recordsGZIP", "ab") as file, open(folder + "/recordsGZIP", "rb") as again:
        file.write(again.read())
    twice = tf.data.TFRecordDataset(folder + "/recordsGZIP", "GZIP")
    return [answers, [item.numpy() for item in twice]]


@pattern
def ftrl_takes_beta(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable([1.0, 2.0])
        optimizer = v1.train.FtrlOptimizer(3.0, l2_regularization_strength=2.0, beta=0.1)
        step = optimizer.apply_gradients([(tf.constant([0.1, 0.2]), variable)])
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        return np.round(session.run(variable), 4)


@pattern
def gradients_of_ragged_tensors_are_ragged(tf, folder):
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    answers = []
    for dense in (lambda r: r.to_tensor() * 2, lambda r: r.to_tensor(9.0, shape=[3, 1]) * 2):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            result = dense(rows)
        answers.append(tape.gradient(result, rows).to_list())
    return answers


@pattern
def iterators_of_graphs_are_in_meta_graphs(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(5))
        following = iterator.get_next()
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
        v1.add_to_collection("next", following)
        v1.add_to_collection("begin", iterator.initializer)
        saver = v1.train.Saver()
        session.run(iterator.initializer)
        answers = [session.run(following) for _ in range(2)]
        saver.save(session, folder + "/model")
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(folder + "/model.meta")
        session.run(v1.get_collection("begin"))
        saver.restore(session, folder + "/model")
        return [*answers, session.run(v1.get_collection("next")[0])]
