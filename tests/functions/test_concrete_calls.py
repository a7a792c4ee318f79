"""Calls of a trace: as the Python function is called, or with all its tensors in a row."""

import dataclasses
import functools
import weakref
from typing import Any

import pytest

import placewise as tf


@dataclasses.dataclass
class Masked:
    mask: Any
    value: Any

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, leaves):
        return cls(metadata[0], leaves[0])


def test_nested_arguments_may_be_given_flat():
    concrete = tf.function(lambda x, y: (x["a"] + x["b"], y[0] + y[1])).get_concrete_function(
        {"a": tf.constant(1000), "b": tf.constant(200)}, (tf.constant(30), 4)
    )
    a, b, c = tf.constant(1), tf.constant(2), tf.constant(3)
    for result in (
        concrete(a, b, c),
        concrete({"a": a, "b": b}, (c, 4)),
        concrete(y=(c, 4), x={"b": b, "a": a}),
    ):
        assert [int(part) for part in result] == [3, 7]


def test_tensors_of_a_list_are_named_by_their_placeholders():
    concrete = tf.function(lambda x, **rest: x[0] + x[1] + rest["d"]).get_concrete_function(
        (tf.TensorSpec(None), tf.TensorSpec(None)), d=tf.TensorSpec(None)
    )
    one, two, four = tf.constant(1.0), tf.constant(2.0), tf.constant(4.0)
    assert float(concrete(x=one, x_1=two, d=four)) == 7.0
    assert float(concrete(one, two, four)) == 7.0


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((1,), {}, "missing a required argument: 'y'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((tf.constant(1), tf.constant(2)), {"c": 3}, "got an unexpected keyword argument 'c'"),
        ((tf.constant(1),), {"c": 3}, "missing a required argument: 'y'"),
    ],
)
def test_arguments_that_do_not_fit_raise(args, kwargs, words):
    concrete = tf.function(lambda x, y: x).get_concrete_function(tf.constant(1), tf.constant(2))
    with pytest.raises(TypeError, match=words):
        concrete(*args, **kwargs)


def test_a_tensor_in_place_of_a_dict_raises():
    concrete = tf.function(lambda x, y=5: x).get_concrete_function(
        {"a": tf.constant(1), "b": tf.constant(1)}
    )
    with pytest.raises(TypeError, match=r"Can not cast .*Tensor.* to a Dict"):
        concrete(tf.constant(1), 5)


def test_specs_with_another_name_give_a_signature_with_that_name():
    function = tf.function(lambda x: x)
    names = [
        function.get_concrete_function(tf.TensorSpec(None, tf.float32, name))
        .structured_input_signature[0][0]
        .name
        for name in ("y", None, "z")
    ]
    assert names == ["y", "y", "z"]


def test_the_signature_is_printed_in_one_line_or_in_many():
    concrete = tf.function(lambda x, n=7: x).get_concrete_function(tf.constant(5))
    assert concrete.pretty_printed_signature(verbose=False) == (
        "(x: TensorSpec(shape=(), dtype=tf.int32, name=None), n: Literal[7]) -> "
        "TensorSpec(shape=(), dtype=tf.int32, name=None)"
    )
    assert "  n (POSITIONAL_OR_KEYWORD): Literal[7]" in concrete.pretty_printed_signature()


def test_placeholders_know_the_names_of_their_parameters():
    concrete = tf.function(lambda a, b: a + b).get_concrete_function(tf.constant(1), tf.constant(2))
    assert [t.op.get_attr("_user_specified_name") for t in concrete.inputs] == [b"a", b"b"]


def test_a_default_stands_for_an_argument_of_the_input_signature():
    function = tf.function(
        lambda a, training=True: tf.where(training, a, -a),
        input_signature=[tf.TensorSpec([]), tf.TensorSpec([], tf.bool)],
    )
    assert float(function(1.0)) == 1.0
    assert float(function(1.0, training=False)) == -1.0


def test_a_class_that_flattens_itself_goes_in_and_out():
    function = tf.function(lambda x: Masked(x.mask, x.value + 1.0))
    assert float(function(Masked([True], tf.constant(1.0))).value) == 2.0
    assert float(function(Masked([True], tf.constant(2.0))).value) == 3.0
    assert function.experimental_get_tracing_count() == 1
    function(Masked([False], tf.constant(2.0)))
    assert function.experimental_get_tracing_count() == 2


def test_what_cannot_be_traced_is_named():
    with pytest.raises(TypeError, match="1 is not a callable object"):
        tf.function(1)
    with pytest.raises(TypeError, match="weakref input"):
        tf.function(lambda x: x)(weakref.ref(Masked))
    with pytest.raises(ValueError, match="Name collision after sanitization"):
        tf.function(lambda **names: names["a_b"])(**{"a_b": 1, "a/b": 2})


def test_a_method_that_does_not_use_its_object_outlives_it():
    class Model:
        @tf.function
        def double(self, x):
            return x * 2

    double = Model().double
    assert int(double(tf.constant(2))) == 4


def test_functions_made_anew_in_a_loop_are_warned_of(caplog):
    for number in range(5):

        @tf.function
        def function(x):
            return x

        assert not caplog.records
        function(number)
    assert "Tracing is expensive" in caplog.text


def test_shapes_of_a_called_function_follow_from_the_arguments():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)])
    def ones(x, count):
        return tf.ones(tf.stack([tf.shape(x)[0], count]))

    reshape = tf.function(lambda x: tf.reshape(x, [-1, 3]), input_signature=[tf.TensorSpec(None)])

    @tf.function
    def outer(x):
        assert ones(x, 5).shape == [3, 5]
        assert reshape(tf.zeros([10, 10, 3])).shape == [100, 3]
        return ones(x, 5)

    assert outer(tf.zeros([3, 6])).shape == [3, 5]


def test_calls_of_all_functions_of_one_body_count_against_the_warning(caplog):
    for number in range(6):

        @tf.function
        def function(x):
            return x

        for _ in range(6):
            function(number)
    assert not caplog.records


def test_functions_of_one_decorator_are_counted_apart(caplog):
    def decorated(body):
        @functools.wraps(body)
        def wrapper(x):
            return body(x)

        return tf.function(wrapper)

    for body in (
        lambda x: x,
        lambda x: -x,
        lambda x: x + 1,
        lambda x: x * 2,
        lambda x: x - 1,
        lambda x: x / 2,
    ):
        decorated(body)(tf.constant(1.0))
    assert not caplog.records


def test_signatures_show_the_names_that_specs_were_given():
    function = tf.function(lambda x, y: x)
    concrete = function.get_concrete_function(
        tf.TensorSpec([2], name="first"), [tf.TensorSpec([], name="second"), tf.TensorSpec([])]
    )
    assert concrete.pretty_printed_signature(verbose=False) == (
        "(x: TensorSpec(shape=(2,), dtype=tf.float32, name='first'), "
        "y: List[TensorSpec(shape=(), dtype=tf.float32, name='second'), "
        "TensorSpec(shape=(), dtype=tf.float32, name=None)]) -> "
        "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
    )
    names = [spec.name for spec in tf.nest.flatten(concrete.structured_input_signature)]
    assert names == ["first", "second", "y_1"]


def test_placeholders_have_the_names_of_the_input_signature_after_a_call():
    @tf.function(
        input_signature=[tf.TensorSpec([], name="first"), tf.TensorSpec([]), tf.TensorSpec([])]
    )
    def add(x, *others):
        return x + others[0] + others[1]

    assert add(1.0, 2.0, 3.0).numpy() == 6
    names = [tensor.op.name for tensor in add.get_concrete_function().inputs]
    assert names == ["first", "others_0", "others_1"]
