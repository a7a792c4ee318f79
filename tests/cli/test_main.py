"""The command line as a whole."""

from __future__ import annotations

import pytest

from .conftest import Run


def test_help_names_the_commands(placewise: Run) -> None:
    done = placewise("--help")
    assert done.returncode == 0
    assert "devices" in done.stdout
    assert "run" in done.stdout


@pytest.mark.parametrize("command", ["devices", "run"])
def test_each_command_has_help(placewise: Run, command: str) -> None:
    done = placewise(command, "--help")
    assert done.returncode == 0
    assert "--simulate MACHINE" in done.stdout


def test_the_version(placewise: Run) -> None:
    assert placewise("--version").stdout.startswith("placewise ")


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["devices", "extra"], ["devices", "--sim"]]
)
def test_what_is_no_command_is_a_usage_error(placewise: Run, arguments: list[str]) -> None:
    done = placewise(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: placewise")
