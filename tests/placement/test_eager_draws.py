"""Random eager programs on four logical CPUs run where they ran in TensorFlow 2.21.

`data/eager.jsonl` has what `eager_draws.py` printed there, a program a line.
"""

import json
from pathlib import Path

import pytest

import placewise as tf
from tests.placement import eager_draws

LINES = (Path(__file__).parent / "data" / "eager.jsonl").read_text().splitlines()


@pytest.mark.filterwarnings("ignore")
def test_eager_programs_run_where_tensorflow_runs_them():
    table = eager_draws.ops(tf)
    eager_draws.divide(tf)
    different = []
    for line in LINES:
        number, theirs = json.loads(line)
        own = eager_draws.run(tf, table, number)
        different += [
            (number, here, there)
            for here, there in zip(own["answers"], theirs["answers"], strict=True)
            if here != there
        ]
    assert not different
