"""What notebooks show: well-formed tables, with every text of the program escaped."""

from __future__ import annotations

from xml.etree import ElementTree

import placewise as tf
from placewise.core.html import to_details, to_table
from placewise.eager.log import Entry, Log
from placewise.tensorflow.ipython import show_devices


def cells(html: str | None) -> list[list[str]]:
    """Return the rows of all tables; raises if the text is not well-formed."""
    root = ElementTree.fromstring(f"<div>{html}</div>")
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def shown(value: object) -> str:
    return value._repr_html_()  # type: ignore[attr-defined]


EVIL = "<script>alert('&\"')</script>"


def test_all_text_is_escaped() -> None:
    html = to_table([EVIL], [[EVIL]], EVIL) + to_details(EVIL, EVIL)
    assert "<script" not in html
    assert cells(html) == [[EVIL], [EVIL]]


def test_a_log_shows_where_ops_ran() -> None:
    tf.simulate("V100")
    with tf.device("/cpu:0"):
        x = tf.constant([1.0, 2.0])
    with tf.record() as log:
        x * x
    titles, row = cells(shown(log))
    assert titles == ["op", "device", "copied in", "why", "at"]
    assert row[:3] == ["Mul", "GPU:0", "8"] and "test_html.py" in row[4]
    assert "ops: 1; transfers: 1; unasked: 8B" in shown(log)


def test_a_long_log_is_cut() -> None:
    log = Log([Entry(EVIL, "", "", "/device:CPU:0", "", "")] * 300)
    assert len(cells(shown(log))) == 201
    assert "the first 200 are shown, table() has all" in shown(log)


def test_a_snapshot_shows_who_holds_memory() -> None:
    tf.simulate("2xV100")
    kept = tf.Variable(tf.zeros([1024, 1024]), name="a<b")
    titles, row = cells(shown(tf.memory.snapshot()))
    assert titles[:3] == ["device", "in use", "of"]
    assert row[0] == "GPU:0" and row[1].startswith("4.0") and "a<b" in row[5]
    del kept


def test_an_empty_snapshot_says_so() -> None:
    assert "no memory of a GPU is in use" in shown(tf.memory.snapshot())


def test_a_simulated_machine_shows_its_cards() -> None:
    machine = tf.simulate("V100,K80:2GiB")
    assert [row[0] for row in cells(shown(machine))[1:]] == ["Tesla V100-SXM2-16GB", "Tesla K80"]
    assert "the machine that the environment gives" in shown(tf.simulate(None))


def test_lists_of_devices_are_tables() -> None:
    tf.simulate("2xV100")
    rows = cells(show_devices(tf.config.list_logical_devices()))
    assert rows[1:] == [["/device:CPU:0", "CPU"], *([f"/device:GPU:{i}", "GPU"] for i in (0, 1))]


def test_a_plan_has_a_row_and_a_page_for_each_machine() -> None:
    def train() -> None:
        w = tf.Variable(tf.zeros([100, 100]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.ones([8, 100]) @ w)
            w.assign_sub(0.1 * tape.gradient(loss, w))

    html = shown(tf.plan(train, on=["K80", "2xV100"]))
    assert [(row[0], row[-1]) for row in cells(html)[1:]] == [("K80", "fits"), ("2xV100", "fits")]
    assert html.count("<details>") == 2
