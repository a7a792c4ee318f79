"""Writes graph_def_datasets.json: GraphDefs with datasets and what TensorFlow's iterators gave.

Run by a Python that has TensorFlow 2 or 1: `python tests/data/record_graph_defs.py OUT.json`.
"""

import base64
import json
import sys
import zlib

import numpy as np
import tensorflow

tf = tensorflow.compat.v1
tf.disable_eager_execution()
data = tf.data.Dataset


def batches():
    return (
        data.from_tensor_slices(np.arange(10, dtype=np.float32)).map(lambda x: x * 2 + 1).batch(3)
    )


def chosen():
    even = data.range(10).filter(lambda x: tf.equal(x % 2, 0))
    return even.repeat(2).skip(1).take(7).prefetch(2)


def flat():
    return data.range(3).flat_map(lambda x: data.from_tensors(x).repeat(x))


def zipped():
    both = data.zip((data.range(5), data.from_tensors((1.0, "a")).repeat()))
    return both.map(lambda x, y: (x + 1, y[0], y[1]), num_parallel_calls=2)


def interleaved():
    make = lambda x: data.range(x + 1).batch(2)  # noqa: E731
    return data.range(4).interleave(make, cycle_length=2, block_length=1)


def shuffled():
    return data.range(6).shuffle(3, seed=5).batch(4, drop_remainder=True).cache()


def branching():
    rows = data.from_tensor_slices([[1, 2, 0], [3, 4, 5]])
    made = rows.map(lambda x: tf.cond(x[2] > 0, lambda: x * 2, lambda: x))
    return made.concatenate(data.from_tensors([7, 7, 7]))


def record(make, is_one_shot):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        how = tf.data.make_one_shot_iterator if is_one_shot else tf.data.make_initializable_iterator
        iterator = how(make())
        leaves = tf.nest.flatten(iterator.get_next())
        outputs = [tf.identity(leaf, name=f"out{i}") for i, leaf in enumerate(leaves)]
        init, values = None if is_one_shot else iterator.initializer.name, []
        with tf.Session() as session:
            if init:
                session.run(init)
            try:
                while True:
                    values.append([np.asarray(v).tolist() for v in session.run(outputs)])
            except tf.errors.OutOfRangeError:
                pass
    message = zlib.compress(graph.as_graph_def().SerializeToString(), 9)
    return {
        "name": f"{make.__name__}_{'one' if is_one_shot else 'init'}_{tf.__version__}",
        "graph": base64.b64encode(message).decode(),
        "init": init,
        "outs": [output.name for output in outputs],
        "values": json.loads(json.dumps(values, default=lambda text: text.decode())),
    }


if __name__ == "__main__":
    makers = (batches, chosen, flat, zipped, interleaved, shuffled, branching)
    answers = [record(make, is_one_shot) for make in makers for is_one_shot in (False, True)]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(answers, file)
