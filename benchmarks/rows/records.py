"""Records, examples and CSV lines: read, written and parsed."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}
COUNT = 2_000
_FOLDER = tempfile.TemporaryDirectory()
_RANDOM = random.Random(5)


def serialized(tf: Any) -> list[bytes]:
    """Return examples of a label, some numbers, a text and words."""
    made = []
    for index in range(COUNT):
        example = tf.train.Example()
        feature = example.features.feature
        feature["label"].int64_list.value.append(index)
        feature["numbers"].float_list.value.extend([index / 7] * 16)
        feature["text"].bytes_list.value.append(b"text of example %d" % index)
        feature["words"].int64_list.value.extend(range(index % 9))
        made.append(example.SerializeToString())
    return made


FIXED = {"label": ([], "int64"), "numbers": ([16], "float32"), "text": ([], "string")}


def features(tf: Any) -> dict[str, Any]:
    """Return what the dense features are."""
    return {
        key: tf.io.FixedLenFeature(shape, getattr(tf, kind)) for key, (shape, kind) in FIXED.items()
    }


def written(tf: Any, name: str) -> str:
    """Write a file of records and return its path."""
    path = str(Path(_FOLDER.name, name))
    with tf.io.TFRecordWriter(path) as writer:
        for record in serialized(tf):
            writer.write(record)
    return path


def read(tf: Any) -> Callable[[], object]:
    """Read a file of 2,000 records."""
    dataset = tf.data.TFRecordDataset(written(tf, "read"))
    return lambda: sum(1 for _ in dataset)


def write(tf: Any) -> Callable[[], object]:
    """Write a file of 2,000 records."""
    records, path = serialized(tf), str(Path(_FOLDER.name, "written"))

    def call() -> None:
        with tf.io.TFRecordWriter(path) as writer:
            for record in records:
                writer.write(record)

    return call


def parse(tf: Any) -> Callable[[], object]:
    """Parse 2,000 examples at once."""
    records, wanted = tf.constant(serialized(tf)), features(tf)
    return lambda: tf.io.parse_example(records, wanted)


def parse_ragged(tf: Any) -> Callable[[], object]:
    """Parse a feature of varying length of 2,000 examples."""
    records, wanted = tf.constant(serialized(tf)), {"words": tf.io.VarLenFeature(tf.int64)}
    return lambda: tf.io.parse_example(records, wanted)


def parse_single(tf: Any) -> Callable[[], object]:
    """Read and parse 2,000 examples one by one."""
    wanted = features(tf)
    dataset = tf.data.TFRecordDataset(written(tf, "single"))
    dataset = dataset.map(lambda record: tf.io.parse_single_example(record, wanted))
    return lambda: sum(1 for _ in dataset)


def parse_batches(tf: Any) -> Callable[[], object]:
    """Read 2,000 examples and parse them in batches of 64."""
    wanted = features(tf)
    dataset = tf.data.TFRecordDataset(written(tf, "batches")).batch(64)
    dataset = dataset.map(lambda records: tf.io.parse_example(records, wanted))
    return lambda: sum(1 for _ in dataset)


def interleave(tf: Any) -> Callable[[], object]:
    """Read four files of 2,000 records in turn."""
    names = tf.data.Dataset.from_tensor_slices([written(tf, f"part{i}") for i in range(4)])
    dataset = names.interleave(tf.data.TFRecordDataset, cycle_length=4, block_length=16)
    return lambda: sum(1 for _ in dataset)


def csv(tf: Any) -> Callable[[], object]:
    """Read 2,000 rows of four columns."""
    path = Path(_FOLDER.name, "rows.csv")
    rows = (f"{i},{_RANDOM.random():.4f},word{i},{i * 2}" for i in range(COUNT))
    path.write_text("\n".join(rows) + "\n")
    kinds = [tf.int32, tf.float32, tf.string, tf.int64]
    dataset = tf.data.experimental.CsvDataset(str(path), kinds)
    return lambda: sum(1 for _ in dataset)


def decode_csv(tf: Any) -> Callable[[], object]:
    """Decode 2,000 lines at once."""
    lines = tf.constant([f"{i},{_RANDOM.random():.4f},word{i}" for i in range(COUNT)])
    return lambda: tf.io.decode_csv(lines, [[0], [0.0], [""]])


def lines(tf: Any) -> Callable[[], object]:
    """Read 2,000 lines of text."""
    path = Path(_FOLDER.name, "lines.txt")
    path.write_text("".join(f"line {i} of the text\n" for i in range(COUNT)))
    dataset = tf.data.TextLineDataset(str(path))
    return lambda: sum(1 for _ in dataset)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "TFRecordDataset": read,
    "TFRecordWriter": write,
    "parse_example": parse,
    "parse_example, varying length": parse_ragged,
    "parse_single_example in map": parse_single,
    "parse_example of batches in map": parse_batches,
    "interleave of four files": interleave,
    "CsvDataset": csv,
    "decode_csv": decode_csv,
    "TextLineDataset": lines,
}
