"""tf.profiler.experimental: a capture is written for TensorBoard and for Chrome."""

import gzip
import json

import pytest

import placewise as tf
from placewise import messages


def test_a_capture_holds_kernels_and_named_blocks(tmp_path):
    profiler = tf.profiler.experimental
    with profiler.Profile(str(tmp_path)):
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            profiler.start(str(tmp_path))
        with profiler.Trace("train", step_num=1):
            tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]))
    (space,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    found = messages.XSpace.FromString(space.read_bytes())
    (host,) = [plane for plane in found.planes if plane.name == "/host:CPU"]
    names = {metadata.name for metadata in host.event_metadata.values()}
    assert "train" in names and any("mm" in name for name in names)
    (trace,) = tmp_path.glob("plugins/profile/*/*.trace.json.gz")
    assert json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]


def test_a_capture_that_never_began_cannot_end():
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        tf.profiler.experimental.stop()
