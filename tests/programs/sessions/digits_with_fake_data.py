"""The tutorial's small network, fed with fake data, with its summaries and a saver."""

import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data, mnist

data = input_data.read_data_sets(sys.argv[1], fake_data=True)
images = tf.placeholder(tf.float32, shape=(10, mnist.IMAGE_PIXELS))
labels = tf.placeholder(tf.int32, shape=(10))
logits = mnist.inference(images, 32, 16)
loss = mnist.loss(logits, labels)
train = mnist.training(loss, 0.01)
correct = mnist.evaluation(logits, labels)
summary = tf.summary.merge_all()
saver = tf.train.Saver()
with tf.Session() as sess:
    writer = tf.summary.FileWriter(sys.argv[1], sess.graph)
    sess.run(tf.global_variables_initializer())
    first = None
    for step in range(30):
        batch, targets = data.train.next_batch(10)
        feeds = {images: np.array(batch), labels: targets}
        _, value = sess.run([train, loss], feed_dict=feeds)
        first = value if first is None else first
        if step % 10 == 0:
            writer.add_summary(sess.run(summary, feed_dict=feeds), step)
            writer.flush()
            saver.save(sess, os.path.join(sys.argv[1], "model.ckpt"), global_step=step)
    print("better", bool(value < first), "right", sess.run(correct, feed_dict=feeds))
print(
    [
        os.path.basename(path)
        for path in tf.train.get_checkpoint_state(sys.argv[1]).all_model_checkpoint_paths
    ]
)
