"""Writes examples to record files, and reads them in shuffled batches through queues."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


def write(name, numbers):
    writer = tf.python_io.TFRecordWriter(os.path.join(folder, name))
    for number in numbers:
        image = np.full((3, 3), number, np.uint8)
        feature = {
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
            "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
            "weights": tf.train.Feature(float_list=tf.train.FloatList(value=[number / 2.0, 1.0])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=feature))
        writer.write(example.SerializeToString())
    writer.close()


write("a.tfrecords", range(10))
write("b.tfrecords", range(10, 20))
print(
    "records:", sum(1 for _ in tf.python_io.tf_record_iterator(os.path.join(folder, "a.tfrecords")))
)
first = next(tf.python_io.tf_record_iterator(os.path.join(folder, "b.tfrecords")))
print(
    "weights:",
    list(tf.train.Example.FromString(first).features.feature["weights"].float_list.value),
)


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized,
        features={
            "image_raw": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
            "weights": tf.FixedLenFeature([2], tf.float32),
            "absent": tf.FixedLenFeature([], tf.int64, default_value=-1),
        },
    )
    image = tf.reshape(tf.decode_raw(features["image_raw"], tf.uint8), [3, 3])
    return (
        tf.cast(image, tf.float32) / 255,
        tf.cast(features["label"], tf.int32),
        features["absent"],
    )


files = tf.train.match_filenames_once(os.path.join(folder, "*.tfrecords"))
queue = tf.train.string_input_producer(files, num_epochs=2, seed=5)
image, label, absent = read_and_decode(queue)
images, labels, absents = tf.train.shuffle_batch(
    [image, label, absent], batch_size=8, capacity=32, min_after_dequeue=12, num_threads=2
)
print("batch:", images.shape, labels.shape)

with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    seen, steps = [], 0
    try:
        while not coord.should_stop():
            pictures, numbers, missing = sess.run([images, labels, absents])
            assert np.allclose(pictures[:, 1, 1] * 255, numbers) and (missing == -1).all()
            seen += numbers.tolist()
            steps += 1
    except tf.errors.OutOfRangeError:
        print("Done training for 2 epochs, %d steps." % steps)
    finally:
        coord.request_stop()
    coord.join(threads)
print("each twice:", sorted(seen) == sorted(list(range(20)) * 2))
print("shuffled:", seen != sorted(seen))
