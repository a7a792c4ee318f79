"""The ops of readers: those that make one, and those that read and ask."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.shapes import Dims, Static
from placewise.ops.declare import Bind, define
from placewise.ops.io.tensors import strings
from placewise.ops.queues import readers
from placewise.ops.queues.readers import Reader
from placewise.ops.values import Handle

_MADE = "container: string = '', shared_name: string = ''"


def _making(name: str, own: str | tuple[str, str], make: Any, doc: str) -> Bind:
    """Declare an op that makes a reader; `make` gets its own attributes."""
    before, after = own if isinstance(own, tuple) else (own, "")
    made = define(
        f"{name}(; {before}{_MADE}{after}) -> reader_handle: resource",
        stateful=True,
        devices=("CPU",),
        differentiable=False,
        doc=doc,
    )
    made.shape(lambda **_: ())

    @made.kernel
    def kernel(*, container: str, shared_name: str, **attrs: Any) -> Handle:
        handle = Handle("Reader", shared_name, None)
        handle.value = make(**attrs)
        return handle

    return made


text_line_reader = _making(
    "TextLineReaderV2",
    "skip_header_lines: int = 0, ",
    lambda skip_header_lines: Reader("TextLineReader", readers.lines(skip_header_lines)),
    "Make a reader of the lines of files.",
)
whole_file_reader = _making(
    "WholeFileReaderV2",
    "",
    lambda: Reader("WholeFileReader", readers.whole, is_whole=True),
    "Make a reader of whole files.",
)
identity_reader = _making(
    "IdentityReaderV2",
    "",
    lambda: Reader("IdentityReader", readers.itself, is_whole=True),
    "Make a reader whose records are the strings of the queue.",
)
tf_record_reader = _making(
    "TFRecordReaderV2",
    ("", ", compression_type: string = ''"),
    lambda compression_type: Reader("TFRecordReader", readers.tf_records(compression_type)),
    "Make a reader of TFRecord files.",
)
fixed_length_record_reader = _making(
    "FixedLengthRecordReaderV2",
    (
        "header_bytes: int = 0, record_bytes: int, footer_bytes: int = 0, hop_bytes: int = 0, ",
        ", encoding: string = ''",
    ),
    lambda header_bytes, record_bytes, footer_bytes, hop_bytes, encoding: Reader(
        "FixedLengthRecordReader",
        readers.fixed_length(header_bytes, record_bytes, footer_bytes, hop_bytes, encoding),
    ),
    "Make a reader of records of one length.",
)


def _using(signature: str, doc: str, host: tuple[str, ...] = ()) -> Bind:
    return define(
        signature, stateful=True, devices=("CPU",), differentiable=False, host=host, doc=doc
    )


read = _using(
    "ReaderReadV2(reader_handle: resource, queue_handle: resource) -> key: string, value: string",
    "Return the next record and its key.",
)


@read.shape
def read_shape(reader_handle: Static, queue_handle: Static) -> list[Dims]:
    return [(), ()]


@read.kernel
def read_kernel(reader_handle: Handle, queue_handle: Handle) -> tuple[Any, Any]:
    ((key, value),) = reader_handle.value.read(queue_handle.value)
    return strings([key], ()), strings([value], ())


read_up_to = _using(
    "ReaderReadUpToV2(reader_handle: resource, queue_handle: resource, num_records: int64)"
    " -> keys: string, values: string",
    "Return the next records of one file, and their keys.",
    host=("num_records",),
)


@read_up_to.shape
def read_up_to_shape(
    reader_handle: Static, queue_handle: Static, num_records: Static
) -> list[Dims]:
    return [(None,), (None,)]


@read_up_to.kernel
def read_up_to_kernel(
    reader_handle: Handle, queue_handle: Handle, num_records: Any
) -> tuple[Any, Any]:
    found = reader_handle.value.read(queue_handle.value, int(num_records))
    keys, values = [key for key, _ in found], [value for _, value in found]
    return strings(keys, (len(keys),)), strings(values, (len(values),))


def _counting(name: str, output: str, attribute: str, doc: str) -> Bind:
    count = _using(f"{name}(reader_handle: resource) -> {output}: int64", doc, (output,))
    count.shape(lambda reader_handle: ())
    count.kernel(lambda reader_handle: torch.tensor(getattr(reader_handle.value, attribute)))
    return count


num_records_produced = _counting(
    "ReaderNumRecordsProducedV2", "records_produced", "produced", "How many records were read."
)
num_work_units_completed = _counting(
    "ReaderNumWorkUnitsCompletedV2", "units_completed", "finished", "How many files were read."
)

reset = _using("ReaderResetV2(reader_handle: resource)", "Let a reader begin anew.")
reset.kernel(lambda reader_handle: reader_handle.value.reset())

serialize_state = _using(
    "ReaderSerializeStateV2(reader_handle: resource) -> state: string",
    "Return how far a reader has read.",
)
serialize_state.shape(lambda reader_handle: ())
serialize_state.kernel(lambda reader_handle: strings([reader_handle.value.state()], ()))

restore_state = _using(
    "ReaderRestoreStateV2(reader_handle: resource, state: string)",
    "Let a reader go on where it was.",
)


@restore_state.kernel
def restore_state_kernel(reader_handle: Handle, state: Any) -> None:
    reader_handle.value.restore(state[()], reader_handle.name)
