"""docs/check.md lists every finding that there is, and no other; every one of them is tested."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from placewise import check
from tests.check.test_rules import CASES
from tests.check.test_staged_faults import STAGED

PAGE = Path(__file__).parents[2] / "docs" / "check.md"
MAKERS = ("Finding", "_error", "_full", "_closed")


def codes() -> set[str]:
    """Return the codes of all findings, from the calls that make them."""
    found: set[str] = set()
    for path in Path(check.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS and node.args:
                found.update(_texts(node.args[0]))
    return found


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield from ("name-of-tf1", "name-of-tf2")


def test_the_page_lists_every_finding() -> None:
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE.read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == codes()


def test_every_finding_about_a_machine_is_tested() -> None:
    tested = {code for _, code, *_ in STAGED.values()} | {code for _, code, *_ in CASES.values()}
    in_programs = {
        code
        for path in (Path(__file__).parent / "program").glob("test_*.py")
        for code in codes()
        if f'"{code}"' in path.read_text()
    }
    by_command = {"notebook-command"}  # tests/cli/test_check.py
    assert codes() - tested - in_programs - by_command == set()
