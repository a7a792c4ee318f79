"""Reads what a page holds, as its own script does."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any


def parts_of(page: Path) -> list[dict[str, Any]]:
    """Return the data of a page."""
    text = page.read_text(encoding="utf-8")
    match = re.search(r'<script id="data"[^>]*>([^<]*)</script>', text)
    return json.loads(gzip.decompress(base64.b64decode(match.group(1))))


def ran(part: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the ops of a part that ran, each with the device."""
    nodes, texts, devices = part["nodes"], part["texts"], part["devices"]
    return [
        (texts[nodes["op"][node]], devices[nodes["device"][node]]["label"])
        for node in part["ops"]["node"]
    ]
