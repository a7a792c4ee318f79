"""Whose line something is said to come from."""

import os
import sysconfig
from concurrent.futures import ThreadPoolExecutor

import pytest

from placewise.devices.origin import user_line

INSTALLED = os.path.join(sysconfig.get_path("purelib"), "some_library", "layers.py")


def calling(file):
    """Return a function of a file that calls another and returns what that returns."""
    space = {}
    exec(compile("def call(function):\n    return function()", file, "exec"), space)
    return space["call"]


@pytest.mark.parametrize(
    "file",
    [
        INSTALLED,
        "/elsewhere/dist-packages/some_library.py",
        os.path.join(os.sep, "a", "site-packages", "b.py"),
        os.__file__,
        "<placewise plan>",
        "<frozen importlib>",
    ],
)
def test_it_is_the_program_s_and_not_that_of_code_it_uses(file):
    line = calling(file)(user_line)
    assert line.file == __file__


def test_it_is_the_innermost_line_of_the_program():
    assert calling("helper.py")(user_line) == ("helper.py", 2)
    assert calling("helper.py")(lambda: calling(INSTALLED)(user_line)).file == __file__


def test_where_nothing_of_the_program_runs_it_is_the_library_s():
    with ThreadPoolExecutor(1) as threads:
        line = threads.submit(user_line).result()
        assert threads.submit(calling(INSTALLED), user_line).result().file == INSTALLED
    assert line.file.startswith(os.path.dirname(os.__file__))
