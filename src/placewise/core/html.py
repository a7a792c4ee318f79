"""Tables as HTML, for notebooks: all text is escaped, and there is no script and no style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "text-align: left; white-space: pre-wrap"


def to_table(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return rows of values as an HTML table.

    >>> to_table(["op"], [["a < b"]]).count("a &lt; b")
    1
    """
    titles = "".join(f'<th style="{_CELL}">{escape(title)}</th>' for title in header)
    lines = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    above = f'<caption style="{_CELL}">{escape(caption)}</caption>' if caption else ""
    return f"<table>{above}<thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"


def to_details(title: str, text: str) -> str:
    """Return text with its line breaks and columns, folded under a title, as HTML."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def _cell(value: object) -> str:
    return f'<td style="{_CELL}">{escape(str(value))}</td>'
