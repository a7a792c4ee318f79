"""What a real TensorBoard makes of the files: `make tensorboard-tests`."""

from __future__ import annotations

import gzip
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

_TENSORBOARD = os.environ.get("PLACEWISE_TENSORBOARD")
pytestmark = pytest.mark.skipif(
    not _TENSORBOARD, reason="TensorBoard has an environment of its own: make tensorboard-tests"
)
_START_SECONDS = 120


class Server:
    """A TensorBoard that serves a folder."""

    def __init__(self, port: int) -> None:
        self._address = f"http://localhost:{port}"

    def get(self, page: str, **query: str) -> str:
        """Return what a data page answers."""
        url = f"{self._address}/data/plugin/{page}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            data = answer.read()
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        """Return when the runs are loaded."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            assert process.poll() is None, "TensorBoard has ended"
            try:
                if {"tf1", "tf2"} <= json.loads(self.get("graphs/info")).keys():
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.3)
        raise AssertionError(f"TensorBoard has loaded nothing after {_START_SECONDS} s")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    program = Path(__file__).with_name("program.py")
    environment = os.environ | {"PLACEWISE_SIMULATE": "2xK80"}
    subprocess.run([sys.executable, program, folder], check=True, env=environment, timeout=120)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [f"{_TENSORBOARD}/tensorboard", "--logdir", folder, "--port", str(port)]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen([*command, "--load_fast=false"], stdout=log, stderr=log)
    try:
        result = Server(port)
        result.wait(process)
        yield result
    finally:
        process.terminate()
        process.wait(30)


def _devices(graph: str) -> dict[str, str]:
    """Return the device of each node of a graph that is written as text."""
    nodes = re.split(r"^node \{\n", graph, flags=re.MULTILINE)[1:]
    devices = {}
    for node in nodes:
        name = re.search(r'^  name: "(.*)"', node, re.MULTILINE).group(1)
        device = re.search(r'^  device: "(.*)"', node, re.MULTILINE)
        devices[name] = device.group(1).rpartition("device:")[2] if device else ""
    return devices


def test_the_graph_page_has_the_device_that_ran_each_op_of_a_function(server):
    devices = _devices(server.get("graphs/graph", run="tf2", tag="step", conceptual="false"))
    assert devices["hidden"] == "GPU:0" and devices["total"] == "GPU:1"


def test_the_graph_page_shows_run_metadata_of_a_session(server):
    # The page gives each node the device of its row here, and colours it by that.
    assert "product" in _devices(server.get("graphs/graph", run="tf1"))
    metadata = server.get("graphs/run_metadata", run="tf1", tag="step 1")
    rows = re.split(r"  dev_stats \{\n", metadata)[1:]
    names = {
        re.search(r'device: ".*device:(.*)"', row).group(1): re.findall(r'node_name: "(.*)"', row)
        for row in rows
    }
    assert "product" in names["GPU:1"] and "total" in names["GPU:0"]
    assert "timeline_label" in metadata and "all_end_rel_micros" in metadata


def test_the_profile_page_shows_ops_and_copies_per_device(server):
    (run,) = json.loads(server.get("profile/runs"))
    assert "trace_viewer@" in json.loads(server.get("profile/run_tools", run=run))
    (host,) = json.loads(server.get("profile/hosts", run=run, tag="trace_viewer"))
    text = server.get("profile/data", run=run, tag="trace_viewer", host=host["hostname"])
    events = [event for event in json.loads(text)["traceEvents"] if event]
    processes = {
        event["pid"]: event["args"]["name"]
        for event in events
        if event.get("name") == "process_name"
    }
    ran = [
        (event["name"], processes[event["pid"]])
        for event in events
        if event.get("ph") == "X" and "tf_op" in event.get("args", {})
    ]
    assert ran.count(("Relu", "/device:GPU:0")) == 3 and ran.count(("Sum", "/device:GPU:1")) == 3
    (reason,) = {
        event["args"]["reason"]
        for event in events
        if event.get("name") == "Relu" and event.get("ph") == "X"
    }
    assert reason == "requested /device:GPU:0"
    lines = {event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    assert "copies GPU:0 to GPU:1" in lines
