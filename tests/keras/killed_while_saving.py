"""Saves a model over and over in processes that are killed, and reads what they left each time.

Run by `test_saving.py` in a process of its own: `python -m tests.keras.killed_while_saving FOLDER`.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import placewise as tf

KILLS = 6


def model_of(number: float) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((200,)), layers.Dense(200), layers.Dense(200)])
    model.set_weights([np.full(w.shape, number, np.float32) for w in model.get_weights()])
    return model


def the_number(model: Any) -> float:
    numbers = {float(each) for weights in model.get_weights() for each in np.unique(weights)}
    assert len(numbers) == 1, numbers
    return numbers.pop()


def loaded_weights(path: Path) -> Any:
    model = model_of(-1.0)
    model.load_weights(path)
    return model


WAYS: dict[str, tuple[Callable[[Any, Path], Any], Callable[[Path], Any]]] = {
    "m.keras": (lambda m, p: m.save(p), tf.keras.models.load_model),
    "m.weights.h5": (lambda m, p: m.save_weights(p), loaded_weights),
    "m.h5": (lambda m, p: m.save(p), tf.keras.models.load_model),
    "m.weights.json": (lambda m, p: m.save_weights(p, max_shard_size=2e-4), loaded_weights),
    "m.ckpt": (
        lambda m, p: tf.train.Checkpoint(model=m).write(str(p)),
        lambda p: [m := model_of(-1.0), tf.train.Checkpoint(model=m).read(str(p))][0],
    ),
}


def save_until_killed(save: Callable[[Any, Path], Any], path: Path) -> None:
    models = [model_of(float(number)) for number in range(2)]
    while True:
        for model in models:
            save(model, path)


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    chance = random.Random(0)
    for name, (save, load) in WAYS.items():
        path = folder / name.replace(".", "_") / name
        path.parent.mkdir()
        save(model_of(0.0), path)
        whole = {each.name for each in path.parent.iterdir()}
        for _ in range(KILLS):
            child = os.fork()
            if child == 0:
                save_until_killed(save, path)
            time.sleep(chance.uniform(0.02, 0.25))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            assert the_number(load(path)) in (0.0, 1.0)
        save(model_of(2.0), path)
        assert the_number(load(path)) == 2.0
        assert {each.name for each in path.parent.iterdir()} == whole, name
        print(name, "is whole")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
