"""Numbers that users write into variables and files."""

from __future__ import annotations

_MOST_DIGITS = 18  # Python refuses to read numbers of thousands of digits


def read_number(text: object) -> int | None:
    """Return the number that a text is; None for anything else, and for absurdly large ones.

    >>> read_number(" 12 "), read_number("1.5"), read_number("-1"), read_number("9" * 5000)
    (12, None, None, None)
    """
    plain = str(text).strip()
    is_number = plain.isascii() and plain.isdecimal() and len(plain) <= _MOST_DIGITS
    return int(plain) if is_number else None
