"""Opening a checkpoint of whatever format by its prefix."""

from __future__ import annotations

import os
from typing import Any

from placewise.ops.checkpoint.bundle_reader import Bundle
from placewise.ops.checkpoint.bundle_writer import index_path
from placewise.ops.checkpoint.v1_format import SliceTable
from placewise.ops.io import paths


def opened(prefix: Any) -> Bundle | SliceTable:
    """Return the checkpoint called `prefix`; NotFoundError if there is none."""
    path = paths.local_path(prefix)
    if os.path.exists(index_path(path)):
        return Bundle(path)
    return SliceTable(path)
