"""`ConcreteFunction.function_type`: parameters, results and captures with their types."""

import inspect

import placewise as tf

VECTOR = tf.TensorSpec([2], tf.float32)


def test_a_traced_function_knows_the_types_of_parameters_and_results():
    @tf.function
    def scaled(x, factor=2, *, options):
        return {"x": x * factor, "options": options}

    concrete = scaled.get_concrete_function(VECTOR, options=[tf.TensorSpec([], tf.string), True])
    signature = concrete.function_type
    assert isinstance(signature, tf.types.experimental.FunctionType)
    assert list(signature.parameters) == ["x", "factor", "options"]
    assert signature.parameters["x"].type_constraint == VECTOR
    assert signature.parameters["options"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.flat_inputs == [VECTOR, tf.TensorSpec([], tf.string)]
    assert VECTOR in signature.flat_outputs
    assert str(signature).startswith(f"(x: {VECTOR!r}, factor: Literal[2], *, options: List[")
    assert repr(signature).startswith("Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): TensorSpec")


def test_captures_have_their_types():
    variable = tf.Variable([1.0, 2.0])
    concrete = tf.function(lambda: variable + 1.0).get_concrete_function()
    assert concrete.function_type.flat_captures == [tf.TensorSpec([], tf.resource)]
    assert concrete.function_type.output == VECTOR


def test_a_traced_function_is_shown_by_its_type_and_named_in_bytes():
    @tf.function
    def times(x, n):
        return x * n

    concrete = times.get_concrete_function(VECTOR, 2)
    text = f"<ConcreteFunction (x: {VECTOR!r}, n: Literal[2]) -> {VECTOR!r} at 0x"
    assert repr(concrete).startswith(text)
    assert concrete.name.decode() == concrete.function_def.signature.name
