"""Inner names that libraries use: they do what TensorFlow's do."""

import json
import pickle

import numpy as np
import pytest

import placewise as tf
from placewise.core.shapes import Dimension
from placewise.ops.composite_tensor import CompositeTensor
from placewise.tensorflow.api_defs import ApiDefMap
from placewise.tensorflow.json_values import get_json_type
from placewise.tensorflow.library_names import get_backward_walk_ops
from placewise.tensorflow.private_modules import find


def test_a_library_can_wrap_a_variable():
    tensor_type = find("tensorflow.python.types.core", "Tensor")

    class Doubled(tf.Variable, tensor_type):
        def __init__(self, variable):
            self.latent = variable

        def __getattr__(self, name):
            return getattr(self.latent, name)

        def _should_act_as_resource_variable(self):
            pass

        def __tf_tensor__(self, dtype=None, name=None):
            return 2 * self.latent.value()

        value = __tf_tensor__

    Doubled._OverloadAllOperators()
    wrapped = Doubled(tf.Variable([1.0, 2.0]))
    is_resource = find("tensorflow.python.ops.resource_variable_ops", "is_resource_variable")
    assert is_resource(wrapped)
    assert (wrapped + 1.0).numpy().tolist() == [3.0, 5.0]
    assert wrapped[1].numpy() == 4.0
    assert tf.reduce_sum(wrapped).numpy() == 6.0
    assert wrapped._in_graph_mode is False


def test_specs_are_no_composite_tensors_to_libraries():
    ragged = tf.ragged.constant([[1], []])
    assert isinstance(ragged, CompositeTensor)
    assert not isinstance(tf.SparseTensorSpec([2]), CompositeTensor)
    assert not isinstance(tf.constant(1), CompositeTensor)
    parts = tf.type_spec_from_value(ragged)._to_components(ragged)
    assert [part.numpy().tolist() for part in parts] == [[1], [0, 1, 1]]


def test_generated_functions_can_be_pickled():
    for function in (tf.nn.relu, tf.tanh, tf.add):
        assert pickle.loads(pickle.dumps(function)) is function


def test_a_walk_back_follows_control_inputs_if_told():
    with tf.Graph().as_default():
        first = tf.constant(1.0, name="first")
        with tf.control_dependencies([tf.no_op(name="before")]):
            second = tf.identity(first, name="second")
        plain = get_backward_walk_ops(second)
        assert [op.name for op in plain] == ["second", "first"]
        every = get_backward_walk_ops(second.op, inclusive=False, control_inputs=True)
        assert [op.name for op in every] == ["first", "before"]


def test_json_takes_shapes_dtypes_and_arrays():
    value = {"shape": tf.TensorShape([None, 2]), "dtype": tf.float32, "size": Dimension(3)}
    value |= {"array": np.arange(2), "number": np.float32(0.5), "rest": ...}
    assert json.loads(json.dumps(value, default=get_json_type)) == {
        "shape": [None, 2],
        "dtype": "float32",
        "size": 3,
        "array": [0, 1],
        "number": 0.5,
        "rest": {"class_name": "__ellipsis__"},
    }
    with pytest.raises(TypeError, match="is not JSON-serializable"):
        get_json_type(object())


def test_op_defs_are_found_by_name():
    known = ApiDefMap()
    assert "MatMul" in known.op_names()
    assert [arg.name for arg in known.get_op_def("MatMul").input_arg] == ["a", "b"]
    known.put_api_def(
        'op { graph_op_name: "MatMul" in_arg { name: "a" rename_to: "left" } summary: "Product" }'
    )
    api = known.get_api_def("MatMul")
    assert api.summary == "Product"
    assert [arg.rename_to for arg in api.in_arg] == ["left", "b"]
    with pytest.raises(ValueError, match="No entry found for NoSuchOp"):
        known.get_op_def("NoSuchOp")
