"""The process that samples run in may end, hang or lose its GPU: the rest runs in another."""

import pytest

from placewise.check import supervisor
from placewise.check.supervisor import NotStartedError, Supervisor

# Stands in for the worker: six cases, of which the third does something bad.
WORKER = """
import json, os, sys, time
first = int(sys.argv[2])
def tell(**message): print(json.dumps(message), flush=True)
cases = [(f"Op{number}", 0) for number in range(6)]
tell(facts={"built_for": "cpu"}, cases=cases)
for name, sample in cases[first:]:
    tell(start=[name, sample])
    broken = name == "Op2"
    if broken:
        %s
    tell(outcome={"op": name, "sample": sample, "call": name, "verdict": "same",
                  "has_broken_the_device": broken})
    if broken:
        sys.exit(1)
"""


def outcomes(action, **options):
    watched = Supervisor(0, {}, ("-c", WORKER % action), **options)
    return list(watched.outcomes())


def names(found):
    return [outcome.op for outcome in found]


EVERY = [f"Op{number}" for number in range(6)]


def test_a_worker_that_ends_is_followed_by_another_for_the_rest():
    found = outcomes("pass")
    assert names(found) == EVERY
    assert {outcome.verdict for outcome in found} == {"same"}


def test_a_crash_is_told_of_the_op_that_ran():
    found = outcomes("os.abort()")
    assert names(found) == EVERY
    assert [outcome.op for outcome in found if outcome.verdict == "fails"] == ["Op2"]
    assert found[2].what == "the process ended: SIGABRT"


def test_the_assert_that_ended_it_is_told():
    line = "kernel.cu:7: Assertion `index < size` failed."
    found = outcomes(f"print({line!r}, file=sys.stderr); os._exit(1)")
    assert found[2].what == f"the process ended: exit status 1: {line}"


def test_an_op_that_does_not_answer_is_ended():
    found = outcomes("time.sleep(60)", patience_seconds=2.0)
    assert names(found) == EVERY
    assert found[2].what == "no answer in 2 seconds"


def test_after_too_many_ends_the_rest_is_skipped(monkeypatch):
    monkeypatch.setattr(supervisor, "MOST_RESTARTS", 0)
    found = outcomes("os.abort()")
    assert [outcome.verdict for outcome in found] == ["same"] * 2 + ["fails"] + ["skipped"] * 3
    assert found[-1].what == "not run: the GPU stopped working 1 times before"


def test_a_worker_that_does_not_start_says_why():
    with pytest.raises(NotStartedError, match="ImportError: nothing here"):
        list(Supervisor(0, {}, ("-c", "raise ImportError('nothing here')")).outcomes())


def test_what_torch_told_is_kept():
    watched = Supervisor(0, {}, ("-c", WORKER % "pass"))
    list(watched.outcomes())
    assert watched.facts == {"built_for": "cpu"}
