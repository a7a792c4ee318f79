"""Files as TensorFlow 1's Keras wrote them: weights in HDF5 or checkpoints, models under any name.

`save_weights("w.h5")` writes HDF5 and `save_weights("cp")` a checkpoint with the names of
TensorFlow 1.15; `save("model")` writes HDF5. What Keras 3 writes itself stays its own.
"""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any

from placewise.ops.checkpoint.bundle_reader import Bundle
from placewise.ops.checkpoint.bundle_writer import BundleWriter, index_path
from placewise.saving.checkpoint_state import update_checkpoint_state
from placewise.tensorflow.keras_checkpoint_names import of_variables
from placewise.tensorflow.keras_files import written_beside

_HDF5 = (".h5", ".hdf5")
_WEIGHTS = ".weights.h5"  # Keras 3's own format


def install(keras: Any) -> None:
    """Let Keras's models and callbacks, once loaded, write and read them."""
    model, models = keras.Model, keras.models
    legacy: Any = importlib.import_module("keras.src.legacy.saving.legacy_h5_format")
    model.save_weights = _weights_writer(model.save_weights, legacy)
    model.load_weights = _weights_reader(model.load_weights, legacy)
    model.save = _model_writer(model.save, legacy)
    models.save_model = _model_writer(models.save_model, legacy)
    models.load_model = _model_reader(models.load_model, legacy)
    _accept_any_path(keras.callbacks.ModelCheckpoint)


def _weights_writer(plain: Any, legacy: Any) -> Any:
    @functools.wraps(plain)
    def save_weights(
        self: Any, filepath: Any, overwrite: bool = True, save_format: Any = None, **options: Any
    ) -> None:
        path = os.fspath(filepath)
        if path.endswith(_WEIGHTS) or options:
            plain(self, path, overwrite=overwrite, **options)
        elif save_format in ("h5", "hdf5", "keras") or (
            save_format is None and path.endswith((*_HDF5, ".keras"))
        ):
            written_beside(path, lambda draft: _write_hdf5(legacy, self, draft))
        else:
            _write_checkpoint(self, path)

    return save_weights


def _weights_reader(plain: Any, legacy: Any) -> Any:
    @functools.wraps(plain)
    def load_weights(self: Any, filepath: Any, *args: Any, **options: Any) -> None:
        path = os.fspath(filepath)
        if os.path.exists(index_path(path)):
            _read_checkpoint(self, path)
        elif not path.endswith((*_HDF5, _WEIGHTS)) and _is_hdf5(path):
            _read_hdf5(legacy, self, path)
        else:
            plain(self, path, *args, **options)

    return load_weights


def _model_writer(plain: Any, legacy: Any) -> Any:
    @functools.wraps(plain)
    def save(self: Any, filepath: Any, overwrite: bool = True, **options: Any) -> None:
        kind = options.pop("save_format", "h5")
        if kind == "h5" and not os.fspath(filepath).endswith((".keras", *_HDF5)):
            with_optimizer = options.get("include_optimizer", True)
            legacy.save_model_to_hdf5(self, filepath, overwrite, with_optimizer)
        else:
            plain(self, filepath, overwrite, **options)

    return save


def _model_reader(plain: Any, legacy: Any) -> Any:
    @functools.wraps(plain)
    def load_model(
        filepath: Any, custom_objects: Any = None, compile: bool = True, **options: Any
    ) -> Any:
        if not str(filepath).endswith(_HDF5) and _is_hdf5(filepath):
            return legacy.load_model_from_hdf5(filepath, custom_objects, compile)
        return plain(filepath, custom_objects, compile, **options)

    return load_model


def _h5py() -> Any:
    return importlib.import_module("h5py")  # slow to load


def _is_hdf5(path: Any) -> bool:
    return os.path.isfile(path) and bool(_h5py().is_hdf5(path))


def _write_hdf5(legacy: Any, model: Any, path: Any) -> None:
    with _h5py().File(path, "w") as file:
        legacy.save_weights_to_hdf5_group(file, model)


def _read_hdf5(legacy: Any, model: Any, path: str) -> None:
    with _h5py().File(path, "r") as file:
        group = file.get("model_weights", file)
        legacy.load_weights_from_hdf5_group(group, model)


def _write_checkpoint(model: Any, prefix: str) -> None:
    folder = os.path.dirname(prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    writer = BundleWriter(prefix)
    variables = of_variables(model, by_layers=True)
    for name in sorted(variables):  # the index of a bundle is in this order
        writer.add(name, variables[name].numpy())
    writer.finish()
    update_checkpoint_state(folder or ".", prefix, [prefix])


def _read_checkpoint(model: Any, prefix: str) -> None:
    variables = of_variables(model, by_layers=True)
    with Bundle(prefix) as bundle:
        missing = [name for name in variables if not bundle.has(name)]
        if missing:
            raise ValueError(
                f"The checkpoint {prefix} has no values for {len(missing)} of the model's "
                f"{len(variables)} variables: {', '.join(missing[:5])}. It has: "
                f"{', '.join(name for name in bundle.names()[:5])}"
            )
        for name, variable in variables.items():
            variable.assign(bundle.read(name))


def _accept_any_path(callback: Any) -> None:
    """Let the callback write under any name; what it writes there, `save` and its like decide."""
    plain = callback.__init__

    @functools.wraps(plain)
    def initialize(self: Any, filepath: Any, *args: Any, **options: Any) -> None:
        every = options.pop("period", None)
        names = ("monitor", "verbose", "save_best_only", "save_weights_only", "mode", "save_freq")
        options.update(zip(names, args, strict=False))
        only_weights = options.get("save_weights_only")
        plain(self, f"model{_WEIGHTS if only_weights else '.keras'}", **options)
        self.filepath = os.fspath(filepath)
        self._period = every or 1

    callback.__init__ = initialize
    save = callback._save_model

    @functools.wraps(save)
    def save_model(self: Any, epoch: int, batch: Any, logs: Any) -> None:
        if batch is not None or (epoch + 1) % self._period == 0:
            save(self, epoch=epoch, batch=batch, logs=logs)

    callback._save_model = save_model
