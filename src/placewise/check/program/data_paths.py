"""Rules about where a program finds its data: folders of other machines, files that are gone."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from placewise.check.finding import Finding
from placewise.check.program.facts import ProgramFacts
from placewise.check.program.scan import Scan

_ELSEWHERE = re.compile(r"^(/home/|/Users/|/content/|/kaggle/|/gdrive/|/media/|[A-Za-z]:[\\/])\S")
_REMOTE = re.compile(r"^(gs|s3|hdfs|viewfs|wasbs?)://\S")
_READERS = re.compile(
    r"(^|\.)(open|read_csv|read_json|read_pickle|read_table|loadtxt|genfromtxt|imread|"
    r"(np|numpy)\.load|TFRecordDataset|TextLineDataset|File|listdir)$"
)
_MNIST = ("read_data_sets", "load_mnist")
_MNIST_FILE = "train-images-idx3-ubyte.gz"
_SUFFIX = re.compile(r"\.\w{1,9}$")


def foreign_folders(facts: ProgramFacts) -> Iterator[Finding]:
    """A path of somebody's own machine, which is not here."""
    for scan in facts.scans:
        for text, line in _path_texts(scan):
            if not _ELSEWHERE.match(text) or _exists(text, facts):
                continue
            yield Finding(
                "path-of-another-machine",
                "warning",
                f"{text!r} is a path of another machine, and not here.",
                "Reading from it fails; a program that writes there makes the folder or fails.",
                _path_fix(text),
                scan.source.where(line),
            )


def _path_fix(text: str) -> str:
    if text.startswith("/content/"):
        return "this is a folder of Colab: put the file beside the program and write its name alone"
    if text.startswith("/kaggle/"):
        return "this is a folder of Kaggle: download the data set and write its folder here"
    return "write the path of the data on this machine, or take it from an argument"


def _exists(text: str, facts: ProgramFacts) -> bool:
    plain = text.split("*", 1)[0].split("%", 1)[0].split("{", 1)[0]
    path = facts.working_folder / plain
    # What ends in a pattern is there if its folder is.
    return path.exists() or (plain != text and path.parent.exists())


def _path_texts(scan: Scan) -> Iterator[tuple[str, int]]:
    """Yield the text constants of a file that are no documentation and nothing printed."""
    for node in scan.source.nodes:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        parent = scan.source.parents.get(node)
        if isinstance(parent, ast.Expr | ast.Compare) or "\n" in node.value:
            continue
        if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "print":
            continue
        yield node.value, node.lineno


def remote_files(facts: ProgramFacts) -> Iterator[Finding]:
    """A path in a store that placewise does not read."""
    for scan in facts.scans:
        for text, line in _path_texts(scan):
            if _REMOTE.match(text):
                yield Finding(
                    "path-remote",
                    "warning",
                    f"{text!r} is in a store over the network, which placewise does not read.",
                    "Opening it raises an UnimplementedError.",
                    f"copy it here first ({_copy_command(text)}), and write the path of the copy",
                    scan.source.where(line),
                )


def _copy_command(text: str) -> str:
    tools = {"gs": "gsutil cp -r", "s3": "aws s3 cp --recursive", "hdfs": "hdfs dfs -get"}
    return f"{tools.get(text.partition('://')[0], 'download')} {text} data/"


def mnist_files(facts: ProgramFacts) -> Iterator[Finding]:
    """The digits of the old tutorials are not in their folder."""
    for scan in facts.scans:
        for path, call in scan.calls():
            if not path.endswith(_MNIST):
                continue
            if any(word.arg == "fake_data" for word in call.keywords):
                continue
            folder = call.args[0] if call.args else None
            name = folder.value if isinstance(folder, ast.Constant) else None
            if not isinstance(name, str):
                continue
            if not (facts.working_folder / os.path.expanduser(name) / _MNIST_FILE).exists():
                yield Finding(
                    "mnist-missing",
                    "note",
                    f"The MNIST files are not in {name!r}.",
                    "They are fetched when the program runs; without a network it stops there.",
                    f"put the four files (train-images-idx3-ubyte.gz …) into {name}",
                    scan.source.where(call.lineno),
                )


def missing_files(facts: ProgramFacts) -> Iterator[Finding]:
    """A file is read by a name that is not here, and that the program does not write itself."""
    for scan in facts.scans:
        reads = list(_reads(scan))
        counts: dict[str, int] = {}
        for text, _ in _path_texts(scan):
            counts[text] = counts.get(text, 0) + 1
        for text, call in reads:
            # A name that comes twice may be written before it is read.
            if counts.get(text, 0) > 1 or _REMOTE.match(text) or _ELSEWHERE.match(text):
                continue
            if _is_here(text, facts) or scan.is_under(call, ("exist", "isfile", "isdir")):
                continue
            yield Finding(
                "file-missing",
                "warning",
                f"The program reads {text!r}, and there is no such file in "
                f"{facts.working_folder.resolve()}.",
                "It stops there with a FileNotFoundError, unless it makes the file before.",
                f"cd {facts.folder}  (paths are those of the folder you start it in)"
                if (facts.folder / text).exists()
                else f"put {text} there",
                scan.source.where(call.lineno),
            )


def _is_here(text: str, facts: ProgramFacts) -> bool:
    return (facts.working_folder / os.path.expanduser(text)).exists()


def _reads(scan: Scan) -> Iterator[tuple[str, ast.Call]]:
    for node in scan.source.nodes:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        first = node.args[0]
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        if not _READERS.search(ast.unparse(node.func)) or not _SUFFIX.search(first.value):
            continue
        if _is_reading(node) and Path(first.value).suffix and "*" not in first.value:
            yield first.value, node


def _is_reading(call: ast.Call) -> bool:
    """Return whether the mode of `open` is one that reads."""
    modes = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
    return not any(isinstance(text, str) and set(text) & set("wax") for text in texts)


RULES = (foreign_folders, remote_files, mnist_files, missing_files)
