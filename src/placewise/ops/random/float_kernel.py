"""The kernel of ops that draw floats of one distribution from a seeded stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.ops.random.shapes import size_of
from placewise.ops.random.streams import SEEDS, Stream
from placewise.ops.values import TORCH

Draw = Callable[[Any, int, torch.dtype, str], torch.Tensor]


def float_kernel(name: str, draw: Draw) -> Callable[..., Any]:
    """Return the kernel of the op `name`, whose samples are drawn by `draw`."""

    def kernel(
        shape: Any,
        *,
        seed: int,
        seed2: int,
        dtype: Any,
        stream: Stream | None = None,
        torch_device: str = "cpu",
    ) -> Any:
        dims, count = size_of(shape)
        if stream is None:
            stream = SEEDS.stream(name, seed, seed2, dtype, shape.dtype)
        position = stream.reserve_samples(count)
        return draw(position, count, TORCH[dtype], torch_device).resize_(dims)

    return kernel
