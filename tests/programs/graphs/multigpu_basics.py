"""A^n + B^n on one GPU, then each power on a GPU of its own."""

import datetime

import numpy as np
import tensorflow as tf

N = 4
rng = np.random.RandomState(15)
A = rng.rand(60, 60).astype("float32") / 30
B = rng.rand(60, 60).astype("float32") / 30


def matpow(M, n):
    if n < 1:
        return M
    return tf.matmul(M, matpow(M, n - 1))


c1, c2 = [], []
with tf.device("/gpu:0"):
    a = tf.placeholder(tf.float32, [60, 60])
    b = tf.placeholder(tf.float32, [60, 60])
    c1.append(matpow(a, N))
    c1.append(matpow(b, N))
with tf.device("/cpu:0"):
    total = tf.add_n(c1)

start = datetime.datetime.now()
with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:
    single = sess.run(total, {a: A, b: B})
print("single took time:", datetime.datetime.now() - start > datetime.timedelta(0))

for index, matrix in enumerate((A, B)):
    with tf.device("/gpu:%d" % index):
        fed = tf.placeholder(tf.float32, [60, 60], name="fed%d" % index)
        c2.append(matpow(fed, N))
with tf.device("/cpu:0"):
    total2 = tf.add_n(c2, name="total")

with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:
    several = sess.run(total2, {"fed0:0": A, "fed1:0": B})
    print("devices:", len([d for d in sess.list_devices() if d.device_type == "GPU"]))
print("same sums:", np.allclose(single, several))
print(
    "and right:",
    np.allclose(several, sum(np.linalg.matrix_power(m, N + 1) for m in (A, B)), rtol=1e-4),
)
