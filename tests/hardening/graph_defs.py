"""Malformed GraphDefs: imported, and run where that goes."""

from __future__ import annotations

import base64
import json
import random
import zlib
from pathlib import Path
from typing import Any

import placewise as tf
from tests.hardening.byte_damage import damaged
from tests.hardening.judgement import judge

tf1 = tf.compat.v1
_OPS = ["Add", "MatMul", "Const", "NoOp", "Switch", "Merge", "Enter", "Nonsense", "While", "If"]
_OPS += ["Identity", "Reshape", "PartitionedCall", "VarHandleOp", "ConcatV2", "IteratorV2"]
_INPUTS = [
    "",
    ":",
    "^",
    "a:-1",
    "a:99",
    "^^a",
    "a:b",
    "x y",
    "a:1:2",
    "/",
    "a:99999999999999999999",
]
_NAMES = ["", "a b\n", "_x", "a", "/", "a:0", "\0", "é"]
_DEVICES = ["/cpu:0", "/gpu:9", "nonsense", "/job:a-b", "/device:CPU:-1", "\0"]


def good_graphs() -> list[Any]:
    """Return GraphDefs with layers, state, branches, loops, functions and datasets."""
    with tf1.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [None, 3], name="x")
        w = tf1.get_variable("w", [3, 2], initializer=tf1.zeros_initializer())
        y = tf.nn.relu(tf.matmul(x, w) + tf.constant([1.0, 2.0]))
        y = tf1.cond(tf.reduce_sum(y) > 0, lambda: y * 2, lambda: y - 1)
        tf1.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + 1), (0, y))
        tf.concat([y, tf.reshape(tf.range(4.0), [2, 2])], 0, name="last")
        tf1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))
        graphs = [graph.as_graph_def()]
    tests = Path(__file__).resolve().parents[1]
    for name in ("graph/flow_graph_defs_1.json", "graph/flow_graph_defs_2.json"):
        graphs += [_message(case["graph_def"]) for case in json.loads((tests / name).read_text())]
    datasets = json.loads((tests / "data/graph_def_datasets.json").read_text())
    return graphs + [_message(case["graph"]) for case in datasets]


def _message(text: str) -> Any:
    return tf1.GraphDef.FromString(zlib.decompress(base64.b64decode(text)))


class GraphDefs:
    """The n-th malformed GraphDef."""

    def __init__(self) -> None:
        self.graphs = good_graphs()
        self.last = ""

    def run(self, number: int) -> str | None:
        """Import one; return what was wrong with how that ended."""
        rng = random.Random(number)
        graph_def = tf1.GraphDef()
        graph_def.CopyFrom(rng.choice(self.graphs))
        if rng.random() < 0.2:
            try:
                graph_def = tf1.GraphDef.FromString(damaged(rng, graph_def.SerializeToString()))
            except Exception:  # protobuf's own word for bytes that are no message
                return None
        self.last = "; ".join(_change(rng, graph_def) for _ in range(rng.choice([1, 1, 2, 3])))
        if graph_def.library.function and rng.random() < 0.4:
            self.last += "; " + _change_function(rng, graph_def.library)
        try:
            with tf1.Graph().as_default() as graph:
                tf1.import_graph_def(graph_def, name="")
                if rng.random() < 0.3:
                    self._run_one(rng, graph)
        except Exception as error:
            return judge(error)
        return None

    def _run_one(self, rng: random.Random, graph: Any) -> None:
        operations = graph.get_operations()
        if operations:
            with tf1.Session(graph=graph) as session:
                session.run(rng.choice(operations))


def _change(rng: random.Random, graph_def: Any) -> str:
    if not graph_def.node:
        return "empty"
    node = rng.choice(graph_def.node)
    other = rng.choice(graph_def.node)
    draw = rng.randrange(12)
    if draw == 0:
        node.op = rng.choice(_OPS)
    elif draw == 1 and node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice([*_INPUTS, other.name, node.name])
    elif draw == 2:
        node.input.append(rng.choice([*_INPUTS, other.name, f"^{other.name}"]))
    elif draw == 3 and node.input:
        del node.input[rng.randrange(len(node.input))]
    elif draw == 4:
        node.name = rng.choice([*_NAMES, other.name])
    elif draw == 5:
        graph_def.node.remove(node)
    elif draw == 6 and node.attr:
        del node.attr[rng.choice(sorted(node.attr))]
    elif draw == 7 and node.attr:
        _change_attr(rng, node.attr[rng.choice(sorted(node.attr))])
    elif draw == 8:
        node.device = rng.choice(_DEVICES)
    elif draw == 9:
        node.attr["_class"].list.s.append(rng.choice([b"loc:@zz", b"loc:@" + other.name.encode()]))
    elif draw == 10:
        graph_def.node.add().CopyFrom(other)
    elif node.attr:
        node.attr[rng.choice(sorted(node.attr))].CopyFrom(
            other.attr[rng.choice(sorted(other.attr))] if other.attr else tf1.AttrValue()
        )
    return f"{draw} at {node.name} ({node.op})"


def _change_function(rng: random.Random, library: Any) -> str:
    """Make something wrong in a function of a GraphDef's library."""
    function = rng.choice(library.function)
    draw = rng.randrange(5)
    if draw == 0:
        library.function.remove(function)
    elif draw == 1 and function.node_def:
        node = rng.choice(function.node_def)
        if node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice(["a:b:0", "x:0", "", "y:z:-1"])
    elif draw == 2 and function.ret:
        function.ret[rng.choice(sorted(function.ret))] = rng.choice(["", "nothing:0", "a:out:9"])
    elif draw == 3 and function.node_def:
        function.node_def.remove(rng.choice(function.node_def))
    elif function.signature.input_arg:
        del function.signature.input_arg[-1]
    return f"function {draw} of {function.signature.name}"


def _change_attr(rng: random.Random, attr: Any) -> None:
    draw = rng.randrange(8)
    if draw == 0:
        attr.i = rng.choice([-1, 0, 2**31, -(2**63), 2**62])
    elif draw == 1:
        attr.type = rng.choice([0, 1, 3, 7, 20, 21, 99, 101])
    elif draw == 2:
        attr.s = rng.choice([b"", b"\xff\xfe", b"x" * 1000, b"SAME"])
    elif draw == 3:
        attr.shape.dim.add(size=rng.choice([-1, -2, 0, 2**35, 2**62]))
    elif draw == 4:
        tensor = attr.tensor
        tensor.dtype = rng.choice([0, 1, 3, 7, 14, 20, 99])
        tensor.tensor_shape.dim.add(size=rng.choice([-1, 0, 3, 2**35, 2**62]))
        tensor.tensor_content = rng.choice([b"", b"abc", b"\0" * 12])
    elif draw == 5:
        attr.func.name = rng.choice(["", "nonsense", "f"])
    elif draw == 6:
        attr.list.i.extend([1, -1])
    else:
        attr.b = rng.random() < 0.5
