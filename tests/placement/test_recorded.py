"""Small random graphs on four CPUs, placed as TensorFlow 2.21 and 1.15 placed them.

`data/recorded.jsonl` has a graph a line: nodes as [name, kind, inputs, device, colocated with], how
many of them were there at the session's first run, and what TensorFlow logged or raised.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import placewise.compat.v1 as tf
from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError
from placewise.devices.inventory import devices_for
from placewise.placement.placer import place

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "recorded.jsonl").read_text().splitlines()
]
OPS = {
    "const": "Const",
    "placeholder": "Placeholder",
    "random": "Placeholder",
    "varhandle": "VarHandleOp",
    "refvar": "VariableV2",
    "identity": "Identity",
    "add": "AddV2",
    "addn": "AddN",
    "identityn": "IdentityN",
    "shape": "Shape",
    "size": "Size",
    "rank": "Rank",
    "read": "ReadVariableOp",
    "destroy": "DestroyResourceOp",
    "assignvar": "AssignVariableOp",
    "assign": "Assign",
    "momentum": "ResourceApplyMomentum",
    "queue": "FIFOQueueV2",
    "enqueue": "QueueEnqueueV2",
    "table": "HashTableV2",
    "lookup": "LookupTableSizeV2",
    "noop": "NoOp",
    "iterator": "IteratorV2",
    "assignadd": "AssignAddVariableOp",
    "applygd": "ResourceApplyGradientDescent",
    "refmom": "ApplyMomentum",
    "isinit": "VarIsInitializedOp",
}
FLOAT = dtypes.float32.as_datatype_enum
WITH_DTYPE = {"Const", "Placeholder", "VarHandleOp", "VariableV2", "ReadVariableOp"}
WITH_DTYPE |= {"AssignVariableOp", "AssignAddVariableOp"}
WITH_T = {"Identity", "AddV2", "AddN", "Shape", "Size", "Rank", "Assign", "ResourceApplyMomentum"}
WITH_T |= {"ResourceApplyGradientDescent", "ApplyMomentum"}
# In the words of TensorFlow 1.0, as the guides have them.
OWN_WORDS = {"was explicitly assigned": "Could not satisfy explicit device specification"}


def add_node(graph_def, name, kind, inputs, device, groups):
    node = graph_def.node.add(name=name, op=OPS[kind], input=inputs, device=device)
    attr = node.attr
    if node.op in WITH_DTYPE:
        attr["dtype"].type = FLOAT
    if node.op in WITH_T:
        attr["T"].type = FLOAT
    if node.op in ("VarHandleOp", "VariableV2", "Placeholder"):
        attr["shape"].shape.SetInParent()
    if node.op == "Const":
        attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1.0))
    if node.op == "AddN":
        attr["N"].i = 2
    if node.op in ("FIFOQueueV2", "QueueEnqueueV2", "IteratorV2"):
        label = {"FIFOQueueV2": "component_types", "QueueEnqueueV2": "Tcomponents"}
        attr[label.get(node.op, "output_types")].list.type.append(FLOAT)
    if node.op == "IteratorV2":
        attr["output_shapes"].list.shape.add()
    if node.op == "HashTableV2":
        attr["key_dtype"].type = dtypes.int64.as_datatype_enum
        attr["value_dtype"].type = FLOAT
    if node.op == "IdentityN":
        attr["T"].list.type.extend([dtypes.resource.as_datatype_enum, FLOAT])
    if groups:
        attr["_class"].list.s.extend(f"loc:@{group}".encode() for group in groups)


def placed_in_stages(recorded, is_tf1):
    """Import the nodes, in two parts if they came so, placing after each; return the last."""
    kept, placed, nodes = {}, None, recorded["nodes"]
    parts = [nodes[: recorded["first"]], nodes[recorded["first"] :]]
    graph = tf.Graph()
    devices = devices_for(tf.ConfigProto(device_count={"CPU": 4}))
    with graph.as_default():
        for part in filter(None, parts):
            graph_def = tf.GraphDef()
            for node in part:
                add_node(graph_def, *node)
            here = {node[0] for node in part}
            elsewhere = {text for node in part for text in node[2] if text.lstrip("^") not in here}
            mapped = {
                text: graph.get_operation_by_name(text[1:])
                if text.startswith("^")
                else graph.get_tensor_by_name(f"{text}:0")
                for text in elsewhere
            }
            tf.import_graph_def(graph_def, mapped or None, name="s2" if kept else "")
            tf.no_op(name=f"go{len(kept)}")
            operations = graph.get_operations()
            placed = place(operations, devices, recorded["soft"], kept, is_tf1=is_tf1)
            kept = placed.devices
    return placed


@pytest.mark.parametrize("version", ["2.21", "1.15"])
@pytest.mark.parametrize("recorded", RECORDED, ids=[str(n) for n in range(len(RECORDED))])
def test_placed_as_tensorflow_places(recorded, version, graph_mode):
    expected = recorded[version]
    if "error" in expected:
        with pytest.raises(InvalidArgumentError) as raised:
            placed_in_stages(recorded, version == "1.15")
        words = expected["error"]
        assert words in str(raised.value) or OWN_WORDS.get(words, "\0") in str(raised.value)
        return
    placed = placed_in_stages(recorded, version == "1.15")
    found = {
        op.name: device.name.rpartition("/device:")[2]
        for op, device in placed.devices.items()
        if not op.name.startswith("go")
    }
    assert found == expected["placed"]
    if version == "2.21":
        assert sorted(placed.ignored) == expected["ignored"]
