"""`placewise devices --models`: the cards that a simulated machine can have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from placewise.cli.sizes import NONE, to_size
from placewise.devices.cards import MODELS
from placewise.devices.facts import Model
from placewise.devices.slices import slice_names

HEADER = ("model", "name", "architecture", "memory", "bandwidth", "capability", "slices (MIG)")


def write_models(out: TextIO) -> None:
    """Write all models as aligned text, one a line, and how they are asked for."""
    rows = [HEADER, *(_row(model) for model in MODELS)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")
    out.write(
        "\nTwo of one model: --simulate 2xV100; different ones: --simulate 2xA100-80GB,T4;"
        "\na slice: --simulate A100-80GB/MIG-1g.10gb\n"
    )


def models_as_json() -> list[dict[str, Any]]:
    """Return all models as JSON has them."""
    return [
        {
            "model": model.aliases[0],
            "aliases": list(model.aliases),
            "name": model.name,
            "vendor": model.vendor,
            "architecture": model.architecture,
            "memory_bytes": model.memory_bytes,
            "bandwidth_bytes_per_second": model.bandwidth,
            "capability": _capability(model),
            "slices": list(slice_names(model)),
            "source": model.source,
        }
        for model in MODELS
    ]


def _row(model: Model) -> Sequence[str]:
    return (
        model.aliases[0],
        model.name,
        model.architecture,
        to_size(model.memory_bytes),
        f"{model.bandwidth / 1e9:.0f} GB/s",
        _capability(model) or NONE,
        " ".join(slice_names(model)) or NONE,
    )


def _capability(model: Model) -> str | None:
    return None if model.capability is None else ".".join(map(str, model.capability))
