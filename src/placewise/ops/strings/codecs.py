"""Bytes to Unicode code points and back, with TensorFlow's ways of treating errors."""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import Any, NamedTuple

from placewise.core.errors import invalid

ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
ERRORS = ("strict", "replace", "ignore")
# Stands for a piece that could not be decoded: a lone surrogate, which no decoder gives.
_MARK = "\udfff"
_HANDLER = "placewise.mark"


def _mark(failure: Any) -> tuple[str, int]:
    return _MARK, failure.end


codecs.register_error(_HANDLER, _mark)


class Policy(NamedTuple):
    """What to do about malformed pieces and control characters."""

    errors: str
    replacement: int
    replace_controls: bool = False

    def check(self) -> None:
        """Raise the errors of attributes that are out of range."""
        if not 0 <= self.replacement <= 0x10FFFF:
            raise invalid("replacement_char out of unicode codepoint range")


@lru_cache(maxsize=64)
def decoder_name(encoding: str) -> str:
    """Return Python's name of an encoding; InvalidArgumentError if there is none."""
    try:
        found = codecs.lookup(encoding)
        if getattr(found, "_is_text_encoding", True):
            return found.name
    except (LookupError, ValueError):
        pass
    raise invalid(f"Could not create converter for input encoding: {encoding}")


def decoded(data: bytes, codec: str, policy: Policy) -> list[int]:
    """Return the code points of a string."""
    text = data.decode(codec, _HANDLER)
    if _MARK in text:
        if policy.errors == "strict":
            raise invalid("Invalid formatting on input string")
        text = text.replace(_MARK, "" if policy.errors == "ignore" else chr(policy.replacement))
    if policy.replace_controls:
        return [policy.replacement if ord(c) <= 0x1F else ord(c) for c in text]
    return [ord(c) for c in text]


def decoded_with_offsets(data: bytes, codec: str, policy: Policy) -> tuple[list[int], list[int]]:
    """Return the code points of a string, and the byte at which each begins."""
    ends: list[int] = []

    def note(failure: Any) -> tuple[str, int]:
        ends.append(failure.end)
        return _MARK, failure.end

    codecs.register_error("placewise.note", note)
    text = data.decode(codec, "placewise.note")
    if ends and policy.errors == "strict":
        raise invalid("Invalid formatting on input string")
    points, offsets, at = [], [], 0
    broken = iter(ends)
    for c in text:
        if c == _MARK:
            if policy.errors == "replace":
                points.append(policy.replacement)
                offsets.append(at)
            at = next(broken)
            continue
        control = policy.replace_controls and ord(c) <= 0x1F
        points.append(policy.replacement if control else ord(c))
        offsets.append(at)
        at += _width(c, codec)
    return points, offsets


def _width(c: str, codec: str) -> int:
    if codec == "utf-8":
        code = ord(c)
        return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return len(c.encode(codec))


def encoded(points: list[int], codec: str, policy: Policy) -> bytes:
    """Return code points as a string; those that are none are replaced or left out."""
    good = []
    for point in points:
        if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF:
            good.append(chr(point))
        elif policy.errors == "strict":
            raise invalid("Code point is out of range for Unicode, or is a surrogate.")
        elif policy.errors == "replace":
            good.append(chr(policy.replacement))
    return "".join(good).encode(codec, "replace")
