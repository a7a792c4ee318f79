"""Factorisations, solvers and sums over named indices."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(2)
a = tf.constant(rng.normal(size=(4, 4)))
spd = a @ tf.transpose(a) + 4 * tf.eye(4, dtype=tf.float64)
b = tf.constant(rng.normal(size=(4, 2)))


def near(left, right):
    return bool(np.allclose(left, right, atol=1e-8))


print("solve", near(a @ tf.linalg.solve(a, b), b), "inverse", near(tf.linalg.inv(a) @ a, np.eye(4)))
chol = tf.linalg.cholesky(spd)
print(
    "cholesky",
    near(chol @ tf.transpose(chol), spd),
    near(tf.linalg.cholesky_solve(chol, b), np.linalg.solve(spd, b)),
)
q, r = tf.linalg.qr(a)
print("qr", near(q @ r, a), near(tf.transpose(q) @ q, np.eye(4)))
s, u, v = tf.linalg.svd(a)
print(
    "svd",
    near(u @ tf.linalg.diag(s) @ tf.transpose(v), a),
    near(tf.linalg.norm(a, 2), s[0]) or near(tf.norm(a), tf.sqrt(tf.reduce_sum(s**2))),
)
values, vectors = tf.linalg.eigh(spd)
print(
    "eigenvalues",
    near(spd @ vectors, vectors * values),
    "trace",
    near(tf.linalg.trace(spd), tf.reduce_sum(values)),
)
print(
    "determinant",
    near(tf.linalg.det(spd), tf.reduce_prod(values)),
    near(tf.linalg.logdet(spd), tf.reduce_sum(tf.math.log(values))),
)
tall = tf.constant(rng.normal(size=(10, 3)))
target = tf.constant(rng.normal(size=(10, 1)))
print(
    "least squares",
    near(tf.linalg.lstsq(tall, target), np.linalg.lstsq(tall, target, rcond=None)[0]),
)
print(
    "pseudo-inverse",
    near(tf.linalg.pinv(tall), np.linalg.pinv(tall)),
    "expm",
    near(tf.linalg.expm(tf.zeros([2, 2], tf.float64)), np.eye(2)),
)
print(
    "band",
    tf.linalg.band_part(tf.ones([3, 3]), 0, -1).numpy().tolist(),
    tf.linalg.diag_part(a).shape,
)

# Sums over indices, named by letters.
x = tf.constant(rng.normal(size=(2, 3, 4)))
y = tf.constant(rng.normal(size=(2, 4, 5)))
for equation in ("bij,bjk->bik", "bij,bjk->bk", "...ij,...jk->...ik"):
    print(equation, near(tf.einsum(equation, x, y), np.einsum(equation, x, y)))
print(
    "trace",
    near(tf.einsum("ii->", spd), np.trace(spd)),
    "outer",
    tf.einsum("i,j->ij", tf.ones(2), tf.ones(3)).shape,
)
print("tensordot", near(tf.tensordot(x, y, [[2], [1]]), np.tensordot(x, y, [[2], [1]])))
print(
    "bands",
    near(tf.linalg.matvec(a, b[:, 0]), a.numpy() @ b.numpy()[:, 0]),
    tf.linalg.cross([1.0, 0, 0], [0, 1.0, 0]).numpy().tolist(),
)

# The largest eigenvalue by repetition, inside the graph.


@tf.function
def power_iteration(matrix, steps):
    vector = tf.ones([4, 1], matrix.dtype)
    for _ in tf.range(steps):
        vector = matrix @ vector
        vector /= tf.norm(vector)
    return tf.squeeze(tf.transpose(vector) @ matrix @ vector)


print("power iteration", bool(abs(power_iteration(spd, tf.constant(200)) - values[-1]) < 1e-6))
with tf.GradientTape() as tape:
    tape.watch(spd)
    out = tf.linalg.logdet(spd)
print("gradient of log det is the inverse:", near(tape.gradient(out, spd), np.linalg.inv(spd)))
print("triangular", near(tf.linalg.triangular_solve(chol, b), np.linalg.solve(chol, b)))
print(
    "rank",
    near(tf.linalg.matrix_rank(tall), 3),
    tf.linalg.set_diag(tf.zeros([2, 2]), [1.0, 2.0]).numpy().tolist(),
)
