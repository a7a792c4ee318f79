"""How much work an op is, whatever device does it: floating-point operations and bytes.

A `Work` is computed from shapes and dtypes alone. `cost` turns it into time on a card.
"""

from __future__ import annotations

from typing import NamedTuple


class Work(NamedTuple):
    """The work of one executed op.

    `kind` selects the efficiency curve: "matmul", "conv", "conv_gradient", "rnn", "elementwise",
    "reduction", "normalization", "pooling", "gather", "sort", "random", "view", "host".
    A "view" takes no time on a device. `dtype` is that of the arithmetic ("float32", "float16").
    `kernels` is how many kernels a GPU launches for it.
    """

    kind: str
    flops: float
    read_bytes: int
    written_bytes: int
    dtype: str = "float32"
    kernels: int = 1


class TensorFact(NamedTuple):
    """What is known of a tensor without its contents."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def elements(self) -> int:
        """How many numbers it has."""
        count = 1
        for size in self.shape:
            count *= size
        return count
