"""Ops that are computed in another way on a device than on the host, compared with the host."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import placewise as tf

CPU, GPU = "/CPU:0", "/GPU:0"
NUMBERS = np.random.RandomState(0)


def on_both(function: Any, *arrays: Any) -> tuple[list[Any], list[Any]]:
    """Return what a function gives on the host and on a device, as arrays."""
    found = []
    for device in (CPU, GPU):
        with tf.device(device):
            made = function(*map(tf.constant, arrays))
            found.append([each.numpy() for each in tf.nest.flatten(made)])
    return found[0], found[1]


def agree(function: Any, *arrays: Any) -> None:
    for here, there in zip(*on_both(function, *arrays), strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("count", [0, 1, 40, 600])
@pytest.mark.parametrize(("limit", "threshold"), [(20, 0.5), (1000, 0.1), (3, 0.0)])
def test_boxes_that_stay(accelerator: ModuleType, count: int, limit: int, threshold: float) -> None:
    corners = NUMBERS.uniform(0, 1, (count, 2))
    boxes = np.concatenate([corners, corners + NUMBERS.uniform(-0.1, 0.3, (count, 2))], 1)
    scores = np.round(NUMBERS.uniform(0, 1, count), 2)  # some are equal
    agree(
        lambda b, s: tf.image.non_max_suppression(b, s, limit, threshold, 0.2),
        boxes.astype(np.float32),
        scores.astype(np.float32),
    )


def test_boxes_that_stay_are_filled_up(accelerator: ModuleType) -> None:
    boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], np.float32)
    agree(
        lambda b, s: tf.image.non_max_suppression_padded(b, s, 5, pad_to_max_output_size=True),
        boxes,
        np.array([0.5, 0.9, 0.1], np.float32),
    )


@pytest.mark.parametrize("k", [0, 1, 5, 70])
def test_the_largest_of_equal_numbers_and_nan(accelerator: ModuleType, k: int) -> None:
    rows = NUMBERS.randint(0, 9, (4, 70)).astype(np.float32)
    rows[1, ::3] = np.nan
    rows[2] = np.nan
    agree(lambda x: tuple(tf.math.top_k(x, k)), rows)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_bits_that_are_set(accelerator: ModuleType, dtype: Any) -> None:
    ends = np.iinfo(dtype)
    numbers = np.array([0, 1, ends.max, ends.min, ends.max // 3], dtype)
    agree(lambda x: tf.raw_ops.PopulationCount(x=x), numbers)


@pytest.mark.parametrize("options", [{}, {"align_corners": True}, {"half_pixel_centers": True}])
@pytest.mark.parametrize("op", [tf.raw_ops.ResizeBilinear, tf.raw_ops.ResizeNearestNeighbor])
@pytest.mark.parametrize("size", [(4, 14), (3, 2), (9, 7)])
def test_resized_images_and_their_gradients(
    accelerator: ModuleType, op: Any, options: Any, size: tuple[int, int]
) -> None:
    def resized(images: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(images)
            made = op(images=images, size=np.array(size, np.int32), **options)
            total = tf.reduce_sum(made * made)
        return made, tape.gradient(total, images)

    agree(resized, NUMBERS.uniform(0, 1, (2, 9, 7, 3)).astype(np.float32))


def test_images_are_resized_on_the_device_in_functions(accelerator: ModuleType) -> None:
    resize = tf.function(lambda x: tf.image.resize(x, [4, 5]))
    with tf.device(GPU):
        images = tf.ones([1, 8, 8, 1])
        resize(images)
        with accelerator.counted() as counted:
            made = resize(images)
    assert made.device.endswith("GPU:0")
    assert not counted.d2h + counted.h2d


@pytest.mark.parametrize("times", [[6, 6], [6, 3]])
def test_the_ctc_loss_of_labels_that_fit_or_not(accelerator: ModuleType, times: list[int]) -> None:
    def loss(logits: Any) -> Any:
        labels = np.array([[1, 2, 3], [2, 2, 4]], np.int32)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            made = tf.nn.ctc_loss(labels, logits, [3, 3], times, logits_time_major=False)
        return made, tape.gradient(made, logits)

    agree(loss, NUMBERS.uniform(-1, 1, (2, 6, 5)).astype(np.float32))


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_recurrent_layers_where_torch_has_no_fused_cells(
    accelerator: ModuleType, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = NUMBERS.uniform(-1, 1, (3, 5, 4)).astype(np.float32)
    tf.keras.utils.set_random_seed(1)
    layer = getattr(tf.keras.layers, kind)(3)
    with tf.device(GPU):
        expected = layer(x).numpy()

        def missing(*_: Any) -> Any:
            raise NotImplementedError("Could not run 'aten::_thnn_fused_lstm_cell'")

        monkeypatch.setattr(torch._VF, kind.lower(), missing)
        np.testing.assert_allclose(layer(x), expected, rtol=1e-5, atol=1e-6)


def test_data_formats_need_no_table_on_the_device(accelerator: ModuleType) -> None:
    agree(lambda x: tf.raw_ops.DataFormatDimMap(x=x), np.array([0, 1, 2, 3, -1]))
    agree(lambda x: tf.raw_ops.DataFormatVecPermute(x=x), np.array([7, 8, 9, 10]))
