"""Examples written as JSON, turned into the binary form that is parsed."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from placewise import messages
from placewise.core.errors import invalid
from placewise.ops.declare import op
from placewise.ops.families import same_shape


@op(
    "DecodeJSONExample(json_examples: string) -> binary_examples: string",
    devices=("CPU",),
    differentiable=False,
)
def decode_json_example(json_examples: str, name: str | None = None) -> Any:
    """Return examples given as JSON as serialized `tf.train.Example` messages."""
    return decode_json_example.bind(json_examples, name)


decode_json_example.shape(same_shape)


@decode_json_example.kernel
def decode_json_example_kernel(json_examples: np.ndarray[Any, Any]) -> Any:
    from google.protobuf import json_format  # noqa: PLC0415 - keeps protobuf out

    result = np.empty(json_examples.shape, dtype=object)
    flat = result.reshape(-1)
    for number, text in enumerate(json_examples.reshape(-1)):
        try:
            example = json_format.Parse(text, messages.Example())
        except UnicodeDecodeError:
            raise invalid("Error while parsing JSON: it is not valid UTF-8") from None
        except (json_format.ParseError, RecursionError) as failure:
            # protobuf adds Python's words where a message should be an object.
            words = str(failure).partition(": TypeError")[0]
            raise invalid(f"Error while parsing JSON: {words}") from None
        flat[number] = _unpacked(example, _key_order(text))
    return result


def _key_order(text: bytes) -> list[str]:
    features = json.loads(text).get("features") or {}
    return list(features.get("feature") or {})


def _varint(number: int) -> bytes:
    number &= 0xFFFFFFFFFFFFFFFF
    found = bytearray()
    while number > 127:
        found.append((number & 127) | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def _field(number: int, body: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(body)) + body


def _unpacked(example: Any, keys: list[str]) -> bytes:
    """Return an example in bytes, each number under a tag of its own, as TensorFlow writes here."""
    features = example.features.feature
    entries = b"".join(
        _field(1, _field(1, key.encode()) + _field(2, _values(features[key]))) for key in keys
    )
    return _field(1, entries) if example.HasField("features") else b""


def _values(feature: Any) -> bytes:
    kind = feature.WhichOneof("kind")
    if kind == "int64_list":
        return _field(3, b"".join(b"\x08" + _varint(v) for v in feature.int64_list.value))
    if kind == "float_list":
        body = b"".join(b"\x0d" + struct.pack("<f", v) for v in feature.float_list.value)
        return _field(2, body)
    if kind == "bytes_list":
        return _field(1, b"".join(_field(1, v) for v in feature.bytes_list.value))
    return b""
