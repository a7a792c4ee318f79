"""Where datasets, iterators and elements of eager programs are, on a machine with two CPUs."""

from collections.abc import Callable
from typing import Any

import pytest

import placewise as tf
from placewise.devices import inventory

Dataset = tf.data.Dataset
MAKERS: dict[str, Callable[[], Any]] = {
    "range": lambda: Dataset.range(3),
    "slices": lambda: Dataset.from_tensor_slices([1, 2, 3]),
    "map": lambda: Dataset.range(3).map(lambda x: x + 1),
    "shuffle": lambda: Dataset.range(3).shuffle(2),
    "structure": lambda: Dataset.from_tensor_slices({"a": [1, 2]}).map(lambda row: row["a"]),
    "cache": lambda: Dataset.range(3).cache(),
}


@pytest.fixture(autouse=True)
def two_cpus() -> None:
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)


def place(tensor: Any) -> str:
    return str(tensor.device).rsplit(":", 1)[1]


@pytest.mark.parametrize("kind", MAKERS)
def test_elements_are_where_their_dataset_was_made(kind: str) -> None:
    with tf.device("/CPU:1"):
        dataset = MAKERS[kind]()
    assert place(dataset._variant_tensor) == "1"
    iterator = iter(dataset)
    assert place(iterator._iterator_resource) == "1"
    assert place(next(iterator)) == "1"
    assert place(iterator.get_next_as_optional().get_value()) == "1"
    assert place(next(iter(dataset.take(1)))) == "0"


def test_the_device_in_force_while_reading_does_not_matter() -> None:
    dataset = Dataset.range(3)
    with tf.device("/CPU:1"):
        iterator = iter(dataset)
        assert place(next(iterator)) == "0"


def test_results_of_datasets_are_on_the_device_in_force() -> None:
    with tf.device("/CPU:1"):
        assert place(Dataset.range(3).reduce(tf.constant(0, tf.int64), lambda a, b: a + b)) == "1"
        assert place(Dataset.range(1).get_single_element()) == "1"
        assert place(Dataset.range(1).cardinality()) == "1"


def test_a_device_that_does_not_exist_is_refused() -> None:
    with (
        tf.device("/CPU:5"),
        pytest.raises(tf.errors.InvalidArgumentError, match="Could not satis"),
    ):
        Dataset.range(3)
    tf.config.set_soft_device_placement(True)
    with tf.device("/CPU:5"), pytest.warns(UserWarning, match="CPU:5 does not exist"):
        assert place(next(iter(Dataset.range(3)))) == "0"


def test_datasets_stay_on_the_cpu_under_a_gpu() -> None:
    with inventory.simulate("1"):
        with tf.device("/GPU:0"):
            element = next(iter(Dataset.from_tensor_slices([1, 2])))
        assert "CPU:0" in element.device
