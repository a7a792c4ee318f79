"""The HTML page: data, libraries, style and scripts in one file that loads nothing else."""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ASSETS = Path(__file__).with_name("assets")
# In the order in which the page runs them.
_SCRIPTS = (
    "format.js",
    "model.js",
    "theme.js",
    "details.js",
    "timeline.js",
    "memory.js",
    "tree.js",
    "graph.js",
    "tables.js",
    "steps.js",
    "main.js",
)


def to_html(parts: Sequence[dict[str, Any]], title: str) -> str:
    """Return the page of one run, or of the plans of several machines.

    `parts`: what `run_data` or `plan_data` return, one a machine.
    """
    packed = gzip.compress(json.dumps(list(parts), separators=(",", ":")).encode(), mtime=0)
    values = {
        "title": html.escape(title),
        "style": _read("report.css"),
        "libraries": _read("libraries.js"),
        "licences": html.escape(_read("LICENSES.txt")),
        "data": base64.b64encode(packed).decode(),
        "scripts": "\n".join(_read(name) for name in _SCRIPTS),
    }
    text = _read("page.html")
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", value, 1)
    return text


def _read(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")
