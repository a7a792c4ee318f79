"""The batch is the leading dimension of most of what a program passes to devices."""

import torch

from placewise.eager.log import Copy
from placewise.forecast.batches import Batches


def feed(batches, target, *shape):
    content = torch.zeros(shape)
    batches.moved(Copy(0, "/device:CPU:0", f"/device:{target}", content.nbytes, "feed"), content)


def test_samples_outweigh_seeds():
    batches = Batches()
    for _ in range(5):
        feed(batches, "GPU:0", 2)
    feed(batches, "GPU:0", 32, 100)
    feed(batches, "GPU:0", 32)
    assert batches.size() == 32


def test_each_gpu_has_samples_of_its_own():
    batches = Batches()
    feed(batches, "GPU:0", 32, 100)
    feed(batches, "GPU:1", 16, 100)
    assert batches.size() == 48


def test_what_a_session_is_fed_counts_for_all_devices():
    batches = Batches()
    batches.fed((torch.zeros(64, 10), torch.zeros(64), torch.zeros(())))
    feed(batches, "GPU:0", 32, 10)
    assert batches.size() == 64


def test_nothing_tells_of_no_batch():
    assert Batches().size() is None
