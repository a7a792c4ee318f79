"""`placewise plan`: what it prints, and its exit status."""

import json
from pathlib import Path

import pytest

from .conftest import Run

PROGRAM = """
import tensorflow as tf
print("hello from the program")
w = tf.Variable(tf.zeros([1000, 1000]))
optimizer = tf.keras.optimizers.SGD()
for _ in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.ones([64, 1000]) @ w)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    print(float(loss))
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    return str(path)


def test_several_machines_give_a_table_and_json(placewise: Run, program: str) -> None:
    done = placewise("plan", "--json", "--on", "K80", "--on", "V100:2MiB", program)
    assert done.returncode == 1, done.stderr
    first, second = json.loads(done.stdout)["machines"]
    assert (first["machine"], first["verdict"]) == ("K80", "fits")
    assert (second["machine"], second["verdict"]) == ("V100:2MiB", "does not fit")
    assert first["batch"] == 64 and first["step_seconds"] > second["step_seconds"]


def test_a_page_says_memory_time_and_copies_and_nothing_of_the_program(
    placewise: Run, program: str
) -> None:
    done = placewise("plan", "--on", "V100", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("V100: fits, 3.81MiB trainable, 64 samples a step")
    for part in ("memory  peak", "largest on GPU:0 at its peak", "time: ", "scaling ("):
        assert f"\n{part}" in done.stdout
    assert "hello from the program" not in done.stdout


def test_a_program_that_fails_is_shown_with_its_traceback(placewise: Run) -> None:
    done = placewise("plan", "--on", "V100", "-c", "raise KeyError('lost')")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the program failed on V100" in done.stderr
    assert "KeyError: 'lost'" in done.stderr


def test_a_program_that_trains_nothing_is_refused(placewise: Run) -> None:
    done = placewise("plan", "--on", "V100", "-c", "import tensorflow as tf; tf.ones([2]) + 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no training step was seen: it ran to its end" in done.stderr


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("V999", "there is no model 'V999'"),
        ("0", "there is no GPU"),
        ("4x", "--on: "),
    ],
)
def test_machines_that_cannot_be_are_refused(placewise: Run, machine: str, said: str) -> None:
    done = placewise("plan", "--on", machine, "-c", "pass")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_machine_must_be_said_where_there_is_no_gpu(placewise: Run) -> None:
    done = placewise("plan", "-c", "pass")
    assert done.returncode == 2
    assert "which machine?" in done.stderr


def test_a_program_without_end_is_ended(placewise: Run) -> None:
    text = "import tensorflow as tf\nwhile True: tf.ones([2]) + 1"
    done = placewise("plan", "--on", "V100", "--max-seconds", "2", "-c", text)
    assert done.returncode == 2
    assert "--max-seconds ended it" in done.stderr


def test_numbers_of_cards_that_a_program_cannot_run_on_have_no_row(placewise: Run) -> None:
    text = """
import tensorflow as tf
with tf.device("/gpu:0"):
    first = tf.Variable(tf.zeros([100, 100]))
with tf.device("/gpu:1"):
    second = tf.Variable(tf.zeros([100, 100]))
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.ones([8, 100]) @ first @ second)
    for variable, gradient in zip((first, second), tape.gradient(loss, [first, second])):
        variable.assign_sub(gradient)
"""
    done = placewise("plan", "--on", "2xV100", "-c", text)
    assert done.returncode == 0, done.stderr
    title, _, *rows = done.stdout.partition("\nscaling (")[2].partition("\n\n")[0].splitlines()
    assert "it makes no step on 1: does it name its devices?" in title
    assert [row.split()[0] for row in rows] == ["2", "4", "8"]


def test_layers_too_large_for_one_card_are_placed_over_four(placewise: Run) -> None:
    program = str(Path(__file__).parents[2] / "examples" / "to_plan" / "wide_layers.py")
    options = ("--json", "--place", "auto", "--on", "4xK20m", "--on", "K20m")
    done = placewise("plan", *options, program)
    assert done.returncode == 1, done.stderr
    four, one = json.loads(done.stdout)["machines"]
    assert (four["verdict"], one["verdict"]) == ("fits", "does not fit")
    assert one["devices"][0]["crossing_line"].endswith(("wide_layers.py:16", "wide_layers.py:19"))
    assert four["placement"][0].partition(" on ")[2].startswith("GPU:")
    # The weights stay where they are: what is copied is as large as activations.
    assert max(copy["nbytes"] for copy in four["copies"]) < 100 << 20
