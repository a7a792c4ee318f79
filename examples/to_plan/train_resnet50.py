"""Train ResNet-50 on random images: a program to plan, `placewise plan --on V100 …`.

`python train_resnet50.py [BATCH] [mirrored]`: with `mirrored` on all GPUs, each with BATCH images.
"""

import sys

import tensorflow as tf

batch = int(sys.argv[1]) if len(sys.argv) > 1 else 64
strategy = tf.distribute.get_strategy()
if "mirrored" in sys.argv:
    strategy = tf.distribute.MirroredStrategy()
images = tf.random.uniform([4, 224, 224, 3])
labels = tf.constant([1, 2, 3, 4])
data = tf.data.Dataset.from_tensor_slices((images, labels)).repeat()
data = data.batch(batch * strategy.num_replicas_in_sync, drop_remainder=True)

with strategy.scope():
    model = tf.keras.applications.ResNet50(weights=None)
    model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(data, steps_per_epoch=20, epochs=1)
