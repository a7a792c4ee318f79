"""tf.experimental.ExtensionType: classes of a program's own that pass for tensors."""

from __future__ import annotations

import typing
from typing import Any

import pytest

import placewise as tf


class Masked(tf.experimental.ExtensionType):
    """Values of which some count."""

    values: tf.Tensor
    mask: tf.Tensor
    scale: float = 1.0

    def total(self) -> Any:
        """Return the sum of what counts."""
        return tf.reduce_sum(tf.where(self.mask, self.values, 0)) * self.scale


class Several(tf.experimental.ExtensionType):
    """One field of each kind."""

    name: str
    shape: tf.TensorShape
    parts: tuple[tf.Tensor, ...]
    maybe: tf.Tensor | None
    named: typing.Mapping[str, tf.Tensor]
    masked: Masked

    def __validate__(self) -> None:
        if not self.name:
            raise ValueError("a name is needed")


def masked() -> Masked:
    return Masked([1.0, 2.0], [True, False])


def test_fields_are_converted_and_shown() -> None:
    value = masked()
    assert value.values.dtype is tf.float32
    assert value.total().numpy() == 1.0
    assert repr(value).startswith("Masked(values=<tf.Tensor: shape=(2,), dtype=float32")
    assert repr(tf.type_spec_from_value(value)) == (
        "Masked.Spec(values=TensorSpec(shape=(2,), dtype=tf.float32, name=None), "
        "mask=TensorSpec(shape=(2,), dtype=tf.bool, name=None), scale=1.0)"
    )
    assert list(tf.experimental.extension_type.as_dict(value)) == ["values", "mask", "scale"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1,), "missing a required argument: 'mask'"),
        (([1.0], [True], "x"), "scale: expected 'float', got 'str'"),
        ((object(), [True]), "values: expected a Tensor, got 'object'"),
    ],
)
def test_wrong_fields_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Masked(*arguments)


def test_a_value_does_not_change() -> None:
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values`"):
        masked().values = 3


def test_fields_of_every_kind() -> None:
    value = Several("a", [2, None], [1, 2], None, {"k": 1.0}, masked())
    assert value.shape.as_list() == [2, None]
    assert len(value.parts) == 2
    assert len(tf.nest.flatten(value, expand_composites=True)) == 5
    with pytest.raises(TypeError, match="does not support item assignment"):
        value.named["other"] = 1
    with pytest.raises(ValueError, match="a name is needed"):
        Several("", [2], [1], None, {}, masked())


def test_a_list_is_no_annotation() -> None:
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation 'list'"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"x": list}})


def test_functions_take_and_return_them() -> None:
    traces = []

    @tf.function
    def doubled(value: Masked) -> Masked:
        traces.append(value.values.shape.as_list())
        return Masked(value.values * 2, value.mask, value.scale)

    assert doubled(masked()).values.numpy().tolist() == [2.0, 4.0]
    assert doubled(Masked([3.0, 4.0], [True, True])).total().numpy() == 14.0
    assert traces == [[2]]


def test_control_flow_and_datasets_hold_them() -> None:
    outside = masked()
    choose = tf.function(lambda p: tf.cond(p, lambda: outside, lambda: Masked([5.0, 6.0], [1, 1])))
    with pytest.raises((TypeError, ValueError)):
        choose(tf.constant(True))
    same = tf.function(lambda p: tf.cond(p, lambda: outside, lambda: outside))
    assert same(tf.constant(True)).total().numpy() == 1.0
    element = next(iter(tf.data.Dataset.from_tensors(outside)))
    assert isinstance(element, Masked)
    assert element.values.numpy().tolist() == [1.0, 2.0]


def test_gradients_pass_through_fields() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = Masked(x * x, [True, True]).total()
    assert tape.gradient(total, x).numpy().tolist() == [2.0, 4.0]


def test_equal_fields_are_equal_values() -> None:
    assert (masked() == masked()).numpy()
    assert (masked() != Masked([1.0, 3.0], [True, False])).numpy()
    assert masked() != 3


def test_a_field_may_be_a_variable_which_is_kept_itself():
    class Counter(tf.experimental.ExtensionType):
        count: tf.Variable

    counter = Counter(tf.Variable(1.0))

    @tf.function
    def add(value):
        value.count.assign_add(2.0)
        return value.count + 0.0

    assert float(add(counter)) == 3.0
    assert float(counter.count) == 3.0
