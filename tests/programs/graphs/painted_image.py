"""Paints an image with the contents of one picture and the texture of another."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(23)
SIDE = 16
grid = np.arange(SIDE)
content = np.zeros((1, SIDE, SIDE, 3), "float32")
content[:, 4:12, 4:12] = 1.0
style = (np.sin(grid[:, None] * 1.5)[None, :, :, None] * np.ones((1, 1, SIDE, 3))).astype("float32")
filters = [
    rng.normal(0, 0.3, (3, 3, 3, 8)).astype("float32"),
    rng.normal(0, 0.2, (3, 3, 8, 12)).astype("float32"),
]


def features(image):
    """Return the activations of a fixed random network, layer by layer."""
    layers, x = [], image
    for weights in filters:
        x = tf.nn.relu(tf.nn.conv2d(x, tf.constant(weights), [1, 1, 1, 1], "SAME"))
        layers.append(x)
        x = tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    return layers


def gram(x):
    shape = x.get_shape().as_list()
    flat = tf.reshape(x, [-1, shape[3]])
    return tf.matmul(flat, flat, transpose_a=True) / (shape[1] * shape[2])


with tf.Session() as sess:
    wanted_content = sess.run(features(tf.constant(content))[1])
    wanted_style = sess.run([gram(f) for f in features(tf.constant(style))])

picture = tf.Variable(rng.uniform(0, 1, content.shape), dtype=tf.float32, name="picture")
seen = features(picture)
content_loss = tf.nn.l2_loss(seen[1] - wanted_content) / wanted_content.size
style_loss = tf.add_n([tf.reduce_mean(tf.square(gram(f) - w)) for f, w in zip(seen, wanted_style)])
variation = tf.reduce_mean(tf.image.total_variation(picture)) / content.size
loss = content_loss + 4 * style_loss + 0.01 * variation
step = tf.train.AdamOptimizer(0.05).minimize(loss, var_list=[picture])
with tf.control_dependencies([step]):
    clip = picture.assign(tf.clip_by_value(picture, 0.0, 1.0))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run([content_loss, style_loss, variation])
    for _ in range(60):
        sess.run(clip)
    after = sess.run([content_loss, style_loss, variation])
    result = sess.run(picture)
print("only the picture learns:", [v.name for v in tf.trainable_variables()])
print("content closer:", after[0] < before[0], "texture closer:", after[1] < before[1])
print("range kept:", result.min() >= 0 and result.max() <= 1)
encoded = tf.image.encode_png(tf.cast(picture[0] * 255, tf.uint8))
with tf.Session() as sess:
    sess.run(picture.initializer)
    print("as PNG:", sess.run(encoded)[1:4].decode())
