"""Writes `summaries_v1.json` with TensorFlow 1.15: the bytes of summaries of some values."""

import json
import sys

import numpy as np


def summaries(tf):
    """Return name → a summary op, in the default graph."""
    x = tf.constant([1, 2, 3.5, -4, 0, 1e-13, 1e30], tf.float32)
    found = {"mean": tf.summary.scalar("loss", tf.reduce_max(x))}
    with tf.name_scope("outer"):
        found["illegal"] = tf.summary.scalar("in ner!", 2.0)
        found["family"] = tf.summary.scalar("fam", 3, family="famil")
        found["histogram"] = tf.summary.histogram("hist", x)
    found["again"] = tf.summary.scalar("loss", 1.5)
    found["empty"] = tf.summary.histogram("h2", tf.constant([], tf.float32))
    found["integers"] = tf.summary.histogram("h3", tf.constant([1, 2, 3, -5, 0, 0, 0]))
    found["many"] = tf.summary.histogram("h4", np.linspace(-3, 5, 200).astype(np.float32) ** 3)
    found["audio"] = tf.summary.audio("au", tf.constant([[0.0, 0.5, -0.5, 1.0]]), 44100.0)
    found["stereo"] = tf.summary.audio("au3", tf.zeros([2, 3, 2]), 8000, max_outputs=5)
    found["text"] = tf.summary.text("tx", tf.constant(["a", "b"]))
    found["tensor"] = tf.summary.tensor_summary("ts", tf.constant([[1, 2]]))
    found["merged"] = tf.summary.merge([found["mean"], found["histogram"]])
    return found


if __name__ == "__main__":
    import tensorflow as tf

    with tf.Session() as session:
        values = session.run(summaries(tf))
    rows = {name: value.hex() for name, value in sorted(values.items())}
    sys.stdout.write(json.dumps(rows, indent=0) + "\n")
