"""Builds a model once; later programs take it from its files without the code that made it."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


def write():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", initializer=[[1.0], [2.0], [3.0]])
        y = tf.matmul(x, w, name="y")
        target = tf.placeholder(tf.float32, [None, 1], name="target")
        loss = tf.reduce_mean(tf.square(y - target), name="loss")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
        tf.add_to_collection("ends", x)
        tf.add_to_collection("ends", y)
        tf.add_to_collection("train_op", train)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return tf.train.Saver().save(sess, os.path.join(folder, "model"))


path = write()
print("written:", sorted(os.listdir(folder)))

with tf.Graph().as_default() as graph, tf.Session() as sess:
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(sess, path)
    x, y = tf.get_collection("ends")
    print("ends:", x.name, y.name, y.shape)
    print("product:", sess.run(y, {x: [[1, 1, 1]]}).tolist())
    target = graph.get_tensor_by_name("target:0")
    loss = graph.get_tensor_by_name("loss:0")
    feed = {x: np.eye(3), target: np.zeros((3, 1))}
    before = sess.run(loss, feed)
    for _ in range(5):
        sess.run(tf.get_collection("train_op")[0], feed)
    print("trained on:", sess.run(loss, feed) < before)
    print(
        "operations of kind MatMul:",
        [op.name for op in graph.get_operations() if op.type == "MatMul"][:1],
    )
    print("variable:", [v.name for v in tf.trainable_variables()])

# Part of the graph can be replaced on the way in.
with tf.Graph().as_default() as graph, tf.Session() as sess:
    always = tf.constant([[2.0, 2.0, 2.0]])
    saver = tf.train.import_meta_graph(
        path + ".meta", input_map={"x:0": always}, import_scope="again"
    )
    saver.restore(sess, path)
    print("with a constant for x:", sess.run("again/y:0").tolist())
    try:
        graph.get_tensor_by_name("y:0")
    except KeyError as error:
        print(error.args[0].split(",")[0])
