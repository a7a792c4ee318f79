"""Two simulations of the old guides: the Mandelbrot set, and rain on a pond."""

import numpy as np
import tensorflow as tf

# A number belongs to the set if squaring and adding never makes it large.
Y, X = np.mgrid[-1.3:1.3:0.1, -2:1:0.1]
Z = X + 1j * Y
sess = tf.InteractiveSession()
xs = tf.constant(Z.astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
tf.global_variables_initializer().run()
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(zs.assign(zs_), ns.assign_add(tf.cast(not_diverged, tf.float32)))
with np.errstate(all="ignore"):
    for _ in range(40):
        step.run()
counts = ns.eval()
for row in counts[3:24:5]:
    print("".join("#" if n == 40 else "+" if n > 4 else "." for n in row))
print("symmetric:", np.allclose(counts[3:24], counts[3:24][::-1]))


def make_kernel(a):
    a = np.asarray(a)
    return tf.constant(a.reshape([*a.shape, 1, 1]), dtype=1)


def simple_conv(x, k):
    x = tf.expand_dims(tf.expand_dims(x, 0), -1)
    return tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], padding="SAME")[0, :, :, 0]


def laplace(x):
    return simple_conv(x, make_kernel([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]]))


N = 40
rng = np.random.RandomState(28)
u_init, ut_init = np.zeros([N, N], np.float32), np.zeros([N, N], np.float32)
for _ in range(8):
    a, b = rng.randint(0, N, 2)
    u_init[a, b] = rng.uniform()

eps = tf.placeholder(tf.float32, shape=())
damping = tf.placeholder(tf.float32, shape=())
U, Ut = tf.Variable(u_init), tf.Variable(ut_init)
U_ = U + eps * Ut
Ut_ = Ut + eps * (laplace(U) - damping * Ut)
step = tf.group(U.assign(U_), Ut.assign(Ut_))
tf.global_variables_initializer().run()
start = float(np.abs(U.eval()).max())
for _ in range(100):
    step.run({eps: 0.03, damping: 0.04})
pond = U.eval()
print("waves spread:", (np.abs(pond) > 1e-3).mean() > (u_init != 0).mean())
print("and grow flat:", np.abs(pond).max() < start, "finite:", bool(np.isfinite(pond).all()))
sess.close()
