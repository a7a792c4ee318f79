"""When events of a step run."""

import pytest

from placewise.cost.machine import MachineSpec
from placewise.cost.rates import seconds
from placewise.cost.timeline import (
    EAGER_ISSUE_SECONDS,
    GRAPH_ISSUE_SECONDS,
    STEP_SECONDS,
    schedule,
)
from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.ops.work import Work

BIG = Work("matmul", 2.0 * 4096**3, 2 << 26, 1 << 26, product=(1, 4096, 4096, 4096))
TINY = Work("elementwise", 16.0, 64, 64)
VIEW = Work("view", 0.0, 0, 0, kernels=0)
TWO = MachineSpec.parse("2xV100")
ON_CARD = seconds(BIG, TWO.models[0])


def op(number, device="GPU:0", work=BIG, inputs=(), **more):
    return OpEvent(number, "MatMul", f"op{number}", device, work, inputs, **more)


def run(*events, machine=TWO, batch=None):
    return schedule(Trace(list(events), batch), machine)


def starts(timeline):
    return {span.number: span.start for span in timeline.spans}


def test_nothing_takes_no_time():
    timeline = run()
    assert timeline.duration == 0
    assert timeline.bound == "compute"


def test_one_stream_runs_one_op_after_the_other():
    timeline = run(op(0), op(1))
    assert timeline.duration == pytest.approx(2 * ON_CARD, rel=0.1)
    assert timeline.bound == "compute"
    assert timeline.utilisation["GPU:0"] > 0.9
    assert timeline.utilisation["GPU:1"] == 0


def test_two_cards_work_at_the_same_time():
    timeline = run(op(0), op(1, "GPU:1"))
    assert timeline.duration == pytest.approx(ON_CARD, rel=0.15)


def test_an_op_waits_for_the_copy_of_its_input():
    copy = CopyEvent(1, "GPU:0", "GPU:1", 64 << 20, inputs=(0,))
    timeline = run(op(0), copy, op(2, "GPU:1", inputs=(1,)))
    begin = starts(timeline)
    assert begin[0] < begin[1] < begin[2]
    assert timeline.link_busy["GPU:0>GPU:1"] > 0


def test_copies_overlap_with_computing():
    copies = [CopyEvent(1, "CPU:0", "GPU:0", 64 << 20)]
    assert run(op(0), *copies).duration == pytest.approx(run(op(0)).duration)


def test_copies_in_both_directions_overlap_and_those_in_one_do_not():
    size = 1 << 30
    into = [CopyEvent(n, "CPU:0", "GPU:0", size) for n in (0, 1)]
    both = [CopyEvent(0, "CPU:0", "GPU:0", size), CopyEvent(1, "GPU:0", "CPU:0", size)]
    assert run(*into).duration > 1.8 * run(*both).duration
    assert run(*into).bound == "copies over PCIe"


def test_a_feed_is_input():
    feed = CopyEvent(0, "CPU:0", "GPU:0", 1 << 30, kind="feed")
    assert run(feed, op(1, work=TINY, inputs=(0,))).bound == "input"


def test_nvlink_is_named():
    assert run(CopyEvent(0, "GPU:0", "GPU:1", 4 << 30)).bound == "NVLink"


def test_many_small_ops_are_bound_by_launches():
    timeline = run(*(op(n, work=TINY, inputs=(n - 1,) if n else ()) for n in range(500)))
    assert timeline.bound == "kernel launches"
    assert timeline.duration == pytest.approx(500 * GRAPH_ISSUE_SECONDS + STEP_SECONDS, rel=0.1)


def test_eager_ops_are_issued_by_one_thread_for_all_cards():
    events = [op(n, f"GPU:{n % 2}", TINY, is_eager=True) for n in range(500)]
    timeline = run(*events)
    assert timeline.duration >= 500 * EAGER_ISSUE_SECONDS
    assert timeline.bound == "host"


def test_the_host_issues_ahead_of_the_card():
    """A large op hides the issuing of the small ones behind it."""
    small = [op(n, work=TINY, inputs=(n - 1,)) for n in range(1, 100)]
    alone = ON_CARD + 99 * seconds(TINY, TWO.models[0])
    assert run(op(0), *small).duration == pytest.approx(alone + STEP_SECONDS, rel=0.1)


def test_a_view_takes_no_time_and_passes_on_what_it_waits_for():
    timeline = run(op(0), op(1, work=VIEW, inputs=(0,)), op(2, "CPU:0", TINY, (1,)))
    assert starts(timeline)[2] >= ON_CARD


def test_small_ops_of_the_host_run_beside_each_other():
    work = Work("host", 20_000.0, 64, 64)
    together = run(*(op(n, "CPU:0", work) for n in range(8)))
    chained = run(*(op(n, "CPU:0", work, (n - 1,) if n else ()) for n in range(8)))
    assert chained.duration - STEP_SECONDS > 4 * (together.duration - STEP_SECONDS)
    assert chained.bound == "host"


def test_an_all_reduce_waits_for_all_cards_and_holds_them():
    members = ("GPU:0", "GPU:1")
    reduce = CopyEvent(3, *members, 1 << 30, "all_reduce", (0, 1, 2), members=members)
    timeline = run(op(0), op(1), op(2, "GPU:1"), reduce, op(4, "GPU:1", inputs=(3,)))
    begin = starts(timeline)
    assert begin[3] >= 2 * ON_CARD
    assert begin[4] > begin[3]


def test_samples_per_second():
    timeline = run(op(0), batch=64)
    assert timeline.samples_per_second == pytest.approx(64 / timeline.duration)
    assert run(op(0)).samples_per_second is None


def test_the_parts_of_the_critical_path_add_up():
    copy = CopyEvent(1, "GPU:0", "GPU:1", 64 << 20, inputs=(0,))
    timeline = run(op(0), copy, op(2, "GPU:1", inputs=(1,)), op(3, "CPU:0", TINY, (2,)))
    assert sum(timeline.bound_seconds.values()) == pytest.approx(timeline.duration)


def test_the_order_is_the_same_each_time():
    events = [op(n, f"GPU:{n % 2}", TINY, (n // 2,) if n else ()) for n in range(200)]
    assert run(*events).spans == run(*events).spans


def test_missing_inputs_do_not_hold_an_event_up():
    assert len(run(op(5, inputs=(1, 2))).spans) == 1


def test_events_that_wait_for_each_other_are_an_error():
    work = Work("elementwise", 1e3, 1000, 1000)
    first = OpEvent(0, "Add", "a", "GPU:0", work, (1,))
    second = OpEvent(1, "Add", "b", "GPU:0", work, (0,))
    with pytest.raises(ValueError, match="wait for each other"):
        schedule(Trace([first, second]), MachineSpec.parse("V100"))
