"""One model with two inputs and two heads: losses by name, weights, and a shared trunk."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(9)
rng = np.random.RandomState(9)
numbers = rng.normal(size=(192, 4)).astype("float32")
kinds = rng.randint(0, 3, (192, 1))
price = (numbers.sum(axis=1, keepdims=True) + kinds).astype("float32")
urgent = (numbers[:, :1] > 0).astype("float32")

number_input = keras.Input((4,), name="numbers")
kind_input = keras.Input((1,), dtype="int32", name="kind")
kind = layers.Flatten()(layers.Embedding(3, 3)(kind_input))
trunk = layers.Dense(16, activation="relu", kernel_regularizer=keras.regularizers.L2(1e-4))(
    layers.concatenate([number_input, kind])
)
trunk = layers.add([trunk, layers.Dense(16, activation="relu")(trunk)])
price_head = layers.Dense(1, name="price")(trunk)
urgent_head = layers.Dense(1, activation="sigmoid", name="urgent")(trunk)
model = keras.Model(
    inputs=[number_input, kind_input], outputs={"price": price_head, "urgent": urgent_head}
)
model.compile(
    optimizer=keras.optimizers.AdamW(0.02, weight_decay=1e-3, clipnorm=1.0),
    loss={"price": "mse", "urgent": keras.losses.BinaryCrossentropy()},
    loss_weights={"price": 0.5, "urgent": 1.0},
    metrics={"urgent": ["accuracy", keras.metrics.AUC(name="auc")]},
)
data = {"numbers": numbers, "kind": kinds}
history = model.fit(
    data, {"price": price, "urgent": urgent}, epochs=8, batch_size=32, verbose=0
).history
print(sorted(history))
print(
    "both fell:",
    history["price_loss"][-1] < history["price_loss"][0],
    history["urgent_loss"][-1] < history["urgent_loss"][0],
)
scores = model.evaluate(data, {"price": price, "urgent": urgent}, verbose=0, return_dict=True)
print(
    "accuracy above 0.85:",
    scores["urgent_accuracy"] > 0.85,
    "auc above 0.9:",
    scores["urgent_auc"] > 0.9,
)
out = model.predict(data, verbose=0)
print({name: value.shape for name, value in sorted(out.items())})

# The trunk alone, for something else; its weights are the same objects.
features = keras.Model(model.inputs, trunk)
features.trainable = False
new = keras.Sequential([layers.Dense(1)])
new.compile("sgd", "mse")
new.fit(features.predict(data, verbose=0), price, epochs=2, verbose=0)
print(
    "features", features([numbers[:2], kinds[:2]]).shape, "frozen:", not features.trainable_weights
)
weighted = model.fit(
    data,
    {"price": price, "urgent": urgent},
    sample_weight={"price": np.ones(192), "urgent": np.zeros(192)},
    epochs=1,
    verbose=0,
)
print("without weight, no loss:", weighted.history["urgent_loss"][0] == 0.0)
