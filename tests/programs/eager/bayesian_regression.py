"""A distribution over lines: in closed form, and by a variational approximation."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
tf.random.set_seed(4)
NOISE = 0.3
x = np.linspace(-1, 1, 30).astype("float32")
y = (0.5 + 1.5 * x + rng.normal(0, NOISE, 30)).astype("float32")
design = tf.stack([tf.ones(30), x], axis=1)
target = tf.constant(y)[:, None]

# Closed form: a prior of width one.
precision = tf.transpose(design) @ design / NOISE**2 + tf.eye(2)
covariance = tf.linalg.inv(precision)
mean = covariance @ tf.transpose(design) @ target / NOISE**2
print("posterior mean %.1f %.1f" % tuple(mean.numpy().ravel()))

# The same by gradients of a bound, with samples that let gradients through.
location = tf.Variable(tf.zeros([2]))
raw_scale = tf.Variable(tf.fill([2], -1.0))
m = [tf.Variable(tf.zeros([2])) for _ in range(2)]


@tf.function
def bound(samples):
    scale = tf.nn.softplus(raw_scale)
    weights = location + scale * tf.random.normal([samples, 2])
    predicted = weights @ tf.transpose(design)
    log_likelihood = -0.5 * tf.reduce_sum((predicted - y) ** 2, axis=1) / NOISE**2
    kl = 0.5 * tf.reduce_sum(scale**2 + location**2 - 1 - 2 * tf.math.log(scale))
    return tf.reduce_mean(log_likelihood) - kl


@tf.function
def step(rate):
    with tf.GradientTape() as tape:
        loss = -bound(16)
    for variable, slot, gradient in zip(
        (location, raw_scale), m, tape.gradient(loss, (location, raw_scale))
    ):
        slot.assign(0.8 * slot + 0.2 * gradient)
        variable.assign_sub(rate * slot)
    return loss


before = float(bound(200))
for i in range(150):
    step(0.004 if i < 100 else 0.001)
print("bound rose:", float(bound(200)) > before)
print("same mean:", np.allclose(location, mean[:, 0], atol=0.08))
width = tf.nn.softplus(raw_scale)
print("same width:", np.allclose(width, tf.sqrt(tf.linalg.diag_part(covariance)), atol=0.05))

# A chain of Metropolis steps as a loop in the graph.


@tf.function
def chain(steps):
    state, accepted = tf.zeros([2]), tf.constant(0)
    total = tf.zeros([2])

    def log_density(w):
        return -0.5 * tf.reduce_sum(
            (tf.linalg.matvec(design, w) - y) ** 2
        ) / NOISE**2 - 0.5 * tf.reduce_sum(w**2)

    for _ in tf.range(steps):
        proposal = state + tf.random.normal([2], stddev=0.12)
        if tf.math.log(tf.random.uniform([])) < log_density(proposal) - log_density(state):
            state = proposal
            accepted += 1
        total += state
    return total / tf.cast(steps, tf.float32), accepted


average, accepted = chain(tf.constant(1500))
print(
    "chain agrees:",
    np.allclose(average, mean[:, 0], atol=0.1),
    "moved:",
    100 < int(accepted) < 1450,
)
