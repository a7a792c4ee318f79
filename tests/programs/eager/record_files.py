"""Examples in record files: written, compressed, parsed one by one, in batches and as sequences."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)


def feature(value):
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    if isinstance(value, float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=np.ravel(value)))


def serialize(index):
    features = {
        "index": feature(index),
        "half": feature(index / 2.0),
        "name": feature(f"item {index}".encode()),
        "tags": feature(np.arange(index % 3)),
        "image": feature(tf.io.encode_png(np.full((2, 2, 1), index, np.uint8)).numpy()),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


plain = os.path.join(folder, "plain.tfrecord")
with tf.io.TFRecordWriter(plain) as writer:
    for index in range(6):
        writer.write(serialize(index))
packed = os.path.join(folder, "packed.tfrecord.gz")
with tf.io.TFRecordWriter(packed, tf.io.TFRecordOptions(compression_type="GZIP")) as writer:
    for index in range(6, 9):
        writer.write(serialize(index))

description = {
    "index": tf.io.FixedLenFeature([], tf.int64),
    "half": tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
    "name": tf.io.FixedLenFeature([], tf.string),
    "tags": tf.io.VarLenFeature(tf.int64),
    "image": tf.io.FixedLenFeature([], tf.string),
}


def parse(serialized):
    parsed = tf.io.parse_single_example(serialized, description)
    parsed["image"] = tf.io.decode_png(parsed["image"], channels=1)
    parsed["tags"] = tf.sparse.to_dense(parsed["tags"])
    return parsed


for item in tf.data.TFRecordDataset(plain).map(parse).skip(4).take(1):
    print(
        item["name"].numpy(),
        item["half"].numpy(),
        item["tags"].numpy(),
        item["image"].numpy().ravel(),
    )
both = tf.data.TFRecordDataset(plain).concatenate(tf.data.TFRecordDataset(packed, "GZIP"))
print("together:", [int(item["index"]) for item in both.map(parse)])
batch = next(iter(tf.data.TFRecordDataset([plain]).batch(6)))
together = tf.io.parse_example(batch, {k: description[k] for k in ("index", "tags")})
print(together["index"].numpy().tolist(), together["tags"].dense_shape.numpy().tolist())

sequence = tf.train.SequenceExample(
    context=tf.train.Features(feature={"id": feature(7)}),
    feature_lists=tf.train.FeatureLists(
        feature_list={"steps": tf.train.FeatureList(feature=[feature(float(n)) for n in range(3)])}
    ),
)
context, lists = tf.io.parse_single_sequence_example(
    sequence.SerializeToString(),
    {"id": tf.io.FixedLenFeature([], tf.int64)},
    {"steps": tf.io.FixedLenSequenceFeature([], tf.float32)},
)
print(context["id"].numpy(), lists["steps"].numpy().tolist())
with open(plain, "r+b") as file:
    file.seek(30)
    file.write(b"\xff\xff")
try:
    list(tf.data.TFRecordDataset(plain))
except tf.errors.DataLossError:
    print("damage is noticed")
text = os.path.join(folder, "lines.csv")
tf.io.write_file(text, "a,b\n1,2.5\n3,4.5\n")
rows = tf.data.TextLineDataset(text).skip(1).map(lambda line: tf.io.decode_csv(line, [0, 0.0]))
print([(int(a), float(b)) for a, b in rows])
