"""What is logged is seen, in TensorFlow's form, and once."""

import subprocess
import sys


def _errors_of(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stderr + done.stdout


def test_a_warning_is_written_with_its_level_and_origin() -> None:
    program = "import placewise, logging; logging.getLogger('tensorflow').warning('look')"
    assert _errors_of(program) == "WARNING:tensorflow:look\n"


def test_what_happens_is_not_written_unless_asked_for() -> None:
    assert _errors_of("import placewise as tf; tf.get_logger().info('look')") == ""
    asked = "import placewise as tf; tf.get_logger().setLevel('INFO'); tf.get_logger().info('look')"
    assert _errors_of(asked) == "INFO:tensorflow:look\n"


def test_a_program_with_handlers_of_its_own_sees_a_message_once() -> None:
    program = (
        "import placewise as tf, logging; logging.basicConfig(format='mine: %(message)s');"
        "tf.get_logger().warning('look')"
    )
    assert _errors_of(program) == "mine: look\n"


def test_at_a_prompt_what_happens_is_told_on_standard_output() -> None:
    program = "import sys; sys.ps1 = '>'; import placewise as tf; tf.get_logger().info('look')"
    assert _errors_of(program) == "INFO:tensorflow:look\n"
