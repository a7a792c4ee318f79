"""Every distribution answers as TensorFlow does: densities, statistics, divergences, samples."""

import json
from pathlib import Path

import numpy as np
import pytest

import placewise as tf
from tests.distributions.questions import CASES, ask

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_a_distribution_answers_as_tensorflow(name):
    received, expected = ask(tf, name), ANSWERS[name]
    assert sorted(received) == sorted(expected)
    for question, answer in expected.items():
        _compare(f"{name}.{question}", received[question], answer)


def _compare(what, received, expected):
    if not isinstance(expected, dict):
        assert received == expected, what
    elif "error" in expected:
        assert received.get("error") == expected["error"], (what, received)
    else:
        assert "error" not in received, (what, received)
        assert (received["dtype"], received["shape"]) == (expected["dtype"], expected["shape"]), (
            what
        )
        values = [np.array(answer["value"], float) for answer in (received, expected)]
        np.testing.assert_allclose(*values, rtol=2e-5, atol=1e-6, err_msg=what)
