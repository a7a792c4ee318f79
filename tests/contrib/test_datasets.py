"""tf.contrib.learn.datasets reads files as TensorFlow 1.15 does."""

import gzip

import numpy as np
import pytest

from placewise.api.contrib import learn


def test_a_csv_file_with_a_header_is_read(tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_text("3,2,a,b,c\n1.0,2.0,0\n3,4,1\n5,6,2\n")
    found = learn.datasets.base.load_csv_with_header(str(path), np.int32, np.float64)
    assert found.target.tolist() == [0, 1, 2] and found.target.dtype == np.int32
    assert found.data.tolist() == [[1, 2], [3, 4], [5, 6]] and found.data.dtype == np.float64
    flowers = learn.datasets.load_iris(str(path))
    assert (flowers.data.dtype, flowers.target.dtype) == (np.float64, np.int64)
    path.write_text("4,2\n1,2,0\n")
    with pytest.raises(ValueError, match="its first line says 4 of 2"):
        learn.datasets.load_iris(str(path))


def test_a_csv_file_without_a_header_is_read_and_made_smaller(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("1.0,2.0,0\n3,4,1\n5,6,2\n")
    read = learn.datasets.base.load_csv_without_header
    found = read(str(path), np.float32, np.float32, target_column=0)
    assert (found.data.tolist(), found.target.tolist()) == ([[2, 0], [4, 1], [6, 2]], [1, 3, 5])
    learn.datasets.base.shrink_csv(str(path), 2)
    small = read(str(tmp_path / "rows_small.csv"), np.int32, np.float32)
    assert small.target.tolist() == [0, 2]


def test_data_that_is_not_here_is_asked_for():
    with pytest.raises(FileNotFoundError, match=r"load_iris\(data_path\)"):
        learn.datasets.load_dataset("iris")
    with pytest.raises(ValueError, match="Name of dataset is not found: moons"):
        learn.datasets.load_dataset("moons")


def test_digits_are_read_in_batches(tmp_path):
    def number(*values):
        return np.array(values, ">u4").tobytes()

    for part in ("train", "t10k"):
        pixels = np.arange(6 * 4, dtype=np.uint8).tobytes()
        with gzip.open(tmp_path / f"{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(number(2051, 6, 2, 2) + pixels)
        with gzip.open(tmp_path / f"{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(number(2049, 6) + bytes(range(6)))
    found = learn.datasets.mnist.read_data_sets(str(tmp_path), one_hot=True, validation_size=2)
    assert (found.train.num_examples, found.validation.num_examples) == (4, 2)
    images, labels = found.train.next_batch(4, shuffle=False)
    np.testing.assert_allclose(images[0], np.arange(8, 12) / 255, rtol=1e-6)
    assert labels.argmax(1).tolist() == [2, 3, 4, 5]
