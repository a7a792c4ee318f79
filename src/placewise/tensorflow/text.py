"""Bytes and text, turned into each other as `tf.compat` promises."""

from __future__ import annotations

import codecs
from typing import Any

bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: bytes | bytearray | str, encoding: str = "utf-8") -> bytes:
    """Return bytes; text is encoded.

    >>> as_bytes("é")
    b'\\xc3\\xa9'
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Return text; bytes are decoded.

    >>> as_text(b"abc")
    'abc'
    """
    encoding = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Return a `str`, as `as_text` does."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Return `str(value)`, but decode bytes.

    >>> as_str_any(b"abc"), as_str_any(3)
    ('abc', '3')
    """
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Return a path object as text; what is not a path object comes back as it is."""
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path
