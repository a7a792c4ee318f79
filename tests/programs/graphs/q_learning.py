"""A Q-network with a target copy and a replay memory learns its way through a small maze."""

import collections

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(22)
tf.set_random_seed(22)
MAZE = ["S.#.", "..#.", "#...", "...G"]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]


def step(place, action):
    """Return where a move leads, its reward, and whether that is the end."""
    row, column = divmod(place, 4)
    r, c = row + MOVES[action][0], column + MOVES[action][1]
    if not (0 <= r < 4 and 0 <= c < 4) or MAZE[r][c] == "#":
        return place, -0.1, False
    return r * 4 + c, (1.0 if MAZE[r][c] == "G" else -0.02), MAZE[r][c] == "G"


def network(x, name):
    with tf.variable_scope(name):
        hidden = tf.layers.dense(tf.one_hot(x, 16), 24, activation=tf.nn.relu)
        return tf.layers.dense(hidden, 4)


places = tf.placeholder(tf.int32, [None])
taken = tf.placeholder(tf.int32, [None])
wanted = tf.placeholder(tf.float32, [None])
online, target = network(places, "online"), network(places, "target")
copy = [
    new.assign(old)
    for new, old in zip(tf.trainable_variables("target"), tf.trainable_variables("online"))
]
chosen = tf.reduce_sum(online * tf.one_hot(taken, 4), axis=1)
loss = tf.losses.huber_loss(wanted, chosen)
train = tf.train.AdamOptimizer(0.02).minimize(loss, var_list=tf.trainable_variables("online"))

memory = collections.deque(maxlen=500)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    for episode in range(40):
        place, over, moves = 0, False, 0
        while not over and moves < 30:
            if rng.rand() < max(0.1, 1 - episode / 25.0):
                action = rng.randint(4)
            else:
                action = int(np.argmax(sess.run(online, {places: [place]})))
            after, reward, over = step(place, action)
            memory.append((place, action, reward, after, over))
            place, moves = after, moves + 1
            if len(memory) >= 32 and moves % 2:
                batch = [memory[i] for i in rng.randint(0, len(memory), 32)]
                s, a, r, s2, ends = (np.array(part) for part in zip(*batch))
                best = sess.run(target, {places: s2}).max(axis=1)
                sess.run(train, {places: s, taken: a, wanted: r + 0.9 * best * (1 - ends)})
        if episode % 2 == 0:
            sess.run(copy)
    place, over, path = 0, False, [0]
    while not over and len(path) < 15:
        place, _, over = step(place, int(np.argmax(sess.run(online, {places: [place]}))))
        path.append(place)
    sess.run(copy)
    same = sess.run(
        [
            tf.reduce_all(tf.equal(*pair))
            for pair in zip(tf.trainable_variables("target"), tf.trainable_variables("online"))
        ]
    )
print("reaches the goal:", over, "in the fewest moves:", len(path) - 1 == 6)
print("target is a copy:", all(same))
