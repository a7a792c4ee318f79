"""`tf.contrib.learn.datasets.mnist`, and `input_data` of the tutorials: digits, from four files.

Files that are in the folder are read as they are; those that are missing are fetched if there is a
network, or else the error says which files to put where.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import urllib.error
import urllib.request
from typing import Any, NamedTuple

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.graph.seeds import get_seed
from placewise.ops.io import file_system
from placewise.ops.io.file_objects import GFile

Array = np.ndarray[Any, Any]

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
_WAIT_SECONDS = 20


class Datasets(NamedTuple):
    """Data to train with, to choose by, and to test with."""

    train: Any
    validation: Any
    test: Any


def _numbers(data: bytes, count: int) -> list[int]:
    numbers: list[int] = np.frombuffer(data, dtype=">u4", count=count).tolist()
    return numbers


def extract_images(f: Any) -> Array:
    """Return the pictures of an open, compressed file: uint8 [count, height, width, 1]."""
    print("Extracting", f.name)  # noqa: T201 - as TensorFlow does
    with gzip.GzipFile(fileobj=f) as stream:
        data = stream.read()
    magic = _numbers(data, 1)[0]
    if magic != 2051:
        raise ValueError(f"Invalid magic number {magic} in MNIST image file: {f.name}")
    count, rows, columns = _numbers(data, 4)[1:]
    pixels = np.frombuffer(data, np.uint8, count * rows * columns, offset=16)
    return pixels.reshape(count, rows, columns, 1)


def dense_to_one_hot(labels_dense: Array, num_classes: int) -> Array:
    """Return labels as rows with a one at the label's place."""
    found = np.zeros((labels_dense.shape[0], num_classes))
    found[np.arange(labels_dense.shape[0]), labels_dense.ravel()] = 1
    return found


def extract_labels(f: GFile, one_hot: bool = False, num_classes: int = 10) -> Array:
    """Return the labels of an open, compressed file: uint8 [count], or rows with a one each."""
    print("Extracting", f.name)  # noqa: T201 - as TensorFlow does
    with gzip.GzipFile(fileobj=f) as stream:
        data = stream.read()
    magic, count = _numbers(data, 2)
    if magic != 2049:
        raise ValueError(f"Invalid magic number {magic} in MNIST label file: {f.name}")
    labels = np.frombuffer(data, np.uint8, count, offset=8)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


class DataSet:
    """Pictures and labels, given out in batches; all are given before any comes again."""

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        graph_seed, op_seed = get_seed(seed)
        # NumPy's own generator, as programs that seed it themselves expect.
        np.random.seed(graph_seed if seed is None else op_seed)
        kind = as_dtype(dtype).base_dtype
        if kind not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {kind!r}, expected uint8 or float32")
        self._is_fake, self.one_hot = fake_data, one_hot
        if fake_data:
            self._num_examples = 10000
        else:
            if images.shape[0] != labels.shape[0]:
                raise AssertionError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
            self._num_examples = images.shape[0]
            if reshape:
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if kind is dtypes.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs_completed = self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        """The pictures, in the order they are given out in."""
        return self._images

    @property
    def labels(self) -> Any:
        """The labels, in the order they are given out in."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many there are."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often all were given out."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Any:
        """Return the next pictures and labels; shuffled anew each time all were given out."""
        if fake_data or self._is_fake:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784] * batch_size, [label] * batch_size
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            end = self._index_in_epoch = start + batch_size
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = batch_size - (self._num_examples - start)
        end = self._index_in_epoch
        return (
            np.concatenate((images, self._images[:end]), axis=0),
            np.concatenate((labels, self._labels[:end]), axis=0),
        )

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Return the path of a file in a folder, fetched from an address if it is not there."""
    file_system.makedirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not file_system.exists(path):
        with urllib.request.urlopen(source_url, timeout=_WAIT_SECONDS) as answer:
            data = answer.read()
        with tempfile.NamedTemporaryFile(dir=work_directory, delete=False) as file:
            file.write(data)
        os.replace(file.name, path)
        print("Successfully downloaded", filename, len(data), "bytes.")  # noqa: T201
    return path


def _files(folder: str, source_url: str) -> list[str]:
    """Return the paths of the four files; FileNotFoundError says which to put where."""
    try:
        return [maybe_download(name, folder, source_url + name) for name in FILES]
    except (urllib.error.URLError, OSError, ValueError) as problem:
        absent = [name for name in FILES if not file_system.exists(os.path.join(folder, name))]
        raise FileNotFoundError(
            f"The MNIST files are not in {os.path.abspath(folder)} and could not be fetched from "
            f"{source_url} ({problem}).\n  put there: {', '.join(absent)}"
        ) from None


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """Return the digits in a folder, to train with, to choose by and to test with.

    The first `validation_size` of those to train with are set apart. Pictures are rows of 784
    numbers from 0 to 1, or with `reshape=False` [28, 28, 1]; `dtype=tf.uint8` leaves bytes.
    """
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        made = [
            DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)
            for _ in range(3)
        ]
        return Datasets(*made)
    found = []
    for number, path in enumerate(_files(train_dir, source_url or DEFAULT_SOURCE_URL)):
        with GFile(path, "rb") as file:
            found.append(extract_labels(file, one_hot) if number % 2 else extract_images(file))
    images, labels, test_images, test_labels = found
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """Return the digits in a folder."""
    return read_data_sets(train_dir)
