"""RE2's regular expressions as Python's: the same matches, errors in RE2's words.

Both prefer the leftmost match and the first alternative. What differs is translated: flags within
a pattern, `$`, classes by name, Unicode properties, octal and braced escapes, `\\Q…\\E`, greed
swapped by `U`; what RE2 has not (looking around, references back) is refused.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from placewise.core.errors import InvalidArgumentError, invalid
from placewise.ops.strings.properties import property_class

# Bytes that are not UTF-8 stand as these characters; no class or dot matches them.
BROKEN = "\udc80-\udcff"

_PERL = {"d": "0-9", "s": "\\t\\n\\f\\r ", "w": "0-9A-Za-z_"}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\x0b\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_ESCAPES = {"a": "\x07", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\x0b"}
_REPEAT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAMED = re.compile(r"\(\?P?<(\w+)>")
_MOST_REPEATS = 1000


class PatternError(Exception):
    """A pattern that RE2 refuses: what it says, and the part it points at."""


class _Translator:
    """Reads a pattern once from left to right and writes Python's."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0
        self.out: list[str] = []
        # Per open group: the flags in force, and the flag groups opened within it.
        self.flags: list[frozenset[str]] = [frozenset()]
        self.opened: list[list[str]] = [[]]
        self.repeatable = False
        self.last_repeat = ""

    def translate(self) -> str:
        while self.at < len(self.pattern):
            self.step(self.pattern[self.at])
        if len(self.flags) > 1:
            raise PatternError(f"missing ): {self.pattern}")
        self.close_flags()
        return "".join(self.out)

    def put(self, text: str, length: int = 1, repeatable: bool = True) -> None:
        self.out.append(text)
        self.at += length
        self.repeatable, self.last_repeat = repeatable, ""

    def step(self, c: str) -> None:
        if c == "\\":
            self.escape()
        elif c == "[":
            self.put(self.char_class(), 0)
        elif c == "(":
            self.open_group()
        elif c == ")":
            self.close_group()
        elif c == "|":
            reopened = self.opened[-1]
            self.out.append(")" * len(reopened))
            self.put("|" + "".join(reopened), repeatable=False)
        elif c in "*+?":
            self.repeat(c, c)
        elif c == "{" and (match := _REPEAT.match(self.pattern, self.at)):
            self.counted(match)
        elif c == ".":
            self.put("[^" + BROKEN + "]" if "s" in self.flags[-1] else "[^\\n" + BROKEN + "]")
        elif c == "^":
            self.put("^" if "m" in self.flags[-1] else "\\A")
        elif c == "$":
            self.put("$" if "m" in self.flags[-1] else "\\Z")
        else:
            self.put(re.escape(c))

    def repeat(self, text: str, shown: str) -> None:
        start = self.at
        if self.last_repeat:
            raise PatternError(f"bad repetition operator: {self.last_repeat}{shown}")
        if not self.repeatable:
            raise PatternError(f"no argument for repetition operator: {shown}")
        self.at += len(shown)
        lazy = "U" in self.flags[-1]
        if self.at < len(self.pattern) and self.pattern[self.at] == "?":
            self.at += 1
            lazy = not lazy
        self.out.append(text + ("?" if lazy else ""))
        self.last_repeat = self.pattern[start : self.at]

    def counted(self, match: Any) -> None:
        low, comma, high = match.groups()
        most = int(high) if high else int(low)
        if int(low) > _MOST_REPEATS or most > _MOST_REPEATS or most < int(low):
            raise PatternError(f"invalid repetition size: {match.group()}")
        self.repeat("{" + low + (comma or "") + (high or "") + "}", match.group())

    def escape(self) -> None:
        rest = self.pattern[self.at + 1 : self.at + 2]
        if not rest:
            raise PatternError("trailing \\: ")
        if rest == "Q":
            end = self.pattern.find("\\E", self.at)
            literal = self.pattern[self.at + 2 : end if end >= 0 else None]
            self.put(re.escape(literal), len(literal) + (4 if end >= 0 else 2), bool(literal))
        elif rest in "AbBz":
            self.put({"A": "\\A", "z": "\\Z"}.get(rest, f"(?a:\\{rest})"), 2)
        elif rest == "C":
            self.put("[\\s\\S]", 2)
        elif rest in "dsw":
            self.put(f"[{_PERL[rest]}]", 2)
        elif rest in "DSW":
            self.put(f"[^{_PERL[rest.lower()]}{BROKEN}]", 2)
        elif rest in "pP":
            inside, negated, length = self.unicode_class()
            self.put(f"[{'^' if negated else ''}{inside}{BROKEN if negated else ''}]", length)
        else:
            char, length = self.escaped_char()
            self.put(re.escape(char), length)

    def unicode_class(self) -> tuple[str, bool, int]:
        """Read `\\pN` or `\\p{Name}`: the class's inside, whether negated, its length."""
        match = re.compile(r"\\[pP](?:\{(\^?)([^}]*)\}|(.))", re.DOTALL).match(
            self.pattern, self.at
        )
        if match is None:
            raise PatternError(f"invalid character class range: {self.pattern[self.at :]}")
        inside = property_class(match.group(2) or match.group(3))
        if inside is None:
            raise PatternError(f"invalid character class range: {match.group()}")
        negated = (self.pattern[self.at + 1] == "P") != bool(match.group(1))
        return inside, negated, len(match.group())

    def escaped_char(self) -> tuple[str, int]:
        """Read an escape that stands for one character."""
        rest = self.pattern[self.at + 1 :]
        for form in (r"x([0-9A-Fa-f]{2})", r"x\{([0-9A-Fa-f]+)\}"):
            if (match := re.match(form, rest)) and int(match.group(1), 16) <= 0x10FFFF:
                return chr(int(match.group(1), 16)), len(match.group()) + 1
        if match := re.match(r"0[0-7]{0,2}|[1-7][0-7]{1,2}", rest):
            return chr(int(match.group(), 8)), len(match.group()) + 1
        c = rest[0]
        if c in _ESCAPES:
            return _ESCAPES[c], 2
        if ord(c) < 0x80 and not c.isalnum():
            return c, 2
        raise PatternError(f"invalid escape sequence: \\{c}")

    def char_class(self) -> str:
        """Read a class in brackets and return Python's."""
        start = self.at
        self.at += 1
        negated = self.pattern[self.at : self.at + 1] == "^"
        self.at += negated
        parts: list[str] = []
        first = True
        while first or self.pattern[self.at : self.at + 1] != "]":
            if self.at >= len(self.pattern):
                raise PatternError(f"missing ]: {self.pattern[start:]}")
            parts.append(self.class_item())
            first = False
        self.at += 1
        if negated:
            return "[^" + "".join(parts) + BROKEN + "]"
        return "[" + "".join(parts) + "]"

    def class_item(self) -> str:
        pattern, at = self.pattern, self.at
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) >= 0:
            name = pattern[at + 2 : end]
            inside = _POSIX.get(name.removeprefix("^"))
            if inside is None:
                raise PatternError(f"invalid character class range: [:{name}:]")
            self.at = end + 2
            return _complement(inside) if name.startswith("^") else inside
        if pattern[at] == "\\" and pattern[at + 1 : at + 2] in ("d", "s", "w", "D", "S", "W"):
            self.at += 2
            inside = _PERL[pattern[at + 1].lower()]
            return inside if pattern[at + 1].islower() else _complement(inside)
        if pattern[at] == "\\" and pattern[at + 1 : at + 2] in ("p", "P"):
            inside, negated, length = self.unicode_class()
            self.at += length
            return _complement(inside) if negated else inside
        low = self.class_char()
        after = pattern[self.at : self.at + 2]
        if len(after) == 2 and after[0] == "-" and after[1] != "]":
            self.at += 1
            high = self.class_char()
            if high < low:
                raise PatternError(f"invalid character class range: {pattern[at : self.at]}")
            return f"{re.escape(low)}-{re.escape(high)}"
        return _in_class(low)

    def class_char(self) -> str:
        if self.pattern[self.at] == "\\":
            char, length = self.escaped_char()
            self.at += length
            return char
        self.at += 1
        return self.pattern[self.at - 1]

    def open_group(self) -> None:
        pattern, at = self.pattern, self.at
        if not pattern.startswith("(?", at):
            self.enter("(", 1)
        elif match := _NAMED.match(pattern, at):
            self.enter(f"(?P<{match.group(1)}>", len(match.group()))
        elif match := _FLAGS.match(pattern, at):
            on, off, end = match.group(1), match.group(2) or "", match.group(3)
            flags = self.flags[-1] | set(on) - set(off)
            flags = frozenset(flags - set(off))
            scoped = "(?" + "".join(f for f in "im" if f in on and f not in off)
            removed = "".join(f for f in "im" if f in off)
            scoped += ("-" + removed if removed else "") + ":"
            if end == ":":
                self.enter(scoped, len(match.group()), flags)
            else:
                self.flags[-1] = flags
                self.opened[-1].append(scoped)
                self.put(scoped, len(match.group()), repeatable=False)
        else:
            raise PatternError(f"invalid perl operator: {pattern[at : at + 3]}")

    def enter(self, text: str, length: int, flags: frozenset[str] | None = None) -> None:
        self.flags.append(self.flags[-1] if flags is None else flags)
        self.opened.append([])
        self.put(text, length, repeatable=False)

    def close_flags(self) -> None:
        self.out.append(")" * len(self.opened[-1]))

    def close_group(self) -> None:
        if len(self.flags) == 1:
            raise PatternError(f"unexpected ): {self.pattern}")
        self.close_flags()
        self.flags.pop()
        self.opened.pop()
        self.put(")")


def _in_class(char: str) -> str:
    # Python reserves doubled punctuation within classes, so all of it is escaped.
    if ord(char) < 128 and char.isprintable() and not char.isalnum() and char != " ":
        return "\\" + char
    return re.escape(char)


@lru_cache(maxsize=64)
def _complement(inside: str) -> str:
    """Return the inside of a class that holds all other characters."""
    pieces = re.compile("[" + inside + BROKEN + "]")
    ranges, start = [], None
    # Classes with names hold ASCII or properties; the rest of Unicode is scanned once.
    for code in range(0x110001):
        out = code == 0x110000 or bool(pieces.match(chr(code)))
        if not out and start is None:
            start = code
        elif out and start is not None:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)


@lru_cache(maxsize=512)
def compiled(pattern: bytes) -> re.Pattern[str]:
    """Return Python's regular expression for RE2's; InvalidArgumentError for a bad one."""
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        return re.compile(_Translator(text).translate())
    except PatternError as wrong:
        raise _invalid(text, str(wrong)) from None
    except re.error as failure:
        raise _invalid(text, failure.msg) from None


def _invalid(text: str, reason: str) -> InvalidArgumentError:
    return invalid(f"Invalid pattern: {text}, error: {reason}")
