"""Tracebacks show the program's frames; `--traceback full` shows all."""

from __future__ import annotations

from pathlib import Path

from .conftest import Run

FAILS = """
import tensorflow as tf

def inner():
    return tf.matmul([[1.0, 2.0]], [[3.0]])

try:
    inner()
except tf.errors.InvalidArgumentError as error:
    raise RuntimeError("outer") from error
"""

CALLED_BACK = """
import tensorflow as tf

def body(x):
    raise KeyError("mine")

tf.map_fn(body, tf.constant([1.0]))
"""

IN_A_THREAD = """
import threading
import tensorflow as tf

thread = threading.Thread(target=lambda: tf.matmul([[1.0]], [[1.0], [2.0]]))
thread.start()
thread.join()
"""


def files(text: str) -> list[str]:
    return [line.split('"')[1] for line in text.splitlines() if line.startswith("  File ")]


def test_only_the_program_is_shown_also_of_causes(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "program.py").write_text(FAILS)
    done = placewise("run", "program.py")
    assert done.returncode == 1
    assert files(done.stderr) == [str(tmp_path / "program.py")] * 3
    assert done.stderr.splitlines()[-1] == "RuntimeError: outer"
    full = placewise("run", "--traceback", "full", "program.py").stderr
    assert len(files(full)) > 3
    assert "cli/run.py" not in full


def test_functions_of_the_program_that_are_called_back_are_shown(
    tmp_path: Path, placewise: Run
) -> None:
    (tmp_path / "program.py").write_text(CALLED_BACK)
    done = placewise("run", "program.py")
    assert files(done.stderr) == [str(tmp_path / "program.py")] * 2
    assert "KeyError: 'mine'" in done.stderr


def test_threads_are_folded_too(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "program.py").write_text(IN_A_THREAD)
    done = placewise("run", "program.py")
    assert done.returncode == 0
    assert "Exception in thread Thread-1" in done.stderr
    assert not [file for file in files(done.stderr) if "/ops/" in file]
