"""What the extension in `native/` offers. Arrays are NumPy's, contiguous; results are filled."""

from typing import Any, Literal

FINGERPRINT: int

def hash_buckets(
    strings: Any, results: Any, buckets: int, kind: Literal["farm", "murmur", "sip"], k0: int, k1: int, /
) -> None: ...
