"""`placewise run` refuses GPUs and limits of memory that the machine does not have."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--gpus", "5"], "--gpus 5: there is no GPU 2; this machine has 2 usable GPUs"),
        (["--gpus", "0,7"], "there is no GPU 7; this machine has 2 usable GPUs"),
        (["--memory", "70GiB"], "--memory 70GiB: the largest GPU has 16.0 GiB"),
    ],
)
def test_what_the_machine_lacks_is_an_error_before_the_program_starts(options, words, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("print('ran')\n")
    command = [sys.executable, "-m", "placewise", "run", "--simulate", "2xV100", *options, program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode != 0 and "ran" not in run.stdout
    assert words in run.stderr


def test_a_machine_without_gpus_says_that_asking_for_some_has_no_effect(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("print('ran')\n")
    command = [sys.executable, "-m", "placewise", "run", "--simulate", "0", "--gpus", "2", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.stdout == "ran\n"
    assert "--gpus 2 has no effect: no GPU can be used here" in run.stderr
