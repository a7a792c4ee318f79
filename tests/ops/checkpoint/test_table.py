"""Sorted tables, snappy blocks and order-preserving numbers."""

import random

import pytest

from placewise.ops.checkpoint import table
from placewise.ops.checkpoint.numbers import ordered_number, ordered_signed, ordered_string
from placewise.ops.checkpoint.snappy import decompress


def test_what_is_written_is_read_again_over_many_blocks() -> None:
    entries = [(b"", b"head")]
    entries += [(f"key/{n:06d}".encode(), bytes([n % 256]) * (n % 700)) for n in range(3000)]
    assert list(table.entries_of(table.written(entries))) == entries


def test_an_empty_table_is_read_again() -> None:
    assert list(table.entries_of(table.written([]))) == []


def test_a_flipped_bit_anywhere_is_noticed() -> None:
    entries = [(f"k{n}".encode(), b"v" * n) for n in range(20)]
    whole = table.written(entries)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        try:
            found = list(table.entries_of(bytes(damaged)))
        except table.DamagedTableError:
            continue
        assert found == entries, place  # the padding of the footer means nothing


def test_a_cut_off_table_is_noticed() -> None:
    whole = table.written([(b"a", b"b" * 100)])
    for size in range(len(whole)):
        with pytest.raises(table.DamagedTableError):
            list(table.entries_of(whole[:size]))


def test_random_bytes_are_no_table() -> None:
    for size in (0, 10, 48, 500):
        with pytest.raises(table.DamagedTableError):
            list(table.entries_of(random.Random(size).randbytes(size)))


def test_numbers_and_strings_sort_as_their_codes() -> None:
    numbers = sorted([0, 1, 63, 64, 127, 128, 8191, 8192, 2**20, 2**35, 2**62, 2**63 - 1])
    assert sorted(numbers, key=ordered_number) == numbers
    signed = sorted([*numbers, *(-n - 1 for n in numbers)])
    assert sorted(signed, key=ordered_signed) == signed
    assert len({ordered_signed(n) for n in signed}) == len(signed)
    texts = sorted([b"", b"\0", b"\0\0", b"\0\xff", b"a", b"a\0", b"a\xff", b"b", b"\xff"])
    assert sorted(texts, key=lambda t: ordered_string(t) + b"\x80") == texts


def test_snappy_literals_and_overlapping_copies() -> None:
    assert decompress(bytes([0])) == b""
    assert decompress(bytes([5, 4 << 2]) + b"hello") == b"hello"
    # "ab", then six bytes from two before: the copy overlaps itself.
    assert decompress(bytes([8, 1 << 2]) + b"ab" + bytes([(6 - 4) << 2 | 1, 2])) == b"abababab"
    assert decompress(bytes([6, 2 << 2]) + b"abc" + bytes([2 << 2 | 2, 3, 0])) == b"abcabc"


@pytest.mark.parametrize("data", [b"", b"\x05", b"\x05\x10he", b"\x04\x01\x09", b"\xff" * 12])
def test_damaged_snappy_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        decompress(data)
