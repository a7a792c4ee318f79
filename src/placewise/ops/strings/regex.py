"""Strings matched and rewritten by regular expressions in RE2's syntax."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.strings.contents import mapped, numbers
from placewise.ops.strings.re2 import compiled


def _encoded(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _scalar(value: Any, what: str) -> bytes:
    if value.ndim:
        raise invalid(f"{what} must be scalar, but received {bracketed(value.shape)}")
    text: bytes = value[()]
    return text


@op(
    "RegexFullMatch(input: string, pattern: string) -> output: bool",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Return whether each string matches `pattern` from its first to its last character."""
    if isinstance(pattern, (str, bytes)):
        return static_regex_full_match(input, pattern=pattern, name=name)
    return regex_full_match.bind(input, pattern, name=name)


regex_full_match.shape(same_shape)


@regex_full_match.kernel
def regex_full_match_kernel(input: Any, pattern: Any) -> Any:
    return static_regex_full_match_kernel(input, pattern=_scalar(pattern, "Pattern"))


static_regex_full_match = define(
    "StaticRegexFullMatch(input: string; pattern: string) -> output: bool",
    devices=("CPU",),
    differentiable=False,
    doc="Return whether each string matches a pattern that is known beforehand.",
    elementwise=True,
)
static_regex_full_match.shape(same_shape)


@static_regex_full_match.kernel
def static_regex_full_match_kernel(input: Any, *, pattern: Any) -> Any:
    match = compiled(_encoded(pattern)).fullmatch
    return numbers(lambda s: match(_text(s)) is not None, input, np.bool_)


@op(
    "RegexReplace(input: string, pattern: string, rewrite: string; replace_global: bool = True)"
    " -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Return strings with what matches `pattern` replaced; `\\1` in `rewrite` is a group."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return static_regex_replace(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return regex_replace.bind(input, pattern, rewrite, replace_global=replace_global, name=name)


regex_replace.shape(same_shape)


@regex_replace.kernel
def regex_replace_kernel(input: Any, pattern: Any, rewrite: Any, *, replace_global: bool) -> Any:
    return static_regex_replace_kernel(
        input,
        pattern=_scalar(pattern, "Pattern"),
        rewrite=_scalar(rewrite, "Rewrite"),
        replace_global=replace_global,
    )


static_regex_replace = define(
    "StaticRegexReplace(input: string; pattern: string, rewrite: string,"
    " replace_global: bool = True) -> output: string",
    devices=("CPU",),
    differentiable=False,
    doc="Return strings with the matches of a pattern known beforehand replaced.",
    elementwise=True,
)
static_regex_replace.shape(same_shape)


@static_regex_replace.kernel
def static_regex_replace_kernel(
    input: Any, *, pattern: Any, rewrite: Any, replace_global: bool
) -> Any:
    expression = compiled(_encoded(pattern))
    pieces, highest, sound = _rewriting(_encoded(rewrite))
    # RE2 leaves strings alone if the rewriting names a group that is not there.
    if highest > expression.groups or not (sound or replace_global):
        return mapped(lambda s: s, input)

    def replaced(value: bytes) -> bytes:
        text = _text(value)
        made = _replaced(expression, text, pieces, replace_global)
        return value if made is None else made.encode("utf-8", "surrogateescape")

    return mapped(replaced, input)


@lru_cache(maxsize=256)
def _rewriting(rewrite: bytes) -> tuple[tuple[str | int, ...], int, bool]:
    """Return a rewriting as literal texts and group numbers, its highest group, and if it is sound.

    What follows a wrong escape is left out.
    """
    pieces: list[str | int] = []
    for literal, escape in re.findall(r"([^\\]+)|\\(.?)", _text(rewrite), re.DOTALL):
        if literal:
            pieces.append(literal)
        elif escape.isascii() and escape.isdigit():
            pieces.append(int(escape))
        elif escape == "\\":
            pieces.append(escape)
        else:
            return tuple(pieces), _highest(pieces), False
    return tuple(pieces), _highest(pieces), True


def _highest(pieces: list[str | int]) -> int:
    return max((each for each in pieces if isinstance(each, int)), default=0)


def _replaced(
    expression: re.Pattern[str], text: str, pieces: tuple[str | int, ...], everywhere: bool
) -> str | None:
    """Return the text with matches replaced, or None if there are none."""
    out: list[str] = []
    at, last_end = 0, -1
    while at <= len(text) and (match := expression.search(text, at)) is not None:
        start, end = match.span()
        if start == last_end and end == start:
            # No empty match right behind another: copy a character and look on.
            out.append(text[at : at + 1])
            at += 1
            continue
        out.append(text[at:start])
        out.extend(p if isinstance(p, str) else match.group(p) or "" for p in pieces)
        at = last_end = end
        if not everywhere:
            break
    if last_end < 0:
        return None
    out.append(text[at:])
    return "".join(out)
