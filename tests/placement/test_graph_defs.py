"""GraphDefs with datasets, queues, barriers, tables and stacks, placed as TensorFlow places them.

`data/graph_defs.jsonl` has a graph a line: the message, whether placement was soft, and where each
operation ran in TensorFlow 2.21 and 1.15, or that they raised InvalidArgumentError.
"""

import base64
import json
import zlib
from pathlib import Path

import pytest

import placewise.compat.v1 as tf
from placewise.core.errors import InvalidArgumentError
from placewise.devices.inventory import devices_for
from placewise.placement.placer import place

LINES = (Path(__file__).parent / "data" / "graph_defs.jsonl").read_text().splitlines()


@pytest.mark.parametrize("version", ["2.21", "1.15"])
def test_graphs_are_placed_as_tensorflow_places_them(version, graph_mode):
    devices = devices_for(tf.ConfigProto(device_count={"CPU": 4}))
    different = []
    for number, line in enumerate(LINES):
        case = json.loads(line)
        graph = tf.Graph()
        with graph.as_default():
            message = zlib.decompress(base64.b64decode(case["graph"]))
            tf.import_graph_def(tf.GraphDef.FromString(message), name="")
        try:
            placed = place(graph.get_operations(), devices, case["soft"], {}, is_tf1=version < "2")
            here = {op.name: device.index for op, device in placed.devices.items()}
        except InvalidArgumentError:
            here = "error"
        if here != case[version]:
            different.append((number, here, case[version]))
    assert not different
