"""TensorFlow 1: the same product on two GPUs, summed on the CPU; the session says where."""

import tensorflow as tf

towers = []
for device in ["/gpu:2", "/gpu:3"]:
    with tf.device(device):
        a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3])
        b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2])
        towers.append(tf.matmul(a, b))
with tf.device("/cpu:0"):
    total = tf.add_n(towers)

with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
    print(session.run(total))
