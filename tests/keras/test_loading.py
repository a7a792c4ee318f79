"""What placewise gives Keras is there however a program loads it."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import keras
import tensorflow as tf

model = keras.Sequential([keras.layers.Input((3, 2)), keras.layers.LSTM(2)])
model.compile(loss="mse", optimizer=tf.compat.v1.train.GradientDescentOptimizer(0.5))
print(type(model.optimizer).__name__, keras.src.backend.lstm.__module__)
"""


def test_keras_imported_first_takes_old_optimizers_and_has_the_fused_layers(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "placewise", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["SGD", "placewise.tensorflow.keras_rnn"]
