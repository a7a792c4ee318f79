"""A tf.Module with its own training loop, eager and then as a function."""

import tensorflow as tf

tf.random.set_seed(1)
TRUE_W, TRUE_B = 3.0, 2.0
x = tf.random.normal([200])
y = x * TRUE_W + TRUE_B + tf.random.normal([200], stddev=0.1)


class Line(tf.Module):
    """y = w x + b."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(5.0, name="w")
        self.b = tf.Variable(0.0, name="b")

    @tf.Module.with_name_scope
    def __call__(self, x):
        return self.w * x + self.b


class Stack(tf.Module):
    """Modules in a list are found too."""

    def __init__(self):
        super().__init__()
        self.parts = [Line(name="first"), Line(name="second")]
        self.frozen = tf.Variable(1.0, trainable=False)


def mse(target, predicted):
    return tf.reduce_mean(tf.square(target - predicted))


def train(model, x, y, rate):
    with tf.GradientTape() as tape:
        loss = mse(y, model(x))
    dw, db = tape.gradient(loss, [model.w, model.b])
    model.w.assign_sub(rate * dw)
    model.b.assign_sub(rate * db)
    return loss


eager, compiled = Line(), Line()
fast = tf.function(train)
for epoch in range(40):
    loss = train(eager, x, y, 0.1)
    also = fast(compiled, x, y, tf.constant(0.1))
    if epoch % 20 == 0:
        print(f"Epoch {epoch:2d}: loss below 20: {bool(loss < 20)}")
print("w %.1f b %.1f" % (eager.w.numpy(), eager.b.numpy()))
print(
    "the same, compiled:", abs(float(eager.w - compiled.w)) < 1e-4, abs(float(loss - also)) < 1e-4
)
stack = Stack()
print(
    "found:",
    len(stack.variables),
    "to train:",
    len(stack.trainable_variables),
    len(stack.submodules),
)
print([v.name for v in eager.trainable_variables], eager.name)
