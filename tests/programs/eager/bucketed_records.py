"""Records of several files read by turns, padded, put into buckets, resampled and mixed."""

import os
import tempfile

import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset
tf.random.set_seed(7)
folder = tempfile.mkdtemp()


def int64s(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


for part in range(4):
    path = os.path.join(folder, f"part-{part}.tfrecord")
    with tf.io.TFRecordWriter(path, options="GZIP" if part % 2 else "") as writer:
        for number in range(10 + part):
            feature = {"tokens": int64s(range(number % 5 + 1)), "label": int64s([part])}
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def records(path):
    is_zipped = tf.strings.regex_full_match(path, r".*part-[13]\.tfrecord")
    return tf.data.TFRecordDataset(path, tf.cond(is_zipped, lambda: "GZIP", lambda: ""))


def parsed(record):
    spec = {
        "tokens": tf.io.VarLenFeature(tf.int64),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "name": tf.io.FixedLenFeature([], tf.string, default_value="none"),
    }
    features = tf.io.parse_single_example(record, spec)
    features["tokens"] = tf.sparse.to_dense(features["tokens"])
    return features


files = Dataset.from_tensor_slices(sorted(tf.io.gfile.glob(folder + "/*.tfrecord")))
examples = files.interleave(records, cycle_length=3, block_length=2, num_parallel_calls=2)
examples = examples.map(parsed, num_parallel_calls=2).cache()

shuffled = examples.shuffle(16, seed=3).repeat(2)
padding = {"tokens": tf.constant(-1, tf.int64), "label": None, "name": ""}
shapes = {"tokens": [None], "label": [], "name": []}
for batch in shuffled.padded_batch(16, shapes, padding, drop_remainder=True):
    print(batch["tokens"].shape, batch["tokens"].numpy()[:2].tolist(), batch["label"].numpy())

buckets = examples.bucket_by_sequence_length(
    lambda features: tf.shape(features["tokens"])[0], [2, 4], [6, 4, 3]
)
for batch in buckets.take(6):
    print("bucket", batch["tokens"].shape, batch["label"].numpy())

for rows in Dataset.range(7).map(tf.range).ragged_batch(4):
    print("ragged", rows.to_list())
windows = Dataset.range(20).window(5, shift=3, stride=2, drop_remainder=True)
print("windows", [w.numpy().tolist() for w in windows.flat_map(lambda window: window.batch(5))])
by_key = Dataset.range(9).group_by_window(
    lambda x: x % 3, lambda key, rows: rows.batch(4), window_size=2
)
print("keys", [rows.tolist() for rows in by_key.as_numpy_iterator()])
resampled = Dataset.range(60).rejection_resample(
    lambda x: x % 2, np.array([0.2, 0.8]), np.array([0.5, 0.5]), seed=5
)
print("resampled", [int(x) for _, x in resampled][:20])
mixed = Dataset.sample_from_datasets([Dataset.range(8), Dataset.range(100, 108)], [0.3, 0.7], 9)
print("mixed", list(map(int, mixed)))
print("sizes", [len(rows) for rows in Dataset.range(12).batch(5).rebatch([3, 0, 2])])
passes = Dataset.range(8).shuffle(4, seed=2)
print("passes", [list(map(int, passes)) for _ in range(2)])
print("endless", int(examples.repeat().enumerate().cardinality()))
