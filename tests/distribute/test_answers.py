"""tf.distribute answers the questions of `probes.py` as TensorFlow did."""

import json

import pytest

import placewise
import placewise as tf
from tests.distribute.probes import ANSWERS, PROBES

RECORDED = json.loads(ANSWERS.read_text())

# Where placewise differs on purpose: which answers of a question, and why.
DIFFERENT = {
    "reduce_of_a_plain_value": ([6], "errors of eager ops are InvalidArgumentError"),
    "reduce_refuses": ([1], "an AssertionError without words says nothing"),
    "gather_and_its_errors": ([2, 3], "the words are those of concat, which is what runs"),
    "contexts": ([1], "devices is the tuple of strings that the documentation promises"),
    "resolvers": ([17], "TensorFlow was asked on a machine without GPUs"),
    "numbers_of_variables": ([1, 2], "int() and float() of a variable are its value's"),
    "training_step": ([3], "the last digit of a float"),
    "tape_around_run": ([0, 1, 2, 3], "a tape around run sees what the replicas do"),
}


@pytest.fixture
def strategy():
    """Two replicas on simulated GPUs."""
    with placewise.simulate("2xV100"):
        yield tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])


@pytest.mark.parametrize("name", sorted(set(PROBES) - {"datasets_without_batches"}))
def test_answers_are_those_of_tensorflow(name, strategy):
    answer = json.loads(json.dumps(PROBES[name](tf, strategy)))
    recorded = RECORDED[name]
    if not isinstance(recorded, list):
        assert answer == recorded
        return
    skipped = DIFFERENT.get(name, ([], ""))[0]
    for index, (ours, theirs) in enumerate(zip(answer, recorded, strict=True)):
        if index not in skipped:
            assert ours == theirs, f"{name}[{index}]"


def test_what_has_no_batches_is_refused_with_words(strategy):
    with pytest.raises(ValueError, match=r"call \.batch\(global_batch_size\) on it first"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(3))
