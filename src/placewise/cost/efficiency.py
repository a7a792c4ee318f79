"""What share of a data sheet's peak an op reaches, by kind of op and by architecture.

Few numbers, each with its reason. They are calibrated on published throughputs
and hold for whole classes of ops: there is none for a model or a card.
"""

from __future__ import annotations

from typing import NamedTuple


class Character(NamedTuple):
    """What is particular to an architecture.

    `cores`: the share of the peak that the best products reach on ordinary cores. `tensor`: the
    same on tensor units. `bandwidth`: the share of the memory's peak that copies reach.
    `winograd`: how much faster 3 by 3 windows are than their operations say.
    """

    cores: float
    tensor: float
    bandwidth: float
    winograd: float


CHARACTERS = {
    "Kepler": Character(0.60, 0.0, 0.75, 1.3),
    "Maxwell": Character(0.85, 0.0, 0.80, 1.7),
    "Pascal": Character(0.85, 0.0, 0.80, 1.7),
    "Volta": Character(0.88, 0.70, 0.85, 1.7),
    "Turing": Character(0.85, 0.65, 0.85, 1.7),
    "Ampere": Character(0.80, 0.70, 0.85, 1.5),
    "Ada": Character(0.65, 0.65, 0.85, 1.5),
    "Hopper": Character(0.65, 0.65, 0.85, 1.5),
    "Blackwell": Character(0.65, 0.65, 0.85, 1.5),
    "": Character(0.70, 0.55, 0.75, 1.0),
}

CORE_SHARES = {
    "matmul": 1.0,
    "conv": 0.85,
    "conv_gradient": 0.75,
    "rnn": 0.7,
    "depthwise": 0.15,
    "elementwise": 0.5,
    "reduction": 0.5,
    "normalization": 0.5,
    "pooling": 0.3,
    "gather": 0.3,
    "sort": 0.1,
    "random": 0.5,
    "factorization": 0.1,
    "host": 0.1,
}

BANDWIDTH_SHARES = {
    "matmul": 0.9,
    "conv": 0.9,
    "conv_gradient": 0.9,
    "rnn": 0.7,
    "depthwise": 0.6,
    "elementwise": 0.9,
    "reduction": 0.8,
    "normalization": 0.8,
    "pooling": 0.7,
    "gather": 0.5,
    "sort": 0.4,
    "random": 0.9,
    "factorization": 0.3,
    "host": 0.3,
}

# Rows and columns of the tiles that libraries cut a product into, and the share of a
# multiprocessor's peak that a tile of that size allows: each loaded number is used less often in a
# small one.
TILES = {
    "cores": ((128, 128, 1.0), (128, 64, 0.95), (64, 64, 0.85), (128, 32, 0.75), (32, 32, 0.55)),
    "tensor": ((256, 128, 1.0), (128, 128, 0.9), (128, 64, 0.7), (64, 64, 0.5), (64, 32, 0.3)),
}
# Filling and emptying a tile takes as long as so many more steps of its sum.
DEPTH_OVERHEAD = {"cores": 32, "tensor": 96}

# Between two kernels of a stream a GPU rests for a moment, and none is shorter than its latency.
KERNEL_SECONDS = 1.5e-6
MINIMUM_SECONDS = 2.5e-6
