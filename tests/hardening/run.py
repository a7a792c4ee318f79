"""Runs all of the hardening and prints a table: `make hardening`, `SCALE=0.01 make hardening`.

`SCALE` multiplies all counts; `FIRST` is the number of the first case, another one draws others.
A line of the table is a kind of attack: cases, failures, seconds. The failures follow, the first of
each kind with its case number: `regressions.json` beside this file keeps those that were mended.
The exit status is 1 if anything failed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.hardening.judgement import kind_of
from tests.hardening.workers import campaign, measured

COUNTS = {
    "ops": 80_000,
    "public": 20_000,
    "graphs": 10_000,
    "checkpoints": 20_000,
    "saved models": 10_000,
    "records": 10_000,
    "saved datasets": 10_000,
    "events": 10_000,
    "images": 10_000,
    "audio": 10_000,
    "keras files": 10_000,
    "device strings": 20_000,
    "machines": 20_000,
    "TF_CONFIG": 20_000,
    "CUDA_VISIBLE_DEVICES": 20_000,
    "command line": 20_000,
    "differential": 20_880,  # recorded answers of TensorFlow
    "kills": 300,  # 50 of each of six formats
    "interrupts": 200,
    "failing workers": 50,
}
MEASURED = {
    "threads: sessions": 10_000,
    "threads: functions": 10_000,
    "threads: eager": 10_000,
    "closing while running": 200,
    "soak: ops": 20_000,  # of fifty pairs of ops: a million
    "soak: graphs": 10_000,
    "soak: Keras models": 2_000,
}


class Row(NamedTuple):
    """What came of one kind of attack."""

    name: str
    cases: int
    failures: list[dict[str, Any]]
    seconds: float


def rows(scale: float, first: int, wanted: list[str]) -> Iterator[Row]:
    """Run each kind of attack."""
    for name, count in {**COUNTS, **MEASURED}.items():
        if wanted and name not in wanted:
            continue
        cases = max(1, round(count * scale))
        start = time.monotonic()
        run = campaign(name, first, cases) if name in COUNTS else measured(name, cases)
        yield Row(name, cases, list(run), time.monotonic() - start)


def main(arguments: list[str]) -> int:
    """Run what is asked for, all of it without arguments; return the exit status."""
    results = []
    print(f"{'attack':24}{'cases':>9}{'failures':>10}{'seconds':>9}", flush=True)
    scale, first = float(os.environ.get("SCALE", "1")), int(os.environ.get("FIRST", "0"))
    for row in rows(scale, first, arguments):
        print(f"{row.name:24}{row.cases:9,}{len(row.failures):10}{row.seconds:9.0f}", flush=True)
        results.append(row)
    for row in results:
        kinds = Counter(kind_of(item["problem"]) for item in row.failures)
        for kind, count in kinds.most_common():
            first = next(item for item in row.failures if kind_of(item["problem"]) == kind)
            print(f"\n{row.name}, {count} times: {kind}\n  {json.dumps(first)[:600]}")
    out = os.environ.get("OUT")
    if out:
        Path(out).write_text(json.dumps([row._asdict() for row in results], indent=1))
    return int(any(row.failures for row in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
