"""Models in files: whole at every moment, with Keras's own answers to what cannot be written."""

import importlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import placewise as tf
from placewise.ops.io import drafts
from placewise.tensorflow import keras_files
from tests.keras.models_for_tests import perceptron

pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5"),
]


def test_a_file_is_whole_after_every_kill(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.keras.killed_while_saving", str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("is whole") == 5


def failing(model: Any) -> Any:
    """Return a model that cannot be saved to its end."""

    def fail(store: Any) -> None:
        raise OSError("the disk is full")

    model.layers[-1].save_own_variables = fail
    return model


@pytest.mark.parametrize("name", ["m.keras", "m.weights.h5"])
def test_a_save_that_fails_leaves_the_file_before(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    def save(model: Any) -> None:
        model.save(path) if name == "m.keras" else model.save_weights(path)

    save(perceptron(tf))
    before = path.read_bytes()
    with pytest.raises(OSError, match="the disk is full"):
        save(failing(perceptron(tf)))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_what_could_not_be_written_takes_no_room(tmp_path: Path) -> None:
    # On a full disk HDF5 ended the process at Python's exit: what it had open it could not flush.
    with (
        pytest.raises(OSError, match="the disk is full"),
        keras_files._drafts(str(tmp_path / "m.h5")) as folder,
    ):
        draft = open(Path(folder, "m.h5"), "wb")  # noqa: SIM115 - as HDF5, which cannot close it
        draft.write(bytes(1000))
        draft.flush()
        raise OSError("the disk is full")
    assert os.fstat(draft.fileno()).st_size == 0
    draft.close()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_that_is_missing_is_named_as_keras_names_it(tmp_path: Path) -> None:
    model = perceptron(tf)
    path = tmp_path / "none" / "m.keras"
    with pytest.raises(FileNotFoundError) as raised:
        model.save(path)
    assert raised.value.filename == str(path)
    model.save(tmp_path / "made" / "m.h5")
    assert (tmp_path / "made" / "m.h5").exists()


def test_other_endings_are_refused_in_keras_words(tmp_path: Path) -> None:
    model = perceptron(tf)
    with pytest.raises(ValueError, match=r"The filename must end in `\.weights\.h5`"):
        model.save_weights(tmp_path / "m.txt")
    with pytest.raises(ValueError, match="Invalid filepath extension for saving"):
        model.save(tmp_path / "m.txt")
    assert list(tmp_path.iterdir()) == []


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    model = perceptron(tf)
    real, link = tmp_path / "real.keras", tmp_path / "link.keras"
    model.save(real)
    real.chmod(0o640)
    link.symlink_to(real)
    model.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    tf.keras.models.load_model(link)


def test_an_open_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    model = perceptron(tf)
    legacy_h5_format = importlib.import_module("keras.src.legacy.saving.legacy_h5_format")
    with h5py.File(tmp_path / "m.h5", "w") as file:
        legacy_h5_format.save_model_to_hdf5(model, file)
    loaded = tf.keras.models.load_model(tmp_path / "m.h5")
    np.testing.assert_array_equal(loaded.get_weights()[0], model.get_weights()[0])


def test_a_refused_overwrite_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, path = perceptron(tf), tmp_path / "m.h5"
    path.write_text("mine")
    monkeypatch.setattr("builtins.input", lambda *_: "n")
    model.save(path, overwrite=False)
    assert path.read_text() == "mine"


def test_a_model_as_a_folder(tmp_path: Path) -> None:
    model = perceptron(tf)
    for _ in range(2):
        model.save(tmp_path / "model", zipped=False)
    assert sorted(each.name for each in (tmp_path / "model").iterdir() if each.is_file()) == [
        "config.json",
        "metadata.json",
        "model.weights.h5",
    ]
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_the_next_save_removes_what_a_dead_one_left_and_nothing_else(tmp_path: Path) -> None:
    model, path = perceptron(tf), tmp_path / "m.keras"
    dead = tmp_path / "m.keras.tempstate-0123456789abcdef"
    dead.mkdir()
    other = tmp_path / "other.keras.tempstate-0123456789abcdef"
    other.mkdir()
    with drafts.draft_folder(str(path)) as alive:
        model.save(path)
        assert os.path.isdir(alive)
    assert not dead.exists()
    assert other.exists()
