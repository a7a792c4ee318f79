"""A module with its functions, saved to a folder and loaded without its class."""

import os
import tempfile

import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "scaler")


class Scaler(tf.Module):
    """Scales, and counts how often it did."""

    def __init__(self, factor):
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")
        self.calls = tf.Variable(0, trainable=False)
        self.offsets = [tf.Variable(1.0), tf.Variable(2.0)]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        self.calls.assign_add(1)
        return x * self.factor

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def offset(self, which):
        if which == 0:
            return self.offsets[0] * 10.0
        return self.offsets[1] * 10.0


module = Scaler(3.0)
print(module(tf.constant([1.0, 2.0])).numpy().tolist())
tf.saved_model.save(module, path, signatures={"scale": module.__call__})
print(
    {"saved_model.pb", "variables"} <= set(os.listdir(path)),
    tf.saved_model.contains_saved_model(path),
)

loaded = tf.saved_model.load(path)
print(loaded(tf.constant([1.0, 2.0, 3.0])).numpy().tolist(), "calls", int(loaded.calls))
print("offsets", float(loaded.offset(tf.constant(0))), float(loaded.offset(tf.constant(1))))
print("signatures", list(loaded.signatures), loaded.signatures["scale"](tf.constant([5.0])))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(loaded(tf.constant([1.0, 2.0])))
print("still learns:", tape.gradient(y, loaded.factor).numpy())
loaded.factor.assign(10.0)
print(loaded(tf.constant([1.0])).numpy().tolist(), float(module.factor))
try:
    loaded(tf.constant([[1.0]]))
except (ValueError, TypeError) as error:
    print("signature kept:", bool(str(error)))
