"""Sample calls of each op, one file a topic: `SAMPLES` maps an op name to its samples."""

from __future__ import annotations

import importlib
import pkgutil

from placewise.check.samples.sample import Sample


def load_samples() -> dict[str, list[Sample]]:
    """Return the samples of every op, good and bad."""
    samples: dict[str, list[Sample]] = {}
    for topic in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{topic.name}")
        for name, several in getattr(module, "SAMPLES", {}).items():
            samples.setdefault(name, []).extend(several)
    return samples
