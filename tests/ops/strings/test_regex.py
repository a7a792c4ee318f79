"""RE2's syntax and replacements."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import placewise as tf
from placewise import native


def replaced(text: object, pattern: str, rewrite: str = "x", **options: object) -> bytes:
    return tf.strings.regex_replace(text, pattern, rewrite, **options).numpy()


@pytest.mark.parametrize(
    ("text", "pattern", "rewrite", "expected"),
    [
        ("abc", "(b)", r"[\1\0]", b"a[bb]c"),
        ("abc", "", "-", b"-a-b-c-"),
        ("abc", "b*", "-", b"-a-c-"),
        ("abc", "x*$", "!", b"abc!"),
        ("abc", "b", r"\1", b"abc"),
        ("aBc1", r"\p{Lu}|\d", "x", b"axcx"),
        ("λa", r"\p{Greek}", "x", b"xa"),
        ("a.c", r"\Q.\E", "x", b"axc"),
        ("ab1", "[[:alpha:]]", "x", b"xx1"),
        ("a1", "[[:^digit:]]", "x", b"x1"),
        ("a\nb", "(?s).", "x", b"xxx"),
        ("a\nb", "(?m)^b$", "x", b"a\nx"),
        ("aaa", "(?U)a+", "x", b"xxx"),
        ("ABa", "a(?i)b|A", "x", b"xBx"),
        ("éa", r"\w", "x", b"\xc3\xa9x"),
        ("é", r"\x{e9}", "x", b"x"),
        ("A", r"\101", "x", b"x"),
        (b"\xff\xfea", ".", "x", b"\xff\xfex"),
        ("ab\n", "b$", "x", b"ab\n"),
        ("a{,3}", "a{,3}", "x", b"x"),
        ("a&&b", "[&&]", "x", b"axxb"),
    ],
)
def test_replacing(text: object, pattern: str, rewrite: str, expected: bytes) -> None:
    assert replaced(text, pattern, rewrite) == expected


def test_only_the_first_match_if_asked() -> None:
    assert replaced("aaa", "a", "b", replace_global=False) == b"baa"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(b", r"missing \): \(b"),
        ("a)", r"unexpected \): a\)"),
        ("[", r"missing \]: \["),
        ("a(?=b)", r"invalid perl operator: \(\?="),
        (r"(a)\1", r"invalid escape sequence: \\1"),
        ("a**", r"bad repetition operator: \*\*"),
        ("*", r"no argument for repetition operator: \*"),
        ("a{1001}", r"invalid repetition size: \{1001\}"),
        ("[b-a]", "invalid character class range: b-a"),
    ],
)
def test_what_re2_refuses(pattern: str, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern: .*" + words):
        replaced("a", pattern)


def test_full_match() -> None:
    found = tf.strings.regex_full_match(["ab", "abc", b"\xff"], "a|ab|.").numpy()
    assert found.tolist() == [True, False, False]


def test_nested_repetition_takes_linear_time():
    text = "a" * 5000 + "b"
    assert not tf.strings.regex_full_match(text, "(a+)+").numpy()
    assert tf.strings.regex_replace(text, "(a*)*b$", "x").numpy() == b"x"


def test_an_empty_match_keeps_characters_and_broken_bytes_whole():
    assert (
        tf.strings.regex_replace("h\u00e9\u4e16", "", "-").numpy() == "-h-\u00e9-\u4e16-".encode()
    )
    assert tf.strings.regex_replace(b"a\xffb", "x*", "-").numpy() == b"-a-\xff-b-"


ATOMS = st.sampled_from([*"ab1 _-.,", r"\d", r"\w", r"\.", r"\-", r"\\", "[a-c]", "[^b]", r"[\d_]"])
PATTERNS = st.lists(
    st.tuples(ATOMS, st.sampled_from(["", "", "*", "+", "?"])).map("".join), min_size=1, max_size=4
).map("".join)
SUBJECTS = st.lists(st.text("ab1 _-.,\n\\é", max_size=8), min_size=1, max_size=3)


@settings(max_examples=150, deadline=None)
@given(PATTERNS, SUBJECTS, st.sampled_from(["", "x", r"\\", r"<\0>"]), st.booleans())
def test_simple_patterns_match_as_in_re2(
    pattern: str, subjects: list[str], rewrite: str, everywhere: bool
) -> None:
    def results() -> Any:
        return (
            tf.strings.regex_full_match(subjects, pattern).numpy().tolist(),
            tf.strings.regex_replace(subjects, pattern, rewrite, everywhere).numpy().tolist(),
        )

    quick = results()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "code", None)
        assert quick == results()
