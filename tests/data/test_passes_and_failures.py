"""Where passes of a repeated dataset end, and where failures of interleaved datasets stand."""

from collections.abc import Iterator
from typing import Any

import pytest

import placewise as tf


def passes(empty: set[int]) -> Any:
    """Return a dataset of 0, 1, 2 whose passes of these numbers are empty."""
    begun = [0]

    def elements() -> Iterator[int]:
        begun[0] += 1
        if begun[0] not in empty:
            yield from range(3)

    spec = tf.TensorSpec((), tf.int64)
    return tf.data.Dataset.from_generator(elements, output_signature=spec)


def numbers(dataset: Any) -> list[int]:
    return [int(element) for element in dataset]


def test_shuffled_repetition_goes_on_after_a_later_empty_pass() -> None:
    found = numbers(passes({2, 4}).shuffle(2, seed=1).repeat().take(9))
    assert found == [0, 2, 1, 1, 0, 2, 0, 2, 1]
    assert numbers(passes({1}).shuffle(2, seed=1).repeat().take(9)) == []


def test_plain_repetition_ends_at_an_empty_pass() -> None:
    assert numbers(passes({2}).repeat().take(9)) == [0, 1, 2]
    assert numbers(passes({2}).repeat(3)) == [0, 1, 2, 0, 1, 2]


def outcomes(dataset: Any) -> list[Any]:
    found: list[Any] = []
    elements = iter(dataset)
    while True:
        try:
            found.append(float(next(elements)))
        except StopIteration:
            return found
        except tf.errors.InvalidArgumentError:
            found.append("error")


def inverse(x: Any) -> Any:
    return tf.debugging.check_numerics(1.0 / x, "no inverse")


def counted_down(x: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices([x, x - 1.0, x - 2.0]).map(inverse)


def test_a_failed_element_does_not_use_up_a_turn() -> None:
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 4.0])
    found = outcomes(dataset.interleave(counted_down, cycle_length=2))
    assert found == pytest.approx([1, 0.25, "error", -1, 1 / 3, 0.5])


def test_a_failed_element_is_a_turn_of_its_own_in_parallel() -> None:
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 4.0])
    found = outcomes(dataset.interleave(counted_down, cycle_length=2, num_parallel_calls=2))
    assert found == pytest.approx([1, 0.25, "error", 1 / 3, -1, 0.5])


def twice(x: Any) -> Any:
    return tf.data.Dataset.from_tensors(inverse(x)).repeat(2)


def test_a_failed_call_has_a_place_of_its_own_in_parallel() -> None:
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    assert outcomes(dataset.interleave(twice, 2)) == [1, "error", 0.5, 1, 0.5]
    found = outcomes(dataset.interleave(twice, 2, num_parallel_calls=2))
    assert found == [1, "error", 1, 0.5, 0.5]


def test_more_calls_than_places_are_refused() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="less than or equal to `cycle_length`"
    ):
        tf.data.Dataset.range(3).interleave(tf.data.Dataset.range, 1, num_parallel_calls=2)
    dataset = tf.data.Dataset.range(3).interleave(tf.data.Dataset.range, num_parallel_calls=9)
    assert sorted(numbers(dataset)) == [0, 0, 1]


def test_a_pass_of_failures_is_empty() -> None:
    dataset = tf.data.Dataset.from_tensors(0.0).map(inverse)
    assert outcomes(dataset.repeat()) == ["error"]
    assert outcomes(dataset.cache().shuffle(10).repeat()) == ["error"]


def test_elements_of_random_order_have_one_index_each() -> None:
    at = tf.data.experimental.at
    dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3, 4, 5, 6, 7]).shuffle(10, seed=2)
    assert [int(at(dataset, index)) for index in range(7)] == [5, 2, 4, 7, 1, 3, 6]
    batches = [at(dataset.batch(2), index).numpy().tolist() for index in range(4)]
    assert batches == [[5, 2], [4, 7], [1, 3], [6]]
    unseeded = tf.data.Dataset.range(5).shuffle(5)
    assert sorted(int(at(unseeded, index)) for index in range(5)) == [0, 1, 2, 3, 4]


def test_elements_of_an_endless_cache_can_be_read_by_index() -> None:
    dataset = tf.data.Dataset.range(3).repeat().cache()
    assert [int(tf.data.experimental.at(dataset, index)) for index in (1, 4)] == [1, 1]
