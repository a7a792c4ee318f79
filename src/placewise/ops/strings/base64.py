"""Base64 in the alphabet that is safe in web addresses."""

from __future__ import annotations

import base64
import re
from typing import Any

from placewise.core.errors import invalid
from placewise.ops.declare import op
from placewise.ops.families import same_shape
from placewise.ops.strings.contents import mapped

_ALPHABET = re.compile(rb"[A-Za-z0-9_-]*\Z")


@op(
    "EncodeBase64(input: string; pad: bool = False) -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """Return each string in base64, padded with `=` if asked."""
    return encode_base64.bind(input, pad=pad, name=name)


encode_base64.shape(same_shape)


@encode_base64.kernel
def encode_base64_kernel(input: Any, *, pad: bool) -> Any:
    if pad:
        return mapped(base64.urlsafe_b64encode, input)
    return mapped(lambda s: base64.urlsafe_b64encode(s).rstrip(b"="), input)


@op(
    "DecodeBase64(input: string) -> output: string",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def decode_base64(input: Any, name: str | None = None) -> Any:
    """Return what base64 strings stand for; padding may be left out."""
    return decode_base64.bind(input, name)


decode_base64.shape(same_shape)


@decode_base64.kernel
def decode_base64_kernel(input: Any) -> Any:
    return mapped(_decoded, input)


def _decoded(text: bytes) -> bytes:
    if len(text) % 4 == 0 and text.endswith(b"="):
        text = text[:-2] if text.endswith(b"==") else text[:-1]
    if len(text) % 4 == 1:
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    if not _ALPHABET.match(text):
        raise invalid("Invalid character found in base64.")
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
