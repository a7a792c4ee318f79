"""What the placer does with devices that are missing, nested, or wrong for an operation."""

import tensorflow as tf


def where(tensor):
    return tensor.device or "(anywhere)"


with tf.device("/cpu:0"):
    host = tf.constant([1.0, 2.0], name="host")
    with tf.device("/gpu:1"):
        inner = tf.square(host, name="inner")
    with tf.device(None):
        free = tf.identity(host, name="free")
with tf.device("/job:localhost"), tf.device("/gpu:0"):
    merged = tf.negative(inner, name="merged")
for tensor in (host, inner, free, merged):
    print(tensor.op.name, where(tensor))

v = tf.Variable([1.0, 1.0], name="v")
with tf.colocate_with(inner.op):
    near = tf.add(inner, 1.0, name="near")
with tf.device(lambda op: "/gpu:1" if op.type == "MatMul" else "/cpu:0"):
    product = tf.matmul([[2.0]], [[3.0]], name="product")
    summed = tf.add(product, 1.0, name="summed")

config = tf.ConfigProto(log_device_placement=True, allow_soft_placement=False)
with tf.Session(config=config) as sess:
    sess.run(v.initializer)
    print(sess.run([near, summed, v + host])[1])

with tf.Graph().as_default():
    with tf.device("/gpu:7"):
        lost = tf.constant(3.0, name="lost") * 2
    try:
        with tf.Session() as sess:
            sess.run(lost)
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split(":")[0])
    soft = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=soft) as sess:
        print("softly:", sess.run(lost))

with tf.Graph().as_default():
    with tf.device("/gpu:0"):
        text = tf.string_join(["no ", "gpu kernel"], name="text")
    try:
        with tf.Session() as sess:
            sess.run(text)
    except tf.errors.InvalidArgumentError as error:
        print("text on a GPU:", "Cannot assign a device" in error.message)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        print(sess.run(text).decode())

hidden = tf.ConfigProto(device_count={"GPU": 0})
with tf.Graph().as_default(), tf.Session(config=hidden) as sess:
    print("GPUs hidden:", not any(d.device_type == "GPU" for d in sess.list_devices()))
print("GPU there:", tf.test.is_gpu_available(), tf.test.gpu_device_name())
