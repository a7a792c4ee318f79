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


def rows(name="published-throughput.csv"):
    with (BENCHMARKS / "data" / name).open(newline="") as file:
        return list(csv.DictReader(file))


# Of cards, precisions and sources that no constant was fitted to: gpu, model, batch, mode,
# precision.
HELD_BACK = (
    ("A100-40GB", "ResNet-50 v1.5", "256", "train", "tf32"),
    ("V100-16GB", "ResNet-50 v1.5", "256", "train", "mixed"),
    ("T4", "ResNet-50 v1.5", "32", "infer", "mixed"),
    ("T4", "ResNet-50 v1.5", "32", "infer", "fp32"),
    ("RTX2080Ti", "AlexNet", "512", "train", "fp32"),
    ("GTX1080Ti", "AlexNet", "512", "train", "fp32"),
    ("A100-40GB-PCIe", "AlexNet", "1792", "train", "tf32"),
)


@pytest.mark.parametrize(
    "row",
    [row for row in rows() if row["model"] in QUICK and row["gpus"] in "12"],
    ids=lambda row: "-".join(row[name] for name in ("gpu", "model", "batch_per_gpu", "gpus")),
)
def test_prediction_is_near(plan, row):
    predicted = plan.predict(row).samples_per_second
    assert 1 / 1.3 < predicted / float(row["images_per_s"]) < 1.3


@pytest.mark.parametrize("key", HELD_BACK, ids="-".join)
def test_prediction_of_what_nothing_was_fitted_to_is_near(plan, key):
    names = ("gpu", "model", "batch_per_gpu", "mode", "precision")
    row = next(
        row
        for row in rows("held-back-throughput.csv")
        if row["gpus"] == "1" and tuple(row[name] for name in names) == key
    )
    predicted = plan.predict(row).samples_per_second
    assert 1 / 1.6 < predicted / float(row["images_per_s"]) < 1.6


def test_every_row_names_its_source():
    assert all(row["source"] for row in (*rows(), *rows("held-back-throughput.csv")))
