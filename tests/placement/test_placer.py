"""Where operations of a graph run: the rules, their reasons, and the errors."""

import re

import pytest

import placewise.compat.v1 as tf
from placewise.devices.inventory import inventory
from placewise.placement.placer import place

pytestmark = pytest.mark.usefixtures("graph_mode")


def placed(soft: bool = False) -> dict[str, str]:
    operations = tf.get_default_graph().get_operations()
    found = place(operations, inventory().devices, soft, {})
    return {op.name: device.name.rpartition("/device:")[2] for op, device in found.devices.items()}


@pytest.fixture(autouse=True)
def two_gpus(graph_mode):
    with tf.simulate("2xK40c"):
        yield


def test_nothing_requested_goes_to_the_first_gpu():
    tf.add(tf.constant(1.0, name="a"), 2.0, name="sum")
    assert placed() == {"a": "GPU:0", "sum/y": "GPU:0", "sum": "GPU:0"}


def test_a_constant_follows_its_only_consumer():
    a = tf.constant(1.0, name="a")
    with tf.device("/cpu:0"):
        tf.identity(a, name="here")
    assert placed()["a"] == "CPU:0"


def test_a_constant_with_consumers_on_two_devices_takes_the_default():
    a = tf.constant(1.0, name="a")
    with tf.device("/cpu:0"):
        tf.identity(a)
    with tf.device("/gpu:1"):
        tf.identity(a)
    assert placed()["a"] == "GPU:0"


def test_an_op_without_a_gpu_kernel_goes_to_the_cpu():
    tf.strings.join(["a", "b"], name="joined")
    assert placed()["joined"] == "CPU:0"


def test_metadata_ops_stay_with_their_input():
    with tf.device("/gpu:1"):
        x = tf.identity(tf.placeholder(tf.float32, [None]), name="x")
    tf.shape(x, name="shape")
    assert placed()["shape"] == "GPU:1"


def test_what_changes_a_variable_runs_where_it_lives():
    with tf.device("/gpu:1"):
        v = tf.Variable(1.0, name="v")
    with tf.device("/cpu:0"):
        v.assign(2.0, name="assigned")
    found = placed()
    assert found["v"] == found["assigned"] == found["v/Assign"] == found["v/read"] == "GPU:1"


def test_colocated_ops_share_a_device():
    with tf.device("/gpu:1"):
        a = tf.constant(1.0, name="a")
    with tf.get_default_graph().colocate_with(a):
        tf.constant(2.0, name="b")
    assert placed()["b"] == "GPU:1"


def test_a_missing_device_is_told_with_node_and_remedy():
    with tf.device("/gpu:7"):
        a = tf.constant([1.0, 2.0, 3.0, 4.0], name="a")
        tf.identity(a, name="b")
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        placed()
    text = str(raised.value)
    assert text.startswith(
        "Cannot assign a device to node 'a': Could not satisfy explicit device specification "
        "'/device:GPU:7'"
    )
    assert re.search(
        r"\[\[Node: a = Const\[dtype=DT_FLOAT, value=Tensor<type: float shape: \[4\] values: "
        r'1 2 3\.\.\.>, _device="/device:GPU:7"\]\(\)\]\]',
        text,
    )
    assert "here: CPU:0, GPU:0, GPU:1" in text
    assert "test_placer.py:" in text
    assert "allow_soft_placement=True" in text


@pytest.mark.parametrize(
    ("asked", "got"), [("/gpu:7", "GPU:0"), ("/cpu:5", "GPU:0"), ("/gpu:1", "GPU:1")]
)
def test_soft_placement_forgets_kind_and_index(asked, got):
    with tf.device(asked):
        tf.identity(tf.constant(1.0), name="x")
    assert placed(soft=True)["x"] == got


def test_soft_placement_never_forgets_the_job():
    with tf.device("/job:foo"):
        tf.identity(tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="'/job:foo'"):
        placed(soft=True)


def test_a_cpu_only_op_asked_to_run_on_a_gpu():
    with tf.device("/gpu:0"):
        tf.strings.join(["a", "b"], name="joined")
    with pytest.raises(tf.errors.InvalidArgumentError, match="no supported kernel for GPU devices"):
        placed()
    assert placed(soft=True)["joined"] == "CPU:0"


def test_every_decision_keeps_its_reason():
    with tf.device("/gpu:1"):
        x = tf.identity(tf.constant(1.0), name="x")
    y = tf.identity(x, name="y")
    found = place(tf.get_default_graph().get_operations(), inventory().devices, False, {})
    assert found.decisions[x.op].reasons == ("requested /device:GPU:1",)
    assert "a GPU is preferred" in found.decisions[y.op].text()


def test_the_log_lists_ops_with_inputs_first():
    a = tf.constant(1.0, name="a")
    tf.identity(a, name="b")
    found = place(tf.get_default_graph().get_operations(), inventory().devices, False, {})
    assert [op.name for op, _ in found.in_log_order()] == ["b", "a"]


def test_sizes_that_the_host_reads_do_not_keep_an_op_from_a_gpu():
    images = tf.placeholder(tf.float32, [1, 2, 2, 1])
    size = tf.placeholder(tf.int32, [2])
    tf.raw_ops.ResizeBilinear(images=images, size=size, name="resized")
    assert placed()["resized"] == "GPU:0"


def handle(name: str, device: str = "", dtype: str = "float32"):
    with tf.device(device):
        return tf.raw_ops.VarHandleOp(dtype=dtype, shape=[], name=name)


def momentum(var, accum, name="update"):
    one = tf.constant(1.0)
    return tf.raw_ops.ResourceApplyMomentum(
        var=var, accum=accum, lr=one, grad=one, momentum=one, name=name
    )


def rows_momentum(var, accum, name="update"):
    one, row = tf.constant(1.0), tf.constant([1.0])
    return tf.raw_ops.ResourceSparseApplyMomentum(
        var=var, accum=accum, lr=one, grad=row, indices=[0], momentum=one, name=name
    )


@pytest.mark.parametrize("soft", [False, True])
def test_handles_on_different_devices_cannot_be_used_by_one_op(soft):
    momentum(handle("a", "/cpu:0"), handle("b", "/gpu:0"))
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"incompatible resource devices: /device:GPU:0 vs /device:CPU:0\. The edge src node "
        r"is name='b' \(op='VarHandleOp'\), and the dst node is name='update'",
    ):
        placed(soft)


def test_a_handle_that_asks_for_nothing_follows_the_one_that_does():
    momentum(handle("a"), handle("b", "/cpu:0"))
    found = placed()
    assert (found["a"], found["b"], found["update"]) == ("CPU:0", "CPU:0", "CPU:0")


def test_the_request_of_a_handle_survives_colocation():
    handle("a", "/cpu:0")
    with tf.device("/gpu:1"):
        b = tf.constant(1.0, name="b")
    b.op.colocation = ("loc:@a",)
    assert placed(soft=True) == {"a": "CPU:0", "b": "CPU:0"}


def test_an_op_asked_elsewhere_runs_where_its_variable_is_and_the_log_says_so():
    a = handle("a", "/cpu:0")
    with tf.device("/gpu:1"):
        tf.raw_ops.ReadVariableOp(resource=a, dtype=tf.float32, name="read")
    found = place(tf.get_default_graph().get_operations(), inventory().devices, False, {})
    assert found.ignored == (
        "Ignoring device specification /device:GPU:1 for node 'read' because the input edge from "
        "'a' is a reference connection and already has a device field set to /device:CPU:0",
    )


def test_the_session_logs_what_it_ignores(capfd):
    a = handle("a", "/cpu:0")
    with tf.device("/gpu:1"):
        tf.raw_ops.VarIsInitializedOp(resource=a, name="is_there")
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        session.run("is_there:0")
    assert (
        "Ignoring device specification /device:GPU:1 for node 'is_there'" in capfd.readouterr().err
    )


def test_members_of_a_group_that_ask_for_different_devices_are_named_with_their_requests():
    with tf.device("/cpu:0"):
        tf.constant(1.0, name="a")
    with tf.device("/gpu:1"):
        b = tf.constant(1.0, name="b")
    b.op.colocation = ("loc:@a",)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        placed()
    text = str(raised.value)
    assert text.startswith(
        "Cannot colocate nodes {{colocation_node b}} and {{colocation_node a}}: Cannot merge "
        "devices with incompatible types: '/device:GPU:1' and '/device:CPU:0'"
    )
    assert "in colocation group 'loc:@a'" in text
    assert "a (Const) /device:CPU:0" in text
    assert "b (Const) /device:GPU:1" in text
    assert placed(soft=True) == {"a": "GPU:0", "b": "GPU:0"}


def test_an_update_without_a_gpu_kernel_takes_its_variable_to_the_cpu():
    rows_momentum(handle("a"), handle("b"))
    found = placed()
    assert (found["a"], found["b"], found["update"]) == ("CPU:0", "CPU:0", "CPU:0")


def test_a_variable_pinned_to_a_gpu_gives_way_to_its_update_only_softly():
    rows_momentum(handle("a", "/gpu:1"), handle("b", "/gpu:1"))
    with pytest.raises(tf.errors.InvalidArgumentError):
        placed()
    operations = tf.get_default_graph().get_operations()
    found = place(operations, inventory().devices, True, {})
    assert {device.kind for device in found.devices.values()} == {"CPU"}
    assert found.warnings[0].startswith(
        "Failed to place the graph without changing the devices of some resources."
    )


@pytest.mark.parametrize(
    ("name", "on_gpu"),
    [
        ("Adagrad", True),
        ("AdagradV2", True),
        ("ProximalAdagrad", True),
        ("Ftrl", True),
        ("FtrlV2", True),
        ("KerasMomentum", True),
        ("Momentum", False),
        ("AdagradDA", False),
        ("Adadelta", False),
        ("RMSProp", False),
        ("CenteredRMSProp", False),
        ("ProximalGradientDescent", False),
    ],
)
def test_which_updates_of_rows_have_a_gpu_kernel(name, on_gpu):
    from placewise.ops.declare import REGISTRY

    getattr(tf.raw_ops, f"ResourceSparseApply{name}")
    assert ("GPU" in REGISTRY[f"ResourceSparseApply{name}"].devices) is on_gpu
    if name != "KerasMomentum":
        assert ("GPU" in REGISTRY[f"SparseApply{name}"].devices) is on_gpu


def test_a_negative_index_is_malformed():
    with tf.device("/gpu:-1"):
        tf.identity(tf.constant(1.0))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Malformed device specification '/device:GPU:-1'"
    ):
        placed(soft=True)


def test_an_identity_between_alike_ops_stays_with_its_input():
    with tf.device("/gpu:1"):
        x = tf.identity(tf.placeholder(tf.float32), name="x")
    y = tf.identity(x, name="y")
    with tf.device("/gpu:1"):
        tf.negative(y, name="z")
    operations = tf.get_default_graph().get_operations()
    for is_tf1, expected in ((False, "GPU:1"), (True, "GPU:0")):
        found = place(operations, inventory().devices, False, {}, is_tf1=is_tf1)
        assert found.devices[y.op].name.endswith(expected), is_tf1


@pytest.mark.parametrize(
    ("variable", "reader", "in_2", "in_1"),
    [
        ("/cpu:0", "/gpu:1", True, True),
        ("/cpu:0", "/device:CPU:*", False, False),
        ("/device:CPU:*", "/cpu:0", False, False),
        ("/job:localhost/cpu:0", "/job:localhost", False, False),
        # TensorFlow 1.15: neither says all that the other says.
        ("/cpu:0", "/job:localhost", False, True),
        ("/job:localhost", "/cpu:0", False, True),
        ("/cpu:0", "", False, False),
    ],
)
def test_which_request_gives_way_to_that_of_the_variable(variable, reader, in_2, in_1):
    v = handle("v", variable)
    with tf.device(reader):
        tf.raw_ops.ReadVariableOp(resource=v, dtype=tf.float32, name="read")
    operations = tf.get_default_graph().get_operations()
    for is_tf1, gives_way in ((False, in_2), (True, in_1)):
        found = place(operations, inventory().devices, False, {}, is_tf1=is_tf1)
        assert bool(found.ignored) is gives_way, is_tf1


@pytest.mark.parametrize("names", [("/cpu:0", "/job:localhost"), ("/job:localhost", "/cpu:0")])
def test_two_handles_that_say_different_things_clash_in_tensorflow_1(names):
    momentum(handle("a", names[0]), handle("b", names[1]))
    operations = tf.get_default_graph().get_operations()
    assert place(operations, inventory().devices, False, {}).devices
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="The edge src node is b , and the dst node is update",
    ):
        place(operations, inventory().devices, False, {}, is_tf1=True)


def test_two_handles_of_which_one_says_more_go_together_in_tensorflow_1():
    momentum(handle("a", "/job:localhost/cpu:0"), handle("b", "/device:CPU:*"))
    operations = tf.get_default_graph().get_operations()
    found = place(operations, inventory().devices, False, {}, is_tf1=True)
    assert {device.kind for op, device in found.devices.items() if op.name in "ab"} == {"CPU"}


def test_the_request_of_an_imported_node_that_follows_others_is_not_read():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="NoOp", device="/cpu:0")
    node = graph_def.node.add(name="b", op="NoOp", device="/task:x")
    node.attr["_class"].list.s.append(b"loc:@a")
    tf.import_graph_def(graph_def, name="")
    assert tf.get_default_graph().get_operation_by_name("b").device == "/device:CPU:0"
    graph_def.node[1].attr.clear()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="invalid literal for int"):
        tf.import_graph_def(graph_def, name="")
