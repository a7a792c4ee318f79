"""Whole programs as tutorials have them, on simulated GPUs.

`expected.json` has what each prints, line by line. For 83 of the 93 these are all the lines that
TensorFlow 1.15 or 2.21 printed, on a machine without GPUs (in gan, where losses are read while
variables change, in six runs of seven). Of the others

- image_towers, mirrored_fit, mirrored_loop, multigpu_basics, placement_rules, timeline_trace and
  wave_equation have the lines that TensorFlow printed with CPUs in place of the GPUs, but for the
  names of devices. Two of placement_rules are not among them: the error in the words of
  TensorFlow's guides, and that a GPU is there. In mirrored_loop TensorFlow takes no int() of a
  variable of several parts; it was given the variable's numpy().
- char_rnn lacks its last line, which differs from run to run: TensorFlow's dropout draws in the
  order in which the steps of a loop get to it.
- divided_devices and out_of_memory, on the memory of GPUs, have what placewise printed.

`without_gpus.json` has what TensorFlow printed for those that want GPUs, where there are none (but
not its list of devices), and how the error began that ended them. Two are not there: mirrored_loop,
for that int(), and mirrored_fit, in which TensorFlow waits for the GPUs without end.
"""

import json
import re
from pathlib import Path

import pytest

from tests.programs.running import run_cold, warm

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "expected.json").read_text())
WITHOUT_GPUS = json.loads((HERE / "without_gpus.json").read_text())
JOB = "/job:localhost/replica:0/task:0"

# Other than one K40c; and what is logged about where things run.
MACHINES = {
    "graphs/multigpu_basics.py": "2xK20m",
    "graphs/image_towers.py": "4xK20m",
    "graphs/timeline_trace.py": "2xK40c",
    "graphs/out_of_memory.py": "K40c:1GiB",
    "graphs/placement_rules.py": "2xK40c",
    "eager/divided_devices.py": "3xV100",
    "eager/mirrored_loop.py": "4xV100",
    "eager/wave_equation.py": "2xK40c",
    "models/mirrored_fit.py": "2xV100",
}
LOGGED = {
    "graphs/multigpu_basics.py": [
        f"MatMul_8: {JOB}/device:GPU:0",
        f"MatMul_12: {JOB}/device:GPU:1",
        f"total: {JOB}/device:CPU:0",
        "name: Tesla K20m",
    ],
    "graphs/placement_rules.py": [
        f"near: {JOB}/device:GPU:1",
        f"summed: {JOB}/device:CPU:0",
        f"v: {JOB}/device:GPU:0",
    ],
    "eager/divided_devices.py": [
        f"Executing op MatMul in device {JOB}/device:GPU:{index}" for index in range(3)
    ]
    + [f"Executing op AddN in device {JOB}/device:CPU:0"],
}


def kind_of(name):
    """Return the kind of warm process that a program runs in."""
    return "keras" if name.startswith("models/") else "plain"


def in_order(wanted, printed):
    """Return the first line wanted that does not come after the ones before it, or None."""
    lines = iter(printed.splitlines())
    return next((line for line in wanted if line not in lines), None)


def test_every_program_is_run():
    folders = ("graphs", "eager", "models")
    there = {f"{folder}/{path.name}" for folder in folders for path in (HERE / folder).glob("*.py")}
    assert there == set(EXPECTED)
    assert len(there) > 60


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_program(name, tmp_path):
    machine = MACHINES.get(name, "K40c")
    arguments = ["run", "--simulate", machine, str(HERE / name)]
    done = warm(kind_of(name)).run(arguments, tmp_path)
    assert done.status == 0, done.stderr
    missing = in_order(EXPECTED[name], done.stdout)
    assert missing is None, f"{missing!r} is not in its place in:\n{done.stdout}"
    for line in LOGGED.get(name, ()):
        assert re.search(re.escape(line), done.stderr), line


@pytest.mark.parametrize("name", sorted(WITHOUT_GPUS))
def test_program_without_gpus(name, tmp_path):
    arguments = ["run", "--simulate", "0", str(HERE / name)]
    done = warm(kind_of(name)).run(arguments, tmp_path)
    recorded = WITHOUT_GPUS[name]
    assert done.stdout.splitlines() == recorded["printed"]
    assert done.status == bool(recorded["error"]), done.stderr
    assert recorded["error"] in done.stderr


@pytest.mark.parametrize("name", ["graphs/flags_and_supervisor.py", "models/callbacks.py"])
def test_program_as_a_shell_starts_it(name, tmp_path):
    done = run_cold(["run", "--simulate", "2xK40c", str(HERE / name)], tmp_path)
    assert done.status == 0, done.stderr
    assert in_order(EXPECTED[name], done.stdout) is None, done.stdout


def test_package_with_options_of_its_own():
    arguments = [
        "run",
        "--simulate",
        "K40c",
        "-v",
        "-m",
        "bandits",
        "--pulls=120",
        "--epsilon",
        "0.2",
    ]
    done = run_cold(arguments, HERE / "packaged")
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines() == [
        "pulled 120 times; the best lever is 2",
        "right: True package: bandits",
    ]
    assert "TensorFlow 1" in done.stderr


def test_notebook(tmp_path):
    done = run_cold(["run", "--simulate", "K40c", str(HERE / "packaged/notebook.ipynb")], tmp_path)
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["first loss 0.6931", "accuracy above 0.95: True"]
    assert "device:GPU:0" in done.stdout
