"""Writes `events_v2.json` with TensorFlow 2: the events of an event file, without their times."""

import glob
import json
import sys
import tempfile


def write_events(tf, folder):
    """Write one summary of each kind to an event file in a folder."""
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default(step=7):
        tf.summary.scalar("loss", 0.5)
        with tf.name_scope("sc"):
            tf.summary.scalar("in", 3, step=8, description="desc")
            tf.summary.scalar("bad name!", 3, step=8)
        tf.summary.histogram("h", tf.constant([1.0, 2.0, 3.0, 4.0]), buckets=3)
        tf.summary.histogram("h1", tf.constant([2.0, 2.0]), buckets=3)
        tf.summary.histogram("h0", tf.constant([], tf.float32), buckets=3)
        tf.summary.histogram("hd", tf.constant([0, 1, 5]), description="x")
        tf.summary.audio("au", tf.constant([[[0.0], [0.5]]]), 100)
        tf.summary.text("tx", "hello")
        tf.summary.text("tx2", tf.constant([["a", "b"]]), description="d")
        tf.summary.write("tag", tf.constant([1, 2]))
        summary = tf.compat.v1.Summary(
            value=[tf.compat.v1.Summary.Value(tag="raw", simple_value=1.5)]
        )
        tf.summary.experimental.write_raw_pb(summary.SerializeToString())
    writer.close()


def read_events(records, event_class):
    """Return the events of a file as text, without their times."""
    rows = []
    for record in records:
        event = event_class.FromString(record)
        event.wall_time = 0
        rows.append(event.SerializeToString().hex())
    return rows


if __name__ == "__main__":
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        write_events(tf, folder)
        (path,) = glob.glob(f"{folder}/*")
        records = [record.numpy() for record in tf.data.TFRecordDataset(path)]
    rows = read_events(records, tf.compat.v1.Event)
    sys.stdout.write(json.dumps(rows, indent=0) + "\n")
