"""A membrane struck in the middle, stepped in a graph on a GPU; heat beside it on another."""

import numpy as np
import tensorflow as tf

N = 33
gpus = tf.config.list_logical_devices("GPU")
places = [gpus[i % len(gpus)].name if gpus else "/CPU:0" for i in range(2)]
kernel = tf.constant([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])[:, :, None, None]


def laplacian(u):
    inside = tf.nn.conv2d(u[None, :, :, None], kernel, 1, "VALID")[0, :, :, 0]
    return tf.pad(inside, [[1, 1], [1, 1]])


@tf.function
def membrane(u, steps, speed):
    before = u
    for _ in tf.range(steps):
        u, before = 2.0 * u - before + speed**2 * laplacian(u), u
    return u, before


@tf.function
def heat(u, tolerance):
    steps, change = 0, tf.constant(1.0)
    while change > tolerance and steps < 2000:
        new = u + 0.2 * laplacian(u)
        change = tf.reduce_max(tf.abs(new - u))
        u = new
        steps += 1
    return u, steps


grid = np.linspace(-1, 1, N, dtype="float32")
bump = np.exp(-40 * (grid[:, None] ** 2 + grid[None] ** 2)).astype("float32")
bump[[0, -1]] = bump[:, [0, -1]] = 0
with tf.device(places[0]):
    moved, before = membrane(tf.constant(bump), tf.constant(60), tf.constant(0.5))
with tf.device(places[1]):
    cooled, steps = heat(tf.constant(bump), tf.constant(1e-4))

print(
    "symmetric:",
    np.allclose(moved, tf.transpose(moved), atol=1e-5),
    np.allclose(moved, moved[::-1], atol=1e-5),
)
print(
    "the edge stays:",
    float(tf.reduce_max(tf.abs(moved[0]))) == 0.0,
    "below the start:",
    float(tf.reduce_max(moved)) < 1,
)


def energy(u, before):
    kinetic = tf.reduce_sum((u - before) ** 2)
    return kinetic - 0.25 * tf.reduce_sum(u * laplacian(before))


start = energy(*membrane(tf.constant(bump), tf.constant(1), tf.constant(0.5)))
print("energy is kept:", bool(abs(energy(moved, before) / start - 1) < 1e-3))
print("heat settles:", 10 < int(steps) < 2000, "cools:", float(tf.reduce_max(cooled)) < 1)
print("places differ:", moved.device != cooled.device or not gpus)
print(moved.device.split("/")[-1], cooled.device.split("/")[-1])
