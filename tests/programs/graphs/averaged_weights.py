"""Moving averages of weights: kept while training, used when restoring."""

import os
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(24)
path = os.path.join(tempfile.mkdtemp(), "averaged")


def model():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    return x, w, tf.matmul(x, w)


with tf.Graph().as_default():
    x, w, y = model()
    target = tf.placeholder(tf.float32, [None, 1])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(y - target))
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, global_step=step)
    average = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
    with tf.control_dependencies([train]):
        train_and_average = average.apply(tf.trainable_variables() + [loss])
    shadow = average.average(w)
    print("shadow:", shadow.name, "| loss:", average.average_name(loss))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(80):
            features = rng.normal(size=(8, 3))
            noisy = features @ [[1.0], [2.0], [3.0]] + rng.normal(0, 1.0, (8, 1))
            sess.run(train_and_average, {x: features, target: noisy})
        raw, smooth = sess.run([w, shadow])
        saver.save(sess, path)
        print("loss averaged:", sess.run(average.average(loss)) > 0)

truth = np.array([[1.0], [2.0], [3.0]])
print("the average is closer:", np.linalg.norm(smooth - truth) < np.linalg.norm(raw - truth))

with tf.Graph().as_default():
    x, w, y = model()
    names = tf.train.ExponentialMovingAverage(0.9).variables_to_restore()
    print("restored as:", sorted(names))
    with tf.Session() as sess:
        tf.train.Saver(names).restore(sess, path)
        print("evaluates with the average:", np.array_equal(sess.run(w), smooth))

# By hand, the first values of an average.
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.Variable(0.0)
    ema = tf.train.ExponentialMovingAverage(0.5)
    keep = ema.apply([v])
    sess.run(tf.global_variables_initializer())
    seen = []
    for value in (8.0, 8.0, 0.0):
        sess.run(v.assign(value))
        sess.run(keep)
        seen.append(float(sess.run(ema.average(v))))
    print("by hand:", seen)
