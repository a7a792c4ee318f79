"""Sort, filter and tree of processes."""

from __future__ import annotations

import pytest

from placewise.cli.top.ordering import SORTS, as_tree, filtered, ordered
from placewise.cli.top.snapshot import ProcessLine

from .test_snapshot import facts

LINES = [
    ProcessLine(30, "zoe", cards=("1",), used_bytes=5, steps_per_second=9.0, command="b.py"),
    ProcessLine(10, "ann", cards=("0",), used_bytes=7, seconds=5.0, command="c.py"),
    ProcessLine(20, "bob", command="a.py", phase="compiling 3 s", seconds=50.0),
]


@pytest.mark.parametrize(
    "by,expected",
    [
        ("gpu", [10, 30, 20]),
        ("memory", [10, 30, 20]),
        ("rate", [30, 10, 20]),
        ("time", [20, 10, 30]),
        ("user", [10, 20, 30]),
        ("pid", [10, 20, 30]),
        ("command", [20, 30, 10]),
    ],
)
def test_sort(by: str, expected: list[int]) -> None:
    assert [line.pid for line in ordered(LINES, by)] == expected
    assert [line.pid for line in ordered(LINES, by, is_reversed=True)] == expected[::-1]


def test_every_sort_is_tested() -> None:
    marks = test_sort.pytestmark[0].args[1]
    assert {by for by, _ in marks} == set(SORTS)


@pytest.mark.parametrize(
    "text,expected",
    [
        ("", [30, 10, 20]),
        ("PY", [30, 10, 20]),
        ("ann", [10]),
        ("compil", [20]),
        ("gpu:1", [30]),
        ("user:bob a.py", [20]),
        ("user:bo", []),
        ("zoe ann", []),
    ],
)
def test_filter(text: str, expected: list[int]) -> None:
    assert [line.pid for line in filtered(LINES, text)] == expected


def test_tree_shows_the_process_that_started_several() -> None:
    known = {
        5: facts(5, parent=1, command="bash"),
        6: facts(6, parent=5, command="torchrun"),
        10: facts(10, parent=6),
        20: facts(20, parent=6),
        30: facts(30, parent=20),
    }
    tree = [(line.pid, line.depth, line.command) for line in as_tree(LINES, known)]
    assert tree == [
        (6, 0, "torchrun"),
        (10, 1, "c.py"),
        (20, 1, "a.py"),
        (30, 2, "b.py"),
    ]


def test_processes_that_have_nothing_in_common_stay_as_they_are() -> None:
    known = {line.pid: facts(line.pid) for line in LINES}
    assert as_tree(LINES, known) == LINES
