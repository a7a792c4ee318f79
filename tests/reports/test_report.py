"""Reports of runs: what a page holds, and when it is written."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser

import pytest

import placewise as tf
from placewise.reports.page import to_html
from placewise.reports.run_data import run_data
from tests.reports.large import large_devices, large_recording
from tests.reports.reading import parts_of, ran

tf1 = tf.compat.v1

_PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8], name="x")
with tf.device("/gpu:0"), tf.variable_scope("hidden"):
    weights = tf.get_variable("weights", [8, 8])
    hidden = tf.nn.relu(tf.matmul(x, weights))
with tf.device("/gpu:1"), tf.name_scope("out"):
    total = tf.reduce_sum(hidden)
    text = tf.as_string(total)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(10):
        session.run([total, text], {x: np.ones([4, 8])})
raise ValueError("this is the end")
"""


def _run(folder, *args):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PLACEWISE")}
    return subprocess.run(
        [sys.executable, "-m", "placewise", *args],
        cwd=folder,
        env=kept,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def failed_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "train.py").write_text(_PROGRAM)
    options = ("--simulate", "2xV100", "--report", "out.html", "--trace", "out.json.gz")
    done = _run(folder, "run", *options, "train.py")
    return folder, done


def test_a_program_that_fails_still_gets_its_report_with_the_error(failed_run):
    folder, done = failed_run
    assert done.returncode == 1 and "ValueError: this is the end" in done.stderr
    assert "wrote out.html and out.json.gz" in done.stderr
    (part,) = parts_of(folder / "out.html")
    assert part["error"].startswith("The program ended with ValueError: this is the end\nat ")
    assert part["error"].endswith("train.py:15")
    assert (folder / "out.json.gz").stat().st_size > 500


def test_ops_are_in_the_page_with_what_was_asked_and_what_was_done(failed_run):
    folder, _ = failed_run
    (part,) = parts_of(folder / "out.html")
    nodes, texts = part["nodes"], part["texts"]
    assert ("MatMul", "GPU:0") in ran(part) and ("Sum", "GPU:1") in ran(part)
    place = [texts[number] for number in nodes["op"]].index("AsString")
    assert part["devices"][nodes["device"][place]]["label"] == "CPU:0"
    assert texts[nodes["requested"][place]] == "/device:GPU:1" and nodes["fell"][place] == 1
    assert texts[nodes["line"][place]].endswith("train.py:10")
    assert part["groups"][1]["count"] == 10 and sum(part["runs"]["detailed"]) == 6


def test_holders_of_the_peak_are_named(failed_run):
    folder, _ = failed_run
    (part,) = parts_of(folder / "out.html")
    (gpu,) = [device for device in part["devices"] if device["label"] == "GPU:0"]
    assert gpu["peak_bytes"] > 0 and gpu["model"].endswith("V100-SXM2-16GB")
    assert "variable hidden/weights" in [holder["what"] for holder in gpu["holders"]]


def test_a_file_that_cannot_be_written_is_told_before_the_program_runs(tmp_path):
    (tmp_path / "train.py").write_text("print('it ran')")
    done = _run(tmp_path, "run", "--report", "no/such/folder/out.html", "train.py")
    assert done.returncode == 2 and "it ran" not in done.stdout
    expected = "--report no/such/folder/out.html: it cannot be written: No such file or directory"
    assert expected in done.stderr
    with pytest.raises(ValueError, match="it is a folder; give the name of a file in it"):
        tf.report(tmp_path)


def test_a_block_is_recorded_and_an_interrupt_is_told(tmp_path):
    page, trace = tmp_path / "page.html", tmp_path / "trace.json"
    with tf.simulate("V100"), pytest.raises(KeyboardInterrupt), tf.report(page, trace=trace):
        tf.nn.relu(tf.ones([4]))
        raise KeyboardInterrupt
    (part,) = parts_of(page)
    assert part["error"].startswith("The program was interrupted.\nat ")
    assert ("Relu", "GPU:0") in ran(part)
    assert trace.read_text().startswith("{")


def test_nothing_watches_ops_after_a_report(tmp_path):
    from placewise.core.scope import watch

    with tf.report(tmp_path / "page.html"):
        assert watch.on
    assert not watch.on and watch.unit is None


class _References(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        names = ("src", "href", "action", "data", "poster", "srcset")
        self.found += [value for name, value in attrs if name in names]


@pytest.fixture(scope="module")
def large_page():
    data = run_data(large_recording(20_000), large_devices(), program="large.py")
    return to_html([data], "large.py")


def test_a_page_refers_to_no_other_file(large_page):
    references = _References()
    references.feed(large_page)
    assert references.found == ["data:,"]  # the icon, which is empty
    style = large_page.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style and "@import" not in style
    for call in ("importScripts", "XMLHttpRequest", "fetch(", "WebSocket", "sendBeacon"):
        assert call not in large_page, call


def test_a_page_of_20_000_ops_is_small(large_page):
    assert len(large_page) < 3_000_000


def test_text_of_a_program_cannot_end_the_script(tmp_path):
    recording = large_recording(1)
    recording.nodes[0].name = "</script><script>alert(1)</script>"
    data = run_data(recording, large_devices(), program="<b>&")
    text = to_html([data], "</title><b>&")
    assert "alert(1)" not in text and "<title>&lt;/title&gt;&lt;b&gt;&amp;" in text
