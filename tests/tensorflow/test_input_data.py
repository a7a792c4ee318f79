"""The MNIST digits from the four files of old."""

import gzip
import struct

import numpy as np
import pytest

import placewise.v1 as tf
from placewise.contrib.learn.datasets import mnist as input_data
from placewise.tensorflow import mnist_model


def write_files(folder, train=30, test=8):
    """Write small files of the form; returns the labels to train with."""
    draws = np.random.RandomState(0)
    kept = None
    for begin, count in (("train", train), ("t10k", test)):
        pixels = draws.randint(0, 256, (count, 28, 28)).astype(np.uint8)
        labels = draws.randint(0, 10, count).astype(np.uint8)
        kept = labels if kept is None else kept
        head = struct.pack(">IIII", 2051, count, 28, 28)
        name = folder / f"{begin}-images-idx3-ubyte.gz"
        name.write_bytes(gzip.compress(head + pixels.tobytes()))
        name = folder / f"{begin}-labels-idx1-ubyte.gz"
        name.write_bytes(gzip.compress(struct.pack(">II", 2049, count) + labels.tobytes()))
    return kept


@pytest.fixture
def folder(tmp_path):
    write_files(tmp_path)
    return str(tmp_path)


def test_the_files_of_a_folder_are_read(folder, capsys):
    data = input_data.read_data_sets(folder, one_hot=True, validation_size=5, seed=3)
    assert capsys.readouterr().out.startswith(f"Extracting {folder}/train-images-idx3-ubyte.gz\n")
    assert [part.num_examples for part in data] == [25, 5, 8]
    assert (data.train.images.shape, data.train.images.dtype) == ((25, 784), np.float32)
    assert (data.train.labels.shape, data.train.labels.dtype) == ((25, 10), np.float64)
    assert data.train.images.max() == 1.0


def test_batches_are_shuffled_as_in_tensorflow(folder):
    # What TensorFlow 1.15 gives for these files and this seed.
    data = input_data.read_data_sets(folder, one_hot=True, validation_size=5, seed=3).train
    found = [data.next_batch(10) for _ in range(3)]
    assert [round(float(images.sum()), 2) for images, _ in found] == [3966.18, 3930.27, 3926.64]
    assert found[0][1].argmax(1).tolist() == [2, 8, 3, 2, 6, 2, 1, 5, 5, 1]
    assert found[2][1].argmax(1).tolist() == [2, 2, 7, 4, 3, 2, 1, 3, 3, 8]
    assert data.epochs_completed == 1


def test_every_example_comes_once_before_any_comes_again():
    data = input_data.DataSet(np.zeros((4, 1, 1, 1), np.uint8), np.arange(4), seed=5)
    taken = np.concatenate([data.next_batch(2)[1] for _ in range(4)])
    assert sorted(taken[:4]) == sorted(taken[4:]) == [0, 1, 2, 3]
    plain = input_data.DataSet(np.zeros((3, 1, 1, 1), np.uint8), np.arange(3))
    order = [plain.next_batch(2, shuffle=False)[1].tolist() for _ in range(3)]
    assert order == [[0, 1], [2, 0], [1, 2]]


def test_pictures_may_keep_their_form_and_bytes(folder):
    data = input_data.read_data_sets(folder, reshape=False, dtype=tf.uint8, validation_size=0)
    assert (data.train.images.shape, data.train.images.dtype) == ((30, 28, 28, 1), np.uint8)


def test_fake_data_needs_no_files(tmp_path):
    data = input_data.read_data_sets(str(tmp_path), fake_data=True, one_hot=True)
    images, labels = data.train.next_batch(2)
    assert (len(images), len(images[0]), labels[0]) == (2, 784, [1] + [0] * 9)


def test_missing_files_are_fetched_from_an_address(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    data = input_data.read_data_sets(
        str(elsewhere), validation_size=0, source_url=f"file://{folder}/"
    )
    assert data.train.num_examples == 30
    assert sorted(path.name for path in elsewhere.iterdir()) == sorted(input_data.FILES)


def test_without_a_network_the_error_says_which_file_to_put_where(tmp_path):
    write_files(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(FileNotFoundError) as caught:
        input_data.read_data_sets(str(tmp_path), source_url="file:///nowhere/")
    assert f"not in {tmp_path}" in str(caught.value)
    assert str(caught.value).endswith("put there: t10k-labels-idx1-ubyte.gz")


def test_what_cannot_be_is_refused(folder, tmp_path):
    with pytest.raises(ValueError, match="Validation size should be between 0 and 30"):
        input_data.read_data_sets(folder)
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        input_data.read_data_sets(folder, validation_size=2, dtype=tf.int32)
    wrong = tmp_path / "wrong.gz"
    wrong.write_bytes(gzip.compress(b"\0\0\0\1aaaa"))
    with (
        wrong.open("rb") as file,
        pytest.raises(ValueError, match="Invalid magic number 1 in MNIST image file"),
    ):
        input_data.extract_images(file)


def test_the_small_network_learns(graph_mode):
    tf.set_random_seed(1)
    images = tf.placeholder(tf.float32, [20, mnist_model.IMAGE_PIXELS])
    labels = tf.placeholder(tf.int32, [20])
    logits = mnist_model.inference(images, 16, 8)
    loss = mnist_model.loss(logits, labels)
    step, right = mnist_model.training(loss, 0.3), mnist_model.evaluation(logits, labels)
    draws = np.random.RandomState(0)
    feeds = {images: draws.rand(20, 784), labels: np.arange(20) % 10}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(loss, feeds)
        for _ in range(30):
            session.run(step, feeds)
        assert session.run(loss, feeds) < first
        assert 0 <= session.run(right, feeds) <= 20
    assert logits.op.name == "softmax_linear/add"
