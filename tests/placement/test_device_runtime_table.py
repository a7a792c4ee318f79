"""The rules of TensorFlow's device runtime, one row each: what is asked for, where it runs.

A row begins with the part of the rules it belongs to: the steps of the graph placer, candidates,
consequences, kernels, older versions, eager placement. The machine is a CPU and two GPUs.
"""

from __future__ import annotations

import pytest

import placewise as tf2
import placewise.compat.v1 as tf
from placewise.core import dtypes
from placewise.devices.inventory import inventory
from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_ops
from placewise.placement.eager_rules import supported_kinds
from placewise.placement.placer import place

FAILS = "InvalidArgumentError"


def const(name, device="", groups=()):
    with tf.device(device):
        made = tf.constant(1.0, name=name)
    made.op.colocation = tuple(f"loc:@{group}" for group in groups)
    return made


def unary(name, x, device="", groups=()):
    with tf.device(device):
        made = tf.negative(x, name=name)
    made.op.colocation = tuple(f"loc:@{group}" for group in groups)
    return made


def handle(name, device="", dtype="float32"):
    with tf.device(device):
        return tf.raw_ops.VarHandleOp(dtype=dtype, shape=[], name=name)


def read(name, var, device="", dtype=tf.float32):
    with tf.device(device):
        return tf.raw_ops.ReadVariableOp(resource=var, dtype=dtype, name=name)


def reference(name, device="", dtype=tf.float32):
    with tf.device(device):
        return tf.raw_ops.VariableV2(shape=[], dtype=dtype, name=name)


def joined(name, device=""):
    with tf.device(device):
        return tf.strings.join(["a", "b"], name=name)


def momentum(name, var, accum, device=""):
    one = const(f"{name}_one")
    with tf.device(device):
        tf.raw_ops.ResourceApplyMomentum(
            var=var, accum=accum, lr=one, grad=one, momentum=one, name=name
        )


def rows_momentum(name, var, accum):
    tf.raw_ops.ResourceSparseApplyMomentum(
        var=var, accum=accum, lr=1.0, grad=[1.0], indices=[0], momentum=1.0, name=name
    )


# The graph placer. (part, what is built, placed hard, placed softly)


def exempt_call():
    with tf.device("/gpu:1"):
        tf.raw_ops.IdentityN(input=[handle("h", "/cpu:0"), const("c")], name="x")


def two_handles():
    momentum("x", handle("a", "/cpu:0"), handle("b", "/gpu:0"))


def open_handle():
    momentum("x", handle("a"), handle("b", "/cpu:0"))


def update_elsewhere():
    momentum("x", handle("a", "/gpu:1"), handle("b", "/gpu:1"), "/cpu:0")


def reference_elsewhere():
    v = reference("v", "/gpu:1")
    with tf.device("/cpu:0"):
        tf.raw_ops.Assign(ref=v, value=const("c"), name="x")


def chain_of_groups():
    const("a", "/gpu:1")
    const("b", "", ["a"])
    const("x", "", ["b"])


def name_of_nobody():
    const("a", "/gpu:1", ["nobody"])
    const("x", "", ["nobody"])


def pinned_apart():
    const("a", "/cpu:0")
    const("x", "/gpu:1", ["a"])


def pinned_to_two_gpus():
    const("a", "/gpu:0")
    const("x", "/gpu:1", ["a"])


def nothing_in_common():
    joined("a")
    const("x", "/gpu:1", ["a"])


def cpu_only_member():
    joined("a")
    unary("x", const("c"), "", ["a"])


def shape_of_placed():
    y = unary("y", tf.placeholder(tf.float32, [None], name="p"), "/gpu:1")
    tf.raw_ops.Shape(input=y, name="x")


def shape_of_value():
    # What only makes a value is placed last: there is nothing to follow yet.
    with tf.device("/gpu:1"):
        p = tf.placeholder(tf.float32, [None], name="p")
    tf.raw_ops.Shape(input=p, name="x")


def size_asked_elsewhere():
    y = unary("y", tf.placeholder(tf.float32, [None], name="p"), "/gpu:1")
    with tf.device("/cpu:0"):
        tf.raw_ops.Size(input=y, name="x")


def identity_between(after="/gpu:1", more=False):
    y = unary("y", tf.placeholder(tf.float32, name="p"), "/gpu:1")
    x = tf.raw_ops.Identity(input=y, name="x")
    unary("z", x, after)
    if more:
        unary("z2", x, after)


def identity_unread():
    y = unary("y", tf.placeholder(tf.float32, name="p"), "/gpu:1")
    tf.raw_ops.Identity(input=y, name="x")


def value_for_one():
    unary("y", const("x"), "/cpu:0")


def value_for_two():
    c = const("x")
    unary("y", c, "/cpu:0")
    unary("z", c, "/gpu:1")


def value_with_control():
    c = const("x")
    unary("y", c, "/cpu:0")
    with tf.control_dependencies([c]), tf.device("/gpu:1"):
        tf.no_op(name="n")


def value_unread():
    const("x")


def value_asked_elsewhere():
    unary("y", const("x", "/gpu:1"), "/cpu:0")


def asked(device):
    return lambda: unary("x", tf.placeholder(tf.float32), device)


def asked_of_string(device):
    return lambda: joined("x", device)


def moved_variable(device=""):
    return lambda: rows_momentum("u", handle("x", device), handle("b", device))


def int_variable(device=""):
    return lambda: read("r", handle("x", device, "int32"), dtype=tf.int32)


def cpu_reference():
    read("r", handle("x"))
    tf.raw_ops.VarIsInitializedOp(resource=handle("y"))


def dataset_pair():
    with tf.device("/cpu:0"):
        rows = tf.raw_ops.RangeDataset(
            start=tf.constant(0, tf.int64),
            stop=tf.constant(3, tf.int64),
            step=tf.constant(1, tf.int64),
            output_types=[tf.int64],
            output_shapes=[[]],
        )
    tf.raw_ops.TakeDataset(
        input_dataset=rows,
        count=tf.constant(1, tf.int64),
        output_types=[tf.int64],
        output_shapes=[[]],
        name="x",
    )


GRAPHS = [
    ("references and handles: exempt ops keep their request", exempt_call, "GPU:1", "GPU:1"),
    ("references and handles: two that clash", two_handles, FAILS, FAILS),
    ("references and handles: one without a request", open_handle, "CPU:0", "CPU:0"),
    ("references and handles: the source's request wins", update_elsewhere, "GPU:1", "GPU:1"),
    ("references and handles: of references, too", reference_elsewhere, "GPU:1", "GPU:1"),
    ("references and handles: datasets are joined", dataset_pair, "CPU:0", "CPU:0"),
    ("colocation: by the names of operations, in chains", chain_of_groups, "GPU:1", "GPU:1"),
    ("colocation: the name need not be an operation's", name_of_nobody, "GPU:1", "GPU:1"),
    ("colocation: two kinds; softly both kind and index go", pinned_apart, FAILS, "GPU:0"),
    ("colocation: two indices; softly the index goes", pinned_to_two_gpus, FAILS, "GPU:0"),
    ("merging: the kinds of all members", cpu_only_member, "CPU:0", "CPU:0"),
    ("merging: a kind that not all have", nothing_in_common, FAILS, "CPU:0"),
    ("first pass: Shape follows its input", shape_of_placed, "GPU:1", "GPU:1"),
    ("first pass: Shape has nothing to follow yet", shape_of_value, "GPU:0", "GPU:0"),
    ("first pass: Size follows only where it may", size_asked_elsewhere, "CPU:0", "CPU:0"),
    ("first pass: Identity between two alike", identity_between, "GPU:1", "GPU:1"),
    (
        "first pass: Identity between two that differ",
        lambda: identity_between("/cpu:0"),
        "GPU:0",
        "GPU:0",
    ),
    (
        "first pass: Identity with two readers",
        lambda: identity_between(more=True),
        "GPU:0",
        "GPU:0",
    ),
    ("first pass: Identity that nobody reads", identity_unread, "GPU:0", "GPU:0"),
    ("second pass: a value follows its reader", value_for_one, "CPU:0", "CPU:0"),
    ("second pass: readers on two devices", value_for_two, "GPU:0", "GPU:0"),
    ("second pass: control edges count", value_with_control, "GPU:0", "GPU:0"),
    ("second pass: no reader", value_unread, "GPU:0", "GPU:0"),
    ("second pass: only where it may", value_asked_elsewhere, "GPU:1", "GPU:1"),
    ("candidates: nothing asked for", asked(""), "GPU:0", "GPU:0"),
    ("candidates: the task alone", asked("/job:localhost/task:0"), "GPU:0", "GPU:0"),
    ("candidates: any of a kind", asked("/device:GPU:*"), "GPU:0", "GPU:0"),
    ("candidates: a missing GPU", asked("/gpu:7"), FAILS, "GPU:0"),
    ("candidates: a missing CPU; softly the kind goes", asked("/cpu:5"), FAILS, "GPU:0"),
    ("candidates: a job that is not there", asked("/job:foo"), FAILS, FAILS),
    ("candidates: a task that is not there", asked("/task:7/cpu:0"), FAILS, FAILS),
    ("candidates: a replica that is not there", asked("/replica:3"), FAILS, FAILS),
    ("candidates: a kind that is not there", asked("/device:TPU:0"), FAILS, "GPU:0"),
    (
        "candidates: kinds in small letters by a function",
        asked(lambda op: "/device:gpu:0"),
        FAILS,
        "GPU:0",
    ),
    ("candidates: a negative index", asked("/gpu:-1"), FAILS, FAILS),
    ("consequences: without a GPU kernel", asked_of_string(""), "CPU:0", "CPU:0"),
    ("consequences: a GPU without a kernel", asked_of_string("/gpu:1"), FAILS, "CPU:0"),
    ("consequences: a variable goes with its update", moved_variable(), "CPU:0", "CPU:0"),
    ("consequences: a pinned variable, softly", moved_variable("/gpu:1"), FAILS, "CPU:0"),
    ("kernels: variables of int32 are on the CPU", int_variable(), "CPU:0", "CPU:0"),
    ("kernels: and cannot be on a GPU", int_variable("/gpu:0"), FAILS, "CPU:0"),
    ("kernels: variables of floats are on a GPU", cpu_reference, "GPU:0", "GPU:0"),
]


def found(soft, **options):
    operations = tf.get_default_graph().get_operations()
    try:
        placed = place(operations, inventory().devices, soft, {}, **options)
    except tf.errors.InvalidArgumentError:
        return FAILS
    (device,) = [device for op, device in placed.devices.items() if op.name == "x"]
    return device.name.rpartition("/device:")[2]


@pytest.mark.parametrize(("part", "build", "hard", "soft"), GRAPHS, ids=[row[0] for row in GRAPHS])
def test_operations_of_a_graph_are_placed_by_the_rules(part, build, hard, soft, graph_mode):
    with tf.simulate("2xK40c"):
        build()
        assert (found(False), found(True)) == (hard, soft)


# What was otherwise in TensorFlow 1.15.
BEFORE = [
    # An op with a group of its own does not join the one of its name: chains break there.
    ("older versions: chains of groups", chain_of_groups, "GPU:0", "GPU:0"),
    ("older versions: Identity between two alike", identity_between, "GPU:0", "GPU:0"),
    ("older versions: two handles that clash", two_handles, FAILS, FAILS),
    ("older versions: two kinds in a group", pinned_apart, FAILS, "GPU:0"),
]


@pytest.mark.parametrize(("part", "build", "hard", "soft"), BEFORE, ids=[row[0] for row in BEFORE])
def test_operations_are_placed_as_tensorflow_1_does(part, build, hard, soft, graph_mode):
    with tf.simulate("2xK40c"):
        build()
        assert (found(False, is_tf1=True), found(True, is_tf1=True)) == (hard, soft)


# Kernels. (dtype, whether there are kernels for GPUs, ops). int32 on a GPU is in host memory.
KERNELS = [
    ("int32", True, "Const Identity AddV2 Sub Mul Neg FloorDiv Less Equal Maximum Minimum Sum Max"),
    ("int32", True, "Reshape Pack ConcatV2 Slice StridedSlice Squeeze ExpandDims Fill Range AddN"),
    ("int32", False, "VariableV2 Assign VarHandleOp AssignVariableOp AssignAdd MatMul Mean"),
    ("int32", False, "BatchMatMulV2 EagerPyFunc"),
    ("float32", True, "VariableV2 Assign VarHandleOp AssignVariableOp AssignAdd MatMul Mean"),
    ("float32", True, "Const Identity AddV2 Sum Reshape Pack ConcatV2 StridedSlice Fill AddN"),
    ("float32", True, "Placeholder NoOp ReadVariableOp VarIsInitializedOp EagerPyFunc Assert"),
    ("float32", True, "PlaceholderWithDefault DynamicPartition Bucketize Bincount RealDiv"),
    ("float32", True, "UniqueWithCounts SparseToDense ResourceApplyAdam ApplyAdam Conv2D"),
    ("float32", True, "GatherV2 RandomUniform TopKV2 OneHot Tile Pad"),
    ("string", False, "Const Identity Reshape ConcatV2 Placeholder"),
    ("float32", False, "StringJoin StringSplit StringSplitV2 AsString StringToNumber StringFormat"),
    ("float32", False, "Substr ReduceJoin RegexReplace StringToHashBucketFast EncodeBase64"),
    ("float32", False, "UnicodeDecode Print PrintV2 PyFunc PyFuncStateless ReadFile WriteFile"),
    ("float32", False, "MatchingFiles DecodeJpeg DecodePng DecodeRaw DecodeCSV EncodeJpeg"),
    ("float32", False, "ParseExampleV2 RandomShuffleQueueV2 QueueDequeueManyV2 Barrier"),
    ("float32", False, "ScalarSummary HistogramSummary ImageSummary MergeSummary TensorSummaryV2"),
    ("float32", False, "SaveV2 RestoreV2 MergeV2Checkpoints ShardedFilename HashTableV2"),
    ("float32", False, "MutableHashTableV2 LookupTableFindV2 RangeDataset TensorSliceDataset"),
    ("float32", False, "MapDataset RandomShuffle InTopK ListDiff EditDistance CTCLoss RandomGamma"),
    ("float32", False, "RandomPoissonV2 SampleDistortedBoundingBoxV2"),
    ("float32", False, "SparseApplyMomentum ResourceSparseApplyMomentum"),
]


@pytest.mark.parametrize(("dtype", "on_gpu", "names"), KERNELS)
def test_there_are_kernels_for_gpus_where_tensorflow_has_them(dtype, on_gpu, names):
    load_ops(names.split())
    types = frozenset({dtypes.as_dtype(dtype)})
    wrong = [
        name
        for name in names.split()
        if ("GPU" in supported_kinds(REGISTRY[name], types)) is not on_gpu
    ]
    assert not wrong


# Eager placement. (part, scope, what runs, softly, hard)


def product():
    return tf2.matmul([[1.0]], [[1.0]])


def text():
    return tf2.strings.join(["a", "b"])


def integers():
    return tf2.add(tf2.constant(1), tf2.constant(2))


def inputs_on_second():
    with tf2.device("GPU:1"):
        a = tf2.constant(1.0)
    with tf2.device(None):
        return a + a


def of_variable():
    with tf2.device("GPU:1"):
        v = tf2.Variable(1.0)
    with tf2.device("CPU:0"):
        return v.assign_add(1.0)


def sum_with_variable():
    with tf2.device("GPU:1"):
        v = tf2.Variable(1.0)
    with tf2.device("CPU:0"):
        return v + 1.0


def value_of_variable():
    with tf2.device("GPU:1"):
        v = tf2.Variable(1.0)
    with tf2.device("CPU:0"):
        return v.read_value()


def converted_variable():
    with tf2.device("GPU:1"):
        v = tf2.Variable(1.0)
    with tf2.device("CPU:0"):
        return tf2.convert_to_tensor(v)


EAGER = [
    ("selection: no scope", None, product, "GPU:0", "GPU:0"),
    ("selection: a scope", "GPU:1", product, "GPU:1", "GPU:1"),
    ("selection: a missing GPU", "GPU:5", product, "GPU:0", FAILS),
    ("selection: a missing CPU; softly the kind goes", "CPU:5", product, "GPU:0", FAILS),
    ("selection: no kernel there", "GPU:1", text, "CPU:0", FAILS),
    ("selection: int32 is on the GPU by name", None, integers, "GPU:0", "GPU:0"),
    ("selection: the empty scope is the CPU", "", product, "CPU:0", "CPU:0"),
    ("selection: so is a job alone", "/job:localhost", product, "CPU:0", "CPU:0"),
    ("selection: a job that is not there", "/job:foo", product, FAILS, FAILS),
    ("selection: a task that is not there", "/task:7/CPU:0", product, FAILS, FAILS),
    ("selection: a job and task", "/job:foo/task:7/CPU:0", product, FAILS, FAILS),
    ("selection: a negative index", "GPU:-1", product, FAILS, FAILS),
    ("selection: inputs do not matter", None, inputs_on_second, "GPU:0", "GPU:0"),
    ("constants: on the scope's device", "GPU:1", lambda: tf2.constant(2.5), "GPU:1", "GPU:1"),
    ("constants: without a scope", None, lambda: tf2.constant(2.5), "GPU:0", "GPU:0"),
    ("constants: they follow soft placement", "GPU:5", lambda: tf2.constant(2.5), "GPU:0", FAILS),
    ("constants: strings", "GPU:1", lambda: tf2.constant("a"), "CPU:0", "CPU:0"),
    ("variables: made in the scope", "GPU:1", lambda: tf2.Variable(1.0), "GPU:1", "GPU:1"),
    ("variables: of int32", "GPU:1", lambda: tf2.Variable(1), "CPU:0", FAILS),
    ("variables: changed where they are", None, of_variable, "GPU:1", "GPU:1"),
    ("variables: a sum is in the scope", None, sum_with_variable, "CPU:0", "CPU:0"),
    ("variables: read_value is in the scope", None, value_of_variable, "CPU:0", "CPU:0"),
    ("variables: converted where they are", None, converted_variable, "GPU:1", "GPU:1"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("part", "scope", "run", "soft", "hard"), EAGER, ids=[r[0] for r in EAGER])
def test_eager_ops_are_placed_by_the_rules(part, scope, run, soft, hard):
    with tf2.simulate("2xK40c"):
        for is_soft, expected in ((True, soft), (False, hard)):
            tf2.config.set_soft_device_placement(is_soft)
            try:
                with tf2.device(scope):
                    here = run().device.rpartition("/device:")[2]
            except tf2.errors.InvalidArgumentError:
                here = FAILS
            assert here == expected, is_soft


@pytest.mark.parametrize(
    ("value", "device", "backing"), [(1, "GPU:1", "CPU:0"), (1.0, "GPU:1", "GPU:1")]
)
def test_the_bytes_of_int32_are_on_the_host(value, device, backing):
    with tf2.simulate("2xK40c"), tf2.device("GPU:1"):
        x = tf2.identity(tf2.constant(value))
    assert x.device.endswith(device)
    assert x.backing_device.endswith(backing)


def test_every_op_of_the_graph_is_placed_also_what_is_not_run(graph_mode):
    x = tf.constant(1.0)
    with tf.device("/gpu:3"):
        tf.negative(x)
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"),
    ):
        session.run(x)
