"""Strings to numbered buckets, by their hashes."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.ops.declare import op
from placewise.ops.families import same_shape
from placewise.ops.strings.contents import at_least, numbers
from placewise.ops.strings.fingerprints import fingerprint64, murmur64, siphash


@op(
    "StringToHashBucket(string_tensor: string; num_buckets: int) -> output: int64",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Return the bucket of each string; the hash may change: prefer `to_hash_bucket_fast`."""
    return to_hash_bucket.bind(input, num_buckets=num_buckets, name=name)


to_hash_bucket.shape(same_shape)


@to_hash_bucket.kernel
def string_to_hash_bucket_kernel(string_tensor: Any, *, num_buckets: int) -> Any:
    at_least("num_buckets", num_buckets, 1)
    return numbers(lambda s: murmur64(s) % num_buckets, string_tensor, np.int64)


@op(
    "StringToHashBucketFast(input: string; num_buckets: int) -> output: int64",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Return the bucket of each string by a hash that never changes."""
    return to_hash_bucket_fast.bind(input, num_buckets=num_buckets, name=name)


to_hash_bucket_fast.shape(same_shape)


@to_hash_bucket_fast.kernel
def string_to_hash_bucket_fast_kernel(input: Any, *, num_buckets: int) -> Any:
    at_least("num_buckets", num_buckets, 1)
    return numbers(lambda s: fingerprint64(s) % num_buckets, input, np.int64)


@op(
    "StringToHashBucketStrong(input: string; num_buckets: int, key: list(int)) -> output: int64",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """Return the bucket of each string by a hash that only those with the key can foresee."""
    return to_hash_bucket_strong.bind(input, num_buckets=num_buckets, key=key, name=name)


to_hash_bucket_strong.shape(same_shape)


@to_hash_bucket_strong.kernel
def string_to_hash_bucket_strong_kernel(input: Any, *, num_buckets: int, key: Any) -> Any:
    at_least("num_buckets", num_buckets, 1)
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    pair = (int(key[0]), int(key[1]))
    return numbers(lambda s: siphash(s, pair) % num_buckets, input, np.int64)
