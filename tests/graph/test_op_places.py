"""Ops without a seed after branches and loops draw what TensorFlow 1.15.5 draws.

They take a seed by the number of ops before them, and TensorFlow has more ops for control flow.
"""

import subprocess
import sys

PROGRAM = """
import placewise.v1 as tf

def cond():
    x = tf.constant(3.0)
    tf.cond(tf.constant(True), lambda: x * 2.0, lambda: x + 1.0)

def loop():
    w = tf.constant(2.0)
    first = [tf.constant(0), tf.constant(1.0)]
    tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * w), first)

def case():
    chosen = [(tf.constant(True), lambda: tf.constant(1.0))]
    tf.case(chosen, default=lambda: tf.constant(2.0))

def size():
    tf.zeros([tf.shape(tf.placeholder(tf.float32, [None, 2]))[0], 4])

for write in (cond, loop, case, size):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        write()
        print(round(float(session.run(tf.random_uniform([]))), 6))
"""


def test_draws_after_control_flow_are_tensorflows():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == ["0.269777", "0.788652", "0.086219", "0.810532"]
