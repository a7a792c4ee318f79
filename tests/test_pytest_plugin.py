"""The pytest plug-in, in runs of its own: the example of docs/testing.md and more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "testing.md"
TESTS = """
import sys
import pytest

def test_torch_is_not_loaded_for_tests_without_it():
    assert "torch" not in sys.modules

def test_tensorflow_is_placewise():
    import placewise, tensorflow
    assert tensorflow is placewise

def gpus():
    import tensorflow as tf
    return len(tf.config.list_physical_devices("GPU"))

def test_the_option_names_the_machine():
    assert gpus() == 3

@pytest.mark.simulate("4xV100")
class TestMarked:
    def test_a_class_may_be_marked(self):
        assert gpus() == 4

    @pytest.mark.simulate("0")
    def test_the_nearest_marker_counts(self):
        assert gpus() == 0

def test_setting_once():
    import tensorflow as tf
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.get_visible_devices("GPU") == []
    tf.constant(1.0) + 1.0

def test_settings_end_with_the_test():
    import tensorflow as tf
    assert len(tf.config.get_visible_devices("GPU")) == 3
    tf.config.set_visible_devices([], "GPU")

@pytest.fixture(scope="module")
def variable():
    import tensorflow as tf
    return tf.Variable([1.0, 2.0])

@pytest.mark.no_copies
@pytest.mark.no_fallbacks
@pytest.mark.runs_on("/GPU:0")
@pytest.mark.parametrize("_", range(2))
def test_variables_of_wider_fixtures_are_where_they_were(variable, _):
    assert (variable * 2.0).numpy().tolist() == [2.0, 4.0]

@pytest.mark.no_copies
def test_fails_for_a_copy():
    import tensorflow as tf
    with tf.device("/GPU:1"):
        there = tf.constant([1.0])
    with tf.device("/GPU:0"):
        there + 1.0

@pytest.mark.runs_on("/GPU:0")
def test_fails_for_an_op_elsewhere():
    import tensorflow as tf
    with tf.device("/CPU:0"):
        tf.constant([1.0]) + 1.0

@pytest.mark.no_fallbacks
def test_fails_for_a_fallback():
    import tensorflow as tf
    with tf.device("/GPU:0"):
        tf.strings.length("a")

def test_guards_end_with_their_test():
    import tensorflow as tf
    with tf.device("/GPU:1"):
        there = tf.constant([1.0])
    with tf.device("/GPU:0"):
        assert (there + 1.0).numpy() == 2.0

@pytest.mark.simulate("2xV10")
def test_errs_for_a_card_that_is_unknown():
    pass

@pytest.mark.simulate
def test_errs_without_a_machine():
    pass
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *options]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, "PY_COLORS": "0", "COLUMNS": "200"},
    )


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what pytest prints for the tests above and those of the page."""
    folder = tmp_path_factory.mktemp("tests")
    (folder / "test_above.py").write_text(TESTS)
    example = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    (folder / "test_of_the_page.py").write_text(example[1])
    plugin = ("-p", "placewise.pytest_plugin", "--strict-markers", "--simulate", "3xK80")
    return run(folder, *plugin, "-W", "error").stdout


def test_all_other_tests_pass(output: str) -> None:
    ended = re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", output, re.MULTILINE)
    assert all(name.startswith(("test_fails_", "test_errs_")) for name in ended), output
    assert "3 failed, 16 passed, 2 errors" in output, output
    assert "placewise: simulated machine 3xK80" in output


def test_the_example_of_the_page_passes(output: str) -> None:
    assert len(re.findall(r"^PASSED test_of_the_page.py::", output, re.MULTILINE)) == 6, output


@pytest.mark.parametrize(
    "said",
    [
        "FAILED test_above.py::test_fails_for_a_copy",
        "Tensors on conflicting devices: cannot compute AddV2",
        "AssertionError: 1 of 1 ops did not run on GPU:0:",
        "StringLength does not run on GPU:0 as requested",
        "Machine '2xV10': there is no model 'V10'",
        "@pytest.mark.simulate takes one argument: a machine, such as '4xV100'",
    ],
)
def test_what_is_wrong_is_said(output: str, said: str) -> None:
    assert said in output, output


def test_mistaken_options_are_usage_errors(tmp_path: Path) -> None:
    done = run(tmp_path, "-p", "placewise.pytest_plugin", "--simulate", "4xV10")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: Machine '4xV10': there is no model 'V10'" in done.stderr
    done = run(tmp_path, "-p", "placewise")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "use `-p placewise.pytest_plugin`" in done.stderr


def test_a_conftest_may_name_it_and_tests_of_tensorflow_1_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["placewise.pytest_plugin"]')
    (tmp_path / "test_graph.py").write_text(
        "import tensorflow as tf\n"
        "def test_session():\n"
        "    with tf.Session() as session:\n"
        "        assert session.run(tf.placeholder_with_default(1.0, []) + 1.0) == 2.0\n"
    )
    done = run(tmp_path, "--tensorflow", "1", "-W", "error")
    assert "1 passed" in done.stdout, done.stdout + done.stderr
