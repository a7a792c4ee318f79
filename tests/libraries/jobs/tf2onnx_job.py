"""tf2onnx: functions and models converted; ONNX's own evaluator gives the same numbers."""

import os
import tempfile

import numpy as np
import onnx
import tensorflow as tf
import tf2onnx
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(0)
x = rng.normal(size=(5, 8, 8, 1)).astype("float32")

# A trained Keras model, through a function of it.
model = tf.keras.Sequential(
    [
        tf.keras.Input((8, 8, 1)),
        tf.keras.layers.Conv2D(4, 3, activation="relu", padding="same"),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.MaxPooling2D(2),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, np.array([0, 1, 0, 1, 0]), epochs=2, verbose=0)
call = tf.function(lambda image: model(image, training=False))
signature = [tf.TensorSpec((None, 8, 8, 1), tf.float32, name="image")]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.onnx")
    proto, _ = tf2onnx.convert.from_function(call, signature, opset=17, output_path=path)
    onnx.checker.check_model(onnx.load(path))
    print("file", os.path.getsize(path) > 1000)
print("ops", sorted({node.op_type for node in proto.graph.node}))
evaluator = ReferenceEvaluator(proto)
given = {proto.graph.input[0].name: x}
print("convolution", np.allclose(evaluator.run(None, given)[0], call(x), atol=1e-5))

# A function of one's own, with shapes that are only known when it runs.
w = tf.Variable(rng.normal(size=(4, 3)).astype("float32"))


@tf.function(input_signature=[tf.TensorSpec((None, 4), tf.float32, name="rows")])
def mixed(rows):
    """Return a few common ops."""
    count = tf.shape(rows)[0]
    mean = tf.reduce_sum(rows, axis=0) / tf.cast(count, tf.float32)
    centred = tf.nn.tanh(tf.matmul(rows - mean, w))
    parts = tf.concat([centred, tf.gather(rows, [0, 2], axis=1)], axis=1)
    return tf.reshape(tf.where(parts > 0, parts, 0.1 * parts), [count, 5])


rows = rng.normal(size=(6, 4)).astype("float32")
proto, _ = tf2onnx.convert.from_function(mixed, mixed.input_signature, opset=17)
result = ReferenceEvaluator(proto).run(None, {proto.graph.input[0].name: rows})[0]
print("function", np.allclose(result, mixed(rows), atol=1e-5))

# A frozen graph of TensorFlow 1.
values = w.numpy()
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    feed = tf.compat.v1.placeholder(tf.float32, [None, 4], name="feed")
    weights = tf.compat.v1.get_variable("weights", initializer=values)
    tf.identity(tf.nn.relu(feed @ weights + 1.0), name="result")
    session.run(tf.compat.v1.global_variables_initializer())
    expected = session.run("result:0", {feed: rows})
    frozen = tf.compat.v1.graph_util.convert_variables_to_constants(
        session, session.graph_def, ["result"]
    )
proto, _ = tf2onnx.convert.from_graph_def(
    frozen, input_names=["feed:0"], output_names=["result:0"], opset=17
)
result = ReferenceEvaluator(proto).run(None, {"feed:0": rows})[0]
print("frozen graph", np.allclose(result, expected, atol=1e-5))
