"""N-grams: padding and its limits."""

import pytest

import placewise as tf


def ngrams(data, splits, widths, pad_width, preserve=False):
    result = tf.raw_ops.StringNGrams(
        data=tf.constant(data, tf.string),
        data_splits=splits,
        separator="|",
        ngram_widths=widths,
        left_pad="L",
        right_pad="R",
        pad_width=pad_width,
        preserve_short_sequences=preserve,
    )
    return [part.numpy().tolist() for part in result]


def test_rows_without_any_data_have_no_ngrams():
    assert ngrams([], [0, 0], [3], 2) == [[], [0, 0]]
    assert ngrams(["a"], [0, 0, 1], [2], 1) == [[b"L|R", b"L|a", b"a|R"], [0, 1, 3]]


def test_padding_that_overflows_is_refused_before_it_is_made():
    with pytest.raises(tf.errors.InvalidArgumentError, match="could lead to integer overflow"):
        ngrams(["a", "b"], [0, 2], [2**30, 2**30], -1)


def test_padding_that_cannot_fit_is_refused_before_it_is_made():
    with pytest.raises(tf.errors.ResourceExhaustedError):
        ngrams(["a", "b"], [0, 2], [2**29], -1)


def test_short_rows_cannot_be_preserved_without_widths_and_padding():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pad width should be >= 0"):
        ngrams(["a"], [0, 1], [], -5, preserve=True)
