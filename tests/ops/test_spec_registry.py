"""Type specs have names that files may use."""

import pytest

import placewise as tf
from placewise.ops.spec_registry import get_name, lookup, register


def test_the_specs_of_tensors_have_names() -> None:
    assert get_name(tf.RaggedTensorSpec) == "tf.RaggedTensorSpec"
    assert lookup("tf.SparseTensorSpec") is tf.SparseTensorSpec
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'other'"):
        lookup("other")
    with pytest.raises(ValueError, match=r"already been registered with name tf\.TensorSpec"):
        register("tests.Tensor")(tf.TensorSpec)
    with pytest.raises(ValueError, match="Registered name must have the form"):
        register("one word")


def test_an_extension_type_names_its_spec() -> None:
    class Named(tf.experimental.ExtensionType):
        __name__ = "tests.spec_registry.Named"
        values: tf.Tensor

    class Nameless(tf.experimental.ExtensionType):
        values: tf.Tensor

    assert get_name(Named.Spec) == "tests.spec_registry.Named.Spec"
    assert lookup("tests.spec_registry.Named.Spec") is Named.Spec
    with pytest.raises(ValueError, match="has not been registered"):
        get_name(Nameless.Spec)
