"""Programs whose answers are recorded from TensorFlow 1.15: each gets `tf` and gives arrays.

Written for any Python from 3.7 on, since TensorFlow 1.15 runs them too (`record.py`).
"""

import importlib

import numpy as np

CASES = {}


def case(function):
    """Add a program to the table, under its own name."""
    CASES[function.__name__] = function
    return function


def numbers(*shape, seed=0, low=-1.0, high=1.0):
    """Return the same float32 numbers in every process."""
    return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


def run(tf, fetches, feed=None, steps=1, local=False):
    """Return what a new session gives for the fetches, `steps` times."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if local:
            session.run(tf.local_variables_initializer())
        found = [session.run(fetches, feed) for _ in range(steps)]
    return found[0] if steps == 1 else found


def filled(tf):
    """Give every variable fixed numbers instead of random ones: an initializer per shape."""
    return FixedInitializer(tf)


class FixedInitializer:
    """An initializer whose numbers depend on the shape only."""

    def __init__(self, tf):
        self.tf = tf

    def __call__(self, shape, dtype=None, partition_info=None):
        """Return numbers between -1/2 and 1/2."""
        sizes = [int(each) for each in shape]
        return self.tf.constant(numbers(*sizes, seed=sum(sizes), low=-0.5, high=0.5))


def load():
    """Fill the table with the programs of every topic."""
    for topic in ("losses", "metrics", "layers", "recurrent", "names"):
        importlib.import_module(f"tests.layers.programs.{topic}")
    return CASES
