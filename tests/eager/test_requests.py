"""Requests of eager ops that cannot be met: what soft placement relaxes, and what it does not."""

import pytest

import placewise as tf

GPU = "/job:localhost/replica:0/task:0/device:GPU:"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture(autouse=True)
def two_gpus():
    with tf.simulate("2xK40c"):
        yield


@pytest.fixture
def softly():
    tf.config.set_soft_device_placement(True)


@pytest.mark.parametrize(
    "device", ["/job:foo/task:7/CPU:0", "/job:foo", "/task:7", "/replica:3/GPU:0"]
)
def test_soft_placement_never_forgets_the_task(device, softly):
    x = tf.constant([1.0])
    with tf.device(device):
        with pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"):
            tf.constant([1.0])
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Could not satisfy device specification '/job.*enable_soft_placement=1\.",
        ):
            tf.negative(x)


def test_soft_placement_is_not_advised_where_it_is_on(softly):
    advice = "soft placement keeps the job and the task"
    with tf.device("/job:foo/GPU:0"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=advice) as constant:
            tf.constant([1.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=advice) as uniform:
            tf.random.uniform([2])
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    with tf.Graph().as_default(), tf.device("/job:foo/GPU:0"):
        noise = tf.random.uniform([2])
        with (
            tf.compat.v1.Session(config=config) as session,
            pytest.raises(tf.errors.InvalidArgumentError, match=advice) as run,
        ):
            session.run(noise)
    for caught in (constant, uniform, run):
        assert "try " not in str(caught.value)


@pytest.mark.parametrize(("device", "got"), [("CPU:5", GPU + "0"), ("GPU:7", GPU + "0")])
def test_soft_placement_forgets_kind_and_index(device, got, softly):
    with tf.device(device), pytest.warns(tf.PlacementWarning):
        assert tf.negative(tf.constant([1.0])).device == got


@pytest.mark.parametrize("soft", [True, False])
def test_a_negative_index_is_malformed(soft):
    tf.config.set_soft_device_placement(soft)
    x = tf.constant([1.0])
    with tf.device("/gpu:-1"):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Malformed device specification '.*GPU:-1' in eager op: Name: _EagerConst",
        ):
            tf.constant([1.0])
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Malformed device specification '.*GPU:-1' in eager op: Name: Neg",
        ):
            tf.negative(x)


def test_a_star_for_the_kind_is_any_kind():
    tf.config.set_soft_device_placement(False)
    x = tf.constant([1.0])
    with tf.device("/device:*:0"):
        assert tf.negative(x).device == GPU + "0"


def update(a, b):
    tf.raw_ops.ResourceApplyMomentum(var=a.handle, accum=b.handle, lr=0.1, grad=[1.0], momentum=0.9)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_handles_on_different_devices_cannot_be_used_by_one_op(wrap):
    with tf.device("CPU:0"):
        a = tf.Variable([1.0])
    with tf.device("GPU:1"):
        b = tf.Variable([1.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=f"incompatible assigned devices: {GPU}1 vs {CPU}",
    ):
        wrap(lambda: update(a, b))()
    assert (a.device, b.device) == (CPU, GPU + "1")
    assert a.numpy() == b.numpy() == [1.0]


def test_the_identity_of_a_handle_is_where_the_handle_is():
    with tf.device("GPU:1"):
        v = tf.Variable([1.0])
    with tf.device("CPU:0"):
        assert tf.identity(v.handle).device == GPU + "1"


@pytest.mark.parametrize("soft", [True, False])
def test_a_name_that_is_none_is_refused_where_the_variable_decides_as_well(soft):
    tf.config.set_soft_device_placement(soft)
    v = tf.Variable(1.0)
    with (
        tf.device("/gpu:-1"),
        pytest.raises(tf.errors.InvalidArgumentError, match="GPU:-1' in eager op: Name: ReadVar"),
    ):
        tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)
    with tf.device("/gpu:1"):
        read = tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)
    assert read.device == GPU + "0"


@pytest.mark.parametrize("device", ["/job:foo/task:7/CPU:0", "/cpu:-1", "/replica:3", "/task:7"])
@pytest.mark.parametrize("soft", [True, False])
def test_a_dataset_is_refused_where_nothing_can_be(device, soft):
    tf.config.set_soft_device_placement(soft)
    with tf.device(device), pytest.raises(tf.errors.InvalidArgumentError):
        tf.data.Dataset.range(3)


@pytest.mark.parametrize("device", ["/gpu:0", "/gpu:1", "/cpu:0", None])
@pytest.mark.parametrize("soft", [True, False])
def test_a_queue_is_on_the_cpu(device, soft):
    tf.config.set_soft_device_placement(soft)
    with tf.device(device):
        queue = tf.queue.FIFOQueue(2, [tf.float32])
        assert queue.size().device == CPU


def test_a_queue_under_a_gpu_that_does_not_exist_is_refused():
    tf.config.set_soft_device_placement(False)
    with (
        tf.device("/gpu:5"),
        pytest.raises(tf.errors.InvalidArgumentError, match="GPU:5"),
    ):
        tf.queue.FIFOQueue(2, [tf.float32])


def test_an_error_lists_the_kinds_of_device_that_are_there():
    tf.simulate("0")
    tf.config.set_soft_device_placement(False)
    x = tf.constant(1.0)
    with (
        tf.device("/gpu:0"),
        pytest.raises(tf.errors.InvalidArgumentError, match=r"Supported device types \[CPU\]\."),
    ):
        tf.negative(x)
