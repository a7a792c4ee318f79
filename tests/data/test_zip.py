"""Dataset.zip: what it refuses."""

import pytest

import placewise as tf


@pytest.mark.parametrize("wrap", [tuple, list])
def test_zip_says_what_it_takes(wrap):
    numbers = tf.data.Dataset.range(3)
    given = wrap([numbers, 1] if wrap is tuple else [numbers, numbers])
    with pytest.raises(TypeError, match="Invalid input to `zip`"):
        tf.data.Dataset.zip(given)
