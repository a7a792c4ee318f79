"""Pulls levers, and says which it thinks best: `python -m bandits`."""

import numpy as np
import tensorflow as tf

from . import policy
from .flags import FLAGS
from .machine import Machine


def main(_):
    chances = [float(chance) for chance in FLAGS.chances]
    machine, rng = Machine(chances, seed=1), np.random.RandomState(2)
    tf.reset_default_graph()
    agent = policy.Policy(len(chances))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        pulled = np.zeros(len(chances), int)
        for _ in range(FLAGS.pulls):
            explore = rng.rand() < FLAGS.epsilon
            lever = rng.randint(len(chances)) if explore else sess.run(agent.choice)
            reward = machine.pull(lever)
            sess.run(agent.update, {agent.reward: [reward], agent.lever: [lever]})
            pulled[lever] += 1
        best = int(np.argmax(sess.run(agent.weights)))
    print("pulled", pulled.sum(), "times; the best lever is", best)
    print("right:", best == int(np.argmax(chances)), "package:", __package__)


if __name__ == "__main__":
    tf.app.run()
