"""The examples that are clusters, run as a user runs them."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_parameter_server_example_trains():
    options = ["--cluster", "chief,worker=2,ps=2", EXAMPLES / "parameter_server.py"]
    done = subprocess.run(
        [sys.executable, "-m", "placewise", "run", *options],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "[chief 0] sequential/dense/bias /job:ps/replica:0/task:1/device:CPU:0" in done.stdout
    losses = [float(text) for text in re.findall(r"round \d: loss ([\d.]+)", done.stdout)]
    assert len(losses) == 5 and losses[-1] < 0.9 * losses[0]
