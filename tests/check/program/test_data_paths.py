"""Where a program finds its data."""

from pathlib import Path

import pytest

from .looking import brief, look


@pytest.mark.parametrize(
    "path",
    ["/home/nobody_at_all/train.csv", "C:\\data\\x.npy", "/content/drive/My/x", "/kaggle/input/y"],
)
def test_a_path_of_another_machine(path: str) -> None:
    findings = look(f"import os\nfolder = {path!r}\n")
    assert brief(findings) == [("path-of-another-machine", "program.py:2")]
    assert findings[0].severity == "warning" and path in findings[0].what.replace("\\\\", "\\")


def test_files_in_a_store_over_the_network() -> None:
    findings = look("import tensorflow as tf\nd = tf.data.TFRecordDataset('gs://bucket/x')\n")
    assert brief(findings) == [("path-remote", "program.py:2")]
    assert "gsutil cp -r gs://bucket/x" in findings[0].fix


def test_the_digits_of_the_old_tutorials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
    from tensorflow.examples.tutorials.mnist import input_data
    mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
    """
    assert [(one.code, one.severity) for one in look(text)] == [("mnist-missing", "note")]
    (tmp_path / "MNIST_data").mkdir()
    (tmp_path / "MNIST_data" / "train-images-idx3-ubyte.gz").touch()
    assert look(text) == []


def test_a_file_that_is_read_and_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, start = tmp_path / "code", tmp_path / "start"
    program.mkdir()
    start.mkdir()
    monkeypatch.chdir(start)
    text = "import csv\nrows = list(csv.reader(open('rows.csv')))\n"
    findings = look(text, folder=program)
    assert (brief(findings), findings[0].fix) == (
        [("file-missing", "program.py:2")],
        "put rows.csv there",
    )
    (program / "rows.csv").touch()
    assert look(text, folder=program)[0].fix.startswith(f"cd {program}")
    (start / "rows.csv").touch()
    assert look(text, folder=program) == []


@pytest.mark.parametrize(
    "text",
    [
        "with open('out.txt', 'w') as f: f.write('x')",
        "open('x.txt', 'w').close()\nopen('x.txt').read()",
        "import os\nif os.path.exists('x.txt'):\n  open('x.txt')",
        '"""Reads /home/nobody_at_all/data."""',
        "print('/home/nobody_at_all/data')",
        "path = '/tmp/not/there'",
        "print(open(__file__).read())",
    ],
)
def test_what_the_program_has_provided_for_raises_no_alarm(text: str) -> None:
    assert look(text) == []
