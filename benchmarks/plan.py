"""Predicted against published throughput, for every row of `data/published-throughput.csv`.

    python benchmarks/plan.py            # the table, and what must hold of it
    python benchmarks/plan.py -k V100    # rows that contain a word

Nothing is measured here: the model's graph becomes a trace, the cost model lays it out in time.
Exits with 1 if the mean error, the worst row or scaling is off by more than is allowed.
"""

from __future__ import annotations

import argparse
import csv
import functools
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import published_models

import placewise.v1 as tf
from placewise.cost.fusion import fuse
from placewise.cost.graph_trace import trace_of_graph
from placewise.cost.machine import MachineSpec
from placewise.cost.replicas import replicate
from placewise.cost.timeline import Timeline, schedule
from placewise.cost.trace import Trace

ROWS = Path(__file__).parent / "data" / "published-throughput.csv"
# A DGX-1 has cards of the form SXM2, a DGX-2 of the form SXM3.
CARDS = {"P100": "P100-SXM2", "V100-16GB": "V100-SXM2-16GB", "A100-40GB-PCIe": "A100-PCIE-40GB"}
HOSTS = {
    "DGX-1": "host:512GiB/40cores",
    "DGX-2": "host:1500GiB/48cores",
    "DGX A100": "host:1024GiB/128cores",
    "n1-standard-32-k80x8": "host:120GiB/16cores",  # 32 threads are 16 cores
    "p2.8xlarge": "host:488GiB/16cores",
}
PRECISIONS = {"fp32": "fp32", "tf32": "tf32", "fp16": "fp16", "mixed": "fp16", "bf16": "bf16"}
MOST_MEAN_ERROR, MOST_ROW_ERROR, MOST_SCALING_POINTS = 0.25, 1.6, 10.0


class Row(NamedTuple):
    """A published throughput and the predicted one."""

    key: tuple[str, ...]
    gpus: int
    published: float
    predicted: float
    bound: str

    @property
    def ratio(self) -> float:
        return self.predicted / self.published


@functools.cache
def graph_trace(
    model: str, batch: int, towers: int, parameters: str | None, training: bool
) -> Trace:
    # What runs where depends on how many cards there are, not on which.
    machine = MachineSpec.parse(f"{towers}xV100")
    with tf.Graph().as_default():
        fetch, fed = published_models.step(
            model, batch, towers=towers, parameter_device=parameters, is_training=training
        )
        return trace_of_graph([fetch], machine, batch=batch * towers, fed=fed)


def predict(row: dict[str, str]) -> Timeline:
    """Return the step of one row in time."""
    gpus, batch = int(row["gpus"]), int(row["batch_per_gpu"])
    card = "V100-SXM3" if row["machine"] == "DGX-2" else CARDS.get(row["gpu"], row["gpu"])
    text = f"{gpus}x{card}"
    if row["machine"] == "Lambda" and gpus > 1:
        text += "@pcie3"  # these cards have no bridges; the servers' switches are of that version
    if row["machine"] in HOSTS:
        text += f",{HOSTS[row['machine']]}"
    machine = MachineSpec.parse(text)
    is_server = row["variable_update"] == "parameter_server"
    device = {"cpu": "/cpu:0", "gpu": "/gpu:0"}.get(row["parameter_device"]) if is_server else None
    towers = gpus if is_server else 1
    trace = graph_trace(row["model"], batch, towers, device, row["mode"] == "train")
    if row["xla"] == "yes":
        trace = fuse(trace)
    if not is_server:
        # TensorFlow's replicated mode of 2017 sums each gradient by itself, Horovod packs them.
        packed = "Horovod" in row["variable_update"]
        trace = replicate(trace, gpus, bucket_bytes=64 << 20 if packed else 0)
    return schedule(trace, machine, PRECISIONS[row["precision"]])


def rows(path: Path, word: str) -> Iterator[Row]:
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if word not in ",".join(row.values()):
                continue
            timeline = predict(row)
            key = tuple(
                row[name] for name in ("gpu", "model", "batch_per_gpu", "mode", "precision")
            )
            predicted = timeline.samples_per_second or 0.0
            yield Row(key, int(row["gpus"]), float(row["images_per_s"]), predicted, timeline.bound)


def scaling_points(table: list[Row]) -> list[float]:
    """Return by how many points scaling efficiency is off, for each row of several GPUs."""
    alone = {row.key: row for row in table if row.gpus == 1}
    points = []
    for row in table:
        one = alone.get(row.key)
        if row.gpus > 1 and one is not None:
            published = row.published / (row.gpus * one.published)
            predicted = row.predicted / (row.gpus * one.predicted)
            points.append(100 * abs(published - predicted))
    return points


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-k", default="", help="only rows that contain this word")
    parser.add_argument("--rows", type=Path, default=ROWS, help="another table of that form")
    options = parser.parse_args()
    table = []
    for row in rows(options.rows, options.k):
        table.append(row)
        name = " ".join(row.key)
        print(
            f"{row.gpus} x {name:42}{row.published:10.1f}{row.predicted:10.1f}{row.ratio:7.2f}"
            f"  {row.bound}"
        )
    if not table:
        print(f"no row of {options.rows} contains {options.k!r}")
        return 1
    logs = [abs(math.log(row.ratio)) for row in table]
    mean, worst = math.exp(sum(logs) / len(logs)) - 1, math.exp(max(logs))
    points = max(scaling_points(table), default=0.0)
    print(f"\ngeometric mean error {mean:.1%}, worst row {worst:.2f}x, scaling {points:.1f} points")
    is_good = mean < MOST_MEAN_ERROR and worst < MOST_ROW_ERROR and points < MOST_SCALING_POINTS
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
