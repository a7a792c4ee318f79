"""`tf.random.Generator`."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf


def test_its_state_moves_on() -> None:
    generator = tf.random.Generator.from_seed(1)
    first = generator.uniform([3]).numpy()
    np.testing.assert_array_equal(first, np.float32([0.78749514, 0.3906511, 0.29263055]))
    assert generator.state.numpy().tolist() == [769, 0, 0]
    generator.normal([2, 3])
    assert generator.state.numpy().tolist() == [2305, 0, 0]
    generator.reset_from_seed(1)
    np.testing.assert_array_equal(generator.uniform([3]), first)


def test_seeds_of_any_size() -> None:
    def state(seed: object) -> list[int]:
        return tf.random.Generator.from_seed(seed).state.numpy().tolist()

    assert state(-5) == [-5, -1, -1]
    assert state(2**70 + 5) == [5, 64, 0]
    assert state([7, 8]) == [0, 7, 8]
    assert state([1, 2, 3, 4]) == [1, 2, 3]


def test_split_and_copy() -> None:
    generator = tf.random.Generator.from_seed(1)
    one, other = generator.split(2)
    assert not np.array_equal(one.normal([2]), other.normal([2]))
    copy = tf.random.Generator(copy_from=generator)
    np.testing.assert_array_equal(copy.normal([2]), generator.normal([2]))


def test_a_read_state_stays_as_it_was() -> None:
    generator = tf.random.Generator.from_seed(1)
    before = generator.state.read_value()
    generator.skip(3)
    assert before.numpy().tolist() == [1, 0, 0]


def test_threefry_has_a_state_but_no_kernel() -> None:
    generator = tf.random.Generator.from_seed(1, alg="threefry")
    assert generator.state.numpy().tolist() == [1, 0]
    with pytest.raises(tf.errors.UnimplementedError, match="don't support the ThreeFry"):
        generator.normal([2])


def test_wrong_states_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \[3\] are incompatible"):
        tf.random.Generator.from_state([1, 2], alg="philox")
    with pytest.raises(ValueError, match="unsupported value foo"):
        tf.random.Generator.from_seed(1, alg="foo")


def test_the_global_generator_can_be_replaced() -> None:
    before = tf.random.get_global_generator()
    mine = tf.random.Generator.from_seed(3)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine
    tf.random.set_global_generator(before)


def test_index_shuffle_is_a_permutation() -> None:
    places = tf.random.experimental.index_shuffle(list(range(11)), [1, 2], 10).numpy()
    assert places.tolist() == [5, 0, 1, 4, 3, 6, 9, 10, 7, 2, 8]


@pytest.mark.parametrize(
    ("index", "largest", "message"),
    [
        (-1, 10, "index must be >= 0 but was -1"),
        (10, -1, "max_index must be >= 0 but was -1"),
        (11, 10, "max_index must be >= index, but 10 < 11"),
    ],
)
def test_index_shuffle_says_which_index_is_wrong(index: int, largest: int, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.random.experimental.index_shuffle(index, [1, 2], largest)


def test_from_state_shares_a_variable_and_copies_anything_else() -> None:
    first = tf.random.Generator.from_seed(1)
    sharing = tf.random.Generator.from_state(first.state, "philox")
    apart = tf.random.Generator.from_state(first.state.read_value(), "philox")
    assert sharing.state is first.state
    drawn = first.normal([2]).numpy()
    assert not np.array_equal(sharing.normal([2]), drawn)
    np.testing.assert_array_equal(apart.normal([2]), drawn)


def test_a_checkpoint_holds_the_state(tmp_path):
    generator = tf.random.Generator.from_seed(3)
    saved = tf.train.Checkpoint(generator=generator)
    path = saved.save(tmp_path / "generator")
    first = generator.normal([2])
    saved.restore(path).assert_consumed()
    np.testing.assert_array_equal(generator.normal([2]), first)
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "generator/_state_var/.ATTRIBUTES/VARIABLE_VALUE" in names
