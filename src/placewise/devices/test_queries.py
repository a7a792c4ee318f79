"""The questions of `tf.test` about devices.

`is_built_with_cuda` asks what torch is built with, and counts a simulated NVIDIA card as CUDA: a
program that asks before it writes '/gpu:0' must take the same way under simulation.
"""

from __future__ import annotations

import logging

from placewise.core.log import is_first
from placewise.devices.accelerator import torch_build
from placewise.devices.inventory import devices_for, discovery
from placewise.devices.origin import user_line


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Return whether there is a GPU, of at least a compute capability if one is given.

    Deprecated since TensorFlow 2.1, and says so once for each line that calls it.
    """
    _deprecated()
    wanted = tuple(min_cuda_compute_capability or (0, 0))
    return any(
        (not cuda_only or device.card.vendor == "nvidia")
        and (device.card.capability or (0, 0)) >= wanted
        for device in devices_for(None)
        if device.card is not None
    )


def _deprecated() -> None:
    where = user_line()
    if not is_first("is_gpu_available", where):
        return
    logging.getLogger("tensorflow").warning(
        "From %s: is_gpu_available (from tensorflow.python.framework.test_util) is deprecated and "
        "will be removed in a future version.\nInstructions for updating:\n"
        "Use `tf.config.list_physical_devices('GPU')` instead.",
        where,
    )


def gpu_device_name() -> str:
    """Return the name of the first GPU, `/device:GPU:0`, or an empty string."""
    return next((device.local_name for device in devices_for(None) if device.card), "")


def _has_card(vendor: str) -> bool:
    return any(gpu.card.vendor == vendor for gpu in discovery().gpus)


def is_built_with_cuda() -> bool:
    """Return whether ops can run on NVIDIA cards, real or simulated."""
    return "cuda" in (torch_build() or {}) or _has_card("nvidia")


def is_built_with_rocm() -> bool:
    """Return whether ops can run on AMD cards, real or simulated."""
    return "hip" in (torch_build() or {}) or _has_card("amd")


def is_built_with_gpu_support() -> bool:
    """Return whether ops can run on any GPU, real or simulated."""
    return is_built_with_cuda() or is_built_with_rocm() or bool(discovery().gpus)


def is_built_with_xla() -> bool:
    """Return True: programs may ask for compilation, as in every build of TensorFlow 2."""
    return True
