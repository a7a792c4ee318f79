"""Objects saved as they hang together: checkpoints, a manager, and going on."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()


class Net(tf.Module):
    """One dense layer."""

    def __init__(self, size):
        super().__init__()
        self.w = tf.Variable(tf.zeros([2, size]), name="w")
        self.b = tf.Variable(tf.zeros([size]), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


def make():
    net = Net(1)
    return net, tf.train.Checkpoint(step=tf.Variable(0), net=net, history=[tf.Variable(1.0)])


x = tf.constant([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]])
y = tf.constant([[5.0], [11.0], [0.0]])


def train(net):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x) - y))
    for variable, gradient in zip(
        net.trainable_variables, tape.gradient(loss, net.trainable_variables)
    ):
        variable.assign_sub(0.05 * gradient)
    return float(loss)


def session(steps):
    net, checkpoint = make()
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    status = checkpoint.restore(manager.latest_checkpoint)
    if manager.latest_checkpoint:
        status.assert_consumed()
        print("Restored from", os.path.basename(manager.latest_checkpoint))
    else:
        print("Initializing from scratch.")
    for _ in range(steps):
        loss = train(net)
        checkpoint.step.assign_add(1)
        if int(checkpoint.step) % 10 == 0:
            manager.save()
    return net, loss, manager


first_net, first, manager = session(30)
print("kept", [os.path.basename(path) for path in manager.checkpoints])
second_net, second, manager = session(30)
print("went on:", second < first, os.path.basename(manager.latest_checkpoint))

for name, shape in tf.train.list_variables(folder):
    if "OBJECT" not in name:
        print(" ", name, shape)
reader = tf.train.load_checkpoint(folder)
print("step", reader.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE"))

# Only a part, and later: values wait for the variable they belong to.
late = tf.train.Checkpoint()
status = tf.train.Checkpoint(net=late).restore(manager.latest_checkpoint)
late.b = tf.Variable([100.0])
print("deferred:", bool(tf.reduce_all(late.b == second_net.b)))
status.expect_partial()
path = tf.train.Checkpoint(net=second_net).write(os.path.join(folder, "written"))
fresh = Net(1)
tf.train.Checkpoint(net=fresh).read(path).assert_consumed()
print("written and read:", bool(tf.reduce_all(fresh.w == second_net.w)))
try:
    tf.train.Checkpoint(net=fresh).restore(os.path.join(folder, "nothing"))
except tf.errors.NotFoundError:
    print("there is no such checkpoint")
