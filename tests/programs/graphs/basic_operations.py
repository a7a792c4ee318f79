"""Constants, placeholders and products in a graph: the first lesson."""

import tensorflow as tf

two = tf.constant(2)
three = tf.constant(3)

with tf.Session() as session:
    print("constants: %i and %i" % (session.run(two), session.run(three)))
    print("sum: %i" % session.run(two + three))
    print("product: %i" % session.run(two * three))

# The same operations with values that arrive when the graph runs.
left = tf.placeholder(tf.int16, name="left")
right = tf.placeholder(tf.int16, name="right")
total = tf.add(left, right)
product = tf.multiply(left, right)
print(total)

with tf.Session() as session:
    fed = {left: 2, right: 3}
    print("fed sum: %i" % session.run(total, feed_dict=fed))
    print("fed product: %i" % session.run(product, feed_dict=fed))
    print("vectors:", session.run(total, {left: [1, 2], right: [10, 20]}))

row = tf.constant([[3.0, 3.0]])
column = tf.constant([[2.0], [2.0]])
with tf.Session() as session:
    print("matrices:", session.run(tf.matmul(row, column)))

# Variables keep a value between calls.
counter = tf.Variable(0, name="counter")
increment = tf.assign(counter, counter + 1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(increment)
    print("counted to", session.run(counter))

session = tf.InteractiveSession()
state = tf.Variable([1.0, 2.0])
state.initializer.run()
print("without a session argument:", tf.subtract(state, tf.constant([3.0, 3.0])).eval())
session.close()
try:
    with tf.Session() as session:
        session.run(total, {left: 1})
except tf.errors.InvalidArgumentError as error:
    print("unfed:", error.message.splitlines()[0])
