"""Where operations run: automatically, where asked, and what is copied for it.

placewise run --simulate K40c examples/where_ops_run.py
"""

import tensorflow as tf

for device in tf.config.list_logical_devices():
    print("here is", device.name)

tf.debugging.set_log_device_placement(True)

with tf.device("/cpu:0"):
    a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
c = tf.matmul(a, b)
print(a.device.rpartition("/")[2], b.device.rpartition("/")[2], "->", c.device.rpartition("/")[2])
print(c)
