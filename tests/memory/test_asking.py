"""What is said of tensors that are too large, before they are made or after."""

import numpy as np
import pytest
import torch

import placewise as tf
import placewise.v1 as tf1
from placewise.devices.inventory import inventory
from placewise.ops.declare import REGISTRY
from placewise.ops.reservation import reserve

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
OOM = tf.errors.ResourceExhaustedError
LARGE = 8 << 20  # elements of 32 MiB, on a card of 18


@pytest.fixture
def small_card():
    with tf.simulate("K40c:20MiB"):  # a limit of 18 MiB
        yield


def refusal(call, kind=OOM):
    """Return the first line and all of the error that a call ends with."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value).partition("\n")[0], str(caught.value)


def whole(number):
    return np.asarray(number, np.int64)


OUTGROWING = {
    "Einsum": (lambda: ([torch.ones(16000)] * 2,), {"equation": "i,j->ij"}),
    "Diag": (lambda: (torch.ones(16000),), {}),
    "MatrixDiagV3": (
        lambda: (torch.ones(16000), whole(0), whole(-1), whole(-1), torch.zeros(())),
        {"align": "RIGHT_LEFT"},
    ),
    "MatMul": (
        lambda: (torch.ones(16000, 1), torch.ones(1, 16000)),
        {"transpose_a": False, "transpose_b": False, "grad_a": False, "grad_b": False},
    ),
    "Range": (lambda: (whole(-(2**40)), whole(0), whole(1)), {}),
}


@pytest.mark.parametrize("name", OUTGROWING)
def test_what_outgrows_its_inputs_is_asked_for_before_it_is_made(small_card, name):
    tf.einsum, tf.linalg.diag, tf.linalg.tensor_diag  # noqa: B018 - which declare their ops
    values, attrs = OUTGROWING[name]
    with pytest.raises(OOM):
        reserve(REGISTRY[name], values(), attrs, inventory().default)


def test_above_the_limit_the_memory_of_this_machine_does_not_matter(small_card):
    vector = tf.ones([2**22])
    first, whole = refusal(lambda: tf.einsum("i,j->ij", vector, vector))
    assert first.startswith("OOM when allocating tensor with shape[4194304,4194304] and type float")
    assert "asked: 64.00TiB" in whole
    assert "this tensor alone is larger than the limit" in whole
    assert "this machine" not in whole


def test_text_beyond_all_memory_is_said_to_be_text():
    with tf.device("/cpu:0"):
        first, _ = refusal(lambda: tf.fill([2**46], "a"))
    assert first == (
        f"OOM when allocating tensor with shape[{2**46}] and type string on {CPU} by allocator cpu "
        "[Op:Fill] name: "
    )


def test_int32_beyond_all_memory_is_not_in_the_pool(small_card):
    first, whole = refusal(lambda: tf.zeros([2**50], tf.int32))
    assert first == (
        f"OOM when allocating tensor with shape[{2**50}] and type int32 on {GPU} by allocator cpu "
        "[Op:Fill] name: "
    )
    assert "limit" not in whole


@pytest.mark.parametrize(
    ("device", "dtype"),
    [("/gpu:0", tf.float32), ("/cpu:0", tf.float32), ("/cpu:0", tf.string)],
)
def test_a_shape_with_too_many_elements_is_invalid(small_card, device, dtype):
    with tf.device(device):
        first, _ = refusal(lambda: tf.zeros([2**40, 2**40], dtype), tf.errors.InvalidArgumentError)
    assert first == (
        "Shape [1099511627776,1099511627776] would have more than 2**63 - 1 elements "
        "[Op:Fill] name: "
    )


def test_the_op_is_named_alike_before_and_after_the_tensor_is_made(small_card):
    asked, _ = refusal(lambda: tf.zeros([LARGE]))
    with tf.device("/cpu:0"):
        tensor = tf.zeros([LARGE // 4])
    tensor = tf.identity(tensor)
    counted, _ = refusal(lambda: tf.cast(tensor, tf.complex128))
    assert asked.endswith(" by allocator GPU_0_bfc [Op:Fill] name: ")
    assert counted.endswith(" by allocator GPU_0_bfc [Op:Cast] name: ")


def test_a_constant_and_a_copy_for_an_op_name_theirs(small_card):
    constant, _ = refusal(lambda: tf.constant(np.ones(LARGE, np.float32)))
    assert constant.endswith("[Op:_EagerConst] name: ")
    with tf.device("/cpu:0"):
        tensor = tf.ones([LARGE])
    copied, _ = refusal(lambda: tf.tanh(tensor))
    assert copied.endswith("[Op:Tanh] name: ")


def test_a_pipeline_names_its_op_in_the_first_line(small_card):
    elements = tf.data.Dataset.from_tensors(0).map(lambda _: tf.ones([LARGE]))
    elements = elements.apply(tf.data.experimental.prefetch_to_device("/gpu:0"))
    first, whole = refusal(lambda: list(elements))
    assert first.endswith(" by allocator GPU_0_bfc [Op:IteratorGetNext] name: ")
    assert not whole.endswith("name: ")


def test_zeros_on_a_full_card_say_what_was_asked_for(small_card):
    full = tf.ones([16, 256, 1024])
    first, whole = refusal(lambda: tf.zeros([1024, 1024]))
    assert first == (
        f"OOM when allocating tensor with shape[1024,1024] and type float on {GPU} by allocator "
        "GPU_0_bfc [Op:Fill] name: "
    )
    assert "asked: 4.00MiB" in whole
    del full


def test_a_fed_value_without_room_names_its_placeholder(graph_mode):
    with tf1.simulate("K40c:20MiB"):
        fed = tf1.placeholder(tf1.float32, [None], name="images")
        with tf1.device("/gpu:0"):
            made = tf1.tanh(fed)
        with tf1.Session() as session:
            _, whole = refusal(lambda: session.run(made, {fed: np.ones(LARGE, np.float32)}))
    assert whole.splitlines()[1].startswith("\t [[node images (defined at ")


def test_a_constant_of_a_graph_without_room_names_its_reader(graph_mode):
    with tf1.simulate("K40c:20MiB"), tf1.device("/gpu:0"):
        made = tf1.tanh(tf1.random_normal([4]) + np.ones([LARGE // 4, 4], np.float32), name="y")
        with tf1.Session() as session:
            _, whole = refusal(lambda: session.run(made))
            assert whole.splitlines()[1].startswith("\t [[node add (defined at ")
            assert session.run(tf1.constant(3.0) + 1.0) == 4.0
