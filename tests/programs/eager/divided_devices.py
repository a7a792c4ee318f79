"""One card as several: memory limits, logical devices, and what fits."""

import tensorflow as tf

gpus = tf.config.list_physical_devices("GPU")
print("physical:", [gpu.name for gpu in gpus])
print(sorted(tf.config.experimental.get_device_details(gpus[0])))
tf.config.set_visible_devices(gpus[:2], "GPU")
tf.config.set_logical_device_configuration(
    gpus[0],
    [
        tf.config.LogicalDeviceConfiguration(memory_limit=64),
        tf.config.LogicalDeviceConfiguration(memory_limit=128),
    ],
)
tf.config.experimental.set_memory_growth(gpus[1], True)
logical = tf.config.list_logical_devices("GPU")
print("logical:", [device.name for device in logical])

with tf.device(logical[0].name):
    held = tf.ones([2])
try:
    tf.config.set_visible_devices(gpus, "GPU")
except RuntimeError as error:
    print("too late:", str(error).splitlines()[0][:60])


def fill(device):
    held = []
    try:
        with tf.device(device):
            while len(held) < 100:
                held.append(tf.ones([4, 1024, 1024]))
    except tf.errors.ResourceExhaustedError:
        pass
    return len(held) * 16


small, large = fill(logical[0]), fill(logical[1].name)
print("fits MiB:", small, large)
with tf.device("/GPU:0"):
    again = tf.ones([4, 1024, 1024])
print("free again:", again.device.split("/")[-1])
info = tf.config.experimental.get_memory_info("GPU:0")
print("in use MiB:", info["current"] >> 20, "peak:", info["peak"] >> 20 <= 64)
tf.config.experimental.reset_memory_stats("GPU:0")

tf.debugging.set_log_device_placement(True)
results = []
for device in logical:
    with tf.device(device.name):
        a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        results.append(tf.matmul(a, a))
with tf.device("/CPU:0"):
    total = tf.add_n(results)
tf.debugging.set_log_device_placement(False)
print(total.numpy().tolist(), total.device.split("/")[-1])
tf.config.set_soft_device_placement(False)
try:
    with tf.device("/GPU:9"):
        tf.constant(1.0) + 1
except (tf.errors.InvalidArgumentError, RuntimeError) as error:
    print("no such device:", "GPU:9" in str(error))
print(
    "soft:",
    tf.config.get_soft_device_placement(),
    "eager copies:",
    a.cpu().device.split("/")[-1],
    a.gpu(1).device.split("/")[-1],
)
