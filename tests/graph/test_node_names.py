"""Nodes have the names and types that TensorFlow 1.15 gives them, and there are as many of them.

Programs see the names (placement logs, `get_tensor_by_name`, frozen graphs, TensorBoard), and an
op without a seed takes one by the number of nodes before it.
"""

import json
from pathlib import Path

import pytest

import placewise.compat.v1 as tf
from tests.graph.node_name_programs import PROGRAMS, nodes_of

pytestmark = pytest.mark.usefixtures("graph_mode")

TENSORFLOWS = json.loads(Path(__file__).with_name("node_names.json").read_text())

_FUNCTIONAL = "loops and branches are one node each, with graphs of their own, not Switch and Merge"
STILL_DIFFERENT = {
    "cond": _FUNCTIONAL,
    "while": _FUNCTIONAL,
    "map_fn": _FUNCTIONAL,
    "lstm": _FUNCTIONAL,
    "gru": _FUNCTIONAL,
    "ema": _FUNCTIONAL,
    "flip": _FUNCTIONAL,
    "piece": _FUNCTIONAL,
    "zero_frac": _FUNCTIONAL,
    "confusion": _FUNCTIONAL,
    "auc": _FUNCTIONAL,
    "atrous": "one convolution with dilation, which TensorFlow 1 makes of batches and back",
    "einsum": "one Einsum node, which TensorFlow 1 takes apart",
    "meshgrid": "sizes that are known are not written down",
    "sampled": "sizes that are known are not written down",
}


def test_nodes_have_tensorflows_names_but_for_these():
    different = {
        name for name, program in PROGRAMS.items() if nodes_of(tf, program) != TENSORFLOWS[name]
    }
    assert different == set(STILL_DIFFERENT)


def test_a_program_recorded_is_one_that_is_run():
    assert set(TENSORFLOWS) == set(PROGRAMS)
