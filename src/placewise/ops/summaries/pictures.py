"""How the pixels of an image summary become bytes: scaled to what a screen can show."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# Values as small as this count as nothing when the scale is chosen.
_NOTHING = 1e-6


def to_bytes(image: Array, bad_color: Array) -> Array:
    """Return [height, width, channels] as uint8; a pixel that is not finite gets `bad_color`.

    With negative values, zero becomes 128 and the farthest value 1 or 255; without, the largest
    becomes 255.
    """
    if image.dtype == np.uint8:
        return image
    pixels = image.reshape(-1, image.shape[-1])
    kind = np.float64 if image.dtype == np.float64 else np.float32
    wide = pixels.astype(kind)
    is_good = np.isfinite(wide).all(axis=1)
    good = wide[is_good]
    low = min(float(good.min()), 0.0) if good.size else 0.0
    high = max(float(good.max()), 0.0) if good.size else 0.0
    if low < 0:
        farthest = max(abs(low), abs(high))
        scale = 0.0 if farthest < _NOTHING else kind(127) / kind(farthest)
        offset = kind(128)
    else:
        scale = 0.0 if high < _NOTHING else kind(255) / kind(high)
        offset = kind(0)
    result = np.empty(pixels.shape, np.uint8)
    # Halves are narrowed again after scaling, as TensorFlow computes in the image's own dtype.
    result[is_good] = (good * kind(scale) + offset).astype(image.dtype).astype(np.uint8)
    result[~is_good] = bad_color[: pixels.shape[1]]
    return result.reshape(image.shape)
