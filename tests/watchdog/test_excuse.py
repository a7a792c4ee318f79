"""What may stand still: who asks the user, or is being looked at in a debugger."""

import io
import os
import pdb
import sys
import threading
import time

import pytest

from placewise.core.frames import current_frames
from placewise.watchdog.excuse import excuse


def ask():
    input("go on? ")


def stop():
    pdb.Pdb(nosigint=True, stdin=sys.stdin, stdout=sys.stdout).set_trace()
    return 1


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (ask, "waits for the user"),
        (stop, "waits for the user"),
        (lambda: time.sleep(0.4), None),
        (lambda: threading.Event().wait(0.4), None),
    ],
)
def test_waiting_for_the_user_is_an_excuse_and_sleeping_is_none(target, why, monkeypatch):
    reading, writing = os.pipe()
    with open(reading) as typed, open(writing, "w") as keyboard:
        monkeypatch.setattr(sys, "stdin", typed)
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        time.sleep(0.2)
        excused = excuse(current_frames().get(thread.ident))
        keyboard.write("continue\n")
        keyboard.flush()
        thread.join(10)
    assert excused == why
