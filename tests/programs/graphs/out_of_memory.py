"""A batch too large for the card: caught, halved, tried again; then a bounded session."""

import tensorflow as tf

WIDTH = 1024


def step(batch):
    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            x = tf.ones([batch, WIDTH, 256])
            y = tf.reduce_sum(tf.square(x) + x)
        with tf.Session() as sess:
            return sess.run(y)


batch, tries = 512, []
while True:
    try:
        total = step(batch)
        break
    except tf.errors.ResourceExhaustedError as error:
        tries.append(batch)
        print(error.message.splitlines()[0][:64])
        batch //= 2
print("too large:", tries, "fits:", batch, "sum", total == batch * WIDTH * 256 * 2.0)

# With a fraction of the memory, fewer variables fit.
fitted = []
for fraction in (0.25, 0.5):
    options = tf.GPUOptions(per_process_gpu_memory_fraction=fraction)
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(gpu_options=options)) as sess:
        count = 0
        try:
            while True:
                with tf.device("/gpu:0"):
                    held = tf.Variable(tf.zeros([8, WIDTH, WIDTH]))
                sess.run(held.initializer)
                count += 1
        except tf.errors.ResourceExhaustedError:
            fitted.append(count)
        print("fraction", fraction, "session still works:", sess.run(tf.constant(1) + 1))
print("twice as many:", fitted[0] > 2, abs(fitted[1] - 2 * fitted[0]) <= 2)
