"""A sample of the models that do not fit one card; `benchmarks/placement.py` runs all of them."""

from __future__ import annotations

import pytest

from tests.placement.automatic.models import MACHINE, MODELS, ONE_CARD, Model, train

# One or two of each family, those that compute least.
SAMPLE = (0, 9, 17, 21, 24, 33, 41)


def test_there_are_fifty_models_of_different_names():
    assert len({model.name for model in MODELS}) == 50


@pytest.mark.parametrize("model", [MODELS[n] for n in SAMPLE], ids=lambda model: model.name)
def test_a_model_runs_within_the_limits_with_equal_results(
    graph_mode: None, model: Model, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("placewise.placement.automatic.assignment.VISITS", 40_000)
    one = train(model, ONE_CARD, "first")
    several = train(model, MACHINE, "auto")
    assert several.losses == pytest.approx(one.losses, rel=1e-5)
    assert one.peak_bytes[0] > several.limit_bytes
    assert max(several.peak_bytes) <= several.limit_bytes
    assert several.assignment.fits
    filled = several.assignment.filled_seconds
    assert filled is None or several.assignment.seconds <= filled
