"""All samples of ops, by name, and how one is run."""

from __future__ import annotations

from typing import Any

from placewise.check.samples import load_samples
from placewise.check.samples.sample import Sample
from placewise.ops.declare import Op
from placewise.ops.registry import load_all

load_all()

SAMPLES = load_samples()

GOOD = [
    (name, index)
    for name, several in sorted(SAMPLES.items())
    for index, sample in enumerate(several)
    if sample.error is None
]
BAD = [
    (name, index)
    for name, several in sorted(SAMPLES.items())
    for index, sample in enumerate(several)
    if sample.error is not None
]


def run(op: Op, sample: Sample) -> list[Any]:
    """Return the outputs of an op, one per declared output."""
    result = op.bind(*sample.inputs, **sample.attrs)
    if result is None:
        return []
    if len(op.outputs) == 1 and not op.outputs[0].is_list:
        return [result]
    return list(result)


def flat(outputs: list[Any]) -> list[Any]:
    """Return outputs with lists among them opened."""
    return [one for out in outputs for one in (out if isinstance(out, list) else [out])]
