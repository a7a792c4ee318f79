"""Examples in the texts of the project, found without importing anything.

An example is a `>>>` line in any string of a module of `src` (a docstring, or the `doc=` of an op
of a family), or in a page. Each string, and each page, is one doctest.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
MARK = ">>> "
# An error is told by its class, without its module and words.
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


class Text(NamedTuple):
    """A text with examples, and where it stands."""

    content: str
    path: Path
    line: int
    module: str = ""  # whose names the examples see; "" for pages

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def texts_of_source() -> Iterator[Text]:
    """Yield every string in `src` that has an example."""
    for path in sorted(SOURCE.rglob("*.py")):
        content = path.read_text(encoding="utf-8")
        if MARK in content:
            module = path.relative_to(SOURCE).with_suffix("")
            name = ".".join(module.parts).removesuffix(".__init__")
            for node in ast.walk(ast.parse(content)):
                if isinstance(node, ast.Constant) and MARK in str(node.value):
                    yield Text(node.value, path, node.lineno, name)


def texts_of_pages() -> Iterator[Text]:
    """Yield the pages that have examples."""
    for path in PAGES:
        content = path.read_text(encoding="utf-8") if path.exists() else ""
        if MARK in content:
            # The end of a block would be read as a line of output.
            yield Text(content.replace("```\n", "\n"), path, 1)


def failures(text: Text, names: dict[str, Any]) -> str:
    """Run the examples of a text, and return what is not as it says, in doctest's words."""
    report: list[str] = []
    test = doctest.DocTestParser().get_doctest(
        text.content, names, str(text), str(text.path), text.line - 1
    )
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    return "".join(report)
