"""Joining, splitting, numbers, Unicode and formats."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf

S = tf.strings


def test_split_keeps_rank_ragged() -> None:
    assert S.split([["a b", "c"], ["d", "e f"]]).to_list() == [
        [[b"a", b"b"], [b"c"]],
        [[b"d"], [b"e", b"f"]],
    ]
    assert S.split("a  b c ", maxsplit=1).numpy().tolist() == [b"a", b"b c "]
    assert S.split(["a,,b", ""], sep=",").to_list() == [[b"a", b"", b"b"], [b""]]
    ragged = tf.ragged.constant([["a b"], ["c d", "e"]])
    assert S.split(ragged).to_list() == [[[b"a", b"b"]], [[b"c", b"d"], [b"e"]]]


def test_reduce_join_takes_the_first_axis_first() -> None:
    letters = tf.constant([["a", "b"], ["c", "d"]])
    assert S.reduce_join(letters).numpy() == b"abcd"
    assert S.reduce_join(letters, axis=[0, 1]).numpy() == b"acbd"
    assert S.reduce_join(letters, axis=[1, 0]).numpy() == b"abcd"
    assert S.reduce_join(letters, axis=[]).shape == (2, 2)


def test_ngrams_with_padding() -> None:
    data = tf.ragged.constant([["a"], []])
    found = S.ngrams(data, (2, 3), pad_values=("l", "r"), padding_width=5).to_list()
    assert found == [[b"l a", b"a r", b"l l a", b"l a r", b"a r r"], [b"l r", b"l l r", b"l r r"]]
    assert S.ngrams([["a", "b", "c"], ["d", "e", "f"]], 2).shape == (2, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0x10", 16), (" 5 ", 5), ("+.5", 0.5), ("1e400", np.inf), ("nan(1)", np.nan)],
)
def test_to_number(text: str, expected: float) -> None:
    np.testing.assert_equal(float(S.to_number(text)), expected)


@pytest.mark.parametrize("text", ["1_0", "1e", "", "0x", "--5", "٣", "1 2"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert"):
        S.to_number(text)


def test_as_string_pads_as_c_does() -> None:
    assert S.as_string([1.5], width=10, fill="0").numpy().tolist() == [b"001.500000"]
    assert S.as_string([float("inf")], width=10, fill="0").numpy().tolist() == [b"       inf"]
    assert S.as_string([-np.float32("nan")]).numpy().tolist() == [b"-nan"]
    assert S.as_string([-1.5], width=10, fill="-").numpy().tolist() == [b"-1.500000 "]
    assert S.as_string(np.complex64([1 + 2j]), shortest=True).numpy().tolist() == [b"(1,2)"]


def test_malformed_unicode_is_replaced_piece_by_piece() -> None:
    def decoded(data: bytes, **options: object) -> list[int]:
        return S.unicode_decode(data, "UTF-8", **options).numpy().tolist()

    assert decoded(b"\xe2\x82a") == [65533, 97]
    assert decoded(b"\xed\xa0\x80") == [65533] * 3
    assert decoded(b"a\xffb", errors="ignore") == [97, 98]
    points, offsets = S.unicode_decode_with_offsets(b"a\xff\xe2\x82\xacb", "UTF-8")
    assert points.numpy().tolist() == [97, 65533, 8364, 98]
    assert offsets.numpy().tolist() == [0, 1, 2, 5]


def test_unicode_there_and_back() -> None:
    text = tf.constant(["héy", "", "😀"])
    for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        other = S.unicode_transcode(text, "UTF-8", encoding)
        points = S.unicode_decode(other, encoding)
        again = S.unicode_encode(points, "UTF-8")
        assert again.numpy().tolist() == text.numpy().tolist()
    assert S.unicode_split("héy", "UTF-8").numpy().tolist() == [b"h", "é".encode(), b"y"]


def test_scripts() -> None:
    assert S.unicode_script([65, 955, 0x4E00, 0x0300, -1, 0x110000]).numpy().tolist() == [
        25,
        14,
        17,
        1,
        -1,
        -1,
    ]


def test_substr_counts_from_the_end_and_checks_its_range() -> None:
    assert S.substr("héllo", -2, 2, unit="UTF8_CHAR").numpy() == b"lo"
    assert S.substr("hello", 5, 1).numpy() == b""
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 6 out of range for string b'he"):
        S.substr("hello", 6, 1)


def test_format_shortens() -> None:
    matrix = tf.reshape(tf.range(100), [10, 10])
    assert S.format("{}", matrix, summarize=1).numpy() == b"[[0 ... 9]\n ...\n [90 ... 99]]"
    assert S.format("{}|{}", (tf.constant(1 / 3), "a")).numpy() == b'0.333333343|"a"'
    with pytest.raises(ValueError, match="The template expects 2 tensors"):
        S.format("{} {}", [tf.constant(1)])


def test_a_graph_refuses_parts_whose_places_and_lengths_differ():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"pos and len shapes must match: \[2\] vs. \[1\]"):
            tf.strings.substr("Hello", [0, 1], [1])
        with pytest.raises(ValueError, match="Attr 'unit' of 'Substr' Op passed string 'UTF8'"):
            tf.strings.substr("Hello", 0, 1, unit="UTF8")


def test_parts_of_strings_are_not_broadcast_over_three_dimensions() -> None:
    same = tf.strings.substr([[["xy"]]], [[[1]]], [[[1]]])
    assert same.numpy().tolist() == [[[b"y"]]]
    with pytest.raises(tf.errors.UnimplementedError, match="not implemented for 3 dimensions"):
        tf.strings.substr([["xy"]], [[[1]]], [[[1]]])
