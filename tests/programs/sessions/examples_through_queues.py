"""Examples written to a file, read back through queues, with hooks of the program's own."""

import os
import sys

import tensorflow as tf

folder = os.path.join(sys.argv[1], "data")
tf.gfile.MakeDirs(folder)
path = os.path.join(folder, "train.tfrecords")
with tf.python_io.TFRecordWriter(path) as writer:
    for number in range(6):
        features = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[number * 0.5])),
            "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"n%d" % number])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=features))
        writer.write(example.SerializeToString())
print(tf.gfile.ListDirectory(folder), tf.gfile.Exists(path), tf.gfile.Stat(path).length)

names = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(names)
parsed = tf.parse_single_example(
    serialized,
    features={
        "x": tf.FixedLenFeature([1], tf.float32),
        "name": tf.FixedLenFeature([], tf.string),
    },
)
x, name = tf.train.batch(
    [parsed["x"], parsed["name"]], batch_size=4, allow_smaller_final_batch=True
)


class Counts(tf.train.SessionRunHook):
    def begin(self):
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1

    def end(self, session):
        print("runs", self.runs)


with tf.train.MonitoredSession(hooks=[Counts()]) as session:
    while not session.should_stop():
        values, texts = session.run([x, name])
        print(values.ravel().tolist(), [text.decode() for text in texts])
tf.gfile.DeleteRecursively(folder)
print(tf.gfile.Exists(folder))
