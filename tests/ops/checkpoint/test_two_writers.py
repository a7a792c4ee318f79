"""Two that save to the same place at once: both succeed, and one of the two saves is there."""

import os
import threading
import time

import numpy as np

from placewise.ops.checkpoint.bundle_reader import Bundle
from placewise.ops.checkpoint.bundle_writer import BundleWriter
from placewise.ops.io import drafts


def test_two_writers_of_one_checkpoint_leave_the_whole_of_one(tmp_path):
    prefix, problems = str(tmp_path / "model"), []

    def save(value):
        try:
            for _ in range(40):
                writer = BundleWriter(prefix)
                writer.add("v", np.full(100, value, np.float32))
                writer.finish()
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=save, args=(value,)) for value in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    with Bundle(prefix) as bundle:
        assert len(set(bundle.read("v").tolist())) == 1
    assert sorted(os.listdir(tmp_path)) == ["model.data-00000-of-00001", "model.index"]


def test_a_writer_that_stands_still_is_passed(tmp_path, monkeypatch):
    monkeypatch.setattr(drafts, "_LONGEST_COMMIT_SECONDS", 0.05)
    path = str(tmp_path / "model")
    begin = time.monotonic()
    with drafts.committing(path), drafts.committing(path):
        waited = time.monotonic() - begin
    assert waited >= 0.05
    with drafts.committing(path):
        pass
    assert not os.listdir(tmp_path)
