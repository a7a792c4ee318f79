"""Operations that run as they are written: the first lesson of TensorFlow 2."""

import numpy as np
import tensorflow as tf

print("eager:", tf.executing_eagerly())
a, b, c = tf.constant(2), tf.constant(3), tf.constant(5)
print("add =", tf.add(a, b).numpy(), "sub =", tf.subtract(a, b).numpy())
print("mul =", (a * b).numpy(), "div =", (a / b).numpy(), "floor =", (c // a).numpy())
print("mean =", tf.reduce_mean([a, b, c]).numpy(), "sum =", tf.reduce_sum([a, b, c]).numpy())

matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])
other = tf.constant([[5.0, 6.0], [7.0, 8.0]])
print(tf.matmul(matrix, other))
print((matrix @ other).numpy().tolist(), matrix.shape, matrix.dtype, matrix.ndim)

# Tensors and NumPy arrays stand in for one another.
ones = np.ones([2, 2])
print(type(tf.multiply(ones, 42)).__name__, np.add(matrix, 1).tolist())
for row in matrix:
    print("row", row.numpy())
if tf.reduce_all(matrix > 0):
    print("all positive", bool(matrix[0, 0] < matrix[1, 1]), int(a) + 1, float(matrix[0, 1]))

# Slices, shapes, kinds.
cube = tf.reshape(tf.range(24), [2, 3, 4])
print(cube[:, 1, ::2].numpy().tolist(), cube[..., -1].shape, tf.transpose(cube, [2, 0, 1]).shape)
print(tf.cast(matrix, tf.int32).dtype.name, tf.argmax(matrix, axis=1).numpy().tolist())
print(tf.concat([matrix, other], 0).shape, tf.stack([matrix, other]).shape, tf.rank(cube).numpy())
print(tf.where(matrix > 2, matrix, tf.zeros_like(matrix)).numpy().tolist())

# Variables change in place.
v = tf.Variable([1.0, 2.0], name="v")
v.assign_add([1.0, 1.0])
v[0].assign(10.0)
print(v.name, v.numpy().tolist(), v.trainable)
try:
    tf.matmul(matrix, tf.ones([3, 1]))
except tf.errors.InvalidArgumentError as error:
    print("shapes:", "Matrix size-incompatible" in str(error))
try:
    tf.constant([1]) + tf.constant([1.0])
except tf.errors.InvalidArgumentError as error:
    print("kinds:", "cannot compute AddV2" in str(error))
try:
    matrix[0, 0] = 1.0
except TypeError as error:
    print("unchangeable:", "does not support item assignment" in str(error))
with tf.device("/CPU:0"):
    print("here:", tf.identity(matrix).device.split("/")[-1])
print("strings:", tf.strings.upper("eager").numpy(), tf.constant(["a", "b"]).shape)
