"""Kill -9 at random moments while saving: what is read afterwards is a whole save, old or new."""

from __future__ import annotations

import os
import random
import shutil
import signal
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import placewise as tf

SHAPE = (200, 300)
_tf1 = tf.compat.v1


def _checkpoint_save(root: str, k: int) -> None:
    tf.train.Checkpoint(v=tf.Variable(tf.fill(SHAPE, float(k)))).write(f"{root}/ckpt")


def _checkpoint_read(root: str) -> Any:
    value = tf.Variable(tf.zeros(SHAPE))
    tf.train.Checkpoint(v=value).read(f"{root}/ckpt").assert_consumed()
    return value.numpy()


def _saver(root: str, k: int | None, version: Any) -> Any:
    with tf.Graph().as_default(), _tf1.Session() as session:
        value = _tf1.get_variable("v", SHAPE, initializer=_tf1.zeros_initializer())
        saver = _tf1.train.Saver(write_version=version)
        if k is None:
            saver.restore(session, _tf1.train.latest_checkpoint(root))
            return session.run(value)
        session.run(value.assign(np.full(SHAPE, float(k), np.float32)))
        return saver.save(session, f"{root}/model", global_step=k)


def _model_save(root: str, k: int) -> None:
    module = tf.Module()
    module.v = tf.Variable(tf.fill(SHAPE, float(k)))
    tf.saved_model.save(module, f"{root}/model")


def _model_read(root: str) -> Any:
    return tf.saved_model.load(f"{root}/model").v.numpy()


_models: dict[str, Any] = {}


def _model(k: int) -> Any:
    if "m" not in _models:
        keras = tf.keras
        _models["m"] = keras.Sequential([keras.layers.Input((SHAPE[0],)), keras.layers.Dense(300)])
    _models["m"].set_weights([np.full(SHAPE, float(k), "f"), np.full(SHAPE[1], float(k), "f")])
    return _models["m"]


def _keras_read(root: str) -> Any:
    return tf.keras.models.load_model(f"{root}/m.keras").get_weights()[0]


def _weights_read(root: str) -> Any:
    model = _model(-1)
    model.load_weights(f"{root}/m.weights.h5")
    return model.get_weights()[0]


_V1, _V2 = _tf1.train.SaverDef.V1, _tf1.train.SaverDef.V2
FORMATS: dict[str, tuple[Callable[[str, int], Any], Callable[[str], Any]]] = {
    "checkpoint": (_checkpoint_save, _checkpoint_read),
    "Saver": (lambda root, k: _saver(root, k, _V2), lambda root: _saver(root, None, _V2)),
    "Saver V1": (lambda root, k: _saver(root, k, _V1), lambda root: _saver(root, None, _V1)),
    "SavedModel": (_model_save, _model_read),
    "keras": (lambda root, k: _model(k).save(f"{root}/m.keras"), _keras_read),
    "weights.h5": (lambda root, k: _model(k).save_weights(f"{root}/m.weights.h5"), _weights_read),
}


class Kills:
    """The n-th kill: the formats take turns."""

    def __init__(self) -> None:
        self.last = ""
        self.names = list(FORMATS)

    def run(self, number: int) -> str | None:
        """Kill a process that saves, and read what it left."""
        rng = random.Random(number)
        name = self.names[number % len(self.names)]
        self.last = name
        root = tempfile.mkdtemp()
        try:
            return _killed(name, root, rng)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def _killed(name: str, root: str, rng: random.Random) -> str | None:
    save, read = FORMATS[name]
    save(root, 1)
    seconds = time.monotonic()
    save(root, 2)
    seconds = time.monotonic() - seconds
    progress = Path(root) / "progress"
    progress.write_bytes(struct.pack("q", 2))
    child = os.fork()
    if not child:
        _save_for_ever(save, root, progress)
    time.sleep(rng.uniform(0.0, 4 * seconds))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    done = struct.unpack("q", progress.read_bytes())[0]
    try:
        value = read(root)
    except Exception as error:
        return f"unreadable after a kill: {type(error).__name__}: {str(error)[:100]}"
    if not (value == value.flat[0]).all():
        return "half of one save and half of another"
    if not done <= value.flat[0] <= done + 1:
        return f"save {done} was done, {value.flat[0]} was read"
    save(root, 99)  # the next save works, and takes away what the killed one left
    left = [item.name for item in Path(root).rglob("*tempstate*")]
    return f"left behind: {left[:3]}" if left else None


def _save_for_ever(save: Callable[[str, int], Any], root: str, progress: Path) -> None:
    at = os.open(progress, os.O_WRONLY)
    for k in range(3, 1000):
        save(root, k)
        os.pwrite(at, struct.pack("q", k), 0)
    os._exit(0)
