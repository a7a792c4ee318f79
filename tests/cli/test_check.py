"""`placewise check` as a user runs it: what is printed, exit status, JSON, programs, notebooks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from placewise.devices import pci

from .conftest import Run

PROGRAM = """\
import tensorflow as tf
import numpy as np
with tf.device("/gpu:3"):
    x = tf.constant([1.0, 2.0])
tf.config.set_visible_devices([], "GPU")
print(tf.nn.relux(x))
raise SystemExit("the program was run")
"""


@pytest.mark.skipif(bool(pci.find_slots()), reason="there is a card on the bus of this machine")
def test_without_a_card_a_newcomer_is_told_what_to_do(placewise: Run) -> None:
    done = placewise("check")
    assert (done.returncode, done.stderr) == (2, "")
    assert "No GPU can be used:" in done.stdout
    assert "This machine has no NVIDIA card and no NVIDIA driver" in done.stdout
    assert "fix: placewise run --simulate 4xV100 program.py" in done.stdout
    assert done.stdout.endswith("Exit status 2.\n")


def test_it_loads_neither_torch_nor_keras_nor_protobuf() -> None:
    text = (
        "import sys; from placewise.cli.main import main; main(['check', '--json']); "
        "sys.exit(str({'torch', 'keras', 'google.protobuf'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.stderr == "set()\n"


def test_a_program_is_looked_at_and_not_run(placewise: Run, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = placewise("check", "--simulate", "2xV100", "--json", "program.py", "--epochs", "3")
    report = json.loads(done.stdout)
    codes = {(one["code"], one["where"]): one["fix"] for one in report["findings"] if one["where"]}
    assert (done.returncode, done.stderr, report["status"]) == (1, "", 1)
    assert report["program"].startswith("program.py (TensorFlow 2: ")
    assert codes == {
        ("device-absent", "program.py:3"): "placewise run --simulate 4xV100 program.py  "
        "(or placewise run --soft program.py)",
        ("late-setting", "program.py:5"): "move it above program.py:4",
        ("name-missing", "program.py:6"): "write tf.nn.relu",
    }


def test_what_is_wrong_in_the_environment_is_said_beside_the_program(
    placewise: Run, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text("import tensorflow as tf\n")
    done = placewise(
        "check",
        "--simulate",
        "2xV100",
        "program.py",
        CUDA_VISIBLE_DEVICES="0,5",
        TF_CONFIG="{",
        PLACEWISE_MEMRY="0.5",
    )
    assert done.returncode == 1
    for line in (
        "Simulated machine: 2xV100",
        "Program: program.py (TensorFlow 2: it uses no name that only TensorFlow 1 has)",
        "* TF_CONFIG is not JSON",
        "* CUDA_VISIBLE_DEVICES='0,5' has a mistake: there is no card 5 (of 2), so the list ends",
        "fix: export CUDA_VISIBLE_DEVICES=0,1",
        "fix: export PLACEWISE_MEMORY=0.5; unset PLACEWISE_MEMRY",
    ):
        assert line in done.stdout
    assert done.stdout.index("Errors:") < done.stdout.index("Warnings:")


def test_cells_of_a_notebook_are_named(placewise: Run, tmp_path: Path) -> None:
    cells = ["!pip install tensorflow", "import tensorflow as tf\n", "x = 1\ntf.nowhere(x)"]
    book = {"cells": [{"cell_type": "code", "source": text} for text in cells]}
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    done = placewise("check", "--simulate", "1", "--json", "book.ipynb")
    found = {one["code"]: one["where"] for one in json.loads(done.stdout)["findings"]}
    assert found["name-missing"] == "book.ipynb, cell 3, line 2"
    assert found["notebook-command"] == "book.ipynb, cell 1"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--simulate", "2xNothing"], "there is no model 'Nothing'"),
        (["nowhere.py"], "can't open file"),
        (["-m", "nowhere_at_all"], "No module named nowhere_at_all"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(placewise: Run, words: list[str], said: str) -> None:
    done = placewise("check", *words)
    assert done.returncode in (1, 2) and said in done.stderr and done.stdout == ""


def test_text_and_modules_are_looked_at_too(placewise: Run, tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("import tensorflow as tf\ntf.nowhere\n")
    for words in (["-m", "part"], ["-c", "import part"]):
        done = placewise("check", "--simulate", "1", "--json", *words)
        found = [one for one in json.loads(done.stdout)["findings"] if one["where"]]
        assert [one["code"] for one in found] == ["name-missing"]
