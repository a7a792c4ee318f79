"""A bounded part of the fuzzing: a few hundred cases of each kind, always the same ones."""

import importlib
import json
from pathlib import Path

import pytest

from tests.hardening.files import Audio, Checkpoints, Images, Records
from tests.hardening.graph_defs import GraphDefs
from tests.hardening.op_calls import Calls
from tests.hardening.public_calls import PublicCalls
from tests.hardening.texts import CommandLine, DeviceStrings, Machines, TFConfig, VisibleDevices
from tests.hardening.workers import CAMPAIGNS

BOUNDED = {
    Calls: 700,
    PublicCalls: 500,
    GraphDefs: 60,
    Checkpoints: 60,
    Records: 60,
    Images: 30,
    Audio: 60,
    DeviceStrings: 150,
    Machines: 150,
    TFConfig: 100,
    VisibleDevices: 100,
    CommandLine: 40,
}
REGRESSIONS = json.loads((Path(__file__).parent / "regressions.json").read_text())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", BOUNDED, ids=lambda kind: kind.__name__)
def test_malformed_input_is_refused_in_tensorflows_words(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    attack = kind()
    # Far from where `make hardening` begins, so that both look at other cases.
    first = 10_000_000
    problems = [
        f"case {number}: {attack.last}: {problem}"
        for number in range(first, first + BOUNDED[kind])
        if (problem := attack.run(number)) is not None
    ]
    assert not problems


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", REGRESSIONS)
def test_cases_that_once_failed_still_end_well(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    module, _, name = CAMPAIGNS[kind].partition(":")
    attack = getattr(importlib.import_module(module), name)()
    problems = [
        f"case {number}: {attack.last}: {problem}"
        for number in REGRESSIONS[kind]
        if (problem := attack.run(number)) is not None
    ]
    assert not problems
