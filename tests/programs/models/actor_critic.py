"""An actor and a critic learn to walk a corridor; the world is NumPy called from the graph."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(15)
SIZE, LONGEST = 5, 30


class Corridor:
    """Right leads to the prize; left leads away."""

    def reset(self):
        self.place, self.time = 0, 0
        return np.eye(SIZE, dtype=np.float32)[0]

    def step(self, action):
        self.place = min(SIZE - 1, self.place + 1) if action == 1 else max(0, self.place - 1)
        self.time += 1
        over = self.place == SIZE - 1 or self.time >= LONGEST
        reward = 1.0 if self.place == SIZE - 1 else -0.05
        return np.eye(SIZE, dtype=np.float32)[self.place], np.float32(reward), np.int32(over)


world = Corridor()


class ActorCritic(tf.keras.Model):
    """Two heads on one layer."""

    def __init__(self):
        super().__init__()
        self.common = layers.Dense(16, activation="relu")
        self.actor = layers.Dense(2)
        self.critic = layers.Dense(1)

    def call(self, state):
        x = self.common(state)
        return self.actor(x), self.critic(x)


model = ActorCritic()
model(tf.zeros([1, SIZE]))
optimizer = tf.keras.optimizers.Adam(0.03)


@tf.function
def run_episode(state):
    chances = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for t in tf.range(LONGEST):
        logits, value = model(state[None])
        action = tf.random.categorical(logits, 1, dtype=tf.int32)[0, 0]
        chances = chances.write(t, tf.nn.softmax(logits)[0, action])
        values = values.write(t, tf.squeeze(value))
        state, reward, over = tf.numpy_function(
            world.step, [action], [tf.float32, tf.float32, tf.int32]
        )
        state.set_shape([SIZE])
        reward.set_shape([])
        rewards = rewards.write(t, reward)
        if tf.cast(over, tf.bool):
            break
    return chances.stack(), values.stack(), rewards.stack()


@tf.function
def expected_return(rewards, gamma=0.95):
    backwards = tf.reverse(rewards, [0])
    total = tf.scan(lambda acc, r: r + gamma * acc, backwards, initializer=tf.constant(0.0))
    return tf.reverse(total, [0])


@tf.function
def train(start):
    with tf.GradientTape() as tape:
        chances, values, rewards = run_episode(start)
        returns = expected_return(rewards)
        advantage = returns - values
        actor = -tf.reduce_sum(tf.math.log(chances + 1e-8) * tf.stop_gradient(advantage))
        critic = tf.reduce_sum(tf.keras.losses.huber(returns[:, None], values[:, None]))
        loss = actor + critic
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return tf.size(rewards)


lengths = [int(train(tf.constant(world.reset()))) for _ in range(40)]
print("episodes", len(lengths), "shortest possible reached:", min(lengths) == SIZE - 1)
print(
    "quicker:",
    np.mean(lengths[-10:]) < np.mean(lengths[:10]),
    "near the best:",
    np.mean(lengths[-10:]) < 8,
)
chance = tf.nn.softmax(model(tf.eye(SIZE))[0])[:-1, 1]
print("prefers right:", bool(tf.reduce_all(chance > 0.5)))
print("returns", np.round(expected_return(tf.constant([0.0, 0.0, 1.0])).numpy(), 3).tolist())
