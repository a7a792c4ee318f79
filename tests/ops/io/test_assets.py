"""An asset is its path wherever a tensor is wanted."""

from pathlib import Path

import pytest

import placewise as tf


@pytest.fixture
def asset(tmp_path: Path) -> tf.saved_model.Asset:
    (tmp_path / "words.txt").write_text("hello")
    return tf.saved_model.Asset(str(tmp_path / "words.txt"))


def test_the_file_of_an_asset_can_be_read(asset):
    assert tf.io.read_file(asset).numpy() == b"hello"
    assert tf.function(lambda: tf.io.read_file(asset))().numpy() == b"hello"


def test_an_asset_converts_to_its_path(asset):
    assert tf.convert_to_tensor(asset).numpy() == asset.asset_path.numpy()
    assert tf.strings.length(asset).numpy() == len(asset.asset_path.numpy())
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32"):
        tf.convert_to_tensor(asset, tf.float32)
