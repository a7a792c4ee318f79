"""Datasets of GraphDefs that TensorFlow 2.21 and 1.15 wrote give the elements they gave there."""

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

import placewise.compat.v1 as tf

CASES = json.loads((Path(__file__).parent / "graph_def_datasets.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_dataset_of_a_graph_def_gives_what_tensorflow_gave(case, graph_mode):
    graph_def = tf.GraphDef.FromString(zlib.decompress(base64.b64decode(case["graph"])))
    tf.import_graph_def(graph_def, name="")
    values = []
    with tf.Session() as session:
        if case["init"]:
            session.run(case["init"])
        with pytest.raises(tf.errors.OutOfRangeError):
            for _ in range(50):
                row = session.run(case["outs"])
                values.append([np.asarray(value).tolist() for value in row])
    assert json.loads(json.dumps(values, default=bytes.decode)) == case["values"]


def test_a_function_that_the_library_lacks_is_named(graph_mode):
    case = CASES[0]
    graph_def = tf.GraphDef.FromString(zlib.decompress(base64.b64decode(case["graph"])))
    del graph_def.library.function[:]
    with pytest.raises(ValueError, match="which the GraphDef's library does not have"):
        tf.import_graph_def(graph_def, name="")


def test_sparse_and_ragged_elements_survive_a_meta_graph(graph_mode):
    v1 = tf.compat.v1

    def sparse(i):
        return i, tf.SparseTensor([[0]], [i], [2])

    def ragged(i):
        return tf.RaggedTensor.from_row_lengths([i, i, i], [1, 2])

    for function in (sparse, ragged):
        with tf.Graph().as_default():
            dataset = tf.data.Dataset.range(4).map(function).batch(3)
            iterator = v1.data.make_initializable_iterator(dataset)
            parts = tf.nest.flatten(iterator.get_next(), expand_composites=True)
            names, begin = [part.name for part in parts], iterator.initializer.name
            with v1.Session() as session:
                session.run(begin)
                wanted = session.run(parts)
            meta = v1.train.export_meta_graph()
        with tf.Graph().as_default(), v1.Session() as session:
            v1.train.import_meta_graph(meta)
            session.run(begin)
            for one, other in zip(wanted, session.run(names), strict=True):
                assert one.tolist() == other.tolist()
