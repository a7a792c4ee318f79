"""One GPU divided into two, each with memory of its own.

placewise run --simulate V100 examples/divided_gpu.py
"""

import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.set_logical_device_configuration(
        gpu,
        [
            tf.config.LogicalDeviceConfiguration(memory_limit=1024),
            tf.config.LogicalDeviceConfiguration(memory_limit=2048),
        ],
    )
    print(gpu.name, tf.config.experimental.get_device_details(gpu))

for device in tf.config.list_logical_devices():
    print(device.name)
