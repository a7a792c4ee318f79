"""`placewise.install_as_tensorflow` and `%load_ext placewise`."""

from __future__ import annotations

from pathlib import Path

import pytest

import placewise
from placewise.devices.handles import PhysicalDevice
from placewise.tensorflow import hook, ipython

from .test_hook import run


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what a program prints that installs placewise itself."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "library.py").write_text("import tensorflow\nname = tensorflow.__name__\n")
    done = run(
        folder,
        """
        import multiprocessing
        import sys

        import placewise

        def child(queue):
            import tensorflow
            queue.put(tensorflow.__name__)

        if __name__ == "__main__":
            tf = placewise.install_as_tensorflow()
            import library
            print(library.name, tf is placewise, placewise.install_as_tensorflow() is tf)
            print([name for name in ("torch", "keras", "google.protobuf") if name in sys.modules])
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            process = context.Process(target=child, args=[queue])
            process.start()
            print(queue.get(timeout=50))
            process.join(50)
            for version in (1, 3):
                try:
                    placewise.install_as_tensorflow(version)
                except (RuntimeError, ValueError) as error:
                    print(type(error).__name__, error)
        """,
        hooked=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_libraries_that_import_tensorflow_get_placewise(lines: list[str]) -> None:
    assert lines[0] == "placewise True True"


def test_nothing_heavy_is_loaded(lines: list[str]) -> None:
    assert lines[1] == "[]"


def test_spawned_processes_have_it_too(lines: list[str]) -> None:
    assert lines[2] == "placewise"


def test_the_other_version_is_refused(lines: list[str]) -> None:
    assert lines[3].startswith("RuntimeError `import tensorflow` already means placewise in this")
    assert lines[4] == "ValueError install_as_tensorflow takes version 1 or 2, not 3"


def test_a_program_of_tensorflow_1_has_graphs_without_a_warning(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import placewise
        placewise.simulate("2xV100")
        placewise.install_as_tensorflow(version=1)
        import tensorflow as tf
        print(tf.__version__, tf.constant(1.0).graph is tf.get_default_graph())
        """,
        hooked=False,
    )
    assert (done.stdout, done.stderr) == ("1.15.5 True\n", "")


def test_an_imported_tensorflow_stays_and_an_error_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("")
    done = run(
        tmp_path,
        """
        import tensorflow, placewise
        placewise.install_as_tensorflow()
        """,
        hooked=False,
    )
    assert f"already imported in this process (from {tmp_path}" in done.stderr
    assert "before any `import tensorflow`, in a new process or a restarted kernel" in done.stderr


class HtmlFormatter(dict):
    """What the extension asks of IPython's formatter: functions by type."""

    for_type = dict.__setitem__
    lookup_by_type = dict.get


class Shell:
    """What the extension asks of IPython's shell."""

    def __init__(self) -> None:
        self.display_formatter = self
        self.formatters = {"text/html": HtmlFormatter()}


def test_the_extension_installs_and_shows_lists_of_devices(monkeypatch) -> None:
    versions: list[int] = []
    monkeypatch.setattr(ipython, "install_as_tensorflow", versions.append)
    monkeypatch.setattr(hook, "uninstall", lambda: versions.append(0))
    monkeypatch.delitem(ipython.sys.modules, "keras", raising=False)
    shell = Shell()
    placewise.load_ipython_extension(shell)
    show = shell.formatters["text/html"][list]
    assert ">/physical_device:GPU:0</td>" in show([PhysicalDevice("/physical_device:GPU:0", "GPU")])
    assert show([]) is None and show([1]) is None
    placewise.unload_ipython_extension(shell)
    assert versions == [2, 0] and not shell.formatters["text/html"]


def test_the_extension_stays_while_keras_needs_it(monkeypatch) -> None:
    monkeypatch.setitem(ipython.sys.modules, "keras", ipython)
    with pytest.raises(RuntimeError, match="Keras is loaded"):
        placewise.unload_ipython_extension(Shell())
