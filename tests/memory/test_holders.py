"""Who is said to hold memory: variables by their names, contents by the line that made them."""

import gc
import os
import sysconfig

import pytest

import placewise as tf
import placewise.memory
import placewise.v1 as tf1

SIDE = 512  # a square of this side has 1 MiB: its line is kept


def holders(device="GPU:0"):
    """Return the text of each holder of 1 MiB and more."""
    found = placewise.memory.snapshot()[device].holders
    return [str(each).replace(__file__, "HERE") for each in found if each.nbytes >= 1 << 20]


@pytest.fixture(autouse=True)
def nothing_else_is_held():
    """Let go of what tests have left in cycles, on machines of their own."""
    gc.collect()
    yield
    gc.collect()


@pytest.fixture
def gpu():
    with tf.simulate("V100"):
        yield
        gc.collect()


UPDATES = {
    "assigned": lambda v: v.assign(tf.ones([SIDE, SIDE])),
    "added": lambda v: v.assign_add(tf.ones([SIDE, SIDE])),
    "scattered": lambda v: v.scatter_nd_update([[0]], tf.ones([1, SIDE])),
    "in part": lambda v: v[0:1].assign(tf.ones([1, SIDE])),
    "in a function": lambda v: tf.function(lambda: v.assign_sub(v * 0.5))(),
}


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
@pytest.mark.parametrize("is_read", [False, True])
def test_a_variable_keeps_its_name_and_line_through_updates(gpu, update, is_read):
    variable = tf.Variable(tf.zeros([SIDE, SIDE]), name="weights")
    (before,) = holders()
    assert before.startswith("1.00MiB variable weights [512,512] float, made at ")
    kept = variable.value() if is_read else None
    update(variable)
    assert before in holders()
    del kept
    assert holders() == [before]


def test_a_tensor_that_was_a_variable_s_has_its_own_name(gpu):
    tensor = tf.ones([SIDE, SIDE])
    variable = tf.Variable(tensor, name="weights")
    assert ["variable weights" in each for each in holders()] == [True]
    del variable
    (only,) = holders()
    assert only.startswith("1.00MiB Fill [512,512] float, ")
    del tensor


def test_variables_of_a_session_have_the_lines_that_defined_them(graph_mode):
    with tf1.simulate("V100"), tf1.device("/gpu:0"):
        one = tf1.get_variable("one", [SIDE, SIDE], use_resource=False)
        two = tf1.get_variable("two", [SIDE, SIDE], use_resource=True)
        change = tf1.ones([1, SIDE])
        updates = [tf1.scatter_update(one, [0], change), tf1.scatter_update(two, [0], change)]
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            before = sorted(holders())
            session.run(updates)
            assert sorted(holders()) == before
    first, second = before
    assert first.startswith("1.00MiB variable one [512,512] float, made at ")
    assert second.startswith("1.00MiB variable two [512,512] float, made at ")
    assert int(first.rpartition(":")[2]) == int(second.rpartition(":")[2]) - 1


def test_each_replica_of_a_variable_has_its_line():
    with tf.simulate("2xV100"):
        with tf.distribute.MirroredStrategy().scope():
            variable = tf.Variable(tf.ones([SIDE, SIDE]), name="w")
        variable.assign_sub(tf.ones([SIDE, SIDE]))
        lines = {each.rpartition(" at ")[2] for i in (0, 1) for each in holders(f"GPU:{i}")}
        assert len(lines) == 1
        assert all("variable w" in holders(f"GPU:{i}")[0] for i in (0, 1))


def test_the_data_name_the_variable_too(gpu):
    variable = tf.Variable(tf.zeros([2]), name="small")
    (held,) = [each for each in placewise.memory.snapshot()["GPU:0"].held if each.variable]
    assert (held.variable, held.op, held.shape, held.file) == ("small", "Fill", (2,), __file__)
    del variable


def test_what_a_library_makes_has_the_line_of_the_program_that_called_it(gpu):
    file = os.path.join(sysconfig.get_path("purelib"), "some_layers.py")
    space = {"tf": tf}
    text = f"def layer():\n    return tf.random.normal([{SIDE}, {SIDE}])"
    exec(compile(text, file, "exec"), space)
    made = space["layer"]()
    (only,) = placewise.memory.snapshot()["GPU:0"].held
    assert only.file == __file__
    assert only.shape == (SIDE, SIDE)
    del made


def test_a_block_larger_than_what_it_holds_is_said():
    with tf.simulate("K40c:20MiB"):  # a limit of 18 MiB
        half = tf.random.normal([10, 256, 1024])
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            tf.reduce_sum(half, 2)
        facts = caught.value.shortage
        assert facts.is_fragmented
        assert facts.lost_bytes == facts.limit_bytes - 10 * (1 << 20)
        said = str(caught.value)
        assert "8.00MiB are lost in blocks larger than what they hold" in said
        assert "10.00MiB RandomStandardNormal [10,256,1024] float in a block of 18.00MiB" in said
        assert "gets all of it: make such tensors last" in said


def test_a_copy_has_the_shape_that_the_program_sees(gpu):
    with tf.device("/cpu:0"):
        tensor = tf.ones([SIDE, SIDE])
    moved = tensor.gpu()
    (only,) = holders()
    assert only.startswith("1.00MiB Copy [512,512] float")
    del moved
