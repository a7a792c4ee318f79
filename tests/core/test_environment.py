"""One file reads the environment, and the documentation lists each variable."""

import re
from pathlib import Path

import pytest

import placewise
from placewise.core import environment

SOURCES = Path(placewise.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "environment.md"
# The text of a notebook's `%env`, and what `check` looks for in programs: they set the variable.
PROGRAMS = {"cli/notebook.py", "check/cluster_config.py", "check/program/timing.py"}


def test_no_other_file_reads_the_environment() -> None:
    reading = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(r"\benviron\b|\bgetenv\b", path.read_text())
    }
    assert reading - PROGRAMS == {"core/environment.py"}


@pytest.mark.parametrize("name", sorted({*environment.READ, *environment.SET}))
def test_the_documentation_lists_the_variable(name: str) -> None:
    assert re.search(rf"`{name}\b", PAGE.read_text())


def test_a_variable_that_is_not_listed_cannot_be_read_or_set() -> None:
    with pytest.raises(KeyError, match="FLAVOUR is not among"):
        environment.read("FLAVOUR")
    with pytest.raises(KeyError, match="FLAVOUR is not among"):
        environment.put("FLAVOUR", "vanilla")


def test_a_default_leaves_what_the_user_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINETO_LOG_LEVEL", "3")
    environment.put_default("KINETO_LOG_LEVEL", "99")
    assert environment.of_process({"RANK": "1"})["KINETO_LOG_LEVEL"] == "3"
