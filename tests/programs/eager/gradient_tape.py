"""What a tape can do: higher orders, Jacobians, several sources, gradients of one's own."""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x * x
print("dy/dx", tape.gradient(y, x).numpy())

with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x**3
    first = inner.gradient(y, x)
print("second", outer.gradient(first, x).numpy())

v = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    squares = v * v
    total = tf.reduce_sum(squares)
print("twice", tape.gradient(total, v).numpy(), tape.gradient(squares, v).numpy())
print("jacobian", tape.jacobian(squares, v).numpy().tolist())
del tape

batch = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(batch)
    out = tf.reduce_prod(batch, axis=1, keepdims=True) * batch
print("batch jacobian", tape.batch_jacobian(out, batch).numpy().tolist())

weights = {"w": tf.Variable(2.0), "b": tf.Variable(1.0), "unused": tf.Variable(0.0)}
with tf.GradientTape() as tape:
    loss = (weights["w"] * 3.0 + weights["b"]) ** 2
grads = tape.gradient(loss, weights)
print({name: None if g is None else float(g) for name, g in sorted(grads.items())})
with tf.GradientTape() as tape:
    loss = weights["w"] * 1.0
print(tape.gradient(loss, weights["unused"], unconnected_gradients="zero").numpy())


@tf.custom_gradient
def clipped(t):
    def backwards(dy):
        return tf.clip_by_norm(dy, 0.5)

    return tf.identity(t), backwards


with tf.GradientTape() as tape:
    tape.watch(x)
    out = clipped(x) * 100.0
print("clipped", tape.gradient(out, x).numpy())

with tf.GradientTape() as tape:
    tape.watch(x)
    a = x * 2
    with tape.stop_recording():
        b = a * 10
    c = a + tf.stop_gradient(b) + b
print("stopped", tape.gradient(c, x).numpy())

with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(weights["w"])
    loss = weights["w"] * weights["b"]
print("watched", tape.gradient(loss, [weights["w"], weights["b"]])[1])


# Control flow is followed as it happens.
def f(x, n):
    out = 1.0
    for i in range(n):
        if 1 < i < 5:
            out = tf.multiply(out, x)
    return out


for n in (6, 4):
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = f(x, n)
    print("loop", tape.gradient(out, x).numpy())
try:
    tape.gradient(out, x)
except RuntimeError as error:
    print("once only:", "non-persistent" in str(error))
with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
    y = tf.sin(x) * x
print("forward %.4f" % forward.jvp(y))
