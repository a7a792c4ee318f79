"""A program run by placewise cannot tell it from one run by Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from .conftest import Run

SHOW = """
import sys
print(__name__, __file__, __package__, __spec__ and __spec__.name, type(__loader__).__name__)
print(sys.argv, sys.path[0], sorted(globals()), sys.modules["__main__"].__dict__ is globals())
"""


def plain_python(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args], cwd=folder, capture_output=True, text=True, check=False
    )


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("show.py", ["show.py", "--simulate", "x", "-h", "--"]),
        ("sub/show.py", ["sub/show.py"]),
        ("folder/__main__.py", ["folder", "1"]),
        ("show.py", ["-m", "show", "--flag"]),
        ("package/__main__.py", ["-m", "package", "-m"]),
        ("package/part.py", ["-m", "package.part"]),
    ],
)
def test_the_program_sees_what_it_would_see_under_python(
    tmp_path: Path, placewise: Run, name: str, args: list[str]
) -> None:
    write(tmp_path, name, SHOW)
    ours, theirs = placewise("run", *args), plain_python(tmp_path, *args)
    assert ours.stdout == theirs.stdout
    assert (ours.returncode, ours.stderr) == (0, "")


def test_a_zip_archive_runs(tmp_path: Path, placewise: Run) -> None:
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("__main__.py", SHOW)
    assert placewise("run", "app.zip").stdout == plain_python(tmp_path, "app.zip").stdout


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    raise ValueError('no')\nf()\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise KeyError('k')\n",
        "x = (\n",
        "import sys\nsys.exit(3)\n",
        "import sys\nsys.exit('said')\n",
        "raise SystemExit\n",
        "import nothing_of_the_kind\n",
        "import sys\nsys.excepthook = lambda kind, _, trace: print(kind, trace.tb_lineno)\n1 / 0\n",
    ],
)
def test_status_and_traceback_are_those_of_python(
    tmp_path: Path, placewise: Run, text: str
) -> None:
    write(tmp_path, "program.py", text)
    ours, theirs = placewise("run", "program.py"), plain_python(tmp_path, "program.py")
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
    assert ours.stderr == theirs.stderr


def test_an_error_of_a_module_has_no_frames_of_ours(tmp_path: Path, placewise: Run) -> None:
    write(tmp_path, "broken.py", "1 / 0\n")
    done = placewise("run", "-m", "broken")
    assert done.returncode == 1
    assert "broken.py" in done.stderr
    assert "placewise" not in done.stderr.replace(str(tmp_path), "")


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (["nothing.py"], 2, "can't open file '{folder}/nothing.py': [Errno 2] No such file"),
        (["-m", "nothing"], 1, "No module named nothing\n"),
        (["-m", "empty"], 1, "No module named empty.__main__; 'empty' is a package and cannot be"),
        (["-m", "empty.nothing.more"], 1, "No module named empty.nothing.more\n"),
        (["empty"], 1, "can't find '__main__' module in '{folder}/empty'"),
        ([], 2, "which program? give SCRIPT, - for standard input, or -m MODULE"),
        (["-m"], 2, "which program? give SCRIPT, - for standard input, or -m MODULE"),
    ],
)
def test_a_program_that_is_not_there(
    tmp_path: Path, placewise: Run, args: list[str], status: int, said: str
) -> None:
    write(tmp_path, "empty/__init__.py", "")
    done = placewise("run", *args)
    assert done.returncode == status
    assert done.stderr.startswith("placewise run: " + said.format(folder=tmp_path))


def test_an_unknown_option_is_an_error(placewise: Run) -> None:
    done = placewise("run", "--nonsense", "program.py")
    assert done.returncode == 2
    assert "unrecognized arguments: --nonsense" in done.stderr


def test_an_interrupt_ends_it_as_it_ends_python(tmp_path: Path) -> None:
    write(tmp_path, "wait.py", "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    child = subprocess.Popen(
        [sys.executable, "-m", "placewise", "run", "wait.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.05)
        os.kill(child.pid, signal.SIGINT)
        _, said = child.communicate(timeout=30)
    # A shell reports death by SIGINT as 130.
    assert child.returncode == -signal.SIGINT
    assert said.splitlines()[1].startswith(f'  File "{tmp_path}/wait.py", line 3')
    assert said.endswith("KeyboardInterrupt\n")


def test_objects_of_the_program_pickle(tmp_path: Path, placewise: Run) -> None:
    text = "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)\n"
    write(tmp_path, "program.py", text)
    assert placewise("run", "program.py").stdout == "True\n"


def test_modules_beside_the_script_are_found(tmp_path: Path, placewise: Run) -> None:
    write(tmp_path, "sub/beside.py", "import tensorflow\nNAME = tensorflow.__name__\n")
    write(tmp_path, "sub/program.py", "import beside\nprint(beside.NAME)\n")
    assert placewise("run", "sub/program.py").stdout == "placewise\n"


@pytest.mark.parametrize("text", [SHOW.replace("__file__", "'__file__' in globals()")])
def test_standard_input_and_text_are_programs(tmp_path: Path, placewise: Run, text: str) -> None:
    theirs = subprocess.run(
        [sys.executable, "-", "a", "-v"],
        cwd=tmp_path,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    ours = placewise("run", "-", "a", "-v", stdin=text)
    assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)
    ours, theirs = placewise("run", "-c", text, "a"), plain_python(tmp_path, "-c", text, "a")
    assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_it_starts_have_the_same_tensorflow(
    tmp_path: Path, placewise: Run, method: str
) -> None:
    write(
        tmp_path,
        "program.py",
        "import multiprocessing\nimport tensorflow as tf\nuse = lambda: tf.placeholder\n"
        "def work(n):\n    return n, tf.__name__, __name__\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context('{method}').Pool(1) as pool:\n"
        "        print(pool.map(work, [1]))\n",
    )
    done = placewise("run", "program.py")
    main = "__main__" if method == "fork" else "__mp_main__"
    assert done.stdout == f"[(1, 'placewise.v1', '{main}')]\n", done.stderr


def test_programs_it_starts_are_left_alone(tmp_path: Path, placewise: Run) -> None:
    write(tmp_path, "tensorflow.py", "print('the other one')\n")
    text = (
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', 'import tensorflow'], check=True)\n"
    )
    write(tmp_path, "program.py", text)
    assert placewise("run", "program.py").stdout == "the other one\n"


def test_a_start_costs_little(tmp_path: Path, placewise: Run) -> None:
    write(
        tmp_path,
        "program.py",
        "import sys\nheavy = {'torch', 'numpy', 'google.protobuf', 'absl', 'rich', 'pynvml'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "import tensorflow\nprint(sorted(heavy & set(sys.modules)))\n",
    )
    assert placewise("run", "program.py").stdout == "[]\n[]\n"
