"""Runs a graph in parts: looks at a value, decides in Python, feeds the rest."""

import tensorflow as tf

a = tf.placeholder(tf.float32, shape=[])
b = tf.placeholder(tf.float32, shape=[])
c = tf.placeholder(tf.float32, shape=[])
r1 = tf.add(a, b)
r2 = tf.multiply(r1, c)

with tf.Session() as sess:
    handle = sess.partial_run_setup([r1, r2], [a, b, c])
    first = sess.partial_run(handle, r1, feed_dict={a: 1, b: 2})
    print("first", first)
    print("second", sess.partial_run(handle, r2, feed_dict={c: first * 10}))

    handle = sess.partial_run_setup([r1, r2], [a, b, c])
    sess.partial_run(handle, r1, feed_dict={a: 1, b: 2})
    try:
        sess.partial_run(handle, r2, feed_dict={a: 7.0, c: 1.0})
    except tf.errors.InvalidArgumentError as error:
        print("already fed:", "already been fed" in error.message)

# A callable saves the search through fetches and feeds.
with tf.Session() as sess:
    product = sess.make_callable(r2, feed_list=[a, b, c])
    print("callable", [float(product(n, 1, 2)) for n in range(3)])

# Handles keep a value on the device between runs.
with tf.Session() as sess:
    kept = sess.run(tf.get_session_handle(tf.constant([1.0, 2.0]) * 3))
    holder, value = tf.get_session_tensor(kept.handle, tf.float32)
    print("kept", sess.run(value + 1, feed_dict={holder: kept.handle}).tolist())

# Fetches of any structure come back in the same one.
with tf.Session() as sess:
    feed = {a: 2, b: 3, c: 4}
    result = sess.run({"sum": r1, "both": (r1, [r2, a])}, feed)
    print(sorted(result), float(result["sum"]), [float(n) for n in result["both"][1]])
    # Any tensor may be fed, not only placeholders.
    print("fed in the middle", float(sess.run(r2, {r1: 100.0, c: 2.0})))
