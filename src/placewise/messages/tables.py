"""Reading the field tables: which names there are, and which table declares each.

Every topic (`config.py`, `graph.py`, …) holds one text, `TABLE`; indentation nests, `#` is a note:

    file tensorflow/core/protobuf/cluster.proto     TensorFlow's own name for the file
      package tensorflow.x                          `tensorflow` unless said otherwise
      syntax proto2                                 `proto3` unless said otherwise
      public tensorflow/core/other.proto            its names are reachable here too
      JobDef                                        one word: a message
        name 1 string                               a field: name, number, type
        tasks 2 map<int32,string>
        ports 3 repeated int32                      in proto2, `repeated packed int32`
        oneof kind                                  the fields below exclude each other
          local 4 bool
        enum Level                                  enum values: name number, name number, …
          LOW 0, HIGH 1

A type is looked up from the inside out, as in C++. Knows nothing of protobuf.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

TOPICS = (
    "benchmark",
    "boosted_trees",
    "bundle",
    "cluster",
    "config",
    "contrib",
    "dataset",
    "debug",
    "device",
    "event",
    "example",
    "graph",
    "meta_graph",
    "op",
    "pprof",
    "profile",
    "rewriter",
    "saved_model",
    "status",
    "step_stats",
    "structure",
    "summary",
    "tensor",
    "trace",
)

Line = tuple[int, list[str]]


@dataclass
class Source:
    """One file of the tables: its header, the names at its top, and its lines yet to be built."""

    path: str
    package: str = "tensorflow"
    syntax: str = "proto3"
    public: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class Tables:
    """Every file by its path, and every declared message and enum by its full name."""

    files: dict[str, Source]
    messages: dict[str, Source]
    enums: dict[str, Source]

    def home(self, full_name: str) -> Source | None:
        """Return the file that declares `full_name`, whether message or enum."""
        return self.messages.get(full_name) or self.enums.get(full_name)

    def resolve(self, name: str, scope: str) -> str:
        """Return the full name that `name` means inside `scope`; it may be google.protobuf's."""
        outer = scope
        while outer:
            if self.home(f"{outer}.{name}"):
                return f"{outer}.{name}"
            outer = outer.rpartition(".")[0]
        if not name.startswith("google.protobuf."):
            raise KeyError(f"the type {name!r}, used in {scope}, is in no table")
        return name


def enum_values(words: list[str]) -> Iterator[tuple[str, int]]:
    """Return the (name, number) pairs of one line of an enum."""
    for name, number in zip(words[::2], words[1::2], strict=True):
        yield name, int(number.rstrip(","))


def split(text: str) -> Iterator[Line]:
    """Return (depth, words) of each line that says something."""
    for line in text.splitlines():
        said = line.partition("#")[0].rstrip()
        if said:
            words = said.split()
            yield (len(said) - len(said.lstrip())) // 2, words


def read(texts: Iterable[str]) -> Tables:
    """Return the tables written in `texts`."""
    tables = Tables({}, {}, {})
    for text in texts:
        source = Source("")
        scope: list[str] = []
        for depth, words in split(text):
            match depth, words:
                case 0, ["file", path]:
                    source = tables.files[path] = Source(path)
                    continue
                case 1, ["package", package]:
                    source.package = package
                    continue
                case 1, ["syntax", syntax]:
                    source.syntax = syntax
                    continue
                case 1, ["public", path]:
                    source.public.append(path)
                    continue
            source.lines.append((depth, words))
            if len(words) == 1 or words[0] == "enum":
                scope[depth - 1 :] = [words[-1]]
                declared = tables.messages if len(words) == 1 else tables.enums
                declared[".".join([source.package, *scope])] = source
                if depth == 1:
                    source.names.append(words[-1])
            elif depth == 2 and f"{source.package}.{scope[0]}" in tables.enums:
                source.values.update(enum_values(words))
    return tables


@cache
def all_tables() -> Tables:
    """Return the tables of all topics, read on first use."""
    return read(importlib.import_module(f"placewise.messages.{topic}").TABLE for topic in TOPICS)
