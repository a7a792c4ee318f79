"""A checkpoint that is written anew while it is read: all that is read is of one writing."""

import numpy as np
import pytest

import placewise as tf
from placewise.ops.checkpoint.bundle_reader import Bundle

NAMES = [f"v/{i}/.ATTRIBUTES/VARIABLE_VALUE" for i in range(3)]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes three variables of one value, under one name."""
    prefix = str(tmp_path / "ckpt")
    variables = [tf.Variable(np.zeros(100)) for _ in NAMES]
    checkpoint = tf.train.Checkpoint(v=variables)

    def write(value):
        for variable in variables:
            variable.assign(np.full(100, value))
        return checkpoint.write(prefix)

    return write


def found(reader):
    return [set(reader.get_tensor(name).tolist()) for name in NAMES]


def test_an_open_reader_goes_on_with_what_it_opened(write):
    reader = tf.train.load_checkpoint(write(1.0))
    write(2.0)
    write(3.0)
    assert found(reader) == [{1.0}] * 3
    assert found(tf.train.load_checkpoint(write(4.0))) == [{4.0}] * 3


def test_a_reader_that_was_overtaken_while_it_opened_begins_anew(write, monkeypatch):
    prefix = write(1.0)
    open_all, values = Bundle._open_all, iter([2.0, 3.0])

    def overtaken(bundle):
        value = next(values, None)
        if value is not None:
            write(value)
        open_all(bundle)

    monkeypatch.setattr(Bundle, "_open_all", overtaken)
    assert found(tf.train.load_checkpoint(prefix)) == [{3.0}] * 3
