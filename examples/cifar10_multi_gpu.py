"""TensorFlow 1: a network for small pictures, trained on several GPUs at once, tower by tower.

Every GPU holds the same network, a tower, and works on a batch of its own. The variables live once,
on the CPU; what the towers find to change in them is averaged there and put in at the same time.

    placewise run --simulate 4xK20m examples/cifar10_multi_gpu.py --num_gpus 4 --max_steps 20

Without more it learns made-up pictures. With the CIFAR-10 binary files (data_batch_1.bin, …) in a
folder, --data_dir names it. A run that was ended goes on from its last checkpoint in --train_dir.
"""

import glob
import os
import tempfile
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("num_gpus", 4, "How many GPUs to use, each with a tower.")
flags.DEFINE_integer("max_steps", 200, "How many steps to train, those of earlier runs included.")
flags.DEFINE_integer("batch_size", 32, "How many pictures a tower sees in a step.")
flags.DEFINE_integer("width", 64, "How many channels the convolutions have.")
flags.DEFINE_string("data_dir", "", "Where the CIFAR-10 binary files are; made-up data if empty.")
flags.DEFINE_string("train_dir", "", "Where checkpoints and summaries go; a new folder if empty.")
flags.DEFINE_integer("report_every", 10, "After how many steps to say how it goes.")
flags.DEFINE_integer("save_every", 100, "After how many steps to write a checkpoint.")
FLAGS = flags.FLAGS

SIDE, KEPT, CLASSES = 32, 24, 10  # pictures are cut to the middle, where the things are
RECORD_BYTES = 1 + 3 * SIDE * SIDE
LEARNING_RATE, DECAY, STEPS_PER_DECAY = 0.05, 0.5, 2000
AVERAGE = 0.999  # of the weights, which does better on new pictures than the last ones
WEIGHT_LOSS = 0.004


def made_up_pictures(count=2000):
    """Return pictures of ten kinds, each a pattern of its own under noise, and their kinds."""
    rng = np.random.RandomState(0)
    patterns = rng.uniform(0, 255, [CLASSES, SIDE, SIDE, 3])
    labels = rng.randint(0, CLASSES, count)
    noise = rng.normal(0, 60, [count, SIDE, SIDE, 3])
    return np.clip(patterns[labels] + noise, 0, 255).astype(np.uint8), labels.astype(np.int32)


def read_record(record):
    """Return picture and label of one record: a byte of label, then a plane for each colour."""
    record = tf.decode_raw(record, tf.uint8)
    planes = tf.reshape(record[1:RECORD_BYTES], [3, SIDE, SIDE])
    return tf.transpose(planes, [1, 2, 0]), tf.cast(record[0], tf.int32)


def distort(picture, label):
    """Return a picture as training sees it: another piece of it each time, maybe mirrored."""
    picture = tf.random_crop(picture, [KEPT, KEPT, 3])
    picture = tf.image.random_flip_left_right(tf.cast(picture, tf.float32))
    return tf.image.per_image_standardization(picture), label


def batches():
    """Return a dataset of batches, one for each call of a tower."""
    if FLAGS.data_dir:
        files = sorted(glob.glob(os.path.join(FLAGS.data_dir, "data_batch_*.bin")))
        if not files:
            raise SystemExit(f"there is no data_batch_*.bin in {FLAGS.data_dir}")
        data = tf.data.FixedLengthRecordDataset(files, RECORD_BYTES).map(read_record)
    else:
        data = tf.data.Dataset.from_tensor_slices(made_up_pictures())
    data = data.repeat().shuffle(1000, seed=1).map(distort)
    return data.batch(FLAGS.batch_size, drop_remainder=True).prefetch(2 * FLAGS.num_gpus)


def variable_on_cpu(name, shape, initializer):
    """Return a variable that all towers share."""
    with tf.device("/cpu:0"):
        return tf.get_variable(name, shape, initializer=initializer)


def weights(name, shape, deviation, is_kept_small=False):
    """Return weights; those kept small add to the loss as they grow."""
    made = variable_on_cpu(name, shape, tf.truncated_normal_initializer(stddev=deviation, seed=1))
    if is_kept_small:
        tf.add_to_collection("losses", WEIGHT_LOSS * tf.nn.l2_loss(made))
    return made


def convolution(name, pictures, channels):
    """Return a convolution of 5 by 5 with its activation."""
    with tf.variable_scope(name):
        size = [5, 5, pictures.shape[-1].value, channels]
        kernel = weights("weights", size, 0.05)
        biases = variable_on_cpu("biases", [channels], tf.constant_initializer(0.1))
        sums = tf.nn.conv2d(pictures, kernel, [1, 1, 1, 1], "SAME")
        return tf.nn.relu(tf.nn.bias_add(sums, biases))


def layer(name, values, size):
    """Return a dense layer with its activation."""
    with tf.variable_scope(name):
        kernel = weights("weights", [values.shape[-1].value, size], 0.04, is_kept_small=True)
        biases = variable_on_cpu("biases", [size], tf.constant_initializer(0.1))
        return tf.nn.relu(tf.matmul(values, kernel) + biases)


def pooled(values):
    """Return the largest of each 3 by 3, every second one."""
    return tf.nn.max_pool(values, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")


def network(pictures):
    """Return what the network says about pictures: a number for each class."""
    width = FLAGS.width
    values = pooled(convolution("conv1", pictures, width))
    values = tf.nn.lrn(values, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
    values = convolution("conv2", values, width)
    values = pooled(tf.nn.lrn(values, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75))
    values = tf.reshape(values, [FLAGS.batch_size, -1])
    values = layer("local3", values, 6 * width)
    values = layer("local4", values, 3 * width)
    with tf.variable_scope("softmax_linear"):
        kernel = weights("weights", [3 * width, CLASSES], 1 / (3.0 * width))
        biases = variable_on_cpu("biases", [CLASSES], tf.constant_initializer(0.0))
        return tf.matmul(values, kernel) + biases


def tower_loss(scope, iterator):
    """Return how wrong a tower is about its batch, the size of its weights included."""
    pictures, labels = iterator.get_next()
    logits = network(pictures)
    wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(wrong))
    total = tf.add_n(tf.get_collection("losses", scope))  # this tower's only
    tf.summary.scalar("loss", total)
    return total


def average_gradients(of_towers):
    """Return for each variable the mean of what the towers found; here the towers meet."""
    found = []
    for pairs in zip(*of_towers):  # noqa: B905 - Python 3.7 knows no strict
        gradient = tf.reduce_mean(tf.stack([gradient for gradient, _ in pairs]), 0)
        found.append((gradient, pairs[0][1]))  # the variable is the same for all
    return found


def build():
    """Return the step that trains, the loss, and the count of steps."""
    count = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(LEARNING_RATE, count, STEPS_PER_DECAY, DECAY, staircase=True)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    iterator = tf.data.make_one_shot_iterator(batches())
    of_towers, losses = [], []
    with tf.variable_scope(tf.get_variable_scope()):
        for index in range(FLAGS.num_gpus):
            with tf.device(f"/gpu:{index}"), tf.name_scope(f"tower_{index}") as scope:
                loss = tower_loss(scope, iterator)
                tf.get_variable_scope().reuse_variables()  # the next tower takes the same ones
                of_towers.append(optimizer.compute_gradients(loss))
                losses.append(loss)
    gradients = average_gradients(of_towers)
    tf.summary.scalar("learning_rate", rate)
    for gradient, variable in gradients:
        tf.summary.histogram(f"{variable.op.name}/gradients", gradient)
    update = optimizer.apply_gradients(gradients, global_step=count)
    averages = tf.train.ExponentialMovingAverage(AVERAGE, count)
    with tf.control_dependencies([update]):
        step = averages.apply(tf.trainable_variables())
    return step, tf.reduce_mean(tf.stack(losses)), count


def train(folder):
    """Train, and say how it goes."""
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        tf.set_random_seed(1)
        step, loss, count = build()
        summaries, saver = tf.summary.merge_all(), tf.train.Saver(tf.global_variables())
        # Soft placement: what has no GPU kernel, reading data above all, runs on the CPU.
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            before = tf.train.latest_checkpoint(folder)
            if before:
                saver.restore(session, before)
                print(f"goes on from {before}")
            else:
                session.run(tf.global_variables_initializer())
            writer = tf.summary.FileWriter(folder, session.graph)
            path = os.path.join(folder, "model.ckpt")
            begun, since = time.time(), session.run(count)
            for now in range(since, FLAGS.max_steps):
                _, value = session.run([step, loss])
                if not np.isfinite(value):
                    raise SystemExit(f"the loss is {value} at step {now}: try a smaller rate")
                if now % FLAGS.report_every == 0 or now + 1 == FLAGS.max_steps:
                    seconds = (time.time() - begun) / (now + 1 - since)
                    pictures = FLAGS.batch_size * FLAGS.num_gpus / seconds
                    print(
                        f"step {now:5d}  loss {value:6.3f}  {pictures:8.1f} pictures/s", flush=True
                    )
                    writer.add_summary(session.run(summaries), now)
                if (now + 1) % FLAGS.save_every == 0 or now + 1 == FLAGS.max_steps:
                    saver.save(session, path, global_step=now + 1)
            writer.close()
    print(f"checkpoints and summaries are in {folder}")


def main(_):
    """Train in the folder asked for, or in a new one."""
    folder = FLAGS.train_dir or tempfile.mkdtemp(prefix="cifar10_")
    os.makedirs(folder, exist_ok=True)
    train(folder)


if __name__ == "__main__":
    tf.app.run()
