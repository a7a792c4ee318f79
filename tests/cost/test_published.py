"""Predictions against published throughputs; `benchmarks/plan.py` has all rows."""

import csv
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
QUICK = ("AlexNet", "ResNet-50 v1.5")  # graphs that are made in a second


@pytest.fixture
def plan(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import plan

    yield plan
    for name in ("plan", "published_models"):
        sys.modules.pop(name, None)


def rows():
    with (BENCHMARKS / "data" / "published-throughput.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "row",
    [row for row in rows() if row["model"] in QUICK and row["gpus"] in "12"],
    ids=lambda row: "-".join(row[name] for name in ("gpu", "model", "batch_per_gpu", "gpus")),
)
def test_prediction_is_near(plan, row):
    predicted = plan.predict(row).samples_per_second
    assert 1 / 1.3 < predicted / float(row["images_per_s"]) < 1.3


def test_every_row_names_its_source():
    assert all(row["source"] for row in rows())
