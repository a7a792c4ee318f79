"""MIG: the slices that some cards can be cut into, and what each has of the card.

Figures of the NVIDIA Multi-Instance GPU user guide (profiles by product): multiprocessors of a
slice, and eighths (of the A30: quarters) of memory and bandwidth. A slice has no NVLink.
"""

from __future__ import annotations

from dataclasses import replace

from placewise.devices.facts import Model

# Architecture and parts of memory → profile without its size: multiprocessors, parts of memory.
_SEVENTHS_AMPERE = {"1g": (14, 1), "1g+": (14, 2), "2g": (28, 2), "3g": (42, 4), "4g": (56, 4)}
_SEVENTHS_HOPPER = {"1g": (16, 1), "1g+": (16, 2), "2g": (32, 2), "3g": (60, 4), "4g": (64, 4)}
_PROFILES: dict[str, tuple[int, dict[str, tuple[int, int]], tuple[str, ...]]] = {
    "NVIDIA A100-SXM4-40GB": (
        8,
        {**_SEVENTHS_AMPERE, "7g": (98, 8)},
        ("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"),
    ),
    "NVIDIA A100-SXM4-80GB": (
        8,
        {**_SEVENTHS_AMPERE, "7g": (98, 8)},
        ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"),
    ),
    "NVIDIA A30": (
        4,
        {"1g": (14, 1), "2g": (28, 2), "4g": (56, 4)},
        ("1g.6gb", "2g.12gb", "4g.24gb"),
    ),
    "NVIDIA H100 80GB HBM3": (
        8,
        {**_SEVENTHS_HOPPER, "7g": (132, 8)},
        ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"),
    ),
    "NVIDIA H200": (
        8,
        {**_SEVENTHS_HOPPER, "7g": (132, 8)},
        ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
    ),
}
_KEPT = 1 / 160  # of the card's memory: what `nvidia-smi mig -lgip` shows less than the name says
_SAME = {
    "NVIDIA A100-PCIE-40GB": "NVIDIA A100-SXM4-40GB",
    "NVIDIA A100 80GB PCIe": "NVIDIA A100-SXM4-80GB",
    "NVIDIA H100 PCIe": "NVIDIA H100 80GB HBM3",
}


def slice_names(model: Model) -> tuple[str, ...]:
    """Return the names of the slices a card can be cut into: `1g.10gb`."""
    profile = _PROFILES.get(_SAME.get(model.name, model.name))
    return profile[2] if profile else ()


def mig_slice(model: Model, name: str) -> Model | None:
    """Return what a slice has of a card, or None if the card has no such slice.

    `name`: `1g.10gb`, also with `MIG-` or `MIG ` before it.
    """
    wanted = name.strip().lower().removeprefix("mig").lstrip(" -_")
    names = slice_names(model)
    if wanted not in names:
        return None
    parts, sizes, _ = _PROFILES[_SAME.get(model.name, model.name)]
    compute = wanted.partition(".")[0]
    # Of two slices with one seventh of the multiprocessors, the second has twice the memory.
    is_wide = compute == "1g" and "1g+" in sizes and wanted == names[1]
    cores, memory = sizes["1g+" if is_wide else compute]
    cores = min(cores, model.multiprocessors)
    share, of_memory = cores / model.multiprocessors, memory / parts
    return replace(
        model,
        name=f"{model.name} MIG {wanted}",
        aliases=tuple(f"{alias}/MIG-{wanted}" for alias in model.aliases),
        memory_bytes=int(model.memory_bytes * (of_memory - _KEPT)),
        bandwidth=model.bandwidth * of_memory,
        fp32=model.fp32 * share,
        tf32=model.tf32 and model.tf32 * share,
        fp16=model.fp16 and model.fp16 * share,
        bf16=model.bf16 and model.bf16 * share,
        int8=model.int8 and model.int8 * share,
        multiprocessors=cores,
        link="",
        link_bandwidth=None,
        source="NVIDIA Multi-Instance GPU user guide",
    )
