"""Branches, loops and arrays of graphs do what TensorFlow 1.15 does, program by program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import placewise.v1 as tf

HERE = Path(__file__).parent
ANSWERS = json.loads((HERE / "control_flow_answers.json").read_text())
sys.path.insert(0, str(HERE))
from record_control_flow import PROGRAMS, answer  # noqa: E402 - it is a program of its own

sys.path.remove(str(HERE))


def assert_alike(found: Any, wanted: Any, where: str) -> None:
    if isinstance(wanted, dict) and "dtype" in wanted:
        assert found["dtype"] == wanted["dtype"], where
        if isinstance(wanted["value"], (str, bytes)) or wanted["dtype"] in ("bool", "object"):
            assert found["value"] == wanted["value"], where
        else:
            np.testing.assert_allclose(found["value"], wanted["value"], 2e-5, 1e-6, err_msg=where)
    elif isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted), where
        for key in wanted:
            assert_alike(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for index, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_alike(one, other, f"{where}[{index}]")
    else:
        assert found == wanted, where


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_gives_tensorflows_answer(name: str, graph_mode: None) -> None:
    assert_alike(answer(tf, name), ANSWERS[name], name)
