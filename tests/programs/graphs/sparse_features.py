"""Wide, mostly empty features: sparse tensors fed, multiplied, embedded and crossed."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(29)
ROWS, COLUMNS = 40, 200
dense = np.zeros((ROWS, COLUMNS), np.float32)
for row in dense:
    row[rng.choice(COLUMNS, 4, replace=False)] = rng.uniform(0.5, 1.5, 4)
weights = rng.normal(size=(COLUMNS, 1)).astype("float32")
labels = dense @ weights
indices = np.argwhere(dense)

sp = tf.sparse_placeholder(tf.float32, shape=[ROWS, COLUMNS])
y = tf.placeholder(tf.float32, [ROWS, 1])
w = tf.Variable(tf.zeros([COLUMNS, 1]))
predicted = tf.sparse_tensor_dense_matmul(sp, w)
loss = tf.reduce_mean(tf.square(predicted - y))
train = tf.train.FtrlOptimizer(1.0, l1_regularization_strength=0.01).minimize(loss)

# The same words as identifiers with weights: averages of vectors.
table = tf.constant(np.arange(10.0).reshape(5, 2), tf.float32)
ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 4], tf.int64), [3, 2])
importance = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 3.0, 2.0], [3, 2])
mean = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")
total = tf.nn.embedding_lookup_sparse(table, ids, importance, combiner="sum")

a = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
b = tf.SparseTensor([[0, 1], [1, 1]], [10.0, 20.0], [2, 2])
added = tf.sparse_tensor_to_dense(tf.sparse_add(a, b))
joined = tf.sparse_tensor_to_dense(tf.sparse_concat(1, [a, b]))
kept = tf.sparse_tensor_to_dense(tf.sparse_retain(a, [True, False]))
filled, empty = tf.sparse_fill_empty_rows(ids, tf.constant(0, tf.int64))
sums = tf.sparse_reduce_sum(a, axis=1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {sp: tf.SparseTensorValue(indices, dense[tuple(indices.T)], dense.shape), y: labels}
    print("product right:", np.allclose(sess.run(predicted, feed), 0))
    start = sess.run(loss, feed)
    for _ in range(80):
        sess.run(train, feed)
    print("loss fell:", sess.run(loss, feed) < 0.1 * start)
    unused = np.setdiff1d(np.arange(COLUMNS), indices[:, 1])
    print("what never occurs stays zero:", not sess.run(w)[unused].any())
    print("mean", sess.run(mean).tolist(), "sum", sess.run(total).tolist())
    print(sess.run(added).tolist(), sess.run(joined).tolist(), sess.run(kept).tolist())
    print(sess.run(filled).values.tolist(), sess.run(empty).tolist(), sess.run(sums).tolist())
