"""One piece of work on each GPU, the sum on the CPU: data parallelism by hand.

placewise run --simulate 4xK20m examples/towers.py
"""

import tensorflow as tf

gpus = tf.config.list_logical_devices("GPU")
print(len(gpus), "towers")

parts = []
for number, gpu in enumerate(gpus, start=1):
    with tf.device(gpu.name):
        x = tf.fill([2, 2], float(number))
        parts.append(tf.matmul(x, x))
        print(gpu.name, parts[-1].numpy().tolist())

with tf.device("/cpu:0"):
    total = tf.add_n(parts) if parts else tf.zeros([2, 2])
print("sum", total.numpy().tolist())
