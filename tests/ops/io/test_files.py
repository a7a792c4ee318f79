"""`tf.io.write_file` where something else than a plain file is in its place."""

import os
import threading

import pytest

import placewise as tf


def test_a_link_stays_and_the_file_it_leads_to_is_written(tmp_path):
    (tmp_path / "file").write_text("before")
    for name, target in (("link", "file"), ("dangling", "made")):
        (tmp_path / name).symlink_to(target)
        tf.io.write_file(str(tmp_path / name), name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / target).read_text() == name


def test_a_link_that_leads_to_itself_is_refused_and_kept(tmp_path):
    link = tmp_path / "loop"
    link.symlink_to(link)
    with pytest.raises(tf.errors.OpError, match="Too many levels of symbolic links"):
        tf.io.write_file(str(link), "text")
    assert link.is_symlink()


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    tf.io.write_file(str(pipe), "text")
    reader.join(10)
    assert received == ["text"]
    assert pipe.is_fifo()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_device_is_written_to_and_not_replaced():
    before = os.stat("/dev/full")
    if os.access("/dev", os.W_OK):  # a mistake would replace it
        path = f"/proc/self/fd/{(handle := os.open('/dev/full', os.O_WRONLY))}"
    else:
        path, handle = "/dev/full", None
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        tf.io.write_file(path, "text")
    if handle is not None:
        os.close(handle)
    assert os.stat("/dev/full").st_mode == before.st_mode
