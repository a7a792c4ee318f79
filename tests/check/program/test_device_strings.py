"""Device names in a program: those that cannot be read, and those that are not here."""

import pytest

from .looking import brief, look

TF = "import tensorflow as tf\n"


@pytest.mark.parametrize("name", ["gpu0", "/gpu:0:1", "/device:GPU", "GPU 0", "/cpu:0/gpu:0"])
def test_a_name_that_cannot_be_read(name: str) -> None:
    findings = look(TF + f"with tf.device({name!r}):\n    pass\n")
    assert brief(findings) == [("device-malformed", "program.py:2")]
    assert findings[0].fix.startswith("write '/device:")


def test_a_gpu_that_is_not_here() -> None:
    text = TF + "with tf.device('/device:GPU:2'):\n    x = tf.constant(1.0)\n"
    findings = look(text, gpus=2)
    assert brief(findings) == [("device-absent", "program.py:2")]
    assert findings[0].severity == "error"
    assert findings[0].what == (
        "There is no '/device:GPU:2' on this machine; here: CPU:0, GPU:0, GPU:1."
    )
    assert "placewise run --simulate 3xV100 program.py" in findings[0].fix
    assert look(text, gpus=3) == []


@pytest.mark.parametrize(
    "line",
    [
        "for d in ['/device:GPU:2', '/device:GPU:3']:\n  with tf.device(d): pass",
        "for i in range(4):\n  with tf.device('/gpu:%d' % i): pass",
        "for i in range(4):\n  with tf.device(f'/gpu:{i}'): pass",
        "for i in range(4):\n  with tf.device('/gpu:{}'.format(i)): pass",
        "for i in range(4):\n  with tf.device('/gpu:' + str(i)): pass",
        "strategy = tf.distribute.MirroredStrategy(['GPU:0', 'GPU:3'])",
        "strategy = tf.distribute.MirroredStrategy(devices=['/gpu:%d' % i for i in range(4)])",
        "strategy = tf.distribute.OneDeviceStrategy('/gpu:3')",
    ],
)
def test_names_that_are_put_together_are_followed(line: str) -> None:
    assert [finding.code for finding in look(TF + line, gpus=2)] == ["device-absent"]
    assert look(TF + line, gpus=4) == []


def test_with_soft_placement_it_is_a_note() -> None:
    text = TF + "tf.config.set_soft_device_placement(True)\nwith tf.device('/gpu:2'): pass\n"
    assert [finding.severity for finding in look(text)] == ["note"]


@pytest.mark.parametrize(
    "text",
    [
        "if tf.config.list_physical_devices('GPU'):\n  with tf.device('/gpu:7'): pass",
        "try:\n  with tf.device('/gpu:7'): tf.constant(1)\nexcept RuntimeError: pass",
        "with tf.device('/job:ps/task:0/gpu:7'): pass",
        "tf.config.set_logical_device_configuration(g, [])\nwith tf.device('/gpu:1'): pass",
        "tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(device_count={'CPU': 4}))\n"
        "with tf.device('/cpu:3'): pass",
        "with tf.device(None): pass",
        "with tf.device(choose()): pass",
    ],
)
def test_what_the_program_has_provided_for_raises_no_alarm(text: str) -> None:
    assert look(TF + text) == []
