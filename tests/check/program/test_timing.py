"""Settings that come too late."""

import textwrap

import pytest

from .looking import brief, look

TF = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    "setting",
    [
        "tf.config.set_visible_devices([], 'GPU')",
        "tf.config.experimental.set_memory_growth(gpu, True)",
        "tf.config.threading.set_intra_op_parallelism_threads(2)",
    ],
)
def test_a_setting_after_the_first_operation(setting: str) -> None:
    findings = look(TF + "x = tf.constant(1.0)\n" + setting + "\n")
    assert brief(findings) == [("late-setting", "program.py:3")]
    assert findings[0].fix == "move it above program.py:2"
    assert look(TF + setting + "\nx = tf.constant(1.0)\n") == []


def test_functions_of_the_program_are_followed() -> None:
    text = """
    import tensorflow as tf
    def set_up():
        tf.config.set_visible_devices([], "GPU")
    def main():
        weights = tf.Variable([1.0])
        set_up()
    if __name__ == "__main__":
        main()
    """
    assert brief(look(text)) == [("late-setting", "program.py:4")]


def test_a_variable_that_is_set_after_the_devices_started() -> None:
    text = TF + "import os\nx = tf.zeros([2])\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n"
    findings = look(text)
    assert brief(findings) == [("late-variable", "program.py:4")]
    assert findings[0].severity == "error"


def test_a_variable_that_is_set_after_the_import_is_a_note() -> None:
    text = TF + "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nx = tf.zeros([2])\n"
    assert [(one.code, one.severity) for one in look(text)] == [("variable-after-import", "note")]


def test_in_a_program_of_tensorflow_1_a_session_starts_the_devices() -> None:
    text = """
    import os
    import tensorflow as tf
    x = tf.placeholder(tf.float32)
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    session = tf.Session()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    """
    assert brief(look(text)) == [("late-variable", "program.py:7")]


def test_settings_in_branches_and_loops_are_looked_at() -> None:
    text = """
    x = tf.random.normal([2, 2])
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    """
    assert [one.severity for one in look(TF + textwrap.dedent(text))] == ["error"]
    # Nothing happens there without GPUs.
    assert [one.severity for one in look(TF + textwrap.dedent(text), gpus=0)] == ["note"]


@pytest.mark.parametrize(
    "text",
    [
        "x = tf.constant([1, 2])\ntf.config.set_visible_devices([], 'GPU')",
        "tf.config.list_logical_devices()\ntf.config.set_visible_devices([], 'GPU')",
        "with tf.device('/cpu:0'):\n  x = tf.zeros([2])\ntf.config.set_visible_devices([], 'GPU')",
        "tf.print(tf.constant(1))\ntf.config.set_visible_devices([], 'GPU')",
        "if flag:\n  x = tf.constant(1)\ntf.config.set_visible_devices([], 'GPU')",
        "def f():\n  x = tf.constant(1)\ntf.config.set_visible_devices([], 'GPU')",
        "@tf.function\ndef f():\n  return tf.constant(1)\ntf.config.set_visible_devices([], 'GPU')",
        "with tf.Graph().as_default():\n  x = tf.constant(1)\n"
        "tf.config.set_visible_devices([], 'GPU')",
    ],
)
def test_what_may_not_have_run_raises_no_alarm(text: str) -> None:
    assert look(TF + text) == []
