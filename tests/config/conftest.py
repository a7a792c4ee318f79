"""The same fresh device state for the tests of tf.config."""

from tests.devices.conftest import fresh_devices as fresh_devices
