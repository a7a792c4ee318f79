"""Opening a checkpoint of whatever format by its prefix."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import NotFoundError
from placewise.ops.checkpoint.bundle_reader import Bundle
from placewise.ops.checkpoint.v1_format import SliceTable
from placewise.ops.io import paths


def opened(prefix: Any) -> Bundle | SliceTable:
    """Return the checkpoint called `prefix`; NotFoundError if there is none."""
    path = paths.local_path(prefix)
    try:
        return Bundle(path)
    except NotFoundError:  # it has no index
        return SliceTable(path)
