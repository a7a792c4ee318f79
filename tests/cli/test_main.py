"""The command line as a whole."""

from __future__ import annotations

import os
import subprocess
import sys

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


@pytest.mark.parametrize("arguments", [["--version"], ["man"], ["devices", "--models"]])
def test_a_reader_that_ends_early_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "placewise", *arguments]
    try:
        done = subprocess.run(
            command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120
        )
    finally:
        os.close(writer)
    assert (done.stderr, done.returncode) == ("", 0)
