"""What takes long is shown on a terminal, and only there."""

import os
import pty
import re
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
from placewise.core.activity import phase

with phase("saving", "/where/it/is/far/away/model.ckpt", 8 << 20, in_bytes=True) as count:
    for _ in range(7):
        time.sleep(0.2)
        count.done += 1 << 20
print("saved")

@phase("compiling")
def compile():
    with phase("compiling", "the function 'step'"):
        time.sleep(1.3)

compile()
print("compiled")
with phase("saving", "a little"):
    pass
print("end")
"""


def run_on_terminal(**environment):
    """Return what a program writes whose streams are a terminal."""
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=there,
        stdout=there,
        stderr=there,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
    )
    os.close(there)
    written = b""
    while True:
        try:
            written += os.read(here, 4096)
        except OSError:  # all have closed it
            break
    os.close(here)
    assert process.wait(60) == 0
    return written.decode()


@pytest.fixture(scope="module")
def shown():
    return run_on_terminal()


def frames(text):
    """Return the lines that were drawn one over the other, without colours."""
    return [re.sub(r"\x1b\[[\d;]*m", "", part) for part in text.split("\r\x1b[2K")]


def test_saving_shows_how_far_it_is_and_compiling_for_how_long(shown):
    drawn = frames(shown)
    assert any(
        re.fullmatch(r"saving …/model.ckpt … 1 s ━*[╸╺]?━+ \d.00MiB of 8.00MiB", one)
        for one in drawn
    ), drawn
    assert "compiling the function 'step' … 1 s" in drawn


def test_the_line_is_gone_before_the_program_writes(shown):
    drawn = frames(shown)
    assert "saved\r\n" in drawn
    assert "compiled\r\nend\r\n" in drawn


def test_what_is_quick_is_not_shown(shown):
    assert "a little" not in shown


def test_it_can_be_turned_off():
    assert run_on_terminal(PLACEWISE_PROGRESS="0") == "saved\r\ncompiled\r\nend\r\n"


def test_nothing_is_written_to_a_pipe():
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True
    )
    assert (result.stdout, result.stderr) == ("saved\ncompiled\nend\n", "")
