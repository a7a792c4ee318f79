"""Compares placement of random graphs with TensorFlow's: see `main`."""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import placewise.compat.v1 as tf
from placewise.devices.inventory import devices_for
from placewise.placement.placer import place
from tests.placement.draws import draw

ASK = Path(__file__).with_name("ask_placements.py")
# What an error is about, by the words of each. placewise has those of the guides where they differ.
SUBJECTS = {
    "group": "was colocated with a group of nodes",
    "kernel": "because no supported kernel",
    "request": "was explicitly assigned|Could not satisfy explicit device",
    "malformed": "Malformed device",
    "resource edge": "connects colocation groups with incompatible",
    "edge": "Nodes were connected by a reference",
    "kinds": "because no device type supports",
    "colocation": "Cannot colocate nodes",
}


def here(graph_def: Any, soft: bool, is_tf1: bool) -> Any:
    """Return what placewise answers, in the form of `ask_placements.py`."""
    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.import_graph_def(graph_def, name="")
            tf.no_op(name="go")
    except Exception as error:
        return {"import": type(error).__name__, "message": str(error)}
    devices = devices_for(tf.ConfigProto(device_count={"CPU": 4}))
    try:
        placed = place(graph.get_operations(), devices, soft, {}, is_tf1=is_tf1)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
    found = {
        op.name: device.name.rpartition("/device:")[2]
        for op, device in placed.devices.items()
        if op.name != "go"
    }
    return {"placed": found, "ignored": sorted(set(placed.ignored))}


def comparable(answer: Any) -> Any:
    """Return the part of an answer that has to agree."""
    if "message" not in answer:
        return answer["placed"], [_without_version(text) for text in answer["ignored"]]
    if "import" in answer:
        return "import", answer["import"]
    return answer["error"], subject(answer["message"])


def subject(message: str) -> str:
    """Return what an error is about, and the names in the parts that must be TensorFlow's words."""
    kind = next((name for name, words in SUBJECTS.items() if re.search(words, message)), message)
    if kind in ("colocation", "edge", "resource edge", "kinds"):
        words = message[re.search(SUBJECTS[kind], message).start() :]
        names = re.findall(r"node (\S+?)(?:\}\}| \()", words)[:2]
        why = re.search("Cannot merge .*|because .*|Cannot place .*", words)
        return " ".join([kind, *names, why.group() if why else ""])
    return kind


def _without_version(text: str) -> str:
    return re.sub(r"INVALID_ARGUMENT|Invalid argument", "invalid", text).strip()


def asked(python: str, first: int, count: int) -> Iterator[tuple[int, Any]]:
    """Yield the answers of a TensorFlow."""
    with tempfile.TemporaryDirectory() as folder:
        graphs, answers = Path(folder, "graphs"), Path(folder, "answers")
        with graphs.open("w") as out:
            for number in range(first, first + count):
                graph_def, soft = draw(number)
                message = base64.b64encode(graph_def.SerializeToString()).decode()
                out.write(json.dumps([number, message, soft]) + "\n")
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        subprocess.run(
            [python, str(ASK), str(graphs), str(answers)],
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        for line in answers.read_text().splitlines():
            yield tuple(json.loads(line))


def main(arguments: list[str]) -> int:
    """Ask a TensorFlow and placewise about graphs and print where they differ.

    `python -m tests.placement.compare_draws --python /some/bin/python --first 0 --count 300`;
    `--tf1` for a Python with TensorFlow 1.15, `--answers FILE` for answers that are there already.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--python")
    parser.add_argument("--answers")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--tf1", action="store_true")
    options = parser.parse_args(arguments)
    if options.answers:
        lines = Path(options.answers).read_text().splitlines()
        answers = (json.loads(line) for line in lines)
    else:
        answers = asked(options.python, options.first, options.count)
    count = different = 0
    for number, theirs in answers:
        graph_def, soft = draw(number)
        own = here(graph_def, soft, options.tf1)
        count += 1
        if comparable(own) != comparable(theirs):
            different += 1
            print(f"graph {number}, soft={soft}\n  here       {own}\n  TensorFlow {theirs}")
    print(f"{count} graphs, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
