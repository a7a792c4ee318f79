"""What a container of queues, tables and readers may be called."""

from __future__ import annotations

import re

from placewise.core.errors import invalid

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9./-]*", re.ASCII)


def check_container(name: str) -> None:
    """Refuse a container's name as TensorFlow's resource manager does; '' is the default one."""
    if name and not _NAME.fullmatch(name):
        raise invalid(f"container contains invalid characters: {name}")
