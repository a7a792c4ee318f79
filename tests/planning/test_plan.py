"""Plans: what is folded, merged, copied and freed."""

import pytest

import placewise.compat.v1 as tf
from placewise.devices.inventory import inventory
from placewise.placement.placer import place
from placewise.planning.pipeline import build_plan

pytestmark = pytest.mark.usefixtures("graph_mode")


def plan(fetches, feeds=()):
    operations = tf.get_default_graph().get_operations()
    placement = place(operations, inventory().devices, False, {}).devices
    return build_plan(list(fetches), list(feeds), placement, inventory().cpu)


def types(made) -> list[str]:
    return [step.op.type for step in made.steps if step.op is not None]


def test_constants_are_folded():
    made = plan([tf.constant(2.0) * 3.0 + 1.0])
    assert made.steps == []


def test_the_same_work_is_done_once():
    x = tf.placeholder(tf.float32, [2])
    assert types(plan([tf.exp(x) + tf.exp(x)], [x])) == ["Exp", "AddV2"]


def test_random_ops_are_never_merged_or_folded():
    a, b = tf.random.uniform([2]), tf.random.uniform([2])
    assert types(plan([a, b])).count("RandomUniform") == 2


def test_identities_cost_nothing_on_one_device():
    x = tf.placeholder(tf.float32, [2])
    assert types(plan([tf.identity(tf.identity(x) + 1.0)], [x])) == ["AddV2"]


def test_a_value_is_copied_once_per_device():
    with tf.simulate("2xK40c"):
        x = tf.placeholder(tf.float32, [2])
        with tf.device("/gpu:0"):
            a = tf.exp(x)
        with tf.device("/gpu:1"):
            b, c = tf.sin(a), tf.cos(a)
        made = plan([b, c], [x])
        moves = [(s.source.name[-5:], s.device.name[-5:]) for s in made.copies()]
    assert moves == [
        ("CPU:0", "GPU:0"),  # the feed
        ("GPU:0", "GPU:1"),  # a, for both
        ("GPU:1", "CPU:0"),
        ("GPU:1", "CPU:0"),  # the fetches
    ]


def test_values_are_freed_at_their_last_use():
    x = tf.placeholder(tf.float32, [2])
    made = plan([tf.exp(tf.sin(tf.cos(x)))], [x])
    freed = [len([ref for ref in step.frees if ref.step >= 0]) for step in made.steps]
    assert freed == [0, 1, 1]


def test_work_that_fails_while_folding_fails_when_it_runs():
    divided = tf.math.floordiv(tf.constant(1), tf.constant(0))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(divided)
