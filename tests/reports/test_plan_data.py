"""Reports of plans: the step as it would run."""

from __future__ import annotations

import pytest

import placewise as tf
from placewise.cli.main import main
from placewise.forecast.plan import Plan
from tests.reports.reading import parts_of, ran

_PROGRAM = """\
import tensorflow as tf
w = tf.Variable(tf.zeros([500, 500]))
for _ in range(4):
    with tf.GradientTape() as tape:
        with tf.device("/cpu:0"):
            hidden = tf.ones([64, 500]) @ w
        loss = tf.reduce_sum(hidden)
    w.assign_sub(0.1 * tape.gradient(loss, w))
"""


def test_a_page_of_a_plan_has_a_part_a_machine(tmp_path, capsys):
    (tmp_path / "train.py").write_text(_PROGRAM)
    page = tmp_path / "plan.html"
    status = main(
        [
            "plan",
            "--on",
            "K80",
            "--on",
            "V100",
            "--report",
            str(page),
            str(tmp_path / "train.py"),
        ]
    )
    assert status == 0 and f"wrote {page}" in capsys.readouterr().err
    slow, fast = parts_of(page)
    assert (slow["machine"], fast["machine"]) == ("K80", "V100")
    assert slow["seconds"] > fast["seconds"]
    assert ("MatMul", "CPU:0") in ran(slow) and ran(slow) == ran(fast)
    texts, copies = slow["texts"], slow["copies"]
    ends = {
        (slow["devices"][source]["label"], slow["devices"][target]["label"])
        for source, target in zip(copies["source"], copies["target"], strict=True)
    }
    assert ("GPU:0", "CPU:0") in ends and ("CPU:0", "GPU:0") in ends
    place = [texts[number] for number in slow["nodes"]["op"]].index("MatMul")
    assert texts[slow["nodes"]["reason"][place]] == "requested by tf.device('/device:CPU:0')"
    assert any(slow["nodes"]["sources"])


def test_a_plan_of_this_process_has_a_page_that_says_what_does_not_fit(tmp_path):
    def train():
        w = tf.Variable(tf.zeros([20_000, 40_000]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            w.assign_sub(0.1 * tape.gradient(loss, w))

    page = tmp_path / "plan.html"
    tf.report(page, tf.plan(train, on="K20m"))
    (part,) = parts_of(page)
    assert "finds no memory" in part["error"]
    (gpu,) = [device for device in part["devices"] if device["label"] == "GPU:0"]
    assert gpu["peak_bytes"] > gpu["limit_bytes"] and gpu["holders"]


def test_a_plan_needs_a_page(tmp_path):
    with pytest.raises(ValueError, match="give its file"):
        tf.report(None, Plan([]))
