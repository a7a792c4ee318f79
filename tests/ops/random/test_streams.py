"""Seeds and streams: which numbers an op draws, and when it draws the same again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import placewise as tf
from placewise.ops.random.streams import SEEDS, get_seed

FIRST = [0.6263930797576904, 0.7017074823379517, 0.20179545879364014]
SEEDED = [0.38751840591430664, 0.9859230518341064, 0.9646999835968018]


@pytest.fixture(autouse=True)
def no_seed_is_left_behind() -> Iterator[None]:
    yield
    SEEDS.set(None)


def drawn(count: int, **options: object) -> list[float]:
    return [float(tf.random.uniform([], **options)) for _ in range(count)]


def test_a_global_seed_fixes_all_ops_in_order() -> None:
    tf.random.set_seed(5)
    assert drawn(3) == FIRST
    assert drawn(3, seed=1) == SEEDED


def test_an_op_seed_goes_on_where_the_last_call_stopped() -> None:
    tf.random.set_seed(5)
    assert drawn(1, seed=1) + drawn(2, seed=1) == SEEDED


def test_setting_the_seed_again_starts_anew() -> None:
    tf.random.set_seed(5)
    drawn(3, seed=1)
    tf.random.set_seed(5)
    assert drawn(3, seed=1) == SEEDED


def test_without_seeds_numbers_differ() -> None:
    assert drawn(1) != drawn(1)


def test_every_dtype_and_shape_type_has_a_stream_of_its_own() -> None:
    tf.random.set_seed(5)
    first = drawn(1, seed=1)
    again = tf.random.uniform(tf.constant([], tf.int64), seed=1)
    assert [float(again)] == first


def test_every_device_gives_the_same_numbers() -> None:
    with tf.simulate("2xK40c"):
        found = []
        for device in ("CPU:0", "GPU:0", "GPU:1"):
            tf.random.set_seed(5)
            with tf.device(device):
                found.append(drawn(2, seed=1))
        assert found == [SEEDED[:2]] * 3


def test_seeds_of_an_op() -> None:
    assert get_seed(None) == (None, None)
    assert get_seed(7) == (87654321, 7)
    tf.random.set_seed(5)
    assert get_seed(None) == (5, 1097127993)
    assert get_seed(-3) == (5, 2147483644)
    tf.random.set_seed(0)
    assert get_seed(0) == (0, 2147483647)


def test_a_stream_moves_past_what_its_samples_may_take() -> None:
    tf.random.set_seed(1)
    one = np.concatenate([tf.random.uniform([5], seed=2).numpy() for _ in range(2)])
    tf.random.set_seed(1)
    other = np.concatenate([tf.random.uniform([5], seed=2).numpy() for _ in range(2)])
    np.testing.assert_array_equal(one, other)
    assert len(set(one.tolist())) == 10
