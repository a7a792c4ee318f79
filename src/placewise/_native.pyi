"""What the extension in `native/` offers. Arrays are NumPy's, contiguous; results are filled."""

from typing import Any, Literal

FINGERPRINT: int

def hash_buckets(
    strings: Any, results: Any, buckets: int, kind: Literal["farm", "murmur", "sip"], k0: int, k1: int, /
) -> None: ...
def philox_words(key: int, low: int, high: int, results: Any, /) -> None: ...
def philox_uniform(key: int, low: int, high: int, results: Any, /) -> None: ...
def philox_uniform64(key: int, low: int, high: int, results: Any, /) -> None: ...
def philox_normal(key: int, low: int, high: int, results: Any, /) -> None: ...
def philox_truncated(key: int, low: int, high: int, results: Any, /) -> None: ...
def philox_order(key: int, low: int, high: int, results: Any, /) -> None: ...
def resample(
    x: Any, places: Any, weights: Any, results: Any, outer: int, old: int, inner: int, /
) -> None: ...
def resize_bilinear(
    x: Any,
    tops: Any,
    bottoms: Any,
    down: Any,
    lefts: Any,
    rights: Any,
    across: Any,
    scratch: Any,
    results: Any,
    batch: int,
    height: int,
    width: int,
    channels: int,
    /,
) -> None: ...
def crop_and_resize(
    images: Any,
    boxes: Any,
    which: Any,
    results: Any,
    batch: int,
    height: int,
    width: int,
    channels: int,
    rows: int,
    columns: int,
    outside: float,
    /,
) -> None: ...
def contrast(
    images: Any, results: Any, batch: int, channels: int, factor: float, /
) -> None: ...
def recolor(
    images: Any, results: Any, how: Literal["hue", "saturation", "hsv"], amount: float, /
) -> None: ...
def suppress(
    boxes: Any, order: Any, scratch: Any, results: Any, threshold: float, /
) -> int: ...
def select_by_mask(mask: Any, t: Any, e: Any, results: Any, size: int, /) -> None: ...
def in_top_k(predictions: Any, targets: Any, results: Any, k: int, /) -> None: ...
def top_k(x: Any, values: Any, places: Any, rows: int, k: int, /) -> bool: ...
def categorical(logits: Any, fractions: Any, sums: Any, results: Any, /) -> None: ...
def log_uniform(
    key: int, low: int, high: int, range_max: int, span: float, unique: bool, results: Any, /
) -> int: ...
def distinct(values: Any, kept: Any, first: Any, numbers: Any, /) -> int: ...
