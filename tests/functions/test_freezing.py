"""Functions whose variables have become constants."""

import numpy as np

import placewise as tf
from placewise.functions.freezing import convert_variables_to_constants_v2


def _types(function):
    return {op.type for op in function.graph.get_operations()}


def test_a_frozen_function_keeps_its_numbers_when_the_variable_changes():
    weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def product(x):
        return {"y": x @ weights}

    frozen = convert_variables_to_constants_v2(product.get_concrete_function())
    weights.assign(tf.zeros([2, 2]))
    (result,) = frozen(tf.constant([[1.0, 1.0]]))
    assert result.numpy().tolist() == [[4.0, 6.0]]
    assert not frozen.captured_inputs
    assert _types(frozen) == {"Placeholder", "Const", "Identity", "MatMul"}
    names = {node.name for node in frozen.graph.as_graph_def().node}
    assert {op.name for op in frozen.inputs[0].graph.get_operations()} == names


def test_gathered_rows_of_a_variable_are_frozen():
    table = tf.Variable(np.arange(6.0).reshape(3, 2))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def rows(ids):
        return tf.nn.embedding_lookup(table, ids)

    frozen = convert_variables_to_constants_v2(rows.get_concrete_function())
    assert "ResourceGather" not in _types(frozen)
    (found,) = frozen(tf.constant([2, 0], tf.int64))
    assert found.numpy().tolist() == [[4.0, 5.0], [0.0, 1.0]]


def test_variables_that_are_read_in_loops_and_branches_are_frozen():
    step = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def climb(x):
        while x < 10.0:
            x = x + step if x > 0.0 else x + 2.0 * step
        return x

    frozen = convert_variables_to_constants_v2(climb.get_concrete_function())
    step.assign(100.0)
    assert frozen(tf.constant(-1.0))[0].numpy() == 11.0
    assert not frozen.captured_inputs


def test_a_frozen_function_returns_the_list_of_its_tensors():
    scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def one(x):
        return x * scale

    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def several(x):
        return {"rest": (x, [x + 1.0]), "first": x * scale}

    argument = tf.constant([1.0, 2.0])
    frozen = convert_variables_to_constants_v2(one.get_concrete_function())
    assert [each.numpy().tolist() for each in frozen(x=argument)] == [[2.0, 4.0]]
    assert frozen.output_shapes == [tf.TensorShape([2])]
    frozen = convert_variables_to_constants_v2(several.get_concrete_function())
    results = [each.numpy().tolist() for each in frozen(argument)]
    assert results == [[2.0, 4.0], [1.0, 2.0], [2.0, 3.0]]


def test_a_frozen_function_of_a_structure_is_saved_as_a_signature(tmp_path):
    scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def nested(x):
        return x, [tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * scale), [0, x])[1]]

    module = tf.Module()
    module.f = convert_variables_to_constants_v2(nested.get_concrete_function())
    tf.saved_model.save(module, str(tmp_path), {"k": module.f})
    results = tf.saved_model.load(str(tmp_path)).signatures["k"](x=tf.constant([1.0, 2.0]))
    assert results["output_0"].numpy().tolist() == [1.0, 2.0]
    assert results["output_1"].numpy().tolist() == [8.0, 16.0]
