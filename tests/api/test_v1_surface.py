"""TensorFlow 1's spelling of functions: parameters, order, defaults, and results."""

import inspect

import numpy as np
import pytest

from placewise.compat import v1 as tf
from placewise.tf1.spelling import spelled

pytestmark = pytest.mark.usefixtures("graph_mode")

X = np.arange(12, dtype=np.float32).reshape(4, 3)


def run(fetch: object) -> object:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch)


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("reduce_sum", "input_tensor axis keepdims name reduction_indices keep_dims"),
        ("argmax", "input axis name dimension output_type"),
        ("expand_dims", "input axis name dim"),
        ("squeeze", "input axis name squeeze_dims"),
        ("transpose", "a perm name conjugate"),
        ("gather", "params indices validate_indices name axis batch_dims"),
        ("pad", "tensor paddings mode name constant_values"),
        (
            "nn.conv2d",
            "input filter strides padding use_cudnn_on_gpu data_format dilations name filters",
        ),
        ("nn.max_pool", "value ksize strides padding data_format name input"),
        ("nn.dropout", "x keep_prob noise_shape seed name rate"),
        ("nn.softmax_cross_entropy_with_logits", "_sentinel labels logits dim name axis"),
        ("nn.moments", "x axes shift name keep_dims keepdims"),
        ("nn.embedding_lookup", "params ids partition_strategy name validate_indices max_norm"),
        ("image.resize_images", "images size method align_corners preserve_aspect_ratio name"),
        ("random_normal", "shape mean stddev dtype seed name"),
        ("multinomial", "logits num_samples seed name output_dtype"),
        ("constant", "value dtype shape name verify_shape"),
        ("convert_to_tensor", "value dtype name preferred_dtype dtype_hint"),
        ("name_scope", "name default_name values"),
        ("py_func", "func inp Tout stateful name"),
    ],
)
def test_parameters_are_tensorflow_1s(path: str, parameters: str) -> None:
    found = tf
    for part in path.split("."):
        found = getattr(found, part)
    assert list(inspect.signature(found).parameters) == parameters.split()


def test_older_parameters_mean_the_same() -> None:
    assert run(tf.reduce_sum(X, reduction_indices=[1], keep_dims=True)).shape == (4, 1)
    assert run(tf.argmax(X)).tolist() == [3, 3, 3]
    assert run(tf.argmin(X, dimension=1)).tolist() == [0] * 4
    assert run(tf.expand_dims(X, dim=0)).shape == (1, 4, 3)
    assert run(tf.squeeze(X[None], squeeze_dims=[0])).shape == (4, 3)
    assert run(tf.nn.softmax(X, dim=0)).sum(0) == pytest.approx([1, 1, 1])
    assert run(tf.gather(X, [0], axis=1)).shape == (4, 1)


def test_both_spellings_at_once_are_refused() -> None:
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_indices' and 'axis'"):
        tf.reduce_sum(X, 1, reduction_indices=0)
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        tf.expand_dims(X, 0, dim=0)


def test_names_that_tensorflow_2_dropped() -> None:
    assert run(tf.log(tf.ones([2]))).tolist() == [0, 0]
    assert run(tf.to_float([1])).dtype == np.float32
    assert [run(tf.div(7, 2)), run(tf.div(7.0, 2)), run(tf.mod(-7, 3))] == [3, 3.5, 2]
    assert run(tf.where([True, False], [[1], [2]], [[3], [4]])).tolist() == [[1], [4]]
    assert run(tf.matrix_transpose(X)).shape == (3, 4)
    assert run(tf.string_split(["a b"]).values).tolist() == [b"a", b"b"]
    assert run(tf.sparse_to_dense([1], [3], 5)).tolist() == [0, 5, 0]


def test_names_of_the_first_year() -> None:
    assert run(tf.mul(2.0, 3.0)) == 6
    assert run(tf.sub(2.0, 3.0)) == run(tf.neg(1.0)) == -1
    assert run(tf.pack([1, 2])).tolist() == [1, 2]
    assert len(tf.unpack(tf.constant([1, 2]))) == 2


def test_losses_take_named_arguments_only() -> None:
    words = "Only call `softmax_cross_entropy_with_logits` with named arguments"
    with pytest.raises(ValueError, match=words):
        tf.nn.softmax_cross_entropy_with_logits(X, X)
    with pytest.raises(ValueError, match="Both labels and logits must be provided"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(logits=X)


def test_labels_of_the_first_softmax_loss_get_no_gradient() -> None:
    labels, logits = tf.constant(X), tf.constant(X)
    old = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    new = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    assert tf.gradients(old, labels) == [None]
    assert tf.gradients(new, labels) != [None]


def test_dropout_keeps_or_drops() -> None:
    kept = run(tf.nn.dropout(tf.ones([1000]), keep_prob=0.25, seed=1))
    assert set(kept.tolist()) == {0.0, 4.0}
    assert 200 < (kept > 0).sum() < 300
    with pytest.raises(ValueError, match="You must provide a rate to dropout"):
        tf.nn.dropout(X)
    with pytest.raises(ValueError, match="Cannot specify both 'keep_prob' and 'rate'"):
        tf.nn.dropout(X, 0.5, rate=0.5)


def test_functions_open_scopes_of_their_name() -> None:
    value = tf.placeholder(tf.float32, [2, 3])
    assert tf.nn.moments(value, [0])[0].name.startswith("moments/")
    assert tf.clip_by_value(value, 0.0, 1.0).name == "clip_by_value:0"
    assert tf.nn.xw_plus_b(value, tf.ones([3, 1]), [1.0]).name == "xw_plus_b:0"
    assert tf.reduce_mean(value, name="loss").name == "loss:0"


def test_shapes_that_are_known_are_constants() -> None:
    assert tf.shape(tf.ones([2, 3])).op.type == "Const"
    assert tf.shape(tf.placeholder(tf.float32, [None])).op.type == "Shape"
    assert tf.rank(tf.placeholder(tf.float32, [None])).op.type == "Const"
    assert run(tf.size(X)) == 12


def test_constants_repeat_their_last_element() -> None:
    assert run(tf.constant([1, 2], shape=[2, 2])).tolist() == [[1, 2], [2, 2]]
    with pytest.raises(ValueError, match=r"Too many elements provided\. Needed at most 1"):
        tf.constant([1, 2], shape=[1])
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.constant([1, 2], shape=[2, 2], verify_shape=True)


def test_name_scopes_take_defaults() -> None:
    with tf.name_scope(None, "made", [tf.constant(1)]) as scope:
        assert scope == "made/"
    with tf.op_scope([], "given", "made") as scope:
        assert scope == "given/"
    with pytest.raises(TypeError, match="is not a string type"):
        tf.name_scope("a", [tf.constant(1)])


def test_sparse_placeholders_are_fed_and_fetched() -> None:
    fed = tf.sparse_placeholder(tf.float32, [2, 2])
    dense = tf.sparse_tensor_to_dense(fed)
    value = tf.SparseTensorValue([[0, 1]], [5.0], [2, 2])
    with tf.Session() as session:
        assert session.run(dense, {fed: value}).tolist() == [[0, 5], [0, 0]]
        assert isinstance(session.run(fed, {fed: value}), tf.SparseTensorValue)


def test_the_log_is_pythons(caplog: pytest.LogCaptureFixture) -> None:
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    try:
        with caplog.at_level("INFO", logger="tensorflow"):
            tf.logging.info("step %d", 3)
            for _ in range(4):
                tf.logging.log_every_n(tf.logging.WARN, "often", 2)
            tf.logging.debug("unsaid")
    finally:
        tf.logging.set_verbosity(before)
    assert [record.getMessage() for record in caplog.records] == ["step 3", "often", "often"]


def test_versions() -> None:
    assert tf.VERSION == tf.version.VERSION == tf.__version__ == "1.15.5"


def test_spelled_maps_drops_and_leaves_out() -> None:
    def function(x: int, axis: int = 7, name: str | None = None) -> tuple[object, ...]:
        return x, axis, name

    old = spelled(
        function,
        "value, dimension=None, name=None, unused=0",
        value="x",
        dimension="axis",
        unused=None,
    )
    assert old(1) == (1, 7, None)
    assert old(1, 2, "n", unused=3) == (1, 2, "n")
