"""Inner names that libraries import: they do what TensorFlow's do."""

import importlib
import sys

import pytest

from placewise.tensorflow import hook


@pytest.fixture
def inner():
    """Return a function that imports an inner module of `tensorflow`."""
    hook.install()
    yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    hook.uninstall()


def test_sets_by_identity_hold_equal_objects_apart(inner):
    identity = inner("util.object_identity")
    one, other = [1], [1]
    held = identity.ObjectIdentitySet([one])
    assert one in held and other not in held
    table = identity.ObjectIdentityDictionary()
    table[one] = "a"
    assert table[one] == "a" and other not in table


def test_the_arguments_of_a_function_leave_out_self_and_what_a_partial_has(inner):
    facts = inner("util.function_utils")

    class Model:
        def call(self, x, y=1, **options):
            return x

    assert facts.fn_args(Model().call) == ("x", "y")
    assert facts.has_kwargs(Model().call)
    assert not facts.has_kwargs(lambda x: x)


def test_names_that_no_docstring_lists_leave_a_module(inner):
    module = type(sys)("shown")
    module.__doc__ = "@@kept"
    module.kept, module.lost, module._own = 1, 2, 3
    sys.modules["shown"] = module
    try:
        inner("util.all_util").remove_undocumented("shown")
    finally:
        del sys.modules["shown"]
    assert hasattr(module, "kept") and hasattr(module, "_own") and not hasattr(module, "lost")


def test_an_exported_class_is_found_by_its_public_name(inner):
    export = inner("util.tf_export")

    @export.keras_export("keras.layers.Mine", v1=["keras.layers.Old"])
    class Mine:
        pass

    class Derived(Mine):
        pass

    assert export.get_canonical_name_for_symbol(Mine, api_name="keras") == "keras.layers.Mine"
    assert export.get_canonical_name_for_symbol(Derived, api_name="keras") is None
    assert export.get_symbol_from_name("keras.layers.Mine") is Mine


def test_the_shape_of_a_known_tensor_is_a_constant(inner):
    import placewise as tf

    shape = inner("ops.array_ops").shape_internal(tf.zeros([2, 3]), out_type=tf.int64)
    assert shape.dtype == tf.int64 and shape.numpy().tolist() == [2, 3]


def test_keras_2_that_is_not_installed_says_how_to_install_it(monkeypatch):
    from placewise.tensorflow import legacy_keras

    monkeypatch.setitem(sys.modules, "tf_keras", None)
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert legacy_keras.is_wanted()
    with pytest.raises(ImportError, match="pip install --no-deps tf-keras"):
        legacy_keras.load()
    hook.uninstall()
