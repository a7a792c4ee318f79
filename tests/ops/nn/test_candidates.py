"""Candidate samplers draw the numbers TensorFlow draws with the same seeds."""

import numpy as np
import pytest

import placewise as tf

TRUE = np.asarray([[1], [2]], "int64")
SEEDS = {"num_true": 1, "num_sampled": 5, "seed": 1, "seed2": 2}


@pytest.mark.parametrize(
    ("name", "unique", "options", "expected"),
    [
        ("UniformCandidateSampler", False, {"range_max": 10}, [9, 6, 7, 1, 3]),
        ("LogUniformCandidateSampler", False, {"range_max": 10}, [0, 1, 1, 0, 8]),
        ("LogUniformCandidateSampler", True, {"range_max": 10}, [0, 1, 8, 6, 2]),
        ("LearnedUnigramCandidateSampler", True, {"range_max": 10}, [9, 5, 2, 1, 6]),
        ("ThreadUnsafeUnigramCandidateSampler", False, {"range_max": 10}, [9, 5, 2, 9, 1]),
        (
            "FixedUnigramCandidateSampler",
            True,
            {"range_max": 5, "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0]},
            [4, 1, 3, 2, 0],
        ),
    ],
)
def test_seeded_draws_are_those_of_tensorflow(
    name: str, unique: bool, options: dict, expected: list
) -> None:
    sampled, *_ = getattr(tf.raw_ops, name)(true_classes=TRUE, unique=unique, **SEEDS, **options)
    assert sampled.numpy().tolist() == expected


def test_a_learned_sampler_favours_what_it_saw() -> None:
    tf.random.set_seed(4)
    for _ in range(200):
        counts = tf.nn.learned_unigram_candidate_sampler([[3], [3]], 1, 2, False, 5, seed=8)
    assert float(counts.true_expected_count[0, 0]) > 1.5


def test_expected_counts_of_unique_draws_stay_below_one() -> None:
    _, true, drawn = tf.nn.fixed_unigram_candidate_sampler(
        TRUE, 1, 4, True, 5, unigrams=[1.0, 1.0, 100.0, 1.0, 1.0], seed=3
    )
    assert float(np.max(drawn)) <= 1
    assert float(np.max(true)) <= 1
