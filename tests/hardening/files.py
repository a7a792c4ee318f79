"""Damaged files of every kind: each is refused in TensorFlow's words, or read right."""

from __future__ import annotations

import io
import os
import random
import shutil
import struct
import zipfile
from pathlib import Path
from typing import Any, ClassVar

import google_crc32c
import numpy as np

import placewise as tf
from tests.hardening.byte_damage import damaged
from tests.hardening.judgement import judge

WEIGHTS = np.arange(600, dtype=np.float32).reshape(20, 30)


class _Files:
    """Good files that are made once, damaged one at a time, and read."""

    allowed: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self) -> None:
        self.root = Path(os.environ.get("TMPDIR", "/tmp")) / f"placewise_hardening_{os.getpid()}"
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        self.make()
        self.good = {p: p.read_bytes() for p in sorted(self.root.rglob("*")) if p.is_file()}
        self.last = ""

    def make(self) -> None:
        """Write the good files."""

    def read(self) -> str | None:
        """Read the files; return what was wrong with what was read."""

    def run(self, number: int) -> str | None:
        """Damage one file, read all, and put it back."""
        rng = random.Random(number)
        path = rng.choice(list(self.good))
        if rng.random() < 0.03:
            path.unlink()
        else:
            path.write_bytes(self.harm(rng, path))
        self.last = path.name
        try:
            return self.read()
        except self.allowed:
            return None
        except Exception as error:
            return judge(error)
        finally:
            path.write_bytes(self.good[path])

    def harm(self, rng: random.Random, path: Path) -> bytes:
        """Return the bytes of a file with something wrong in them."""
        return damaged(rng, self.good[path])


class Checkpoints(_Files):
    """Checkpoints of TensorFlow 2's and 1's writers, read by name and by object."""

    def make(self) -> None:
        self.value = tf.Variable(WEIGHTS)
        self.names = tf.Variable([b"a", b"bc"])
        tf.train.Checkpoint(v=self.value, s=self.names).write(str(self.root / "ckpt"))

    def read(self) -> str | None:
        value, names = tf.Variable(np.zeros_like(WEIGHTS)), tf.Variable([b"", b""])
        path = str(self.root / "ckpt")
        tf.train.Checkpoint(v=value, s=names).read(path).assert_consumed()
        reader = tf.train.load_checkpoint(path)
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)
        if not np.array_equal(value.numpy(), WEIGHTS) or names.numpy().tolist() != [b"a", b"bc"]:
            return "wrong value read from a damaged checkpoint"
        return None


class SavedModels(_Files):
    """Saved models with a signature, a variable and a table."""

    def make(self) -> None:
        module = tf.Module()
        module.v = tf.Variable(WEIGHTS)
        module.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )

        @tf.function(input_signature=[tf.TensorSpec([None, 20])])
        def serve(x: Any) -> Any:
            y = tf.matmul(x, module.v)
            return tf.cond(tf.reduce_sum(y) > 0, lambda: y, lambda: -y)

        module.serve = serve
        tf.saved_model.save(module, str(self.root / "model"))

    def read(self) -> str | None:
        loaded = tf.saved_model.load(str(self.root / "model"))
        serve = getattr(loaded, "serve", None)
        if callable(serve):
            serve(tf.ones([1, 20]))
        return None


class Records(_Files):
    """TFRecords, plain and compressed: what is read is a beginning of what was written."""

    items: ClassVar[list[bytes]] = [b"x" * n for n in (0, 1, 5, 300, 7)] * 3

    def make(self) -> None:
        for kind in ("", "GZIP", "ZLIB"):
            path = str(self.root / f"records{kind}")
            with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression_type=kind)) as writer:
                for item in self.items:
                    writer.write(item)
        example = tf.train.Example()
        example.features.feature["a"].float_list.value.extend([1.0, 2.0])
        (self.root / "example").write_bytes(example.SerializeToString())

    def read(self) -> str | None:
        problems: list[Exception] = []
        for kind in ("", "GZIP", "ZLIB"):
            read: list[bytes] = []
            try:
                for item in tf.data.TFRecordDataset(str(self.root / f"records{kind}"), kind):
                    read.append(item.numpy())  # noqa: PERF401  # an error must not lose the others
            except Exception as error:
                problems.append(error)
            # A compressed file twice in a row is whole, and TensorFlow reads both parts.
            written = self.items * 2 if kind else self._whole(self.root / "records")
            if read != written[: len(read)]:
                return "wrong record read from a damaged file"
        try:
            spec = {"a": tf.io.VarLenFeature(tf.float32)}
            tf.io.parse_single_example((self.root / "example").read_bytes(), spec)
        except Exception as error:
            problems.append(error)
        return next(filter(None, map(judge, problems)), None)

    def _whole(self, path: Path) -> list[bytes]:
        """Return the records of a file that have a good beginning: some may be gone as a whole."""
        known = {_record(item): item for item in self.items}
        data = path.read_bytes() if path.exists() else b""
        found: list[bytes] = []
        while data:
            whole = next((raw for raw in known if data.startswith(raw)), None)
            if whole is None:
                break
            found.append(known[whole])
            data = data[len(whole) :]
        return found


def _record(item: bytes) -> bytes:
    """Return a record as a file holds it: length, its checksum, the bytes, theirs."""
    size = struct.pack("<Q", len(item))
    return size + _checksum(size) + item + _checksum(item)


def _checksum(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


class SavedDatasets(_Files):
    """Folders that `Dataset.save` wrote."""

    def make(self) -> None:
        rows = tf.data.Dataset.from_tensor_slices({"a": np.arange(5.0), "b": [b"x"] * 5})
        rows.save(str(self.root / "rows"))

    def read(self) -> str | None:
        for element in tf.data.Dataset.load(str(self.root / "rows")):
            tf.nest.map_structure(lambda tensor: tensor.numpy(), element)
        return None


class Events(_Files):
    """Event files, read back with the iterator of summaries."""

    def make(self) -> None:
        with tf.summary.create_file_writer(str(self.root / "logs")).as_default():
            for step in range(20):
                tf.summary.scalar("loss", 1.0 / (step + 1), step=step)

    def read(self) -> str | None:
        for path in (self.root / "logs").iterdir():
            for event in tf.compat.v1.train.summary_iterator(str(path)):
                for value in event.summary.value:
                    tf.make_ndarray(value.tensor)
        return None


class Images(_Files):
    """PNG, JPEG, GIF and BMP files."""

    def make(self) -> None:
        image = np.random.RandomState(0).randint(0, 255, (12, 9, 3), np.uint8)
        (self.root / "a.png").write_bytes(tf.io.encode_png(image).numpy())
        (self.root / "a.jpg").write_bytes(tf.io.encode_jpeg(image).numpy())
        header = struct.pack("<2sIHHI", b"BM", 54 + 12 * 28, 0, 0, 54)
        header += struct.pack("<IiiHHIIiiII", 40, 9, 12, 1, 24, 0, 0, 0, 0, 0, 0)
        (self.root / "a.bmp").write_bytes(header + bytes(12 * 28))
        gif = b"GIF89a\x02\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"
        gif += b",\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x0c\n\x00;"
        (self.root / "a.gif").write_bytes(gif)

    def read(self) -> str | None:
        for path in self.good:
            data = path.read_bytes() if path.exists() else b""
            for decode in (tf.io.decode_image, tf.io.decode_jpeg, tf.io.decode_gif):
                try:
                    decode(data)
                except Exception as error:
                    problem = judge(error)
                    if problem is not None:
                        return problem
        return None


class Audio(_Files):
    """WAV files."""

    def make(self) -> None:
        sound = np.sin(np.arange(200, dtype=np.float32) / 5)[:, None]
        (self.root / "a.wav").write_bytes(tf.audio.encode_wav(sound, 8000).numpy())

    def read(self) -> str | None:
        path = self.root / "a.wav"
        tf.audio.decode_wav(path.read_bytes() if path.exists() else b"")
        return None


class KerasFiles(_Files):
    """Keras's own files: what its readers raise is Keras's and h5py's."""

    allowed = (OSError, KeyError, ValueError, TypeError, RuntimeError, zipfile.BadZipFile)
    allowed += (AttributeError, IndexError, NotImplementedError, EOFError)

    def make(self) -> None:
        from placewise.api.v2 import keras  # Keras takes seconds to load

        self.keras: Any = keras
        self.model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
        self.model.save(str(self.root / "m.keras"))
        self.model.save_weights(str(self.root / "m.weights.h5"))

    def harm(self, rng: random.Random, path: Path) -> bytes:
        data = self.good[path]
        if path.suffix != ".keras" or rng.random() < 0.5:
            return damaged(rng, data)
        # Inside the archive, so that its checksum is right and the parts are read.
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            chosen = rng.choice(old.namelist())
            for name in old.namelist():
                part = old.read(name)
                new.writestr(name, damaged(rng, part) if name == chosen else part)
        return out.getvalue()

    def read(self) -> str | None:
        self.keras.models.load_model(str(self.root / "m.keras"))
        self.model.load_weights(str(self.root / "m.weights.h5"))
        return None
