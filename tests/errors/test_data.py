"""Mistakes with checkpoints, files, records and datasets.

Each error says the value and what to do.
"""

import numpy as np
import pytest

import placewise as tf
from tests.errors.mistakes import check, collector

v1 = tf.compat.v1
MISTAKES, mistake = collector()


def saved_checkpoint(folder):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.Variable([1.0, 2.0], name="v")
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, f"{folder}/model")


@mistake(
    ValueError, "No variables to save", "make the variables before the saver, in the same graph,"
)
def saver_empty():
    with tf.Graph().as_default():
        v1.train.Saver()


@mistake(
    ValueError,
    "The passed save_path is not a valid checkpoint: /no/such/model.ckpt",
    "pass the prefix, as /path/model.ckpt-100",
    "tf.train.latest_checkpoint(folder) finds it",
)
def saver_missing():
    with tf.Graph().as_default():
        v1.Variable(1.0, name="v")
        v1.train.Saver().restore(v1.Session(), "/no/such/model.ckpt")


@mistake(
    ValueError,
    "Can't load save_path when it is None.",
    "tf.train.latest_checkpoint gives None for a folder",
)
def saver_none():
    with tf.Graph().as_default():
        v1.Variable(1.0, name="v")
        v1.train.Saver().restore(v1.Session(), None)


@mistake(
    tf.errors.NotFoundError,
    "Restoring from checkpoint failed. This is most likely due to a",
    "received: prefix string[], tensor_names string[1],",
    "tf.compat.v1.train.Saver(var_list) restores some",
)
def saver_key(folder):
    p = saved_checkpoint(folder)
    with tf.Graph().as_default():
        v1.Variable([1.0], name="w")
        v1.train.Saver().restore(v1.Session(), p)


@mistake(
    tf.errors.NotFoundError,
    "Error when restoring from checkpoint or SavedModel at /no/such/ck:",
    "tf.train.latest_checkpoint(folder) finds the newest of",
)
def checkpoint_missing():
    tf.train.Checkpoint(v=tf.Variable(1.0)).restore("/no/such/ck")


@mistake(
    ValueError,
    "Received incompatible tensor with shape (1,) when attempting to",
    "build the variable with the checkpoint's shape",
    "tf.train.list_variables(path) lists them",
)
def checkpoint_shape(folder):
    p = tf.train.Checkpoint(v=tf.Variable([1.0])).save(f"{folder}/c")
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).restore(p)


@mistake(
    OSError,
    "SavedModel file does not exist at:",
    "pass the folder that tf.saved_model.save wrote",
    "a .keras or .h5 file is read by",
)
def load_missing():
    tf.saved_model.load("/no/such")


@mistake(
    tf.errors.NotFoundError,
    "/no/such.txt; No such file or directory",
    "check the path: tf.io.gfile.exists(path), and",
)
def read_missing():
    tf.io.read_file("/no/such.txt")


@mistake(
    tf.errors.NotFoundError,
    "/no/such.txt; No such file or directory",
    "check the path: tf.io.gfile.exists(path), and",
)
def gfile_missing():
    tf.io.gfile.GFile("/no/such.txt").read()


@mistake(
    tf.errors.NotFoundError,
    "Could not find directory /no/such",
    "check the path: tf.io.gfile.exists(path)",
    "tf.io.gfile.makedirs makes folders",
)
def listdir_missing():
    tf.io.gfile.listdir("/no/such")


@mistake(
    tf.errors.NotFoundError,
    "/no/such.tfrecord; No such file or directory",
    "check the path: tf.io.gfile.exists(path), and",
)
def tfrecord_missing():
    list(tf.data.TFRecordDataset("/no/such.tfrecord"))


@mistake(
    tf.errors.DataLossError,
    "corrupted record at 0 (Is this even a TFRecord file?)",
    "check that it is a TFRecord file, and its",
)
def tfrecord_bad(folder):
    path = folder / "text"
    path.write_text("hello this is text, no record")
    list(tf.data.TFRecordDataset(str(path)))


@mistake(
    tf.errors.InvalidArgumentError,
    "Feature: x (data type: int64) is required but could not be found.",
    "received: serialized string[], dense_keys string[1],",
    "give the feature a default_value, use",
)
def parse_example():
    tf.io.parse_single_example(b"", {"x": tf.io.FixedLenFeature([], tf.int64)})


@mistake(
    tf.errors.InvalidArgumentError,
    "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP",
    "received: contents string[]",
    "check that the file was read whole (tf.io.read_file)",
)
def decode_image():
    tf.io.decode_image(b"abc")


@mistake(
    tf.errors.InvalidArgumentError,
    "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP",
    "received: contents string[]",
    "check that the file was read whole (tf.io.read_file)",
)
def decode_jpeg():
    tf.io.decode_jpeg(b"abc")


@mistake(
    tf.errors.InvalidArgumentError,
    "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true.",
    "check the pattern with tf.io.gfile.glob(pattern)",
    "** and relative paths start at the working folder",
)
def list_files():
    tf.data.Dataset.list_files("/no/such*.x")


@mistake(
    ValueError,
    "Dimensions 3 and 4 are not compatible",
    "all parts need the same first dimension: check len() of",
)
def ds_slices():
    tf.data.Dataset.from_tensor_slices((np.zeros(3), np.zeros(4)))


@mistake(
    ValueError,
    "Unbatching a tensor is only supported for rank >= 1",
    "from_tensors takes one element as it is",
    "from_tensor_slices cuts along the first dimension",
)
def ds_slices_scalar():
    tf.data.Dataset.from_tensor_slices(1)


@mistake(
    tf.errors.InvalidArgumentError,
    "Cannot batch tensors with different shapes in component 0. First",
    "use padded_batch or ragged_batch, or map the elements",
)
def ds_batch():
    list(
        tf.data.Dataset.from_generator(
            lambda: iter([[1], [1, 2]]), output_signature=tf.TensorSpec([None], tf.int32)
        ).batch(2)
    )


@mistake(
    tf.errors.OutOfRangeError,
    "End of sequence",
    "the dataset has no more elements: repeat() it, make the",
)
def ds_get_next():
    iter(tf.data.Dataset.range(0)).get_next()


@mistake(
    tf.errors.InvalidArgumentError,
    "Dataset had more than one element.",
    "take(1) first, or iterate over the dataset",
)
def ds_single():
    tf.data.Dataset.range(3).get_single_element()


@mistake(
    tf.errors.InvalidArgumentError,
    "Batch size must be greater than zero.",
    "received: batch_size = 0, drop_remainder = False",
    "pass a batch_size of 1 or more",
)
def ds_batch0():
    list(tf.data.Dataset.range(3).batch(0))


@mistake(TypeError, "The dataset length is unknown.", "count it: sum(1 for _ in dataset), or apply")
def ds_len():
    len(tf.data.Dataset.range(3).filter(lambda x: True))


@mistake(TypeError, "The dataset is infinite.", "take(n) ends it, or count before repeat()")
def ds_len_inf():
    len(tf.data.Dataset.range(3).repeat())


@mistake(
    RuntimeError,
    "`tf.data.Dataset` only supports Python-style iteration in eager mode",
    "in a graph see",
)
def ds_graph_iter():
    with tf.Graph().as_default():
        iter(tf.data.Dataset.range(3))


@mistake(
    ValueError,
    "Invalid `predicate`. `predicate` must return a `tf.bool` scalar",
    "compare inside it, as in lambda x: x > 0, or",
)
def ds_filter():
    list(tf.data.Dataset.range(3).filter(lambda x: x))


@mistake(
    ValueError,
    "key must be a string. Got: type <class 'int'>. Given key: 3.",
    "pass the name of a feature: numeric_column('age')",
)
def feature_missing():
    tf.feature_column.numeric_column(3)


@mistake(
    tf.errors.InvalidArgumentError,
    "Expected shape [1] for value, got [2]",
    "received: keys string[1], values int32[2]",
    "give as many values as keys",
)
def lookup_init():
    tf.lookup.KeyValueTensorInitializer(["a"], [1, 2])
    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1, 2]), 0)


@mistake(
    ValueError,
    "No step set. Please specify one either through the `step` argument or",
    "as in tf.summary.scalar(name, value, step=epoch)",
)
def summary_no_step(folder):
    with tf.summary.create_file_writer(str(folder)).as_default():
        tf.summary.scalar("a", 1.0)


@pytest.mark.parametrize(("function", "kind", "words", "shown"), MISTAKES)
def test_the_error_says_the_value_and_what_to_do(function, kind, words, shown, tmp_path):
    check(function, kind, words, shown, tmp_path)
