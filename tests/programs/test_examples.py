"""The examples, run as a user runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

EXPECTED = {
    "divided_gpu.py": ("V100", ["/device:GPU:1"]),
    "where_ops_run.py": ("K40c", ["device:CPU:0 device:CPU:0 -> device:GPU:0", "[49. 64.]]"]),
    "towers.py": ("4xK20m", ["sum [[60.0, 60.0], [60.0, 60.0]]"]),
    "session_towers.py": (
        "4xK20m",
        ["MatMul_1: /job:localhost/replica:0/task:0/device:GPU:3", "[ 98. 128.]]"],
    ),
    "mirrored_keras.py": ("4xK20m", ["4 replicas", "/device:GPU:3", "is about 1.0"]),
    "cifar10_multi_gpu.py": ("4xK20m", ["step     3  loss", "checkpoints and summaries are in"]),
    "train_in_a_session.py": ("K40c", ["exclusive or: [0 1 1 0]"]),
}


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED)


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
