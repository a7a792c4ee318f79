"""REINFORCE balances a pole; the cart is a few lines of NumPy."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(21)
tf.set_random_seed(21)


class Cart:
    """A pole on a cart: pushed left (0) or right (1) at each step."""

    def reset(self):
        self.state = rng.uniform(-0.05, 0.05, 4)
        self.steps = 0
        return self.state

    def step(self, action):
        x, speed, angle, turning = self.state
        force = 10.0 if action else -10.0
        push = (force + 0.05 * turning**2 * np.sin(angle)) / 1.1
        spin = (9.8 * np.sin(angle) - np.cos(angle) * push) / (
            0.5 * (4.0 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
        )
        slide = push - 0.05 * spin * np.cos(angle) / 1.1
        self.state = np.array(
            [x + 0.02 * speed, speed + 0.02 * slide, angle + 0.02 * turning, turning + 0.02 * spin]
        )
        self.steps += 1
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return self.state, 1.0, fallen or self.steps >= 100


class Agent:
    """A policy network, and the gradient of the log-probability of what it did."""

    def __init__(self, rate, hidden):
        self.state_in = tf.placeholder(tf.float32, [None, 4])
        layer = tf.layers.dense(self.state_in, hidden, activation=tf.nn.relu)
        self.output = tf.layers.dense(layer, 2, activation=tf.nn.softmax)
        self.reward = tf.placeholder(tf.float32, [None])
        self.action = tf.placeholder(tf.int32, [None])
        indexes = tf.range(0, tf.shape(self.output)[0]) * tf.shape(self.output)[1] + self.action
        responsible = tf.gather(tf.reshape(self.output, [-1]), indexes)
        self.loss = -tf.reduce_mean(tf.log(responsible) * self.reward)
        variables = tf.trainable_variables()
        self.holders = [
            tf.placeholder(tf.float32, name="%d_holder" % i) for i in range(len(variables))
        ]
        self.gradients = tf.gradients(self.loss, variables)
        self.update = tf.train.AdamOptimizer(rate).apply_gradients(zip(self.holders, variables))


def discounted(rewards, gamma=0.97):
    total, out = 0.0, np.zeros(len(rewards))
    for t in reversed(range(len(rewards))):
        total = out[t] = total * gamma + rewards[t]
    return (out - 15) / 10


agent, cart = Agent(0.02, 12), Cart()
lengths = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    buffer = [np.zeros_like(v) for v in sess.run(tf.trainable_variables())]
    for episode in range(60):
        state, states, actions, rewards, over = cart.reset(), [], [], [], False
        while not over:
            chances = sess.run(agent.output, {agent.state_in: [state]})[0]
            action = int(rng.uniform() < chances[1])
            states.append(state)
            state, reward, over = cart.step(action)
            actions.append(action)
            rewards.append(reward)
        lengths.append(len(rewards))
        feed = {agent.state_in: states, agent.action: actions, agent.reward: discounted(rewards)}
        for total, gradient in zip(buffer, sess.run(agent.gradients, feed)):
            total += gradient
        if episode % 5 == 4:
            sess.run(agent.update, dict(zip(agent.holders, buffer)))
            buffer = [np.zeros_like(b) for b in buffer]
print("episodes", len(lengths), "updates", len(lengths) // 5)
print("balances longer: %s" % (np.mean(lengths[-15:]) > np.mean(lengths[:15])))
