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
