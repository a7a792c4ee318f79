"""Logarithm, sine and cosine in single precision, bit for bit those of the C library.

Normal samples are TensorFlow's only if these functions round as its C library's do; NumPy's and
torch's vectorised ones differ in the last bit. Evaluated in double precision by the polynomials
of the Arm optimized routines, which the GNU C library uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def _hex(*texts: str) -> Array:
    return np.array([float.fromhex(text) for text in texts])


# log(c) and 1/c near the middle of each of 16 parts of [0.7, 1.4)
_INVERSE = _hex(
    "0x1.661ec79f8f3bep+0", "0x1.571ed4aaf883dp+0", "0x1.49539f0f010bp+0", "0x1.3c995b0b80385p+0",
    "0x1.30d190c8864a5p+0", "0x1.25e227b0b8eap+0", "0x1.1bb4a4a1a343fp+0", "0x1.12358f08ae5bap+0",
    "0x1.0953f419900a7p+0", "0x1p+0", "0x1.e608cfd9a47acp-1", "0x1.ca4b31f026aap-1",
    "0x1.b2036576afce6p-1", "0x1.9c2d163a1aa2dp-1", "0x1.886e6037841edp-1", "0x1.767dcf5534862p-1",
)  # fmt: skip
_LOG = _hex(
    "-0x1.57bf7808caadep-2", "-0x1.2bef0a7c06ddbp-2", "-0x1.01eae7f513a67p-2",
    "-0x1.b31d8a68224e9p-3", "-0x1.6574f0ac07758p-3", "-0x1.1aa2bc79c81p-3",
    "-0x1.a4e76ce8c0e5ep-4", "-0x1.1973c5a611cccp-4", "-0x1.252f438e10c1ep-5", "0x0p+0",
    "0x1.aa5aa5df25984p-5", "0x1.c5e53aa362eb4p-4", "0x1.526e57720db08p-3",
    "0x1.bc2860d22477p-3", "0x1.1058bc8a07ee1p-2", "0x1.4043057b6ee09p-2",
)  # fmt: skip
_LN2 = float.fromhex("0x1.62e42fefa39efp-1")
_A0, _A1, _A2 = _hex("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")

_C1, _C2, _C3, _C4 = _hex(
    "-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5", "-0x1.6c087e89a359dp-10",
    "0x1.99343027bf8c3p-16",
)  # fmt: skip
_S1, _S2, _S3 = _hex("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13")
_TWO_OVER_PI = float.fromhex("0x1.45F306DC9C883p-1")
_HALF_PI = float.fromhex("0x1.921FB54442D18p0")


def log32(x: Array) -> Array:
    """Return the natural logarithm of positive normal float32."""
    bits = x.view(np.int32)
    offset = bits - np.int32(0x3F330000)
    part = (offset >> 19) & 15
    exponent = offset >> 23
    scaled = (bits - (exponent << 23)).view(np.float32).astype(np.float64)
    r = scaled * _INVERSE.take(part)
    r -= 1.0
    y0 = exponent * _LN2
    y0 += _LOG.take(part)
    y0 += r
    r2 = r * r
    y = r
    y *= _A1
    y += _A2
    y += r2 * _A0
    y *= r2
    y += y0
    return y.astype(np.float32)


def sincos32(x: Array) -> tuple[Array, Array]:
    """Return sine and cosine of float32 in [0, 2 pi]."""
    r = x.astype(np.float64)
    turns = r * _TWO_OVER_PI
    turns += 0.5
    quadrant = turns.astype(np.int32)
    r -= quadrant * _HALF_PI
    x2 = r * r
    x3 = r * x2
    sine = x2 * _S3
    sine += _S2
    sine *= x3 * x2
    x3 *= _S1
    r += x3
    sine += r
    x4 = x2 * x2
    cosine = x2 * _C1
    cosine += 1.0
    cosine += x4 * _C2
    x4 *= x2
    x2 *= _C4
    x2 += _C3
    x4 *= x2
    cosine += x4
    s, c = sine.astype(np.float32), cosine.astype(np.float32)
    swap = (quadrant & 1).astype(bool)
    sin, cos = np.where(swap, c, s), np.where(swap, s, c)
    # sine is negative in the quadrants 2 and 3, cosine in 1 and 2: flip the sign bit there
    sin.view(np.int32)[...] ^= (quadrant & 2) << 30
    cos.view(np.int32)[...] ^= ((quadrant + 1) & 2) << 30
    return sin, cos
