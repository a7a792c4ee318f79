"""Small values of planned GPUs are known; what is not known is assumed, and said."""

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.forecast.dry_run import dry_run
from placewise.forecast.known_contents import KnownContents


@pytest.fixture
def known():
    contents = KnownContents()
    with contents.for_thread():
        yield contents


def test_what_follows_from_known_values_is_known(known):
    numbers = torch.arange(6).to("meta").reshape(2, 3)
    assert numbers.is_meta
    assert (numbers * 2 + 1).sum(0).cpu().tolist() == [8, 12, 16]
    assert int(torch.full((), 3, device="meta") + 4) == 7


def test_views_see_what_is_written_into_their_base(known):
    numbers = torch.zeros(4, device="meta") + torch.arange(4).to("meta")
    row = numbers[1:3]
    numbers.add_(10)
    assert row.cpu().tolist() == [11, 12]
    row.mul_(2)
    assert numbers.cpu().tolist() == [10, 22, 24, 13]


def test_an_unknown_value_makes_what_it_is_written_into_unknown(known):
    unknown = torch.empty(3, device="meta")
    numbers = torch.arange(3.0).to("meta")
    assert numbers.cpu().tolist() == [0, 1, 2]
    numbers.copy_(unknown)
    assert known.content(numbers) is None


def test_unknown_numbers_are_one_and_unknown_indices_zero(known):
    assert torch.empty((), device="meta").item() == 1.0
    assert torch.empty((), dtype=torch.int64, device="meta").item() == 1
    assert torch.empty(2, dtype=torch.int64, device="meta").cpu().tolist() == [0, 0]


def test_reading_a_large_tensor_takes_no_memory(known):
    content = torch.empty(1 << 20, 1 << 20, device="meta").cpu()
    assert content.shape == (1 << 20, 1 << 20)
    assert content.untyped_storage().nbytes() < 1024


def test_large_tensors_of_one_number_are_known(known):
    zeros = torch.zeros(1 << 30, device="meta")
    assert not ((zeros + 2) * 3 < 6).any().item()
    assert torch.nonzero(zeros).shape == (0, 1)


def test_numbers_are_taken_to_be_finite(known):
    numbers = torch.empty(10000, device="meta")
    assert not torch.isnan(numbers).any().item()
    assert torch.isfinite(numbers).all().item()


def test_sizes_that_depend_on_contents_take_their_upper_bound(known):
    numbers = torch.empty(100, 100, device="meta")
    assert torch.nonzero(numbers > 0).shape == (10000, 2)
    assert numbers[numbers > 0].shape == (10000,)
    assert torch.unique(numbers).shape == (10000,)
    assert torch.masked_select(numbers, numbers > 0).shape == (10000,)


def test_an_op_that_torch_has_no_shapes_for_is_tried_with_zeros(known):
    counts = torch.bincount(torch.empty(10, dtype=torch.int64, device="meta"), minlength=7)
    assert counts.is_meta
    assert counts.shape == (7,)


def test_tensors_of_the_host_stay_as_they_are(known):
    np.testing.assert_array_equal((torch.arange(3) + 1).numpy(), [1, 2, 3])


def loops_on(wrap):
    w = tf.Variable(tf.random.normal([64, 64]))

    @wrap
    def step():
        with tf.GradientTape() as tape:
            h = tf.random.normal([8, 64])
            while tf.reduce_sum(h) > 0.0:
                h = h @ w
            loss = tf.reduce_mean(h)
        w.assign_sub(tape.gradient(loss, w))
        tf.debugging.assert_greater(loss, 0.0)

    for _ in range(50):
        step()


@pytest.mark.parametrize("wrap", [lambda step: step, tf.function])
def test_a_loop_on_an_unknown_condition_ends(wrap):
    forecast = dry_run(lambda: loops_on(wrap), "V100", steps=40)
    assert forecast.steps == 41  # an assertion on an unknown condition holds however often
    assert any("bool that only the GPU would know" in note for note in forecast.notes)


def test_matrices_are_taken_to_be_invertible():
    def program():
        matrix = tf.random.normal([200, 200])
        tf.linalg.inv(matrix)
        tf.linalg.solve(matrix, matrix)
        tf.linalg.cholesky(matrix)
        tf.linalg.det(matrix)

    dry_run(program, "V100")
