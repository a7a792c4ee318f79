"""Large batches in small pieces: the same step, with less memory."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(6)
rng = np.random.RandomState(6)
x = tf.constant(rng.normal(size=(32, 5)), tf.float32)
y = tf.constant(rng.randint(0, 3, 32))


class Net(tf.Module):
    """Two layers."""

    def __init__(self):
        super().__init__()
        init = np.random.RandomState(7)
        self.w1 = tf.Variable(init.normal(0, 0.3, (5, 8)), dtype=tf.float32)
        self.w2 = tf.Variable(init.normal(0, 0.3, (8, 3)), dtype=tf.float32)

    def __call__(self, x):
        return tf.nn.relu(x @ self.w1) @ self.w2


def loss_of(net, x, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=net(x)))


@tf.function
def whole_step(net, rate):
    with tf.GradientTape() as tape:
        loss = loss_of(net, x, y)
    variables = net.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(rate * gradient)
    return loss


class Accumulator:
    """Sums gradients until they are applied."""

    def __init__(self, variables):
        self.variables = variables
        self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.count = tf.Variable(0.0)

    @tf.function
    def add(self, net, x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(net, x, y)
        for total, gradient in zip(self.sums, tape.gradient(loss, self.variables)):
            total.assign_add(gradient)
        self.count.assign_add(1.0)
        return loss

    @tf.function
    def apply(self, rate):
        for variable, total in zip(self.variables, self.sums):
            variable.assign_sub(rate * total / self.count)
            total.assign(tf.zeros_like(total))
        self.count.assign(0.0)


whole, parts = Net(), Net()
accumulator = Accumulator(parts.trainable_variables)
losses = []
for _ in range(20):
    losses.append(float(whole_step(whole, tf.constant(0.5))))
    for bx, by in tf.data.Dataset.from_tensor_slices((x, y)).batch(8):
        accumulator.add(parts, bx, by)
    accumulator.apply(tf.constant(0.5))
print(
    "same weights:",
    np.allclose(whole.w1, parts.w1, atol=1e-5),
    np.allclose(whole.w2, parts.w2, atol=1e-5),
)
print("loss fell:", losses[-1] < losses[0])


# Memory for time: the forward pass is done again in the backward one.
@tf.recompute_grad
def block(h):
    return tf.nn.tanh(h @ whole.w1 @ whole.w2)


with tf.GradientTape() as tape:
    value = tf.reduce_sum(block(x))
with tf.GradientTape() as reference:
    plain = tf.reduce_sum(tf.nn.tanh(x @ whole.w1 @ whole.w2))
print(
    "recomputed:",
    np.allclose(tape.gradient(value, whole.w1), reference.gradient(plain, whole.w1), atol=1e-5),
)
clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
print("global norm", float(norm), [round(float(c[0]), 2) for c in clipped])
