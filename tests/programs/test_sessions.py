"""Programs of TensorFlow 1 that use flags, summaries, hooks and servers, run as a user runs them.

`expected.json` holds what placewise printed, times left out. TensorFlow 1.15 printed the same (its
deprecation notes and warnings aside) for examples_through_queues, monitored_training,
pictures_for_tensorboard and supervised_counting; for softmax_digits with other digits than here,
at this learning rate: at 0.5, where the loss grows to 38, the fourth digit differed. Of
tests_of_its_own only the outcome is kept. cluster_of_one_host and digits_with_fake_data were not
compared: that TensorFlow lacked portpicker and the tutorial's mnist module.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tensorflow.test_input_data import write_files

PROGRAMS = Path(__file__).parent / "sessions"
EXPECTED = json.loads((PROGRAMS / "expected.json").read_text())


def printed(name, folder):
    """Run a program in a folder; return the lines it printed, times and paths left out."""
    arguments = [str(folder)]
    if name == "softmax_digits.py":
        write_files(folder, train=100, test=20)
        arguments = ["--data_dir", str(folder), "--summaries_dir", str(folder / "logs")]
    elif name == "tests_of_its_own.py":
        arguments = []
    done = subprocess.run(
        [sys.executable, "-m", "placewise", "run", str(PROGRAMS / name), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith(("INFO:", "OK"))]
    text = "\n".join([*done.stdout.splitlines(), *told]).replace(str(folder), "FOLDER")
    return re.sub(r"sec: \S+|\(\d+\.\d+ sec\)", "TIME", text).splitlines()


def test_every_program_is_run():
    assert {path.name for path in PROGRAMS.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_program(name, tmp_path):
    assert printed(name, tmp_path) == EXPECTED[name]
