"""Every pattern gives what TensorFlow gave."""

import json
from pathlib import Path

import pytest

import placewise as tf
from tests.patterns import (
    data,
    devices,
    errors,
    gradients,
    graphs,
    objects,
    ragged,
    summaries,
    tables,
)
from tests.patterns.table import PATTERNS, answer

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())
MODULES = (data, devices, errors, gradients, graphs, objects, ragged, summaries, tables)


def test_every_pattern_has_an_answer():
    assert sorted(PATTERNS) == sorted(ANSWERS)


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_gives_tensorflows_answer(name, tmp_path):
    received, expected = answer(tf, name, tmp_path), ANSWERS[name]
    if isinstance(expected, dict) and "error" in expected:
        assert received["error"] == expected["error"]
    else:
        assert received == expected
