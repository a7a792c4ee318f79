"""placewise finds the cards of a backend that torch loads from another package."""

import json
import os
import subprocess
import sys

import torch

import placewise as tf
from placewise.devices import accelerator as discovery
from placewise.devices.environment import Environment
from placewise.devices.inventory import inventory
from tests.accelerator.cards import on_cards


def placewise(*arguments, **variables):
    done = subprocess.run(
        [sys.executable, "-m", "placewise", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_lists_the_cards(backend_on_path):
    told = placewise("devices", CUDA_VISIBLE_DEVICES="1")
    assert told.count("Test Accelerator") == 4
    assert "GPU:3" in told


def test_the_number_of_cards_and_their_memory_are_found(backend_on_path):
    variables = {"TEST_ACCELERATOR_CARDS": "2", "TEST_ACCELERATOR_MEMORY": str(3 << 30)}
    told = placewise("devices", **variables)
    assert told.count("Test Accelerator") == 2
    assert "3 GiB" in told


def test_memory_that_the_driver_has_is_not_free(backend_on_path, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "from tensorflow.python.client import device_lib\n"
        "print(device_lib.list_local_devices()[-1].memory_limit)\n"
    )
    arguments, environment = on_cards(["run", "--simulate", "K40c:2GiB", str(program)])
    mib = 1 << 20
    # Below 2 GiB free, TensorFlow leaves 225 MiB to others; of more, 500 MiB.
    assert placewise(*arguments, **environment) == f"{(2048 - 2 - 225) * mib}\n"
    environment["TEST_ACCELERATOR_DRIVER"] = "0"
    assert placewise(*arguments, **environment) == f"{(2048 - 500) * mib}\n"


def test_a_program_runs_on_the_cards(backend_on_path, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import json\n"
        "import tensorflow as tf\n"
        "x = tf.constant([[1.0, 2.0]])\n"
        "with tf.device('GPU:3'):\n"
        "    y = tf.matmul(x, x, transpose_b=True)\n"
        "gpus = tf.config.list_physical_devices('GPU')\n"
        "print(json.dumps([len(gpus), y.device, y.numpy().item()]))\n"
    )
    count, device, value = json.loads(placewise("run", str(program)).splitlines()[-1])
    assert (count, value) == (4, 5.0)
    assert device.endswith("GPU:3")


def test_a_test_with_the_fixture_has_four_gpus(accelerator):
    assert len(tf.config.list_physical_devices("GPU")) == 4
    devices = [device.torch_device for device in inventory().devices]
    assert devices == ["cpu", "accel:0", "accel:1", "accel:2", "accel:3"]
    with tf.device("GPU:2"):
        x = tf.constant([1.0]) + 1.0
    assert x.device.endswith("GPU:2")
    assert accelerator.memory_stats(2)["allocation.all.allocated"] > 0


def test_a_test_without_it_has_none():
    assert not torch.accelerator.is_available()
    assert discovery.torch_with_backend() is None
    assert tf.config.list_physical_devices("GPU") == []


def test_the_facts_of_a_card_are_torchs(accelerator):
    [first, *_] = found = discovery.find(Environment()).cards
    assert len(found) == 4
    assert (first.name, first.torch_type, first.multiprocessors) == (
        "Test Accelerator",
        "accel",
        16,
    )
    assert (first.total_bytes, first.bus_id) == (16 << 30, "")


def test_memory_of_a_program_is_told(accelerator):
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    with tf.device("GPU:0"):
        x = tf.zeros([1024, 256])
    info = tf.config.experimental.get_memory_info("GPU:0")
    assert info["current"] - before >= 1 << 20
    assert info["peak"] >= info["current"]
    del x
