"""Patches of images are the same as windows cut out one by one."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(("window", "step"), [((2, 3), (1, 2)), ((3, 3), (3, 3)), ((1, 1), (2, 2))])
@pytest.mark.parametrize("kind", [np.float32, np.uint16])
def test_patches_inside_of_images(
    window: tuple[int, int], step: tuple[int, int], kind: type[np.generic]
) -> None:
    images = np.arange(2 * 5 * 6 * 3).reshape(2, 5, 6, 3).astype(kind)
    found = tf.image.extract_patches(images, [1, *window, 1], [1, *step, 1], [1] * 4, "VALID")
    (high, wide), (down, across) = window, step
    expected = [
        [images[:, y : y + high, x : x + wide].reshape(2, -1) for x in range(0, 7 - wide, across)]
        for y in range(0, 6 - high, down)
    ]
    np.testing.assert_array_equal(found.numpy(), np.array(expected).transpose(2, 0, 1, 3))
