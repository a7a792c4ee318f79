"""`import tensorflow` under `placewise run`: the same modules, and clear words for the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest


def run(folder: Path, text: str, *, hooked: bool = True) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(textwrap.dedent(text))
    command = ["-m", "placewise", "run"] if hooked else []
    return subprocess.run(
        [sys.executable, *command, str(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


@pytest.mark.parametrize(
    ("tensorflow", "placewise"),
    [
        ("tensorflow", "placewise"),
        ("tensorflow.errors", "placewise.errors"),
        ("tensorflow.compat", "placewise.compat"),
        ("tensorflow.compat.v2", "placewise"),
        ("tensorflow.compat.v2.errors", "placewise.errors"),
        ("tensorflow.python.framework.errors", "placewise.errors"),
        ("tensorflow.python.framework.errors_impl", "placewise.errors"),
        ("tensorflow.python.framework.dtypes", "placewise.core.dtypes"),
        ("tensorflow.python.util.compat", "placewise.compat"),
    ],
)
def test_each_is_the_very_module(tmp_path: Path, tensorflow: str, placewise: str) -> None:
    done = run(
        tmp_path,
        f"""
        import importlib, {tensorflow} as theirs
        ours = importlib.import_module("{placewise}")
        print(theirs is ours, ours.__name__, ours.__spec__.name)
        """,
    )
    assert done.stdout == f"True {placewise} {placewise}\n", done.stderr


def test_every_way_of_importing_works(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import tensorflow as tf
        import tensorflow.python.framework.errors
        from tensorflow import errors
        from tensorflow.errors import NotFoundError
        from tensorflow.python.framework import errors_impl
        import tensorflow.python
        assert tf is tensorflow and tf.errors is errors is errors_impl
        assert NotFoundError is tensorflow.python.framework.errors.NotFoundError
        assert "framework" in dir(tensorflow.python), dir(tensorflow.python)
        print("done")
        """,
    )
    assert done.stdout == "done\n", done.stderr


COVERAGE = "; what it has is listed in docs/coverage.md"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import tensorflow.nonesuch", "No module named 'tensorflow.nonesuch': placewise does not"),
        ("import tensorflow.eror", "the nearest name is tensorflow.errors"),
        ("from tensorflow import eror", "cannot import name 'eror' from 'tensorflow': placewise"),
        ("from tensorflow import eror", "the nearest name is tensorflow.errors"),
        ("from tensorflow.nonesuch import x", "No module named 'tensorflow.nonesuch'"),
        ("from tensorflow.errors import NotFoundEror", "tensorflow.errors.NotFoundError"),
        ("from tensorflow.python.framework import error", "tensorflow.python.framework.errors"),
        ("from tensorflow.python.nonesuch import x", "No module named 'tensorflow.python.nonesuc"),
        ("import tensorflow.core", "No module named 'tensorflow.core'"),
        ("import tensorflow.eager", "No module named 'tensorflow.eager'"),
    ],
)
def test_what_is_not_there_says_so(tmp_path: Path, line: str, said: str) -> None:
    done = run(tmp_path, line)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("ModuleNotFoundError: ")
    assert said in last
    assert last.endswith(COVERAGE)
    # The program's own line, and no frame of the hook.
    assert done.stderr.count("  File ") == 1, done.stderr


def test_a_missing_attribute_of_an_inner_package_is_an_attribute_error(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "import tensorflow.python\nprint(hasattr(tensorflow.python, 'nonesuch'))\n",
    )
    assert done.stdout == "False\n", done.stderr


def test_an_installed_tensorflow_stays_out_of_the_way(tmp_path: Path) -> None:
    package = tmp_path / "tensorflow"
    package.mkdir()
    (package / "__init__.py").write_text("print('the other one')\n")
    (package / "extra.py").write_text("print('the other one')\n")
    done = run(tmp_path, "import tensorflow as tf\nprint(tf.__name__)\nimport tensorflow.extra\n")
    assert done.stdout == "placewise\n"
    assert "No module named 'tensorflow.extra'" in done.stderr


def test_outside_run_tensorflow_is_untouched(tmp_path: Path) -> None:
    package = tmp_path / "tensorflow"
    package.mkdir()
    (package / "__init__.py").write_text("print('the other one')\n")
    done = run(tmp_path, "import placewise.compat.hook, tensorflow\n", hooked=False)
    assert done.stdout == "the other one\n", done.stderr


def test_the_hook_refuses_to_come_second(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("")
    done = run(
        tmp_path,
        """
        import tensorflow
        from placewise.compat import hook
        hook.install()
        """,
        hooked=False,
    )
    assert "tensorflow is already imported in this process" in done.stderr


def test_installing_twice_and_taking_out(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import sys
        from placewise.compat import hook
        before = list(sys.meta_path)
        hook.install(); hook.install()
        import tensorflow.errors
        print(len(sys.meta_path) - len(before))
        hook.uninstall()
        print(sys.meta_path == before, [name for name in sys.modules if "tensorflow" in name])
        """,
        hooked=False,
    )
    assert done.stdout == "2\nTrue []\n", done.stderr
