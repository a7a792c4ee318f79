"""All samples of ops, by name, and how one is run."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from placewise.ops.declare import Op
from placewise.ops.registry import load_all
from tests.ops import samples
from tests.ops.samples.sample import Sample

load_all()

SAMPLES: dict[str, list[Sample]] = {}
for _module in pkgutil.iter_modules(samples.__path__):
    _found = importlib.import_module(f"tests.ops.samples.{_module.name}")
    for _name, _list in getattr(_found, "SAMPLES", {}).items():
        SAMPLES.setdefault(_name, []).extend(_list)

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
