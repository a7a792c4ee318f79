"""TensorFlow Recommenders: retrieval and ranking (Keras 2), factorized search, embedding tables."""

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tensorflow_recommenders as tfrs

tf.keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
users, items = np.arange(60) % 6, np.arange(60) % 10
table_values = rng.normal(size=(2, 11, 4)).astype("float32") * 0.1
ratings = ((users + items) % 5).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices(
    {"user": users.astype(str), "item": items.astype(str), "rating": ratings}
)
candidates = tf.data.Dataset.from_tensor_slices(np.arange(10).astype(str))


def tower(count, number):
    """Return a model that gives each name a vector."""
    lookup = tf.keras.layers.StringLookup(vocabulary=[str(i) for i in range(count)])
    values = tf.keras.initializers.Constant(table_values[number][: count + 1])
    return tf.keras.Sequential(
        [lookup, tf.keras.layers.Embedding(count + 1, 4, embeddings_initializer=values)]
    )


class Retrieval(tfrs.Model):
    """Which items go with a user."""

    def __init__(self):
        super().__init__()
        self.users, self.items = tower(6, 0), tower(10, 1)
        metrics = tfrs.metrics.FactorizedTopK(
            candidates=candidates.batch(5).map(self.items), ks=(1, 3)
        )
        self.task = tfrs.tasks.Retrieval(metrics=metrics)

    def compute_loss(self, features, training=False):
        """Return the loss of a batch."""
        return self.task(
            self.users(features["user"]),
            self.items(features["item"]),
            compute_metrics=not training,
        )


model = Retrieval()
model.compile(tf.keras.optimizers.Adagrad(0.5))
history = model.fit(dataset.batch(15), epochs=4, verbose=0)
print("retrieval", np.round(history.history["loss"], 3).tolist())
result = model.evaluate(dataset.batch(15), return_dict=True, verbose=0)
# An item in third place is compared with itself, by two ways of rounding: the last digits vary.
print("top above a half", result["factorized_top_k/top_3_categorical_accuracy"] > 0.5)

index = tfrs.layers.factorized_top_k.BruteForce(model.users, k=3)
index.index_from_dataset(
    tf.data.Dataset.zip((candidates.batch(5), candidates.batch(5).map(model.items)))
)
scores, names = index(tf.constant(["2"]))
streaming = tfrs.layers.factorized_top_k.Streaming(model.users, k=3).index_from_dataset(
    tf.data.Dataset.zip((candidates.batch(5), candidates.batch(5).map(model.items)))
)
same = np.array_equal(names.numpy(), streaming(tf.constant(["2"]))[1].numpy())
print("found", sorted(names.numpy()[0].astype(str).tolist()), "streaming agrees", same)


class Ranking(tfrs.Model):
    """How a user rates an item."""

    def __init__(self):
        super().__init__()
        self.users, self.items = tower(6, 0), tower(10, 1)
        self.cross = tfrs.layers.dcn.Cross(kernel_initializer="zeros")
        self.rating = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.task = tfrs.tasks.Ranking(
            loss=tf.keras.losses.MeanSquaredError(),
            metrics=[tf.keras.metrics.RootMeanSquaredError()],
        )

    def compute_loss(self, features, training=False):
        """Return the loss of a batch."""
        both = tf.concat([self.users(features["user"]), self.items(features["item"])], axis=1)
        return self.task(labels=features["rating"], predictions=self.rating(self.cross(both)))


ranking = Ranking()
ranking.compile(tf.keras.optimizers.Adagrad(0.1))
history = ranking.fit(dataset.batch(15), epochs=4, verbose=0)
print("ranking", np.round(history.history["loss"], 3).tolist())

# Embedding tables with the configs of TPUs, on whatever is here.
config = tf.tpu.experimental.embedding.FeatureConfig(
    table=tf.tpu.experimental.embedding.TableConfig(
        vocabulary_size=10, dim=4, combiner="sum", initializer=tf.keras.initializers.Constant(0.5)
    )
)
tables = tfrs.layers.embedding.TPUEmbedding(
    {"ids": config}, tf.keras.optimizers.legacy.Adagrad(0.1)
)
looked_up = tables({"ids": tf.ragged.constant([[1, 2, 3], [4]])})
print("tables", looked_up["ids"].numpy()[:, 0].tolist())


class Search(tf.Module):
    """The index as a function that is served."""

    def __init__(self, index):
        super().__init__()
        self.index = index

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def search(self, names):
        """Return scores and names of the best items for users."""
        return self.index(names)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "index")
    tf.saved_model.save(Search(index), path)
    again, _ = tf.saved_model.load(path).search(tf.constant(["2"]))
    print("index restored", np.allclose(again, scores, atol=1e-6))
    path = os.path.join(folder, "weights")
    ranking.save_weights(path)
    other = Ranking()
    other.load_weights(path)
    other.compile()
    batch = next(iter(dataset.batch(15)))
    before, after = ranking.compute_loss(batch), other.compute_loss(batch)
    print("weights restored", np.allclose(before, after, atol=1e-6))
