"""Four kinds of iterators over datasets: one-shot, initializable, reinitializable, feedable."""

import numpy as np
import tensorflow as tf

# One-shot: nothing to set up.
dataset = tf.data.Dataset.range(10).filter(lambda n: tf.equal(n % 2, 0)).map(lambda n: n * n)
next_square = dataset.make_one_shot_iterator().get_next()

# Initializable: arrays are fed once, not stored in the graph.
features = tf.placeholder(tf.float32, [None, 2])
labels = tf.placeholder(tf.int32, [None])
pairs = tf.data.Dataset.from_tensor_slices((features, labels))
pairs = pairs.shuffle(100, seed=1).repeat(2).batch(4).prefetch(1)
iterator = pairs.make_initializable_iterator()
next_features, next_labels = iterator.get_next()

# Reinitializable: one iterator, several datasets of one structure.
training = tf.data.Dataset.range(3)
validation = tf.data.Dataset.range(100, 102)
switch = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
next_number = switch.get_next()
to_training, to_validation = switch.make_initializer(training), switch.make_initializer(validation)

# Feedable: which iterator is decided at each run.
handle = tf.placeholder(tf.string, shape=[])
either = tf.data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([]))
next_either = either.get_next()
endless = tf.data.Dataset.range(1000).repeat().make_one_shot_iterator()
counted = tf.data.Dataset.range(-3, 0).make_initializable_iterator()

with tf.Session() as sess:
    squares = []
    try:
        while True:
            squares.append(int(sess.run(next_square)))
    except tf.errors.OutOfRangeError:
        print("squares:", squares, "then the end")

    sess.run(iterator.initializer, {features: np.arange(12.0).reshape(6, 2), labels: np.arange(6)})
    seen, sizes = [], []
    while True:
        try:
            f, y = sess.run([next_features, next_labels])
        except tf.errors.OutOfRangeError:
            break
        assert (f[:, 0] == 2 * y).all()
        seen += y.tolist()
        sizes.append(len(y))
    print("batches:", sizes, "each twice:", sorted(seen) == sorted(list(range(6)) * 2))

    for name, start in (("training", to_training), ("validation", to_validation)):
        sess.run(start)
        got = []
        try:
            while True:
                got.append(int(sess.run(next_number)))
        except tf.errors.OutOfRangeError:
            print(name, got)

    endless_handle, counted_handle = sess.run([endless.string_handle(), counted.string_handle()])
    sess.run(counted.initializer)
    mixed = [int(sess.run(next_either, {handle: h})) for h in [endless_handle, counted_handle] * 3]
    print("fed by turns:", mixed)
    try:
        sess.run(next_either, {handle: counted_handle})
    except tf.errors.OutOfRangeError as error:
        print(type(error).__name__, "End of sequence" in str(error))
