"""The examples, run as a user runs them; those that README.md shows are run in `tests/docs`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

EXPECTED = {
    "cifar10_multi_gpu.py": ("4xK20m", ["step     3  loss", "checkpoints and summaries are in"]),
    "train_in_a_session.py": ("K40c", ["exclusive or: [0 1 1 0]"]),
}
# Several processes, each of which loads Keras: `make cluster-tests` runs it.
CLUSTERS = {"parameter_server.py"}


def test_every_example_is_run():
    readme = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^\$ placewise run .*examples/(\w+\.py)", readme, re.MULTILINE))
    assert {path.name for path in EXAMPLES.glob("*.py")} == shown | set(EXPECTED) | CLUSTERS


SHORT = {
    "cifar10_multi_gpu.py": ["--max_steps=4", "--batch_size=4", "--width=8", "--train_dir=."],
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_example(name, tmp_path):
    machine, wanted = EXPECTED[name]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "placewise",
            "run",
            "--simulate",
            machine,
            str(EXAMPLES / name),
            *SHORT.get(name, []),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    for line in wanted:
        assert line in done.stdout + done.stderr
