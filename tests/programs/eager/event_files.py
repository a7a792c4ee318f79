"""Summaries of TensorFlow 2: scalars, histograms, pictures and text, read back."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
writer = tf.summary.create_file_writer(os.path.join(folder, "train"))
rng = np.random.RandomState(8)

with writer.as_default():
    for step in range(3):
        tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
        with tf.name_scope("layer"):
            tf.summary.histogram("weights", rng.normal(size=50), step=step)
    tf.summary.image(
        "picture", rng.uniform(size=(2, 4, 4, 3)).astype("float32"), step=0, max_outputs=1
    )
    tf.summary.text("note", "**a** run", step=0)
    tf.summary.experimental.set_step(10)
    tf.summary.scalar("from the default step", 5.0)


@tf.function
def train(step):
    with writer.as_default(), tf.summary.record_if(step % 2 == 0):
        tf.summary.scalar("in a function", tf.cast(step, tf.float32) * 2, step=step)
    return step


for step in tf.range(4, dtype=tf.int64):
    train(step)
writer.flush()
writer.close()

(path,) = glob.glob(os.path.join(folder, "train", "events.out.tfevents.*"))
found = {}
for record in tf.data.TFRecordDataset(path):
    event = tf.compat.v1.Event.FromString(record.numpy())
    for value in event.summary.value:
        found.setdefault(value.tag, []).append(
            (event.step, tf.make_ndarray(value.tensor), value.metadata.plugin_data.plugin_name)
        )
for tag in sorted(found):
    print(tag, [step for step, _, _ in found[tag]], found[tag][0][2], found[tag][0][1].shape)
print("losses", [round(float(v), 3) for _, v, _ in found["loss"]])
print("in a function", [float(v) for _, v, _ in found["in a function"]])
print("picture", found["picture"][0][1][0].decode(), found["picture"][0][1][2][1:4])
print("histogram counts", int(found["layer/weights"][0][1][:, 2].sum()))
