"""How datasets are divided among machines."""

from types import SimpleNamespace

import pytest

import placewise as tf
from placewise.distribute.shards import sharded


class Machine(SimpleNamespace):
    """What a dataset asks of a strategy: here, one replica on each of two machines."""

    def own_parts(self):
        return range(self.rank, 2, 2)


def divided(dataset, rank, policy=None, agree=None):
    """Return what one of two machines reads, without asking the other whether it has more."""
    if policy is not None:
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = policy
        dataset = dataset.with_options(options)
    extended = Machine(
        rank=rank, local_count=1, replica_count=2, _group=agree, worker_devices=("/cpu:0",)
    )
    made = sharded(SimpleNamespace(extended=extended), dataset, 2, rank)
    return [element.numpy().tolist() for element in made]


@pytest.fixture
def files(tmp_path):
    """Three files of two lines each."""
    paths = [tmp_path / f"{name}.txt" for name in "abc"]
    for path in paths:
        path.write_text(f"{path.stem}1\n{path.stem}2\n")
    return [str(path) for path in paths]


POLICY = tf.data.experimental.AutoShardPolicy


def test_rows_of_each_batch_are_divided():
    data = tf.data.Dataset.range(10).batch(4)
    assert divided(data, 0) == [[0, 1], [4, 5], [8]]
    assert divided(data, 1) == [[2, 3], [6, 7], [9]]


def test_files_are_divided_when_there_are_enough(files):
    data = tf.data.TextLineDataset(files).batch(2)
    assert divided(data, 0) == [[b"a1"], [b"a2"], [b"c1"], [b"c2"]]
    assert divided(data, 1) == [[b"b1"], [b"b2"]]
    assert divided(data, 1, POLICY.DATA) == [[b"a2"], [b"b2"], [b"c2"]]
    assert divided(tf.data.TextLineDataset(files[:1]).batch(2), 1) == [[b"a2"]]


def test_nothing_is_divided_when_that_is_asked_for():
    data = tf.data.Dataset.range(4).batch(2)
    assert divided(data, 0, POLICY.OFF) == divided(data, 1, POLICY.OFF) == [[0], [1], [2], [3]]


def test_dividing_files_that_are_not_there_is_refused(files):
    with pytest.raises(ValueError, match="the dataset reads no files"):
        divided(tf.data.Dataset.range(4).batch(2), 0, POLICY.FILE)
    with pytest.raises(ValueError, match="there are 1 files for 2 workers"):
        divided(tf.data.TextLineDataset(files[:1]).batch(2), 0, POLICY.FILE)
