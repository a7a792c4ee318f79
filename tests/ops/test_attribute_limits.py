"""What attributes may be: TensorFlow's limits, in its words, when an op runs and in graphs."""

import json
from pathlib import Path

import pytest

import placewise as tf
from placewise.graph.op_def import op_def
from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_everything

LIMITS = {
    name: entry["limits"]
    for name, entry in json.loads((Path(__file__).parent / "op_defs.json").read_text()).items()
    if "limits" in entry
}


def limit_of(attr):
    """Return what an OpDef says of an attribute: its least number, its choices, or nothing."""
    if attr.has_minimum:
        return attr.minimum
    return [choice.decode() for choice in attr.allowed_values.list.s] or None


def test_declared_limits_are_those_of_tensorflow():
    load_everything()
    differing = []
    for name, limits in LIMITS.items():
        # The structure of a dataset and its functions are Python objects here, no attributes.
        if name not in REGISTRY or REGISTRY[name].bind.__module__.startswith("placewise.data"):
            continue
        attrs = {attr.name: attr for attr in op_def(REGISTRY[name]).attr}
        numbers = {attr.name for attr in REGISTRY[name].attrs if attr.kind == "int"}
        for attr, limit in limits.items():
            is_always_true = limit == 0 and attr not in numbers  # the length of a list
            if not is_always_true and limit_of(attrs[attr]) != limit:
                differing.append((name, attr, limit, limit_of(attrs[attr])))
    assert differing == []


def image():
    return tf.ones([1, 4, 4, 1])


CALLS = {
    "a string": (
        lambda: tf.nn.conv2d(image(), tf.ones([1, 1, 1, 1]), 1, "FOO"),
        "Value for attr 'padding' of \"FOO\" is not in the list of allowed values: "
        '"SAME", "VALID", "EXPLICIT"',
        "Attr 'padding' of 'Conv2D' Op passed string 'FOO' not in: "
        '"SAME", "VALID", "EXPLICIT".',
    ),
    "a number": (
        lambda: tf.nn.space_to_depth(image(), 1),
        "Value for attr 'block_size' of 1 must be at least minimum 2",
        "Attr 'block_size' of 'SpaceToDepth' Op passed 1 less than minimum 2.",
    ),
    "a list": (
        lambda: tf.raw_ops.MaxPool(input=image(), ksize=[1], strides=[1] * 4, padding="SAME"),
        "Length for attr 'ksize' of 1 must be at least minimum 4",
        "Attr 'ksize' of 'MaxPool' Op passed list of length 1 less than minimum 4.",
    ),
    "tensors": (
        lambda: tf.raw_ops.ConcatV2(values=[image()], axis=0),
        "Value for attr 'N' of 1 must be at least minimum 2",
        "List argument 'values' to 'ConcatV2' Op with length 1 shorter than minimum length 2.",
    ),
    "tensors of any dtypes": (
        lambda: tf.raw_ops.IdentityN(input=[]),
        "Length for attr 'T' of 0 must be at least minimum 1",
        "Attr 'T' of 'IdentityN' Op passed list of length 0 less than minimum 1.",
    ),
    "a dtype": (
        lambda: tf.raw_ops.Shape(input=image(), out_type=tf.float32),
        "Value for attr 'out_type' of float is not in the list of allowed values: int32, int64",
        "Value passed to parameter 'out_type' has DataType float32 not in list of allowed "
        "values: int32, int64",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_runs_at_once_is_refused_as_by_the_runtime(call):
    function, words, _ = CALLS[call]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function()
    assert caught.value.message.startswith(words)


@pytest.mark.parametrize("call", CALLS)
def test_what_a_graph_records_is_refused_as_by_graphs(call):
    function, _, words = CALLS[call]
    with tf.Graph().as_default() as graph:
        image()
        before = len(graph.get_operations())
        with pytest.raises(TypeError if call == "a dtype" else ValueError) as caught:
            function()
    assert str(caught.value).splitlines()[0] == words
    assert not [op for op in graph.get_operations()[before:] if "Conv" in op.type]


def test_numbers_that_kernels_read_into_32_bits_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range for an int32"):
        tf.raw_ops.MaxPool(input=image(), ksize=[1] * 4, strides=[2**40] * 4, padding="SAME")
