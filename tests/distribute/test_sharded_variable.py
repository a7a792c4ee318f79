"""Variables in parts: rows are changed where they are."""

import pytest

import placewise as tf
from placewise.distribute.sharded_variable import ShardedVariable


@pytest.fixture
def sharded():
    """A variable of three rows in two parts."""
    return ShardedVariable([tf.Variable([[1.0], [2.0]]), tf.Variable([[3.0]])])


@pytest.mark.parametrize(
    ("method", "rows"),
    [
        ("scatter_add", [6, 2, 5]),
        ("scatter_sub", [-4, 2, 1]),
        ("scatter_mul", [5, 2, 6]),
        ("scatter_div", [0.2, 2, 1.5]),
        ("scatter_max", [5, 2, 3]),
        ("scatter_min", [1, 2, 2]),
        ("scatter_update", [5, 2, 2]),
        ("batch_scatter_update", [5, 2, 2]),
    ],
)
def test_scattered_updates_change_the_rows_of_all_parts(sharded, method, rows):
    slices = tf.IndexedSlices(tf.constant([[2.0], [5.0]]), tf.constant([2, 0]))
    assert getattr(sharded, method)(slices) is sharded
    assert tf.convert_to_tensor(sharded).numpy().ravel().tolist() == pytest.approx(rows)


def test_a_row_that_no_part_has_is_an_error(sharded):
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
        sharded.scatter_add(tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([7])))
