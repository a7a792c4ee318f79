"""Forecasts a wave: windows, a linear baseline, an LSTM, a convolution, and many steps ahead."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(8)
rng = np.random.RandomState(8)
time = np.arange(400)
series = (np.sin(time * 0.3) + 0.4 * np.sin(time * 0.11) + rng.normal(0, 0.03, 400)).astype(
    "float32"
)
mean, std = series[:300].mean(), series[:300].std()
series = (series - mean) / std
WINDOW = 12


def windows(values, batch=32):
    data = tf.data.Dataset.from_tensor_slices(values[:, None])
    data = data.window(WINDOW + 1, shift=1, drop_remainder=True).flat_map(
        lambda w: w.batch(WINDOW + 1)
    )
    return data.map(lambda w: (w[:-1], w[-1])).batch(batch).cache()


train, test = windows(series[:300]), windows(series[300:])
for inputs, target in train.take(1):
    print("inputs", inputs.shape, "target", target.shape)
last = float(np.mean([np.mean((x[:, -1] - y) ** 2) for x, y in test.as_numpy_iterator()]))


def fit(name, *stack):
    model = tf.keras.Sequential([layers.Input((WINDOW, 1)), *stack, layers.Dense(1)], name=name)
    model.compile(tf.keras.optimizers.Adam(0.02), "mse", metrics=["mae"])
    model.fit(train, epochs=3, verbose=0)
    loss = model.evaluate(test, verbose=0)[0]
    print(name.ljust(8), "learns:", loss < 1.0)
    return model


linear = fit("linear", layers.Flatten())
lstm = fit("lstm", layers.LSTM(12))
fit("conv", layers.Conv1D(12, 4, activation="relu", padding="causal"), layers.GlobalMaxPooling1D())

history = series[-WINDOW:].tolist()
for _ in range(5):
    step = linear.predict(np.array(history[-WINDOW:], "float32")[None, :, None], verbose=0)
    history.append(float(step[0, 0]))
print("five ahead, within range:", all(abs(v) < 3 for v in history[WINDOW:]))
other = tf.keras.utils.timeseries_dataset_from_array(
    series[:50, None], series[WINDOW:50], WINDOW, batch_size=16
)
shapes = [x.shape for x, _ in other]
print("windows by Keras:", shapes[0], sum(s[0] for s in shapes))
stateful = layers.LSTM(3, return_sequences=True, return_state=True)
out, h, c = stateful(tf.ones([2, 5, 1]))
print("states", out.shape, h.shape, c.shape, bool(tf.reduce_all(out[:, -1] == h)))
both = layers.Bidirectional(layers.GRU(4, return_sequences=True))(tf.ones([2, 5, 1]))
print("both ways", both.shape)
