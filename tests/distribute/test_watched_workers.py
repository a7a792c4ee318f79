"""Workers that stand still, are stopped or drift: the others say which one, and where it is."""

import re
from pathlib import Path

import pytest

from tests.distribute.test_workers import started

PROGRAM = Path(__file__).with_name("watched_worker.py")


@pytest.fixture(scope="module")
def said():
    """What two workers say of which the second stands still, is stopped and drifts."""
    run = started(["--workers", "2", "--watch=1.5", PROGRAM], PLACEWISE_CHECK_REPLICAS="7")
    text = run.communicate(timeout=180)[0]
    assert run.returncode == 1, text
    return text


def test_the_worker_that_stands_still_says_so_itself(said):
    line = r"\[worker 1\] placewise watch: worker 1 \(localhost:\d+\) has stood still for 2 s at "
    assert re.search(line + r"\S*watched_worker.py:18 in load: time.sleep\(3.5\)", said), said
    assert re.search(r"worker 1 \(localhost:\d+\) goes on after [34] s", said), said


def test_the_worker_that_waits_says_for_whom_and_where_that_one_stands(said):
    waits = r"\[worker 0\] placewise watch: worker 0 \(localhost:\d+\) has waited 2 s at "
    own = r"\S*watched_worker.py:39: step\(\), in op CollectiveReduceList '\w+' on CPU:0 "
    late = r"\(defined at \S*:30\), for worker 1 \(localhost:\d+\), which stands at \S*:18 in load"
    assert re.search(waits + own + late, said), said
    assert re.search(r"\[worker 0\] placewise watch: the wait is over after [34] s", said), said


def test_a_stopped_worker_is_named_with_where_it_was_last(said):
    line = r"for worker 1 \(localhost:\d+\), which has not answered for \d+ s: it was stopped, or "
    assert re.search(line + r"its machine is gone. It was last seen at \S*watched_worker", said), (
        said
    )


def test_nothing_else_is_said(said):
    assert len(re.findall("has stood still", said)) == 1, said
    assert len(re.findall(r"has waited \d+ s", said)) == 2, said


def test_a_variable_that_drifted_on_one_worker_is_an_error(said):
    line = r"\[worker (\d)\] .*DataLossError: Replicas have drifted apart: after step 7 the "
    line += r"variable 'weight:0' is not the same on all of them: from replica 0 of worker 0 "
    line += r"\(localhost:\d+\), replica 1 \(CPU:0\) of worker 1 \(localhost:\d+\) differs by up "
    # The launcher ends the other one when the first has failed: it may not come to say so.
    assert re.search(line + r"to 0.5 \(element \[1\]\)", said), said
