"""Writes the checkpoints of `data/` with TensorFlow: run it once under 1.15 and once under 2.

The values are told by `values.py`, which the tests read too.
"""

import os
import sys

import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import values

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def tensorflow_1():
    """By names: every dtype, strings, parts, several files, the first format, a meta graph."""
    made = [
        tf.Variable(values.array(name), name=name, use_resource=name == "resource")
        for name in values.NAMES
    ]
    part = tf.get_variable(
        "part",
        initializer=tf.constant(values.array("float32")),
        dtype=tf.float32,
        partitioner=tf.fixed_size_partitioner(2),
    )
    tf.add_to_collection("sum", tf.add(made[0], 1.0, name="sum"))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, f"{HERE}/names", write_state=False)
        pairs = zip(values.NAMES, made)  # noqa: B905 - Python 3.7 has no strict
        plain = {name: each for name, each in pairs if name in values.IN_V1}
        for name, several in (("v1", False), ("v1_sharded", True)):
            tf.train.Saver(
                dict(plain, part=part), write_version=tf.train.SaverDef.V1, sharded=several
            ).save(session, f"{HERE}/{name}", write_state=False, write_meta_graph=False)
    tf.reset_default_graph()
    with tf.device("/cpu:0"):
        tf.Variable([1.0, 2.0], name="a")
    tf.Variable([3.0], name="b")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.Saver(sharded=True).save(
            session, f"{HERE}/sharded", write_state=False, write_meta_graph=False
        )

    tf.reset_default_graph()
    v = tf.Variable([[2.0]], name="v")
    x = tf.placeholder(tf.float32, [None, 1], name="x")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        y = tf.matmul(x, v, name="y")
        tf.saved_model.simple_save(session, f"{HERE}/saved_graph", {"x": x}, {"y": y})

    tf.reset_default_graph()
    with open("words.txt", "w") as file:
        file.write("a\nb\n")
    table = tf.contrib.lookup.index_table_from_file("words.txt", num_oov_buckets=2)
    x = tf.placeholder(tf.string, [None], name="x")
    y = tf.identity(table.lookup(x), name="y")
    start = tf.tables_initializer()
    with tf.Session() as session:
        session.run(start)
        tf.saved_model.simple_save(session, f"{HERE}/saved_words", {"x": x}, {"y": y}, start)
    os.unlink("words.txt")


def tensorflow_2():
    """By objects: lists, dicts, a shared variable, an optimizer with slots; a SavedModel."""
    model = values.make_model(tf)
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.w**2)
    optimizer.apply_gradients([(tape.gradient(loss, model.w), model.w)])
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=tf.Variable(7))
    checkpoint.save(f"{HERE}/objects")
    os.unlink(f"{HERE}/checkpoint")
    options = tf.saved_model.SaveOptions(experimental_skip_saver=True)
    for name, made in (
        ("saved_objects", values.make_saved(tf)),
        ("saved_arrays", values.make_arrays(tf, with_slopes=False)),
    ):
        tf.saved_model.save(made, f"{HERE}/{name}", options=options)
        os.unlink(f"{HERE}/{name}/fingerprint.pb")
        os.rmdir(f"{HERE}/{name}/assets")
    with open("words.txt", "w") as file:
        file.write("a\nb\n")
    tables = values.make_tables(tf, "words.txt")
    tf.saved_model.save(tables, f"{HERE}/saved_tables")
    tf.train.Checkpoint(tables=tables).write(f"{HERE}/tables")
    os.unlink(f"{HERE}/saved_tables/fingerprint.pb")
    os.unlink("words.txt")


tensorflow_1() if tf.__version__.startswith("1") else tensorflow_2()
