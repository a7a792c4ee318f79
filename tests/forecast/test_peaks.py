"""The peak of a dry run is that of the simulated run."""

import gc

import pytest

import placewise
from placewise.forecast.dry_run import dry_run
from placewise.memory import ledgers
from tests.forecast.models import MODELS

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
MACHINE = "2xV100"


def simulated_peaks(program):
    opened = []  # a session closes its own when it ends
    stop = ledgers.on_open(opened.append)
    with placewise.simulate(MACHINE):
        program()
    stop()
    gc.collect()
    peaks = {}
    for ledger in opened:
        name = ledger.device.local_name.removeprefix("/device:")
        peaks[name] = max(peaks.get(name, 0), ledger.settle().peak_bytes)
    return peaks


def test_there_are_thirty_models():
    assert len(MODELS) >= 30


@pytest.mark.parametrize("name", MODELS)
def test_the_peak_is_that_of_the_simulated_run(name):
    peaks = simulated_peaks(MODELS[name])
    forecast = dry_run(MODELS[name], MACHINE)
    assert forecast.steps == 2
    for memory in forecast.memory:
        truth = peaks.get(memory.device, 0)
        assert 0.98 * truth <= memory.peak_bytes <= 1.05 * truth, memory.device
