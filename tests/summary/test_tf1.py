"""tf.summary of TensorFlow 1: the same tags, names and bytes as TensorFlow 1.15."""

import json
from pathlib import Path

import numpy as np
import pytest

import placewise as tf2
import placewise.v1 as tf
from placewise.ops.image import png_format
from tests.summary.record_v1 import summaries

RECORDED = json.loads((Path(__file__).parent / "summaries_v1.json").read_text())


def test_summaries_have_tensorflows_bytes(graph_mode):
    with tf.Session() as session:
        found = session.run(summaries(tf))
    # Processors differ in the last bit of the cubes that it is a histogram of.
    many = [histogram_of(found.pop("many")), histogram_of(bytes.fromhex(RECORDED["many"]))]
    assert many[0].bucket == many[1].bucket
    assert many[0].sum_squares == pytest.approx(many[1].sum_squares)
    recorded = {name: value for name, value in RECORDED.items() if name != "many"}
    assert {name: value.hex() for name, value in found.items()} == recorded


def histogram_of(summary):
    """Return the histogram that a summary holds."""
    return tf.Summary.FromString(summary).value[0].histo


def test_names_and_tags_follow_the_name_scope(graph_mode):
    with tf.name_scope("outer"):
        made = tf.summary.scalar("loss", 1.0, family="net")
    assert made.name == "outer/net/loss:0"
    assert [each.name for each in made.op.inputs] == [
        "outer/net/loss/tags:0",
        "outer/net/loss/values:0",
    ]
    with tf.Session() as session:
        assert tf.Summary.FromString(session.run(made)).value[0].tag == "net/outer/net/loss"


def test_merge_all_takes_what_was_collected(graph_mode):
    assert tf.summary.merge_all() is None
    first = tf.summary.scalar("a", 1.0)
    tf.summary.scalar("b", 2.0, collections=["other"])
    merged = tf.summary.merge_all()
    assert merged.name == "Merge/MergeSummary:0"
    assert list(merged.op.inputs) == [first]


def test_merging_one_tag_twice_is_refused(graph_mode):
    text = tf.constant(tf.Summary(value=[{"tag": "q", "simple_value": 1.0}]).SerializeToString())
    merged = tf.summary.merge([text, text])
    with (
        tf.Session() as session,
        pytest.raises(
            tf.errors.InvalidArgumentError, match="Duplicate tag q found in summary inputs"
        ),
    ):
        session.run(merged)


def test_nothing_cannot_be_merged(graph_mode):
    with pytest.raises(ValueError, match="length 0 shorter than minimum length 1"):
        tf.summary.merge([])


def test_pictures_are_scaled_to_what_a_screen_shows(graph_mode):
    pixels = np.float32([[[[-1, 0, 1], [0.5, 0.25, np.nan]]]])
    with tf.Session() as session:
        value = tf.Summary.FromString(session.run(tf.summary.image("im", pixels))).value[0]
    assert value.tag == "im/image/0"
    assert (value.image.height, value.image.width, value.image.colorspace) == (1, 2, 3)
    shown = png_format.decode(value.image.encoded_image_string, 0, False)
    assert shown.tolist() == [[[1, 128, 255], [255, 0, 0]]]


def test_a_single_picture_has_no_number(graph_mode):
    with tf.Session() as session:
        made = tf.summary.image("im", np.zeros((2, 1, 1, 1), np.uint8), max_outputs=1)
        values = tf.Summary.FromString(session.run(made)).value
    assert [value.tag for value in values] == ["im/image"]


def test_text_must_be_strings(graph_mode):
    with pytest.raises(ValueError, match="to have dtype string"):
        tf.summary.text("t", tf.constant(1))


def test_the_oldest_names_still_work(graph_mode):
    tf.scalar_summary("a", 1.0)
    tf.histogram_summary("b", [1.0])
    with tf.Session() as session:
        values = tf.Summary.FromString(session.run(tf.merge_all_summaries())).value
    assert [value.tag for value in values] == ["a", "b"]


def test_sound_has_a_whole_rate_of_at_least_one(graph_mode):
    for rate, whole in ((0.2, 1), (1.5, 2), (44100.4, 44100)):
        encoded = tf.summary.audio("sound", tf.ones([1, 3, 1]), rate)
        with tf.Session() as session:
            audio = tf.Summary.FromString(session.run(encoded)).value[0].audio
        assert int.from_bytes(audio.encoded_audio_string[24:28], "little") == whole


def _written(folder):
    events = [
        event
        for path in folder.iterdir()
        for event in tf2.compat.v1.train.summary_iterator(str(path))
    ]
    return [(event.step, value.tag) for event in events for value in event.summary.value]


def test_in_tensorflow_2_they_go_to_the_default_writer(tmp_path):
    summary = tf2.compat.v1.summary
    writer = tf2.summary.create_file_writer(str(tmp_path))

    @tf2.function
    def step(x):
        summary.scalar("inside", x)

    with writer.as_default(step=7):
        assert summary.scalar("loss", 1.5).numpy() == b""
        with tf2.name_scope("outer"):
            summary.histogram("spread", [1.0, 2.0], family="all")
        summary.image("picture", np.zeros([1, 2, 2, 1], np.float32))
        summary.audio("sound", np.zeros([1, 4], np.float32), 8000)
        summary.text("words", "hello")
        step(tf2.constant(2.0))
    writer.close()
    tags = ["loss", "all/outer/all/spread", "picture", "sound", "words", "inside"]
    assert _written(tmp_path) == [(7, tag) for tag in tags]


def test_in_tensorflow_2_the_global_step_counts(tmp_path):
    writer = tf2.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        with pytest.warns(UserWarning, match="global step not set"):
            made = tf2.compat.v1.summary.scalar("loss", 1.5)
        assert tf2.compat.v1.Summary.FromString(made.numpy()).value[0].simple_value == 1.5
        tf2.compat.v1.train.create_global_step().assign(3)
        tf2.compat.v1.summary.scalar("loss", 1.5)
    writer.close()
    assert _written(tmp_path) == [(3, "loss")]


def test_in_tensorflow_2_a_writer_is_missed():
    with pytest.warns(UserWarning, match="default summary writer not found"):
        tf2.compat.v1.summary.scalar("loss", 1.5)
