"""tf.print, and tensors as text."""

import sys

import pytest

import placewise as tf
from placewise.ops.flow.tensor_text import flat_text, tensor_text


def text_of(value, summarize=3):
    return tensor_text(tf.convert_to_tensor(value)._value, summarize).decode()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1 / 3, "0.333333343"),
        ([0.1, 1e-8, 1e8, 123456.7, 100.0], "[0.1 1e-08 1e+08 123456.703 100]"),
        ([float("nan"), float("inf"), -0.0], "[nan inf -0]"),
        ([True, False], "[1 0]"),
        (["a", 'd"e', "x\ny"], '["a" "d\\"e" "x\\ny"]'),
        (list(range(10)), "[0 1 2 ... 7 8 9]"),
        ([[1, 2], [3, 4]], "[[1 2]\n [3 4]]"),
        ([[[1], [2]], [[3], [4]]], "[[[1]\n  [2]]\n\n [[3]\n  [4]]]"),
        ([1 + 2j], "[?]"),
    ],
)
def test_a_tensor_is_written_as_tensorflow_writes_it(value, expected):
    assert text_of(value, -1 if len(str(value)) > 30 and "..." not in expected else 3) == expected


def test_the_older_way_counts_elements_in_all():
    matrix = tf.constant([[1.5, 2.0], [3.0, 4.0]])._value
    assert flat_text(matrix, 3) == b"[1.5 2][3...]..."
    assert flat_text(matrix, -1) == b"[1.5 2][3 4]"


def printed(tmp_path, *inputs, **options):
    path = tmp_path / "out"
    tf.print(*inputs, output_stream=f"file://{path}", **options)
    return path.read_text()


def test_structures_are_printed_with_their_tensors_inside(tmp_path):
    value = {"b": tf.constant(1), "a": [tf.constant([2, 3]), "x"]}
    assert printed(tmp_path, value, (tf.constant(3),)) == "{'a': [[2 3], 'x'], 'b': 1} (3,)\n"


def test_sep_and_end(tmp_path):
    assert printed(tmp_path, "x", tf.constant(1), 2.5, sep=",", end="!") == "x,1,2.5!"


def test_a_lone_string_tensor_is_printed_bare(tmp_path):
    assert printed(tmp_path, tf.constant("text")) == "text\n"


def test_a_later_text_with_braces_is_left_alone(tmp_path):
    assert printed(tmp_path, "{}", tf.constant(1), ["{}"]) == "{} 1 ['{}']\n"


def test_it_goes_to_standard_error_or_output(capsys):
    tf.print("to stderr")
    tf.print("to stdout", output_stream=sys.stdout)
    captured = capsys.readouterr()
    assert (captured.err, captured.out) == ("to stderr\n", "to stdout\n")


def test_unknown_streams_and_keywords_are_refused():
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("x", output_stream="nowhere")
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("x", colour=3)
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.print("x", output_stream="file:///nonexistent/dir/file")
