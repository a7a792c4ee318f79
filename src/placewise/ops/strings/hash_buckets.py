"""Strings to numbered buckets, by their hashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.ops.declare import op
from placewise.ops.families import same_shape
from placewise.ops.strings.contents import numbers
from placewise.ops.strings.fingerprints import fingerprint64, murmur64, siphash

_WORD = 0xFFFFFFFFFFFFFFFF


def _buckets(
    strings: np.ndarray[Any, Any],
    count: int,
    kind: Literal["farm", "murmur", "sip"],
    hashed: Callable[[bytes], int],
    key: tuple[int, int] = (0, 0),
) -> Any:
    """Return the bucket of each string by a hash, which the native module has under a name."""
    if native.code is None:
        return numbers(lambda s: hashed(s) % count, strings, np.int64)
    result = np.empty(strings.shape, np.int64)
    pair = (key[0] & _WORD, key[1] & _WORD)
    native.code.hash_buckets(np.asarray(strings, order="C"), result, count, kind, *pair)
    return torch.from_numpy(result)


@op(
    "StringToHashBucket(string_tensor: string; num_buckets: int >= 1) -> output: int64",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Any:
    """Return the bucket of each string; the hash may change: prefer `to_hash_bucket_fast`."""
    return to_hash_bucket.bind(input, num_buckets=num_buckets, name=name)


to_hash_bucket.shape(same_shape)


@to_hash_bucket.kernel
def string_to_hash_bucket_kernel(string_tensor: np.ndarray[Any, Any], *, num_buckets: int) -> Any:
    return _buckets(string_tensor, num_buckets, "murmur", murmur64)


@op(
    "StringToHashBucketFast(input: string; num_buckets: int >= 1) -> output: int64",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Any:
    """Return the bucket of each string by a hash that never changes."""
    return to_hash_bucket_fast.bind(input, num_buckets=num_buckets, name=name)


to_hash_bucket_fast.shape(same_shape)


@to_hash_bucket_fast.kernel
def string_to_hash_bucket_fast_kernel(input: np.ndarray[Any, Any], *, num_buckets: int) -> Any:
    return _buckets(input, num_buckets, "farm", fingerprint64)


@op(
    "StringToHashBucketStrong(input: string; num_buckets: int >= 1,"
    " key: list(int)) -> output: int64",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[Any], name: str | None = None
) -> Any:
    """Return the bucket of each string by a hash that only those with the key can foresee."""
    return to_hash_bucket_strong.bind(input, num_buckets=num_buckets, key=key, name=name)


to_hash_bucket_strong.shape(same_shape)


@to_hash_bucket_strong.kernel
def string_to_hash_bucket_strong_kernel(
    input: np.ndarray[Any, Any], *, num_buckets: int, key: Sequence[Any]
) -> Any:
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    pair = (int(key[0]), int(key[1]))
    return _buckets(input, num_buckets, "sip", lambda s: siphash(s, pair), pair)
