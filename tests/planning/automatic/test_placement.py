"""Graphs and functions over all cards: limits, requests, colocation, equal results, reasons."""

from __future__ import annotations

import numpy as np
import pytest

import placewise
import placewise.v1 as tf
from placewise.devices.inventory import place, places_automatically, simulate
from placewise.memory.queries import get_memory_info

MIB = 1 << 20
CARDS = "4xV100:16MiB"


def dense(x, units: int, name: str):
    with tf.variable_scope(name):
        shape = [int(x.shape[-1]), units]
        values = tf.random_normal_initializer(stddev=0.05, seed=len(name))
        return tf.nn.relu(tf.matmul(x, tf.get_variable("w", shape, initializer=values)))


def step(depth: int = 12, width: int = 288, batch: int | None = 16):
    """A training step of some 16 MiB of variables and slots."""
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [batch, width], name="x")
    value = x
    for layer in range(depth):
        value = dense(value, width, f"layer{layer}")
    loss = tf.reduce_mean(tf.square(value - 1.0))
    return x, loss, tf.train.AdamOptimizer(1e-3).minimize(loss)


def trained(session, x, loss, train, width: int = 288) -> list[float]:
    values = np.random.RandomState(0).uniform(size=(16, width)).astype(np.float32)
    session.run(tf.global_variables_initializer())
    return [float(session.run([loss, train], {x: values})[0]) for _ in range(2)]


def devices_of(session) -> dict[str, str]:
    return {op.name: d.device.local_name[8:] for op, d in session._placement.decisions.items()}


@pytest.fixture
def few_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search be short."""
    monkeypatch.setattr("placewise.placement.automatic.assignment.VISITS", 60_000)


def test_a_graph_too_large_for_one_card_runs_on_several_with_equal_results(graph_mode, few_visits):
    with simulate("V100"), tf.Graph().as_default(), tf.Session() as session:
        expected = trained(session, *step())
    with simulate(CARDS), tf.Graph().as_default():
        place("auto")
        with tf.Session() as session:
            assert trained(session, *step()) == pytest.approx(expected, rel=1e-6)
            assignment = session._placement.assignment
            assert assignment.fits
            peaks = [get_memory_info(f"GPU:{n}")["peak"] for n in range(4)]
    assert sum(peaks) > 14 * MIB
    assert max(peaks) <= 14 * MIB


def test_without_asking_everything_stays_on_the_first_gpu(graph_mode):
    with simulate(CARDS), tf.Graph().as_default(), tf.Session() as session:
        trained(session, *step(depth=2))
        assert set(devices_of(session).values()) == {"GPU:0"}
        assert session._placement.assignment is None


def test_what_fits_on_one_card_stays_there_and_says_so(graph_mode, few_visits):
    with simulate("2xV100"), tf.Graph().as_default():
        place("auto")
        with tf.Session() as session:
            # Of several layers the updates are quicker on two cards.
            trained(session, *step(depth=1))
            decisions = session._placement.decisions.values()
    assert {decision.device.local_name for decision in decisions} == {"/device:GPU:0"}
    texts = [decision.text() for decision in decisions]
    assert any("everything fits on GPU:0" in text for text in texts)


def test_variables_slots_and_updates_share_a_card(graph_mode, few_visits):
    with simulate(CARDS), tf.Graph().as_default():
        place("auto")
        with tf.Session() as session:
            trained(session, *step())
            found = devices_of(session)
    for layer in range(12):
        name = f"layer{layer}/w"
        together = (name, f"{name}/Assign", f"{name}/Adam", f"{name}/Adam_1", f"{name}/read")
        assert len({found[other] for other in (*together, f"Adam/update_{name}/ApplyAdam")}) == 1
    assert len({found[f"layer{layer}/w"] for layer in range(12)}) > 1


def test_requests_and_colocation_are_honoured(graph_mode, few_visits):
    with simulate(CARDS), tf.Graph().as_default():
        place("auto")
        with tf.device("/gpu:3"):
            asked = tf.get_variable("asked", [288, 288])
        x, loss, _ = step()
        with tf.colocate_with(asked):
            beside = tf.multiply(loss, 2.0, name="beside")
        with tf.device("/cpu:0"):
            total = tf.add(beside, tf.reduce_sum(asked), name="total")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
        with tf.Session() as session:
            trained(session, x, total, train)
            found = devices_of(session)
    assert found["asked"] == found["beside"] == "GPU:3"
    assert found["total"] == "CPU:0"


def test_a_reason_says_what_the_first_card_would_exceed(graph_mode, few_visits):
    with simulate(CARDS), tf.Graph().as_default():
        place("auto")
        with tf.Session() as session:
            trained(session, *step())
            decisions = session._placement.decisions.values()
    texts = {d.text() for d in decisions if d.device.index == 1}
    assert any("GPU:0 alone would exceed its limit by" in text for text in texts)
    assert any("of copies" in text for text in texts)


def test_two_runs_are_placed_alike(graph_mode, few_visits):
    found = []
    for _ in range(2):
        with simulate(CARDS), tf.Graph().as_default():
            place("auto")
            with tf.Session() as session:
                trained(session, *step())
                found.append(devices_of(session))
    assert found[0] == found[1]


def test_the_first_batch_that_is_fed_decides_anew_and_variables_stay(graph_mode, few_visits):
    with simulate(CARDS), tf.Graph().as_default():
        place("auto")
        x, loss, train = step(batch=None)
        variables = [v.op for v in tf.global_variables()]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = {op: session._placement.current()[op] for op in variables}
            assert session._placement.assignment.has_assumed_sizes
            few = session._placement.assignment.peak_bytes
            session.run([loss, train], {x: np.ones((512, 288), np.float32)})
            assert sum(session._placement.assignment.peak_bytes.values()) > sum(few.values())
            assert {op: session._placement.current()[op] for op in variables} == before


def test_too_large_a_graph_is_said(graph_mode, few_visits, caplog):
    with simulate("2xV100:8MiB"), tf.Graph().as_default():
        place("auto")
        x, loss, train = step()
        with tf.Session() as session, pytest.raises(tf.errors.ResourceExhaustedError):
            trained(session, x, loss, train)
    assert "found no way to fit the graph on the cards" in caplog.text


def test_a_function_follows_its_variables_over_the_cards(few_visits):
    def run(machine: str, how: str):
        with simulate(machine):
            place(how)
            numbers = np.random.RandomState(0)
            variables = [
                placewise.Variable(numbers.normal(0, 0.05, (288, 288)).astype(np.float32))
                for _ in range(16)
            ]

            @placewise.function
            def train(x):
                with placewise.GradientTape() as tape:
                    value = x
                    for variable in variables:
                        value = placewise.nn.relu(placewise.matmul(value, variable))
                    loss = placewise.reduce_mean(placewise.square(value - 1.0))
                for variable, gradient in zip(
                    variables, tape.gradient(loss, variables), strict=True
                ):
                    variable.assign_sub(0.1 * gradient)
                return loss

            losses = [float(train(np.ones((16, 288), np.float32))) for _ in range(2)]
            return losses, {variable.device[-5:] for variable in variables}

    expected, on_one = run("V100", "first")
    losses, on_several = run(CARDS, "auto")
    assert losses == pytest.approx(expected, rel=1e-6)
    assert on_one == {"GPU:0"}
    assert on_several == {"GPU:0", "GPU:1"}


def test_a_function_under_a_request_stays_there(few_visits):
    with simulate("2xV100"):
        place("auto")

        @placewise.function
        def double(x):
            return x * 2.0

        with placewise.device("/gpu:1"):
            assert double(placewise.constant([1.0])).device.endswith("GPU:1")


def test_the_environment_asks_for_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PLACEWISE_PLACE", "auto")
    assert places_automatically()
    place("first")
    assert not places_automatically()


def test_an_unknown_way_to_place_is_an_error(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ValueError, match="Expected one of 'auto', 'first', got 'best'"):
        place("best")
    monkeypatch.setenv("PLACEWISE_PLACE", "best")
    with pytest.raises(ValueError, match="PLACEWISE_PLACE: Expected one of 'auto', 'first'"):
        places_automatically()
