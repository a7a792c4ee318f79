"""Forecasts from dry runs: limits, the largest batch, copies, fallbacks, scaling, proposals."""

import dataclasses
import json

import pytest

from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.forecast.batch_growth import Moment, largest_factor
from placewise.forecast.dry_run import DryRun, MemoryForecast
from placewise.forecast.estimate import forecast, on_cpu
from placewise.forecast.forecast import Forecast, from_json
from placewise.forecast.peaks import Rise
from placewise.forecast.report import page, seconds_text, table
from placewise.forecast.scaling import measured_scaling
from placewise.memory.exhausted import Holder
from placewise.ops.work import Work

MIB = 1 << 20
PRODUCT = Work("matmul", 2.0 * 4096**3, 2 * 64 * MIB, 64 * MIB)
SMALL = Work("elementwise", 1000.0, 4000, 4000)


def op(number: int, work: Work = PRODUCT, device: str = "GPU:0", **more: object) -> OpEvent:
    return OpEvent(number, "MatMul", f"node{number}", device, work, **more)  # type: ignore[arg-type]


def memory(peak: int, limit: int = 1 << 40, **more: object) -> MemoryForecast:
    return MemoryForecast("GPU:0", limit, peak, peak // 2, 0, peak - peak // 2, **more)  # type: ignore[arg-type]


def run(events: list[OpEvent | CopyEvent], *memories: MemoryForecast, **more: object) -> DryRun:
    given = {"batch": 32, "steps": 2, "machine": "V100", **more}
    return DryRun(trace=Trace(events, 32), memory=memories, **given)  # type: ignore[arg-type]


def test_it_fits_if_the_peak_is_within_what_the_card_gives() -> None:
    seen = run([op(0)], memory(900 * MIB))
    small, large = forecast(seen, "V100:1GiB"), forecast(seen, "V100")
    assert (small.verdict, large.verdict) == ("does not fit", "fits")
    assert small.devices[0].limit_bytes < 900 * MIB < large.devices[0].limit_bytes


def test_the_op_that_finds_no_memory_is_that_of_the_first_rise_beyond_the_limit() -> None:
    rises = (Rise(500 * MIB, "a", "x.py:1"), Rise(850 * MIB, "b", "x.py:2"))
    seen = run([op(0)], memory(900 * MIB, rises=(*rises, Rise(900 * MIB, "c", "x.py:3"))))
    (device,) = forecast(seen, "V100:1GiB").devices
    assert (device.crossing_op, device.crossing_line) == ("b", "x.py:2")
    assert "GPU:0 runs out of memory in b at x.py:2" in page(forecast(seen, "V100:1GiB"))


def test_the_spans_of_the_timeline_say_what_runs_where_from_when_to_when() -> None:
    view = Work("view", 0.0, 0, 0)
    read = CopyEvent(0, "CPU:0", "GPU:0", 64 * MIB, "feed", (), "MatMul", "x:0")
    seen = run([read, op(1, inputs=(0,), line="x.py:7"), op(2, view, inputs=(1,))], memory(MIB))
    one = forecast(seen, "V100")
    copy, product = one.spans
    assert (copy.place, copy.kind, copy.op, copy.nbytes) == (
        "CPU:0>GPU:0",
        "feed",
        "MatMul",
        64 * MIB,
    )
    assert copy.line == product.line == "x.py:7"
    assert (product.place, product.kind, product.name) == ("GPU:0", "matmul", "node1")
    assert 0 <= copy.start_seconds < copy.end_seconds <= product.start_seconds
    assert product.end_seconds <= one.step_seconds
    assert from_json(Forecast, json.loads(json.dumps(one.to_json()))) == one


def test_a_limit_that_the_program_has_set_holds_on_other_machines() -> None:
    seen = run([op(0)], memory(900 * MIB, limit=100 * MIB))
    assert forecast(seen, "H100").devices[0].limit_bytes == 100 * MIB


def test_the_largest_batch_is_judged_at_every_moment() -> None:
    # The optimizer has the peak now; with a larger batch the activations have it.
    optimizer, activations = Moment(1000, 100), Moment(800, 600)
    assert largest_factor([optimizer], 1400) == 5
    assert largest_factor([optimizer, activations], 1400) == 2
    assert largest_factor([Moment(1000, 0)], 1400) is None
    assert largest_factor([Moment(5000, 100)], 1400) == 0


def test_the_cpu_alone_copies_nothing() -> None:
    events = [
        op(0, device="GPU:0"),
        CopyEvent(1, "GPU:0", "GPU:1", 4 * MIB, inputs=(0,)),
        op(2, device="GPU:1", inputs=(1,)),
    ]
    alone = on_cpu(Trace(events, 8))
    assert [(event.device, event.inputs) for event in alone.events] == [
        ("CPU:0", ()),
        ("CPU:0", (0,)),
    ]


def test_copies_are_summed_by_pair_of_devices() -> None:
    events: list[OpEvent | CopyEvent] = [
        CopyEvent(0, "CPU:0", "GPU:0", 3 * MIB, "feed"),
        CopyEvent(1, "CPU:0", "GPU:0", MIB, "copy"),
        op(2, inputs=(0, 1)),
        CopyEvent(3, "GPU:0", "CPU:0", 4, "fetch", inputs=(2,)),
    ]
    first, second = forecast(run(events, memory(MIB)), "V100").copies
    assert (first.source, first.target, first.count) == ("CPU:0", "GPU:0", 2)
    assert (first.nbytes, first.unasked_bytes) == (4 * MIB, MIB)
    assert (second.nbytes, second.unasked_bytes) == (4, 0)


def test_a_fallback_costs_its_time_and_its_copies() -> None:
    events: list[OpEvent | CopyEvent] = [
        op(0),
        CopyEvent(1, "GPU:0", "CPU:0", 64 * MIB, inputs=(0,)),
        op(2, device="CPU:0", inputs=(1,), fell_back=True, reason="no GPU kernel"),
        CopyEvent(3, "CPU:0", "GPU:0", 64 * MIB, inputs=(2,)),
        op(4, inputs=(3,)),
    ]
    (fallback,) = forecast(run(events, memory(MIB)), "V100").fallbacks
    assert (fallback.op, fallback.reason, fallback.count) == ("MatMul", "no GPU kernel", 1)
    assert fallback.copied_bytes == 128 * MIB
    assert fallback.seconds > 0 and fallback.copied_seconds > 0


def test_idle_cards_are_proposed_for_data_parallel() -> None:
    others = [dataclasses.replace(memory(0), device=f"GPU:{index}") for index in (1, 2, 3)]
    events = [op(number, inputs=(number - 1,) if number else ()) for number in range(50)]
    seen = run(events, memory(MIB, trainable_bytes=MIB), *others, machine="4xV100")
    result = forecast(seen, "4xV100@nvlink")
    assert [row.cards for row in result.scaling] == [1, 2, 4, 8]
    assert result.scaling[0].efficiency == pytest.approx(1, abs=0.02)
    assert "3 of 4 GPUs are idle" in result.proposal
    assert "tf.distribute.MirroredStrategy()" in result.proposal


def test_a_gpu_that_does_not_pay_off_is_said_so() -> None:
    tiny = [op(number, SMALL, is_eager=False) for number in range(300)]
    result = forecast(run(tiny, memory(MIB)), "K80")
    assert result.speedup < 1
    assert result.proposal.startswith("A GPU does not pay off")


def test_a_program_on_all_cards_scales_as_its_own_forecasts_say() -> None:
    one = forecast(run([op(0)], memory(MIB)), "V100")
    two = dataclasses.replace(
        one, devices=one.devices * 2, samples_per_second=1.5 * (one.samples_per_second or 0)
    )
    assert [row.efficiency for row in measured_scaling([two, one])] == [1.0, 0.75]


def test_a_number_of_cards_without_a_step_has_no_row() -> None:
    one = forecast(run([op(0)], memory(MIB)), "V100")
    none = forecast(run([], memory(MIB), steps=0), "V100")
    assert [row.cards for row in measured_scaling([none, one])] == [1]
    assert measured_scaling([none]) == ()


@pytest.mark.parametrize("events", [[], [CopyEvent(0, "CPU:0", "GPU:0", MIB)]])
def test_a_program_that_was_ended_before_its_first_op_has_a_forecast(
    events: list[OpEvent | CopyEvent],
) -> None:
    result = forecast(run(events, memory(0), steps=0), "V100")
    assert (result.steps, result.proposal, result.scaling) == (0, "", ())


def test_a_forecast_comes_back_from_json() -> None:
    holder = Holder(MIB, 2, "variable w", (4, 5), "float", "x.py:3")
    result = forecast(run([op(0)], memory(MIB, holders=(holder,))), "V100")
    assert from_json(Forecast, json.loads(json.dumps(result.to_json()))) == result


def test_the_table_has_a_line_a_machine() -> None:
    seen = run([op(0)], memory(900 * MIB))
    lines = table([forecast(seen, "V100:1GiB"), forecast(seen, "V100")]).splitlines()
    assert lines[0].split()[:3] == ["machine", "memory", "of"]
    assert lines[1].startswith("V100:1GiB") and "does not fit: " in lines[1]
    assert lines[2].endswith("fits")


def test_durations_are_readable() -> None:
    assert [seconds_text(value) for value in (0.0, 5e-6, 0.0123, 61.0)] == [
        "0 us",
        "5 us",
        "12.3 ms",
        "61 s",
    ]


def test_reasons_of_automatic_placement_are_counted() -> None:
    reason = "GPU:0: placed automatically; a step takes about 2 ms"
    events = [op(0, reason=reason), op(1, reason=reason), op(2, reason="a GPU is preferred")]
    result = forecast(run(events, memory(MIB)), "V100")
    assert result.placement == (f"2 ops on {reason}",)
    assert page(result).endswith(f"2 ops on {reason}")
