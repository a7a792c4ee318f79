"""Notebooks run as their code cells, without Jupyter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from placewise.cli.notebook import NotANotebookError, read_cells

from .conftest import Run


def save(folder: Path, *cells: str) -> str:
    book = {
        "nbformat": 4,
        "cells": [
            {"cell_type": "markdown", "source": ["# title"]},
            *({"cell_type": "code", "source": text.splitlines(True)} for text in cells),
        ],
    }
    (folder / "demo.ipynb").write_text(json.dumps(book))
    return "demo.ipynb"


def test_cells_run_in_order_and_show_their_last_value(tmp_path: Path, placewise: Run) -> None:
    name = save(tmp_path, "a = 2\nprint(__name__)\na + 1", "a * 5;", "import sys\nsys.argv", "None")
    done = placewise("run", name, "x")
    assert done.stdout == "__main__\n3\n['demo.ipynb', 'x']\n", done.stderr
    assert done.stderr == ""


def test_commands_of_ipython(tmp_path: Path, placewise: Run) -> None:
    name = save(
        tmp_path,
        "%matplotlib inline\n!pip install x\nif True:\n    !ls\ntext = '''\n%no command\n'''",
        "%%time\nprint(text.strip())",
        "%%bash\necho never",
        "%%writefile beside.py\nVALUE = 7\n",
        "%env NAME=value\nimport os, beside\nprint(os.environ['NAME'], beside.VALUE)",
    )
    done = placewise("run", name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == ["value 7"]
    assert done.stderr.splitlines()[:2] == [
        "placewise run: demo.ipynb, cell 2: %matplotlib inline: this line is passed over",
        "placewise run: demo.ipynb, cell 2: !pip install x: this line is passed over",
    ]
    assert "cell 4: %%bash: this cell is passed over" in done.stderr


def test_an_error_names_cell_and_line(tmp_path: Path, placewise: Run) -> None:
    done = placewise("run", save(tmp_path, "x = 1", "y = 2\nx / 0"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:3] == [
        '  File "demo.ipynb, cell 3", line 2, in <module>',
        "    x / 0",
    ]


def test_the_era_is_told_from_cells_and_from_the_notebook_command(
    tmp_path: Path, placewise: Run
) -> None:
    show = "import tensorflow as tf\nprint(tf.__version__)"
    assert placewise("run", save(tmp_path, show)).stdout == "2.21.0\n"
    assert (
        placewise("run", save(tmp_path, show, "use = lambda: tf.placeholder")).stdout == "1.15.5\n"
    )
    asked = placewise("run", "-v", save(tmp_path, "%tensorflow_version 1.x\n" + show))
    assert asked.stdout == "1.15.5\n"
    assert "TensorFlow 1: %tensorflow_version 1.x says so" in asked.stderr


def test_the_old_format_is_read() -> None:
    book = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["a\n", "b"]}]}]}
    assert [cell.text for cell in read_cells(json.dumps(book))] == ["a\nb"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', "\x00"])
def test_what_is_no_notebook(text: str) -> None:
    with pytest.raises(NotANotebookError, match="is no notebook"):
        read_cells(text)
