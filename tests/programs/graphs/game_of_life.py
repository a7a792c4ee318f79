"""Conway's game by a convolution, and by a Python function in the graph."""

import numpy as np
import tensorflow as tf

board = np.zeros((10, 10), np.int32)
for row, column in ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2)):
    board[row, column] = 1


def by_convolution(state):
    kernel = tf.constant([[1, 1, 1], [1, 0, 1], [1, 1, 1]], tf.float32)[:, :, None, None]
    # The edges meet: pad with the other side.
    x = tf.cast(state, tf.float32)
    x = tf.concat([x[-1:], x, x[:1]], 0)
    x = tf.concat([x[:, -1:], x, x[:, :1]], 1)
    count = tf.nn.conv2d(x[None, :, :, None], kernel, [1, 1, 1, 1], "VALID")[0, :, :, 0]
    born = tf.logical_and(tf.equal(count, 3), tf.equal(state, 0))
    stays = tf.logical_and(
        tf.logical_or(tf.equal(count, 2), tf.equal(count, 3)), tf.equal(state, 1)
    )
    return tf.where(tf.logical_or(born, stays), tf.ones_like(state), tf.zeros_like(state))


def life_in_numpy(state):
    count = sum(
        np.roll(np.roll(state, i, 0), j, 1)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (i, j) != (0, 0)
    )
    return ((count == 3) | ((state == 1) & (count == 2))).astype(np.int32)


state = tf.placeholder(tf.int32, [10, 10])
step = by_convolution(state)
by_python = tf.py_func(life_in_numpy, [state], tf.int32)
many = tf.while_loop(lambda i, s: i < 40, lambda i, s: (i + 1, by_convolution(s)), [0, state])[1]

with tf.Session() as sess:
    one, other = sess.run([step, by_python], {state: board})
    print("both the same:", np.array_equal(one, other))
    current = board
    for _ in range(4):
        current = sess.run(step, {state: current})
    print("a glider moves by one:", np.array_equal(current, np.roll(np.roll(board, 1, 0), 1, 1)))
    around = sess.run(many, {state: board})
    print("after forty it is back:", np.array_equal(around, board), "alive", int(around.sum()))
    for line in current[:5]:
        print("".join(".#"[cell] for cell in line))
