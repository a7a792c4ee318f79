"""Three kinds of flowers by a premade deep network: trained, evaluated, predicted, exported."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)
NAMES = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"]
drawn = np.random.RandomState(0)
centers = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
labels = np.arange(90) % 3
rows = (centers[labels] + 0.2 * drawn.randn(90, 4)).astype(np.float32)
features = {name: rows[:, place] for place, name in enumerate(NAMES)}


def train_input_fn(batch_size=30):
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    return dataset.shuffle(100, seed=1).repeat().batch(batch_size)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(30)


columns = [tf.feature_column.numeric_column(name) for name in NAMES]
folder = tempfile.mkdtemp()
classifier = tf.estimator.DNNClassifier(
    feature_columns=columns,
    hidden_units=[10, 10],
    n_classes=3,
    model_dir=folder,
    config=tf.estimator.RunConfig(tf_random_seed=7, save_checkpoints_steps=60),
)
classifier.train(input_fn=train_input_fn, steps=120)
result = classifier.evaluate(input_fn=eval_input_fn)
print("accuracy over 0.6:", result["accuracy"] > 0.6, "step", result["global_step"])
found = next(iter(classifier.predict(lambda: eval_input_fn().map(lambda x, y: x))))
print("first class", found["class_ids"][0], sorted(found))
spec = tf.feature_column.make_parse_example_spec(columns)
path = classifier.export_saved_model(
    os.path.join(folder, "export"),
    tf.estimator.export.build_parsing_serving_input_receiver_fn(spec),
)
print(sorted(os.listdir(path.decode())))
