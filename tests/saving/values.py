"""What the recorded checkpoints hold: told once, for the recorder and for the tests."""

import numpy as np

NAMES = ("float32", "resource", "float64", "float16", "int8", "int32", "int64", "uint8", "bool",
         "complex64", "string", "scalar", "empty")  # fmt: skip
IN_V1 = ("float32", "resource", "int64", "string", "bool", "complex64", "scalar")


def array(name):
    """Return the value of the variable called `name`."""
    if name == "string":
        return np.array([b"one", b"", b"three" * 50, bytes(range(200, 256))], object)
    if name == "scalar":
        return np.float32(2.5)
    if name == "empty":
        return np.zeros((0, 3), np.float32)
    kind = "float32" if name == "resource" else name
    made = np.arange(12).reshape(4, 3) * 7 % 5
    return made.astype(np.bool_ if kind == "bool" else kind)


def make_model(tf):
    """Return a module of variables, in lists and dicts, one of them shared."""

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], name="w")
            self.items = [tf.Variable(3), {"k": tf.Variable([4.0])}]
            self.table = {"b": tf.Variable("text"), "shared": self.w}
            self.pair = (tf.Variable(5.0), 2)

    return Model()


def make_saved(tf):
    """Return a module whose functions have been traced: arguments, a loop, a list, an update."""

    class Saved(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[2.0], [1.0]], name="w")
            self.rows = [tf.Variable(1.0, name="row")]
            self.large = tf.constant([5.0] * 200)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
        def predict(self, x):
            return {"y": tf.matmul(x, self.w) + self.rows[0] + tf.reduce_sum(self.large)}

        @tf.function
        def power(self, x, times=2, *, twice=True):
            def body(i, y):
                return i + 1, y * x

            _, found = tf.while_loop(lambda i, y: i < times, body, (0, tf.ones_like(x)))
            return (found * 2.0 if twice else found), [self.w + 1.0]

        @tf.function
        def count(self):
            self.rows[0].assign_add(1.0)

    made = Saved()
    made.power(tf.constant(2.0))
    made.power(tf.constant([1.0, 2.0]), times=3, twice=False)
    made.count()
    return made
