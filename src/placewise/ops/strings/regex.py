"""Strings matched and rewritten by regular expressions: by RE2 itself, as in TensorFlow.

RE2 takes time linear in the text for every pattern; Python's `re` may take exponential time.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, cast

import numpy as np
import re2
import torch

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.strings.contents import mapped, numbers, strings


def _encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


@lru_cache(maxsize=512)
def compiled(pattern: bytes) -> Any:
    """Return RE2's expression of a pattern; raise InvalidArgumentError for a bad one."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as failure:
        reason = _text(failure.args[0])
        raise invalid(f"Invalid pattern: {_text(pattern)}, error: {reason}") from None


# Characters, classes and escapes that mean the same to Python's `re`, each repeated at most once.
_SAME_ATOM = (
    rb"(?:[A-Za-z0-9 _,;:!@%=<>'\"/-]|\\[dw.()*+?|{}^$\[\]\\-]|\."
    rb"|\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9 _,;:!@%=<>./]|\\[dw])+\])"
)
_SAME = re.compile(rb"(?:" + _SAME_ATOM + rb"[*+?]?)+\Z")
_NEEDED = re.compile(rb"(?:" + _SAME_ATOM + rb"[*?])*" + _SAME_ATOM + rb"(?![*?])")
_SHORT = 512


@lru_cache(maxsize=512)
def _plain_expression(pattern: bytes) -> Any:
    """Return Python's expression of a pattern that means the same to it; None for others.

    A call of RE2 from Python takes ten times as long as the match. Patterns of characters without
    groups, with two repetitions at most, on short ASCII text, take no exponential time in `re`
    either, and match the same; those that match nothing are replaced differently, and left out.
    """
    if len(pattern) > 200 or not _SAME.match(pattern) or not _NEEDED.match(pattern):
        return None
    repetitions = sum(pattern.count(mark) for mark in (b"*", b"+", b"?"))
    return re.compile(pattern) if repetitions <= 2 else None


def _are_plain(items: list[bytes]) -> bool:
    return all(map(bytes.isascii, items)) and max(map(len, items), default=0) <= _SHORT


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
def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Any:
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
def static_regex_full_match_kernel(input: np.ndarray[Any, Any], *, pattern: Any) -> Any:
    match = compiled(_encoded(pattern)).fullmatch
    plain = _plain_expression(_encoded(pattern))
    items = input.reshape(-1).tolist()
    if plain is not None and _are_plain(items):
        matches = [each is not None for each in map(plain.fullmatch, items)]
        return torch.from_numpy(np.array(matches, np.bool_).reshape(input.shape))
    return numbers(lambda s: match(s) is not None, input, np.bool_)


@op(
    "RegexReplace(input: string, pattern: string, rewrite: string; replace_global: bool = True)"
    " -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def regex_replace(
    input: TensorLike,
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
    name: str | None = None,
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
    input: np.ndarray[Any, Any], *, pattern: Any, rewrite: Any, replace_global: bool
) -> Any:
    expression = compiled(_encoded(pattern))
    pieces, highest, sound = _rewriting(_encoded(rewrite))
    # RE2 leaves strings alone if the rewriting names a group that is not there.
    if highest > expression.groups or not (sound or replace_global):
        return mapped(lambda s: s, input)

    plain = _plain_expression(_encoded(pattern))
    if plain is not None and not any(isinstance(piece, int) for piece in pieces):
        items = input.reshape(-1).tolist()
        if _are_plain(items):
            literal = b"".join(cast(tuple[bytes, ...], pieces)).replace(b"\\", rb"\\")
            count = 0 if replace_global else 1
            return strings([plain.sub(literal, text, count) for text in items], input.shape)

    def replaced(value: bytes) -> bytes:
        result = _replaced(expression, value, pieces, replace_global)
        return value if result is None else result

    return mapped(replaced, input)


@lru_cache(maxsize=256)
def _rewriting(rewrite: bytes) -> tuple[tuple[bytes | int, ...], int, bool]:
    """Return a rewriting as literals and group numbers, its highest group, and if it is sound.

    What follows a wrong escape is left out.
    """
    pieces: list[bytes | int] = []
    for literal, escape in re.findall(rb"([^\\]+)|\\(.?)", rewrite, re.DOTALL):
        if literal:
            pieces.append(literal)
        elif escape.isdigit():
            pieces.append(int(escape))
        elif escape == b"\\":
            pieces.append(escape)
        else:
            return tuple(pieces), _highest(pieces), False
    return tuple(pieces), _highest(pieces), True


def _highest(pieces: list[bytes | int]) -> int:
    return max((piece for piece in pieces if isinstance(piece, int)), default=0)


def _replaced(
    expression: Any, text: bytes, pieces: tuple[bytes | int, ...], everywhere: bool
) -> bytes | None:
    """Return the text with matches replaced, or None if there are none."""
    out: list[bytes] = []
    at, last_end = 0, -1
    while at <= len(text) and (match := expression.search(text, at)) is not None:
        start, end = match.span()
        if start == last_end and end == start:
            # No empty match right behind another: copy a character and search on.
            character = _CHARACTER.match(text, at)
            out.append(character[0] if character else b"")
            at += len(out[-1]) or 1
            continue
        out.append(text[at:start])
        out.extend(p if isinstance(p, bytes) else match.group(p) or b"" for p in pieces)
        at = last_end = end
        if not everywhere:
            break
    if last_end < 0:
        return None
    out.append(text[at:])
    return b"".join(out)


# A character of UTF-8, or a byte that begins none.
_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|.", re.DOTALL
)
