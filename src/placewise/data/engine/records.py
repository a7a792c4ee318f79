"""Elements as records of a file: every tensor a TensorProto, as TensorFlow saves datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from placewise import messages
from placewise.core.dtypes import as_dtype
from placewise.core.errors import DataLossError, UnimplementedError
from placewise.core.shapes import TensorShape
from placewise.messages.decoding import parsed_message
from placewise.ops.io.records import TFRecordWriter, read_records
from placewise.ops.values import Content, Handle, Variant, dtype_of, from_numpy, shape_of, to_numpy


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[place]
        number |= (byte & 127) << shift
        place += 1
        shift += 7
        if byte < 128:
            return number, place


def serialized(content: Content) -> bytes:
    """Return the content of a tensor as a serialized TensorProto."""
    if isinstance(content, (Variant, Handle)):
        raise UnimplementedError(
            None, None, "Datasets and optionals inside of elements cannot be written to files."
        )
    proto = messages.TensorProto()
    proto.dtype = dtype_of(content).as_datatype_enum
    proto.tensor_shape.CopyFrom(TensorShape(shape_of(content)).as_proto())
    array = to_numpy(content)
    if array.dtype == object:
        texts = array.ravel().tolist()
        proto.tensor_content = b"".join([_varint(len(text)) for text in texts] + texts)
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    data: bytes = proto.SerializeToString()
    return data


def parsed(data: bytes) -> Any:
    """Return the content of a serialized TensorProto."""
    proto = parsed_message(messages.TensorProto, data, "a saved dataset")
    dtype = as_dtype(proto.dtype)
    shape = tuple(int(d.size) for d in proto.tensor_shape.dim)
    if dtype.name != "string":
        array = np.frombuffer(proto.tensor_content, dtype=dtype.as_numpy_dtype)
        return from_numpy(array.reshape(shape))
    count = int(np.prod(shape, dtype=np.int64))
    raw, place, lengths = proto.tensor_content, 0, []
    for _ in range(count):
        length, place = _read_varint(raw, place)
        lengths.append(length)
    made = np.empty(count, dtype=object)
    for index, length in enumerate(lengths):
        made[index] = raw[place : place + length]
        place += length
    return made.reshape(shape)


def write(writer: TFRecordWriter, contents: list[Any]) -> None:
    """Add the tensors of an element to a file."""
    for content in contents:
        writer.write(serialized(content))


def read(path: str, compression: str, count: int) -> Iterator[list[Any]]:
    """Return the elements of a file, `count` tensors each."""
    held: list[Any] = []
    for record in read_records(path, compression):
        held.append(parsed(record))
        if len(held) == count:
            yield held
            held = []
    if held:
        raise DataLossError(None, None, f"{path} ends in the middle of an element")
