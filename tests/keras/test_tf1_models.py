"""Models of TensorFlow 1's Keras: names in histories, files, generators, backend functions."""

import subprocess
import sys

import pytest

PROGRAM = """
import os
import numpy as np
import tensorflow as tf

K = tf.keras.backend
x, y = np.ones((4, 3)), np.array([0, 1, 0, 0])
model = tf.keras.Sequential([
    tf.keras.layers.Dense(2, activation="softmax", input_shape=(3,), kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(lr=0.1), "sparse_categorical_crossentropy",
              metrics=["accuracy", "ce", "mae"])
callbacks = [
    tf.keras.callbacks.ModelCheckpoint("best.hdf5", monitor="val_acc", save_best_only=True),
    tf.keras.callbacks.ModelCheckpoint("cp-{epoch:02d}.ckpt", save_weights_only=True, period=2),
    tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
    tf.keras.callbacks.TensorBoard("logs")]
history = model.fit(x, y, validation_split=0.5, epochs=2, verbose=0, callbacks=callbacks, workers=2)
print("history", sorted(history.history), model.metrics_names)
print("files", sorted(name.split(".data")[0] for name in os.listdir(".")))
print("names", sorted(name for name, _ in tf.train.list_variables("cp-02.ckpt")))
weights = model.get_weights()
for path in ("w.h5", "w.hdf5", "cp"):
    model.save_weights(path)
    model.set_weights([0 * each for each in weights])
    model.load_weights(path)
    print(path, all((a == b).all() for a, b in zip(model.get_weights(), weights)))
model.save("whole")
print("whole", (tf.keras.models.load_model("whole").predict(x) == model.predict(x)).all())
batches = ((x, y[:, None]) for _ in range(9))
print("generator", model.fit_generator(batches, 2, epochs=1, verbose=0).epoch)
print("classes", model.predict_classes(x).shape, model.layers[0].input_shape)
print("json", tf.keras.models.model_from_json(model.to_json()).count_params())

optimizer = tf.keras.optimizers.SGD(lr=0.1, decay=0.5)
line = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(1,))])
line.compile(optimizer, "mse")
print("loss", np.round(line.fit(np.ones((2, 1)), np.ones((2, 1)), epochs=3, verbose=0)
                       .history["loss"], 4).tolist())
K.set_value(optimizer.lr, 0.01)
print("rate", round(float(K.get_value(optimizer.lr)), 4), optimizer.get_config()["decay"])

pairs = tf.data.Dataset.from_tensor_slices((np.ones((8, 1)), np.ones((8, 1)))).batch(4)
history = line.fit(pairs, epochs=2, validation_data=pairs, verbose=0).history
print("read", len(set(history["val_loss"])), line.predict(pairs.repeat(), steps=1).shape)

entry = tf.keras.Input((3,))
two = tf.keras.Model(entry, [tf.keras.layers.Dense(1, name=name)(entry) for name in ("z", "a")])
two.compile("sgd", "mse", metrics={"a": ["mae"], "z": ["mse"]})
answers = [np.zeros((4, 1)), np.ones((4, 1))]
two.fit(x, answers, verbose=0)
named = dict(zip(two.metrics_names, two.evaluate(x, answers, verbose=0)))
print("order", two.metrics_names, abs(named["z_mean_squared_error"] - named["z_loss"]) < 1e-6)

norm = tf.keras.layers.BatchNormalization(momentum=0.5)
fed = tf.placeholder(tf.float32, [None, 1])
norm(fed, training=True)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(norm.updates, {fed: [[1.0], [3.0]]})
    print("moving", session.run(norm.moving_mean.value).tolist(), len(norm.get_updates_for(fed)))

point = K.placeholder((None, 2))
total = K.function([point], [K.sum(point, axis=1), point * 2.0])
print("function", [each.tolist() for each in total([np.ones((1, 2))])])
state = K.variable([1.0, 2.0])
print("gradient", K.eval(K.gradients(K.sum(state * state), [state])[0]).tolist())
inner = K.function([model.input, K.learning_phase()], [model.layers[0].output])
print("layer", np.allclose(inner([x, 0])[0], model.predict(x)))
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    program = tmp_path_factory.mktemp("models") / "program.py"
    program.write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, "-m", "placewise", "run", "--tf1", str(program)],
        capture_output=True,
        cwd=program.parent,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    return dict(line.split(" ", 1) for line in run.stdout.splitlines() if " " in line)


def test_histories_have_the_names_of_tensorflow_1(printed):
    plain = ["acc", "ce", "loss", "lr", "mean_absolute_error"]
    of_validation = ["val_acc", "val_ce", "val_loss", "val_mean_absolute_error"]
    order = ["loss", "acc", "ce", "mean_absolute_error"]
    assert printed["history"] == f"{plain + of_validation} {order}"


def test_checkpoints_are_written_under_any_name(printed):
    files = "['best.hdf5', 'checkpoint', 'cp-02.ckpt', 'cp-02.ckpt.index', 'logs', 'program.py']"
    assert printed["files"] == files
    kept = [
        f"layer_with_weights-0/{name}/.ATTRIBUTES/VARIABLE_VALUE" for name in ("bias", "kernel")
    ]
    assert printed["names"] == str(kept)


def test_weights_and_models_come_back_from_their_files(printed):
    assert [printed[name] for name in ("w.h5", "w.hdf5", "cp", "whole")] == ["True"] * 4
    assert printed["json"] == "8"


def test_generators_and_classes(printed):
    assert printed["generator"] == "[0]"
    assert printed["classes"] == "(4,) (None, 3)"


def test_the_rate_falls_with_the_steps_and_stays_what_was_set(printed):
    assert printed["loss"] == "[1.0, 0.36, 0.1936]"
    assert printed["rate"] == "0.01 0.5"


def test_datasets_of_the_graph_are_read_anew_by_training_and_validation(printed):
    assert printed["read"] == "2 (4, 1)"


def test_metrics_come_output_by_output(printed):
    names = ["loss", "z_loss", "a_loss", "z_mean_squared_error", "a_mean_absolute_error"]
    assert printed["order"] == f"{names} True"


def test_the_updates_of_a_layer_in_a_graph_can_be_run(printed):
    assert printed["moving"] == "[1.0] 2"


def test_functions_and_gradients_of_the_backend(printed):
    assert printed["function"] == "[[2.0], [[2.0, 2.0]]]"
    assert printed["gradient"] == "[2.0, 4.0]"
    assert printed["layer"] == "True"
