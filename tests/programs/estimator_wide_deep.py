"""A wide and a deep part together over columns of every kind."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
fc = tf.feature_column
drawn = np.random.RandomState(0)
age = drawn.randint(18, 80, 80)
job = drawn.choice(["clerk", "cook", "coder"], 80)
city = drawn.choice(["rome", "oslo"], 80)
label = ((age > 45) ^ (job == "coder")).astype(np.int64)


def input_fn():
    features = {"age": age.astype(np.float32), "job": job, "city": city}
    data = tf.data.Dataset.from_tensor_slices((features, label))
    return data.repeat(30).batch(40)


ages = fc.bucketized_column(fc.numeric_column("age"), [30, 45, 60])
jobs = fc.categorical_column_with_vocabulary_list("job", ["clerk", "cook", "coder"])
cities = fc.categorical_column_with_hash_bucket("city", 10)
wide = [ages, jobs, fc.crossed_column([ages, "job"], 100)]
deep = [fc.indicator_column(jobs), fc.embedding_column(cities, 4), ages]
model = tf.estimator.DNNLinearCombinedClassifier(
    model_dir=tempfile.mkdtemp(),
    linear_feature_columns=wide,
    dnn_feature_columns=deep,
    dnn_hidden_units=[16, 8],
    dnn_optimizer=tf.train.AdamOptimizer(0.02),
    linear_optimizer=tf.train.FtrlOptimizer(0.1),
    config=tf.estimator.RunConfig(tf_random_seed=2),
)
model.train(input_fn)
result = model.evaluate(input_fn, steps=2)
print("accuracy over 0.9:", result["accuracy"] > 0.9, "auc over 0.9:", result["auc"] > 0.9)
