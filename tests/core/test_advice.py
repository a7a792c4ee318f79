"""What to do about an error, by the words of its first line."""

from placewise.core.advice import advice_for, advised


def test_the_first_line_decides():
    assert "tf.newaxis" in advice_for("Incompatible shapes: [2] vs. [3] [Op:AddV2] name: ")
    assert advice_for("something else\nIncompatible shapes: [2] vs. [3]") == ""


def test_facts_come_before_what_to_do():
    first, second = advised("Input is not invertible.", "received: input float32[2, 2]").split("\n")
    assert first == "Input is not invertible."
    assert second.startswith("  received: input float32[2, 2]; see tf.linalg.pinv")


def test_a_message_that_has_its_line_stays_as_it_is():
    message = "No such file or directory\n  file: a"
    assert advised(message) == message


def test_a_message_that_nothing_is_known_of_stays_as_it_is():
    assert advised("something else") == "something else"


def test_advice_stands_behind_a_traceback_too():
    message = "`generator` yielded an element of shape (3,)\nTraceback:\n  File x"
    assert advised(message).startswith(message + "\n  change output_signature")
