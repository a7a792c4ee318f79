"""The trace that Chrome and Perfetto show: tracks, arrows, counters."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import placewise as tf
from placewise.profiler import chrome_trace
from placewise.profiler.recorder import Recorder

tf1 = tf.compat.v1


@pytest.fixture(scope="module")
def trace():
    with tf.simulate("2xV100"), tf1.Graph().as_default(), tf1.Session() as session:
        fed = tf1.placeholder(tf1.float32, [None, 4], name="fed")
        with tf1.device("/gpu:0"):
            hidden = tf1.nn.relu(fed, name="hidden")
        with tf1.device("/gpu:1"):
            total = tf1.reduce_sum(hidden, name="total")
        recorder = Recorder()
        recorder.start()
        session.run(total, {fed: np.ones([2, 4], np.float32)})
        recording = recorder.stop()
    return json.loads(gzip.decompress(chrome_trace.to_gzip(recording)))["traceEvents"]


def _named(trace, kind):
    return {
        (event["pid"], event["tid"] if kind == "thread_name" else 0): event["args"]["name"]
        for event in trace
        if event["ph"] == "M" and event["name"] == kind
    }


def _spans(trace, category):
    return [event for event in trace if event["ph"] == "X" and event["cat"] == category]


def test_each_device_and_link_has_a_track(trace):
    processes = _named(trace, "process_name")
    assert set(processes.values()) == {"program", "copies", "GPU:0", "GPU:1"}
    links = set(_named(trace, "thread_name").values()) - {"ops"}
    assert links == {"CPU:0 → GPU:0", "GPU:0 → GPU:1", "GPU:1 → CPU:0"}
    on = {event["name"]: processes[event["pid"], 0] for event in _spans(trace, "op")}
    assert on == {"Relu": "GPU:0", "Sum": "GPU:1"}


def test_ops_tell_their_line_reason_and_inputs(trace):
    (relu,) = [event for event in _spans(trace, "op") if event["name"] == "Relu"]
    assert relu["args"]["name"] == "hidden" and "test_chrome_trace.py" in relu["args"]["line"]
    assert relu["args"]["reason"] == "requested /device:GPU:0"
    assert relu["args"]["inputs"] == ["float32[2,4]"]


def test_arrows_begin_and_end_inside_of_what_they_connect(trace):
    begins = {event["id"]: event for event in trace if event["ph"] == "s"}
    ends = {event["id"]: event for event in trace if event["ph"] == "f"}
    assert begins.keys() == ends.keys() and len(begins) == 4
    spans = [*_spans(trace, "op"), *_spans(trace, "copy")]
    for arrow in (*begins.values(), *ends.values()):
        inside = [
            span
            for span in spans
            if (span["pid"], span["tid"]) == (arrow["pid"], arrow["tid"])
            and span["ts"] <= arrow["ts"] <= span["ts"] + span["dur"]
        ]
        assert inside, arrow


def test_counters_show_the_memory_in_use(trace):
    counters = [event for event in trace if event["ph"] == "C" and event["name"] == "memory in use"]
    assert {event["pid"] for event in counters} == {10, 11}
    assert max(event["args"]["bytes"] for event in counters) >= 256
