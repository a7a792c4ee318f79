"""Loops, branches and function calls as messages: from TensorFlow, to TensorFlow, and back."""

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

import placewise.compat.v1 as tf
from tests.graph.flow_programs import PROGRAMS, computed, written

pytestmark = pytest.mark.usefixtures("graph_mode")
HERE = Path(__file__).parent


def recorded():
    found = []
    for name in ("flow_graph_defs_1.json", "flow_graph_defs_2.json"):
        found += json.loads((HERE / name).read_text())
    return found


def check(found, expected):
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", recorded(), ids=lambda case: case["name"])
def test_control_flow_written_by_tensorflow_runs_here(case):
    message = zlib.decompress(base64.b64decode(case["graph_def"]))
    check(computed(tf, {**case, "graph_def": message}), case["values"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_computes_what_tensorflow_computes_from_it(name):
    answers = json.loads((HERE / "flow_answers.json").read_text())
    check(computed(tf, written(tf, PROGRAMS[name])), answers[name])


def test_a_branch_is_written_as_functions_of_the_library():
    message = tf.GraphDef.FromString(written(tf, PROGRAMS["cond"])["graph_def"])
    (node,) = [n for n in message.node if n.name == "cond"]
    functions = {f.signature.name: f for f in message.library.function}
    then = functions[node.attr["then_branch"].func.name]
    assert node.op == "StatelessIf"
    assert len(node.input) == 1 + len(then.signature.input_arg)
    assert {"Mul"} <= {n.op for n in then.node_def}
    assert not [n for n in message.node if n.op in ("_Arg", "Mul") and n.name.startswith("cond/")]


def test_names_inside_do_not_take_the_names_of_the_graph():
    message = tf.GraphDef.FromString(written(tf, PROGRAMS["loop"])["graph_def"])
    (y,) = tf.import_graph_def(message, name="mine", return_elements=["while/Exit_1:0"])
    assert y.name == "mine/while/Exit_1:0"
    with tf.Session() as session:
        assert session.run(y, {"mine/n:0": 3}) == 15.0
    with pytest.raises(ValueError, match="Node name 'n' already exists in the Graph"):
        tf.import_graph_def(message, name="")
        tf.import_graph_def(message, name="")


def node(message, name, op, *inputs, **types):
    made = message.node.add(name=name, op=op, input=inputs)
    for key in types:
        made.attr[key].type = types[key].as_datatype_enum
    return made


def test_what_is_no_branch_is_refused_in_words():
    message = tf.GraphDef()
    node(message, "x", "Placeholder", dtype=tf.float32)
    node(message, "p", "Placeholder", dtype=tf.bool)
    node(message, "q", "Placeholder", dtype=tf.bool)
    node(message, "s", "Switch", "x", "p", T=tf.float32)
    node(message, "t", "Switch", "x", "q", T=tf.float32)
    node(message, "m", "Merge", "s", "t:1", T=tf.float32).attr["N"].i = 2
    with pytest.raises(ValueError, match=r"Node 'm' \(Merge\) is control flow that cannot be"):
        tf.import_graph_def(message, name="")


def test_a_function_that_is_missing_is_named():
    message = tf.GraphDef()
    node(message, "call", "PartitionedCall").attr["f"].func.name = "nowhere"
    with pytest.raises(ValueError, match="calls function 'nowhere', which the GraphDef's library"):
        tf.import_graph_def(message, name="")


def test_a_loop_whose_body_waits_for_its_own_end_is_refused():
    (case,) = [case for case in recorded() if case["name"] == "v1_loop"]
    message = tf.GraphDef.FromString(zlib.decompress(base64.b64decode(case["graph_def"])))
    nodes = {each.name: each for each in message.node}
    late = message.node.add()
    late.CopyFrom(nodes["while/Enter_1"])
    late.name, late.input[:] = "late", ["while/Exit_1"]
    nodes["while/mul"].input[1] = "late"
    with pytest.raises(ValueError, match=r"\d+ nodes in a cycle"):
        tf.import_graph_def(message, name="")
