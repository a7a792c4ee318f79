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


def test_a_capture_has_a_plane_per_device_with_the_ops_that_ran_there(tmp_path):
    with tf.simulate("2xV100"):

        @tf.function
        def step(x):
            with tf.device("/gpu:0"):
                hidden = tf.nn.relu(x)
            with tf.device("/gpu:1"):
                return tf.reduce_sum(hidden)

        values = tf.ones([4, 4])
        with tf.profiler.experimental.Profile(str(tmp_path)):
            for _ in range(6):
                step(values)
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    space = messages.XSpace.FromString(file.read_bytes())
    ops = {}
    for plane in space.planes:
        for line in plane.lines:
            if line.name == "ops":
                names = [plane.event_metadata[event.metadata_id].name for event in line.events]
                ops[plane.name] = names
    assert ops == {"/device:GPU:0": ["Relu"] * 6, "/device:GPU:1": ["Sum"] * 6}
    (relu,) = [plane for plane in space.planes if plane.name == "/device:GPU:0"]
    facts = {
        relu.stat_metadata[stat.metadata_id].name: stat.str_value
        for stat in relu.lines[0].events[0].stats
    }
    assert facts["reason"] == "requested /device:GPU:0" and "test_capture.py" in facts["line"]
    (trace,) = tmp_path.glob("plugins/profile/*/*.trace.json.gz")
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    named = [event for event in events if event["name"] == "process_name"]
    assert {"GPU:0", "GPU:1", "copies"} <= {event["args"]["name"] for event in named}
