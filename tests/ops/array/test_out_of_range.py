"""Indices out of range, made harmless without being looked at."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.ops.array.out_of_range import flat_places, harmless

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def updated(places: list[int], updates: list[list[float]]) -> list[list[float]]:
    rows, index = torch.tensor(ROWS), torch.tensor(places)
    inside = (index >= 0) & (index < 3)
    return (
        rows.clone()
        .index_copy_(0, *harmless(rows, index, torch.tensor(updates), inside, "update"))
        .tolist()
    )


def test_places_count_row_major_and_say_which_are_there() -> None:
    places, inside = flat_places(torch.tensor([[1, 2], [0, 3], [-1, 0], [2, 0]]), (2, 3))
    assert places[:1].tolist() == [5]
    assert inside.tolist() == [True, False, False, False]


def test_positions_without_coordinates_all_name_the_whole() -> None:
    places, inside = flat_places(torch.zeros(2, 0, dtype=torch.int32), ())
    assert places.tolist() == [0, 0] and inside.tolist() == [True, True]


@pytest.mark.parametrize("places", [[7, 1, 5, 2], [1, 2, 9, -1], [-3, 9, 2, 1]])
def test_an_update_out_of_range_is_dropped(places: list[int]) -> None:
    updates = [[float(10 * i), float(i)] for i in range(4)]
    expected = [list(row) for row in ROWS]
    for place, row in zip(places, updates, strict=True):
        if 0 <= place < 3:
            expected[place] = row
    assert updated(places, updates) == expected


def test_updates_that_are_all_out_of_range_change_nothing() -> None:
    assert updated([3, -1], [[8.0, 8.0], [9.0, 9.0]]) == ROWS


@pytest.mark.parametrize(
    ("how", "expected"),
    [("add", [11.0, 2.0]), ("sub", [-9.0, 2.0]), ("prod", [10.0, 2.0]), ("amin", [1.0, 2.0])],
)
def test_a_row_out_of_range_adds_nothing_to_the_place_it_is_led_to(
    how: str, expected: list[float]
) -> None:
    rows = torch.tensor([1.0, 2.0])
    index, updates = torch.tensor([0, 2]), torch.tensor([10.0, -5.0])
    places, values = harmless(rows, index, updates, torch.tensor([True, False]), how)
    if how == "sub":
        values = -values
    reduce = {"add": "sum", "sub": "sum"}.get(how, how)
    assert rows.scatter_reduce(0, places, values, reduce).tolist() == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.tensor_scatter_nd_update, [1.0, 9.0]),
        (tf.tensor_scatter_nd_add, [1.0, 11.0]),
        (tf.tensor_scatter_nd_sub, [1.0, -7.0]),
        (tf.tensor_scatter_nd_max, [1.0, 9.0]),
        (tf.tensor_scatter_nd_min, [1.0, 2.0]),
    ],
)
def test_a_gpu_drops_what_is_scattered_out_of_range(function: object, expected: object) -> None:
    with tf.simulate("1xK40c"):
        made = function(tf.constant([1.0, 2.0]), [[5], [1], [-1]], tf.constant([7.0, 9.0, -8.0]))  # type: ignore[operator]
        assert made.numpy().tolist() == expected


def test_a_gpu_gathers_zeros_from_an_axis_without_elements() -> None:
    with tf.simulate("1xK40c"):
        taken = tf.gather(tf.zeros([0, 2]), [0, 1])
        assert taken.numpy().tolist() == np.zeros((2, 2)).tolist()
