"""Switches take a truth; a text, which is always true, would turn on what it says to turn off."""

import numpy as np
import pytest

import placewise as tf

SWITCHES = {
    "soft placement": (
        tf.config.set_soft_device_placement,
        tf.config.get_soft_device_placement,
    ),
    "placement log": (tf.debugging.set_log_device_placement, tf.debugging.get_log_device_placement),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_a_truth_or_a_number_is_a_switch(name):
    put, get = SWITCHES[name]
    for value in (True, 0, 2, np.bool_(False), None):
        put(value)
        assert get() is bool(value)


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", ["False", "", b"x", 0.5, [], [True]])
def test_what_is_no_truth_is_refused_and_changes_nothing(name, value):
    put, get = SWITCHES[name]
    put(True)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        put(value)
    assert get() is True
    put(False)
