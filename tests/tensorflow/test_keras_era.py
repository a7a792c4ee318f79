"""What Keras does differently in programs of TensorFlow 1 only."""

import pytest

from placewise.core.scope import current, era
from placewise.tensorflow.keras_era import eager_world, in_tensorflow_1


def test_changes_are_for_programs_of_tensorflow_1(monkeypatch: pytest.MonkeyPatch) -> None:
    told = in_tensorflow_1(lambda: "plain", lambda: "changed")
    assert told() == "plain"
    with eager_world():
        assert told() == "plain"
    monkeypatch.setattr(era, "base", current.interpreter)
    assert told() == "changed"
    with eager_world():
        assert told() == "changed"
