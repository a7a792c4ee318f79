"""Records every public path of the TensorFlow that runs it: kind, and parameters of what is called.

Run from the project's root, once with each TensorFlow (2.21 and 1.15.5, the latter on Python 3.7):
`python -m tests.surface.record` writes `tensorflow2.json` or `tensorflow1.json`, one line a path;
TensorFlow 2, run second, also writes `later1.json`: what its tf.compat.v1 has that 1.15 has not,
or has otherwise.
`python -m tests.surface.record --usage api-usage.csv`, with any Python and after the two, copies
the file counts of these paths to `usage.json`.

A line reads `"math.cumsum": "function(x, axis=0, exclusive=False, reverse=False, name=None)"`;
a default that is no plain value is written `...`, and a callable whose parameters cannot be told
has no brackets.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import os
import sys
import types
from pathlib import Path

from .differences import EXCEPTED, PARTLY
from .parameters import describe

HERE = Path(__file__).parent
# Modules of the API proper. Others (numpy, mock, inner modules) are named but not entered.
ENTERED = (
    "tensorflow._api",
    "tensorflow_core._api",
    "tensorflow_estimator",
    "tensorflow.experimental",
    "tensorflow.python.platform.flags",
    "tensorflow_core.python.platform.flags",
)


def main() -> None:
    """Record what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--usage", metavar="CSV", help="copy file counts from this table")
    arguments = parser.parse_args()
    if arguments.usage:
        write_usage(arguments.usage)
    else:
        write_names()


def write_names() -> None:
    """Write the paths of the TensorFlow that is installed here."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module("tensorflow")
    era = "tf" + tf.__version__[0]
    excepted = {*EXCEPTED[era], *PARTLY[era]}
    names = {path: describe(value) for path, value in walk(tf, "", excepted)}
    if era == "tf1":
        names.update(contrib(tf))
    else:
        excepted = {*EXCEPTED["tf1"], *PARTLY["tf1"], "raw_ops"}
        later = {path: describe(value) for path, value in walk(tf.compat.v1, "", excepted)}
        before = json.loads((HERE / "tensorflow1.json").read_text())
        write("later1", {path: said for path, said in later.items() if before.get(path) != said})
    write("tensorflow" + era[2:], names)
    print(tf.__version__, len(names), "paths")


def walk(module, prefix, excepted):
    """Yield path and value of each public name of a module, and of the modules in it."""
    for name in sorted(dir(module)):
        path = prefix + name
        if name.startswith("_") or path in excepted:
            continue
        try:
            value = getattr(module, name)
        except Exception as error:
            print("not there:", path, repr(error)[:80], file=sys.stderr)
            continue
        if type(value).__name__ == "_Feature":  # from __future__ import …
            continue
        yield path, value
        if isinstance(value, types.ModuleType):
            # Modules that load Keras on first use raise on any question but a public name.
            own_name = vars(value).get("__name__", "")
            if own_name.startswith(ENTERED):
                yield from walk(value, path + ".", excepted)
            else:
                print("not entered:", path, own_name, file=sys.stderr)


def contrib(tf):
    """Return the parts of tf.contrib that programs use."""
    found = {"contrib": "module"}
    used = json.loads((HERE / "usage.json").read_text())
    for path in sorted(path for path, era, _ in used if path.startswith("contrib.")):
        try:
            value = tf
            for name in path.split("."):
                value = getattr(value, name)
        except Exception as error:
            print("not there:", path, repr(error)[:80], file=sys.stderr)
        else:
            found[path] = describe(value)
    return found


def write_usage(table: str) -> None:
    """Write how many files of each era use each recorded path; tf.compat.v1's count for TF 1."""
    with open(table, encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    known = {era: json.loads((HERE / f"tensorflow{era[2:]}.json").read_text()) for era in EXCEPTED}
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        symbol = row["symbol"][len("tf.") :]
        modern, old = int(row["files_tf2"]), int(row["files_tf1"])
        if symbol.startswith("compat.v1."):
            symbol, old, modern = symbol[len("compat.v1.") :], old + modern, 0
        for era, files in (("tf2", modern), ("tf1", old)):
            # Which parts of tf.contrib are recorded follows from this table, so it has them all.
            is_contrib = era == "tf1" and symbol.startswith("contrib.")
            if files and (symbol in known[era] or is_contrib):
                counts[symbol, era] = counts.get((symbol, era), 0) + files
    listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [json.dumps([symbol, era, files]) for (symbol, era), files in listed]
    (HERE / "usage.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines), "counts")


def write(name: str, entries: dict[str, str]) -> None:
    """Write one line a path, in order."""
    lines = [f"{json.dumps(path)}: {json.dumps(entries[path])}" for path in sorted(entries)]
    (HERE / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
