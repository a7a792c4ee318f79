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

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.strings.contents import mapped, numbers


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


# Characters, classes and escapes, each repeated at most once.
_ATOM = (
    rb"[A-Za-z0-9 _,;:!@%=<>'\"/-]|\\[dw.()*+?|{}^$\[\]\\-]|\."
    rb"|\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9 _,;:!@%=<>./]|\\[dw])+\]"
)
_REPEATED = re.compile(rb"(" + _ATOM + rb")([*+?]?)")
_SIMPLE = re.compile(rb"(?:(?:" + _ATOM + rb")[*+?]?)+\Z")
_LIMITS = {b"": (1, 1), b"*": (0, 0), b"+": (1, 0), b"?": (0, 1)}


@lru_cache(maxsize=512)
def _simple_pattern(pattern: bytes) -> tuple[bytes, bytes] | None:
    """Return a pattern as the native module takes it, None where RE2 must match it.

    A call of RE2 from Python takes ten times as long as the match. Patterns of characters without
    groups, with two repetitions at most, take no exponential time in a simple loop either. Those
    that match nothing are replaced differently, and left out.
    """
    if len(pattern) > 200 or not _SIMPLE.match(pattern):
        return None
    atoms = _REPEATED.findall(pattern)
    least, most = zip(*(_LIMITS[repetition] for _, repetition in atoms), strict=True)
    if not any(least) or sum(bool(repetition) for _, repetition in atoms) > 2:
        return None
    sets = b"".join(_members(atom) for atom, _ in atoms)
    return sets, bytes(least) + bytes(most)


def _members(atom: bytes) -> bytes:
    """Return 1 for each byte that an atom meets, 0 for the others."""
    meets = re.compile(atom).fullmatch
    return bytes(meets(bytes([byte])) is not None for byte in range(256))


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
    simple = _simple_pattern(_encoded(pattern))
    if simple is not None and native.code is not None:
        matches = np.empty(input.shape, np.bool_)
        if native.code.match_pattern(np.ascontiguousarray(input), *simple, matches):
            return torch.from_numpy(matches)
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

    simple = _simple_pattern(_encoded(pattern))
    if simple is not None and native.code is not None and highest == 0 and 0 not in pieces:
        rewritten = np.empty(input.shape, object)
        literal = b"".join(cast(tuple[bytes, ...], pieces))
        texts = np.ascontiguousarray(input)
        if native.code.replace_pattern(texts, *simple, literal, replace_global, rewritten):
            return rewritten

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
