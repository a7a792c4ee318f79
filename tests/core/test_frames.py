"""Frames of other threads, also while these begin and end and garbage is collected."""

import subprocess
import sys
import threading

from placewise.core.frames import current_frames

# Every new object starts a garbage collection, and each of these lets other threads run.
PROGRAM = """
import gc, threading, time
from placewise.core.frames import current_frames

class Cycle:
    def __init__(self):
        self.own = self

    def __del__(self):
        time.sleep(0)
        threading.Event()

def begin_and_end():
    while not over.is_set():
        thread = threading.Thread(target=time.sleep, args=(0,))
        thread.start()
        thread.join()

over = threading.Event()
threads = [threading.Thread(target=begin_and_end) for _ in range(4)]
for thread in threads:
    thread.start()
gc.set_threshold(1)
for _ in range(300):
    Cycle()
    current_frames()
over.set()
print("ended")
"""


def test_every_thread_has_a_frame():
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert {thread.ident, threading.get_ident()} <= current_frames().keys()
    finally:
        over.set()
        thread.join(10)


def test_a_garbage_collection_does_not_stop_all_threads_for_ever():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "ended\n"
