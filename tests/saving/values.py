"""What the recorded checkpoints hold: told once, for the recorder and for the tests."""

import numpy as np

NAMES = (
    "float32",
    "resource",
    "float64",
    "float16",
    "int8",
    "int32",
    "int64",
    "uint8",
    "bool",
    "complex64",
    "string",
    "scalar",
    "empty",
)
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


def make_arrays(tf, with_slopes):
    """Return a module with a loop that fills and reads arrays, and perhaps with its gradients."""

    class Arrays(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([0.5, 0.25], name="w")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def states(self, x):
            count = tf.shape(x)[0]
            rows = tf.TensorArray(tf.float32, count).unstack(x)
            states = tf.TensorArray(tf.float32, 0, dynamic_size=True)

            def body(i, state, states):
                state = state * self.w + rows.read(i) ** 2
                return i + 1, state, states.write(i, state)

            first = (0, tf.zeros([2]), states)
            return tf.while_loop(lambda i, *_: i < count, body, first)[2].stack()

    class Slopes(Arrays):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def slopes(self, x):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    loss = tf.reduce_sum(self.states(x) ** 2)
                first = inner.gradient(loss, x)
            return first, outer.gradient(first, x)

    return Slopes() if with_slopes else Arrays()


ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
STATES = [[1.0, 4.0], [9.5, 17.0], [29.75, 40.25]]
OF_ROWS = [[52.75, 86.125], [292.5, 433.0], [595.0, 966.0]]  # gradients of the sum of squares
OF_OF_ROWS = [[88.25, 100.1875], [262.5, 309.25], [389.0, 503.0]]
OF_W = [614.0, 1585.0]


def make_tables(tf, file, are_filled=True):
    """Return a model of tables: of words in a file, and of four kinds that can change."""

    class Tables(tf.Module):
        def __init__(self):
            super().__init__()
            self.words = self.table(tf.lookup.StaticHashTable, -1)
            self.buckets = self.table(tf.lookup.StaticVocabularyTable, 2)
            inner = tf.lookup.experimental
            self.plain = inner.MutableHashTable(tf.string, tf.int64, -1)
            self.rows = inner.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
            self.dense = inner.DenseHashTable(tf.int64, tf.int32, 9, -1, -2, initial_num_buckets=4)
            self.texts = inner.DenseHashTable(
                tf.string, tf.float32, [0.0, 0.0], "", "$", initial_num_buckets=8
            )

        def table(self, kind, default):
            made = tf.lookup.TextFileInitializer(file, tf.string, -2, tf.int64, -1)
            return kind(made, default)

        @tf.function(
            input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)]
        )
        def find(self, texts, numbers):
            return {
                "words": self.words.lookup(texts),
                "buckets": self.buckets.lookup(texts),
                "plain": self.plain.lookup(texts),
                "rows": self.rows.lookup(numbers),
                "dense": self.dense.lookup(numbers),
                "texts": self.texts.lookup(texts),
            }

    model = Tables()
    if are_filled:
        model.plain.insert(["a", "x"], tf.constant([1, 2], tf.int64))
        model.rows.insert(tf.constant([1, 3], tf.int64), [[1.0, 2.0], [3.0, 4.0]])
        for number in (3, 7, 11, 2):  # the first three lead to one bucket, the last one rehashes
            model.dense.insert(tf.constant([number], tf.int64), [number * 10])
        model.texts.insert(["b", "x"], [[5.0, 6.0], [7.0, 8.0]])
    return model


TEXTS, NUMBERS = ["a", "b", "x"], [3, 2, 11]
FOUND = {
    "words": [0, 1, -1],
    "buckets": [0, 1, 2],
    "plain": [1, -1, 2],
    "rows": [[3.0, 4.0], [0.0, 0.0], [0.0, 0.0]],
    "dense": [30, 20, 110],
    "texts": [[0.0, 0.0], [5.0, 6.0], [7.0, 8.0]],
}
