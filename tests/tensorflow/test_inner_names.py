"""Inner names that libraries import: they do what TensorFlow's do."""

import importlib
import sys

import pytest

import placewise as tf
from placewise.tensorflow import hook


@pytest.fixture
def inner():
    """Return a function that imports an inner module of `tensorflow`."""
    hook.install()
    yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    _uninstall()


def _uninstall():
    """Take the hook out, unless Keras needs it for the tests that follow in this process."""
    if "keras" not in sys.modules:
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
    shape = inner("ops.array_ops").shape_internal(tf.zeros([2, 3]), out_type=tf.int64)
    assert shape.dtype == tf.int64 and shape.numpy().tolist() == [2, 3]


def test_keras_2_that_is_not_installed_says_how_to_install_it(monkeypatch):
    from placewise.tensorflow import legacy_keras

    monkeypatch.setitem(sys.modules, "tf_keras", None)
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert legacy_keras.is_wanted()
    with pytest.raises(ImportError, match="pip install --no-deps tf-keras"):
        legacy_keras.load()
    _uninstall()


def test_counters_and_gauges_keep_a_value_for_each_label(inner):
    monitoring = inner("eager.monitoring")
    counter = monitoring.Counter("/uses", "how often", "who")
    counter.get_cell("a").increase_by(2)
    counter.get_cell("a").increase_by(1)
    assert (counter.get_cell("a").value(), counter.get_cell("b").value()) == (3, 0)
    gauge = monitoring.BoolGauge("/used", "whether")
    assert gauge.get_cell().value() is False
    gauge.get_cell().set(True)
    assert gauge.get_cell().value() is True
    with pytest.raises(ValueError, match="1 label"):
        counter.get_cell()


def test_products_of_sparse_matrices(inner):
    sparse = inner("ops.linalg.sparse.sparse")
    dense = tf.constant([[0.0, 2.0], [3.0, 0.0]])
    matrix = sparse.CSRSparseMatrix(tf.sparse.from_dense(dense))
    both = sparse.matmul(matrix, matrix)
    assert both.to_dense().numpy().tolist() == [[6.0, 0.0], [0.0, 6.0]]
    assert both.to_sparse_tensor().values.numpy().tolist() == [6.0, 6.0]
    assert sparse.matmul(matrix, dense).numpy().tolist() == [[6.0, 0.0], [0.0, 6.0]]


def test_operators_are_added(inner):
    add = inner("ops.linalg.linear_operator_addition").add_operators
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    (total,) = add([diagonal, tf.linalg.LinearOperatorIdentity(2)])
    assert isinstance(total, tf.linalg.LinearOperatorDiag)
    assert total.diag_part().numpy().tolist() == [2.0, 3.0]
    (total,) = add([diagonal, tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])])
    assert total.to_dense().numpy().tolist() == [[1.0, 1.0], [1.0, 2.0]]
    with pytest.raises(TypeError, match="LinearOperators"):
        add([diagonal, 3.0])


def test_small_functions_that_libraries_take(inner):
    util = inner("framework.tensor_util")
    assert util.constant_value_as_shape(tf.constant([2, -1])).as_list() == [2, None]
    loop = inner("ops.parallel_for.control_flow_ops")
    assert loop.pfor(lambda i: i * i, 4).numpy().tolist() == [0, 1, 4, 9]
    drawn = inner("ops.random_ops").parameterized_truncated_normal([50], 0.0, 1.0, -0.5, 0.5)
    assert drawn.shape == (50,) and float(tf.reduce_max(tf.abs(drawn))) <= 0.5
    spec = inner("util.tf_inspect").getfullargspec(tf.rank)
    assert spec.args == ["input", "name"] and spec.annotations == {}
    assert inner("framework.ops").numpy_text(tf.constant([1.5])) == "[1.5]"


def test_a_spec_of_a_variable_fits_variables_of_its_shape(inner):
    spec = inner("ops.resource_variable_ops").VariableSpec([2], tf.float32)
    assert spec.is_compatible_with(tf.Variable([1.0, 2.0]))
    assert not spec.is_compatible_with(tf.Variable([1.0]))
    assert spec == type(spec).from_value(tf.Variable([1.0, 2.0]))


def test_variables_of_eager_mode_are_resource_variables(inner):
    module = inner("ops.resource_variable_ops")
    made = module.ResourceVariable([1.0, 2.0], collections=["kept"], name="weights")
    assert made.name == "weights:0" and made.assign_add([1.0, 1.0]).numpy().tolist() == [2.0, 3.0]
    for kind in (module.ResourceVariable, module.BaseResourceVariable):
        assert isinstance(made, kind) and isinstance(tf.Variable(1), kind)
        assert not isinstance(tf.constant(1), kind)
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        assert not isinstance(tf.Variable(1.0), module.ResourceVariable)


def test_transformers_of_source_say_that_they_are_not_there(inner):
    transformer = inner("autograph.pyct.transformer")
    with pytest.raises(NotImplementedError, match="AutoGraph"):
        type("Mine", (transformer.Base,), {})()


def test_operations_that_a_tensor_needs(inner):
    walk = inner("ops.op_selector").get_backward_walk_ops
    with tf.Graph().as_default():
        one = tf.constant(1.0, name="one")
        two = tf.add(one, 1.0, name="two")
        three = tf.negative(two, name="three")
    assert {op.name for op in walk(three)} >= {"one", "two", "three"}
    assert {op.name for op in walk(three, stop_at_ts=[two])} == {"three"}
    assert "three" not in {op.name for op in walk(three, inclusive=False)}


def test_names_that_mean_those_of_tensorflow_2_inside_tensorflow_mean_them_here(inner):
    assert inner("saved_model.load").load is tf.saved_model.load
    assert inner("ops.variables").Variable is tf.Variable
    assert inner("summary.tb_summary").scalar is tf.summary.scalar


def test_arguments_of_a_decorated_function_are_those_the_decorator_shows(inner):
    decorator, inspect = inner("util.tf_decorator"), inner("util.tf_inspect")

    def plain(x):
        return x

    shown = inspect.getfullargspec(plain)._replace(args=["x", "more"])
    wrapped = decorator.make_decorator(plain, lambda x, more: x, decorator_argspec=shown)
    assert inspect.getfullargspec(wrapped).args == ["x", "more"]


def test_public_names_of_clusters_are_in_their_inner_modules(inner):
    resolvers = inner("distribute.cluster_resolver.cluster_resolver")
    assert resolvers.SimpleClusterResolver is tf.distribute.cluster_resolver.SimpleClusterResolver
    coordinators = inner("distribute.coordinator.cluster_coordinator")
    assert coordinators.ClusterCoordinator is tf.distribute.coordinator.ClusterCoordinator
    assert inner("data.ops.dataset_ops").UNKNOWN == tf.data.UNKNOWN_CARDINALITY


def test_structures_of_specs_go_through_messages(inner):
    coder = inner("saved_model.nested_structure_coder")
    structure = {"a": tf.TensorSpec([2, None], tf.float32), "b": (1, "text")}
    assert coder.decode_proto(coder.encode_structure(structure)) == structure


def test_a_spec_takes_the_bounds_of_another_or_those_of_its_dtype(inner):
    bounded = inner("framework.tensor_spec").BoundedTensorSpec
    spec = bounded.from_spec(tf.TensorSpec([2], tf.int32, name="a"))
    assert (spec.minimum, spec.maximum, spec.name) == (-(2**31), 2**31 - 1, "a")
    again = bounded.from_spec(bounded([2], tf.float32, 0.0, 1.0))
    assert (again.minimum, again.maximum) == (0.0, 1.0)


def test_versions_of_the_build_are_there():
    assert tf.__git_version__ == tf.version.GIT_VERSION
    assert tf.__compiler_version__ == tf.version.COMPILER_VERSION
    assert tf.compat.v1.__git_version__ == tf.compat.v1.version.GIT_VERSION


def test_modules_of_ops_have_the_generated_functions(inner):
    rows = inner("ops.data_flow_ops").parallel_dynamic_stitch([[1], [0]], [[2.0], [1.0]])
    assert rows.numpy().tolist() == [1.0, 2.0]
    nn_ops = inner("ops.nn_ops")
    assert nn_ops.gen_nn_ops is inner("ops.gen_nn_ops")
    assert inner("ops.sparse_ops").sparse_slice_grad is not None
    assert inner("ops.array_ops").gather_v2 is tf.gather
    with pytest.raises(AttributeError, match="gen_tree_ops"):
        _ = nn_ops.gen_tree_ops


def test_functions_are_found_by_their_inner_names(inner):
    assert inner("ops.ctc_ops").ctc_loss_v3 is tf.nn.ctc_loss
    assert inner("ops.string_ops").string_length_v2 is tf.strings.length
    shuffle = inner("ops.stateless_random_ops").index_shuffle
    assert shuffle is tf.random.experimental.index_shuffle
    assert inner("platform.test").compute_gradient_error is not None
