"""What editors know of placewise: names to complete after `tf.keras.`"""

import re
from pathlib import Path

import placewise as tf

STUB = Path(__file__).parents[2] / "src/placewise/api/v2/keras.pyi"


def test_names_of_keras_complete():
    names = re.findall(r"^from keras import (\w+) as \1$", STUB.read_text(), re.MULTILINE)
    assert {"Model", "Sequential", "layers", "losses", "optimizers"} <= set(names)
    assert [name for name in names if not hasattr(tf.keras, name)] == []
