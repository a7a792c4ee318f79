"""One model on all GPUs: shared variables, a slice of the batch each, averaged gradients."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(16)
NUM_GPUS, BATCH, STEPS = 4, 8, 6
PS_OPS = ["Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp"]


def assign_to_device(device, ps_device="/cpu:0"):
    """Return a device function: variables on the host, the rest on `device`."""

    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        return ps_device if node_def.op in PS_OPS else device

    return _assign


def conv_net(x, reuse):
    with tf.variable_scope("ConvNet", reuse=reuse):
        init = tf.random_normal_initializer(stddev=0.1, seed=16)
        x = tf.layers.conv2d(x, 8, 5, strides=2, activation=tf.nn.relu, kernel_initializer=init)
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)
        x = tf.layers.flatten(x)
        x = tf.layers.dense(x, 16, activation=tf.nn.relu, kernel_initializer=init)
        return tf.layers.dense(x, 10, kernel_initializer=init)


def average_gradients(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        stacked = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in pairs], 0)
        averaged.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
    return averaged


with tf.Graph().as_default(), tf.device("/cpu:0"):
    global_step = tf.get_variable(
        "global_step", [], initializer=tf.constant_initializer(0), trainable=False
    )
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    X = tf.placeholder(tf.float32, [None, 32, 32, 3])
    Y = tf.placeholder(tf.int64, [None])
    tower_grads, losses, reuse = [], [], False
    for i in range(NUM_GPUS):
        with tf.device(assign_to_device(f"/gpu:{i}")), tf.name_scope("tower_%d" % i):
            part = slice(i * BATCH, (i + 1) * BATCH)
            logits = conv_net(X[part], reuse)
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=Y[part])
            losses.append(tf.reduce_mean(entropy))
            tower_grads.append(optimizer.compute_gradients(losses[-1]))
            reuse = True
    train_op = optimizer.apply_gradients(average_gradients(tower_grads), global_step=global_step)
    loss = tf.add_n(losses) / NUM_GPUS
    kernel = tf.trainable_variables()[0]
    print(kernel.name, kernel.device, "|", losses[3].op.name, losses[3].device)

    # The same step on the whole batch at once, to compare the gradient with.
    with tf.device("/gpu:0"):
        whole = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(logits=conv_net(X, True), labels=Y)
        )
        reference = tf.gradients(whole, kernel)[0]

    images = rng.uniform(-1, 1, (NUM_GPUS * BATCH, 32, 32, 3)).astype("float32")
    labels = rng.randint(0, 10, NUM_GPUS * BATCH)
    images += labels[:, None, None, None] / 5.0
    feed = {X: images, Y: labels}
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        averaged = average_gradients(tower_grads)[0][0]
        print(
            "averages equal the whole:",
            np.allclose(*sess.run([averaged, reference], feed), atol=1e-5),
        )
        first = sess.run(loss, feed)
        for _ in range(STEPS):
            sess.run(train_op, feed)
        sess.run(train_op, feed, options=options, run_metadata=metadata)
        print("step", int(sess.run(global_step)), "loss fell:", sess.run(loss, feed) < first)
    used = {s.device.split("/")[-1] for s in metadata.step_stats.dev_stats if "device" in s.device}
    print("devices used:", sorted(d for d in used if d.startswith("device:") and d.count(":") == 2))
