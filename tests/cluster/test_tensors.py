"""Tensors on the wire: what is sent arrives, what is wrong is refused before it takes memory."""

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.cluster.tensors import (
    CHUNK_BYTES,
    INLINE_BYTES,
    Reader,
    from_message,
    to_frames,
    to_message,
)
from placewise.cluster.wire import message
from placewise.ops.values import to_numpy

MALFORMED = "A malformed tensor was received"


@pytest.mark.parametrize(
    "content",
    [
        torch.arange(12.0).reshape(3, 4),
        torch.arange(12).reshape(3, 4).T,
        torch.tensor(True),
        torch.zeros(0, 3, dtype=torch.complex64),
        torch.ones(5, dtype=torch.bfloat16),
        torch.ones(3, dtype=torch.float8_e5m2),
        torch.arange(100_000).to(torch.uint64),
        torch.arange(50_000).to(torch.bfloat16),
        np.array([[b"a", b"bc"], [b"", b"\0x\0"]], dtype=object),
        np.array([b"long" * 1000] * 100, dtype=object),
    ],
)
def test_what_is_sent_arrives(content):
    key, arrived = Reader(to_frames(content, 7)).next()
    assert key == 7
    assert getattr(arrived, "dtype", None) == content.dtype
    np.testing.assert_array_equal(to_numpy(arrived), to_numpy(content))


def test_large_contents_are_cut_into_chunks():
    frames = list(to_frames(torch.zeros(3 << 18)))
    assert len(frames) == 1 + (3 << 20) // CHUNK_BYTES
    assert max(map(len, frames)) <= CHUNK_BYTES
    assert len(list(to_frames(torch.zeros(INLINE_BYTES // 4)))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": 99, "shape": [1], "content": b"abcd"},
        {"dtype": 1, "shape": [2], "content": b"abcd"},
        {"dtype": 1, "shape": [-1], "content": b"abcd"},
        {"dtype": 1, "shape": [1 << 40, 1 << 40], "content": b""},
        {"dtype": 7, "shape": [3], "strings": [b"a"]},
        {"dtype": 7, "shape": [1 << 60]},
    ],
)
def test_a_message_that_contradicts_itself_is_refused(fields):
    with pytest.raises(tf.errors.InvalidArgumentError, match=MALFORMED):
        from_message(message("Tensor")(**fields))


@pytest.mark.parametrize(
    ("fields", "chunks"),
    [
        ({"dtype": 1, "shape": [4], "following_bytes": 16}, [b"short"]),
        ({"dtype": 1, "shape": [4], "following_bytes": 16}, [b"x" * 17]),
        ({"dtype": 1, "shape": [4], "following_bytes": 16}, [b"", b"x" * 16]),
        ({"dtype": 1, "shape": [4], "following_bytes": 20}, [b"x" * 20]),
        ({"dtype": 1, "shape": [4], "following_bytes": -1}, []),
        ({"dtype": 1, "shape": [1 << 50], "following_bytes": 1 << 52}, []),
        ({"dtype": 7, "shape": [2], "following_bytes": 4, "string_bytes": [1, 1]}, [b"abcd"]),
    ],
)
def test_a_stream_that_contradicts_itself_is_refused(fields, chunks):
    frames = [message("Tensor")(**fields).SerializeToString(), *chunks]
    with pytest.raises(tf.errors.InvalidArgumentError, match=MALFORMED):
        Reader(frames).next()


def test_a_tensor_larger_than_the_host_is_refused_before_it_comes():
    header = message("Tensor")(dtype=1, shape=[1 << 37], following_bytes=1 << 39)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        Reader([header.SerializeToString()]).next()


def test_booleans_of_other_bytes_become_true():
    odd = message("Tensor")(dtype=10, shape=[3], content=b"\x00\x01\x07")
    assert from_message(odd).tolist() == [False, True, True]


def test_a_variant_is_not_sent():
    from placewise.ops.values import Variant

    with pytest.raises(tf.errors.UnimplementedError, match="variant cannot be sent"):
        to_message(Variant(None))
