"""Messages read from files, which may be damaged."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from placewise.core.errors import DataLossError


def parsed_message(kind: Any, data: bytes, where: str) -> Any:
    """Return the message that bytes of a file are; raise DataLossError if they are none."""
    try:
        return kind.FromString(data)
    except DecodeError:
        name = kind.DESCRIPTOR.full_name
        raise DataLossError(
            None, None, f"Failed to parse {name} from {where}: the file is damaged"
        ) from None
