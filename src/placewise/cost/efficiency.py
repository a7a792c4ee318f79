"""What share of a data sheet's peak an op reaches, by kind of op and by architecture.

Few numbers, each with its reason. They are calibrated on published throughputs
and hold for whole classes of ops: there is none for a model.
"""

from __future__ import annotations

from typing import NamedTuple


class Character(NamedTuple):
    """What is particular to an architecture.

    `cores`: the share of the peak that the best products reach on ordinary cores. `tensor`: the
    same on tensor units. `bandwidth`: the share of the memory's peak that copies reach.
    `convolutions`: how they stand to products.
    """

    cores: float
    tensor: float
    bandwidth: float
    convolutions: float = 1.0


# Kepler, Pascal and Volta are fitted to the published rows, with the libraries of their time. The
# others follow from what large products reach with NVIDIA's libraries: nine tenths of the peak
# where each core has its own units, less where (from capability 8.6 on) half of the peak's units
# are shared with integer arithmetic. Kepler's convolutions were never tuned as its products were.
CHARACTERS = {
    "Kepler": Character(0.75, 0.0, 0.66, 0.67),
    "Maxwell": Character(0.84, 0.0, 0.76),
    "Pascal": Character(0.84, 0.0, 0.76),
    "Volta": Character(0.97, 0.75, 0.90),
    "Turing": Character(0.90, 0.75, 0.85),
    "Ampere": Character(0.92, 0.80, 0.80),
    "Ampere 8.6": Character(0.65, 0.85, 0.88),
    "Ada": Character(0.60, 0.80, 0.88),
    "Hopper": Character(0.75, 0.70, 0.88),
    "Blackwell": Character(0.65, 0.70, 0.88),
    "": Character(0.65, 0.55, 0.75),
}

# Base and boost clock in MHz of cards whose power does not let them hold the boost clock, at which
# their peak is stated: under load they run between the two (data sheets and product briefs).
CLOCKS = {
    "Tesla K80": (562, 875),
    "Tesla P4": (886, 1114),
    "Tesla T4": (585, 1590),
    "NVIDIA A2": (1440, 1770),
    "NVIDIA A10": (885, 1695),
    "NVIDIA L4": (795, 2040),
}


CORE_SHARES = {
    "matmul": 1.0,
    "conv": 1.0,
    "conv_gradient": 0.73,
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

# Where tensor units stand otherwise: the gradients of convolutions are tuned as well as they.
TENSOR_SHARES = {"conv_gradient": 0.85}
# Tensor units wait for data mostly. GeForce cards halve their rate (for sums in float32): then they
# hardly wait.
SLOWED_TENSOR_SHARE = 0.95
# Channels are loaded in pieces of 16 bytes.
TENSOR_CHANNELS = {"fp16": 8, "bf16": 8, "tf32": 4}

BANDWIDTH_SHARES = {
    "matmul": 0.9,
    "conv": 0.9,
    "conv_gradient": 0.9,
    "rnn": 0.7,
    "depthwise": 0.6,
    "elementwise": 0.95,
    "reduction": 0.85,
    "normalization": 0.95,
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

# Multiplications saved by Winograd's algorithm with 4 by 4 outputs a tile, by places of the window:
# 16 * 9 / 36 and 16 * 25 / 64; and what a channel's transforms cost, in multiplications a pixel.
FAST_REDUCTIONS = {9: 4.0, 25: 6.25}
TRANSFORM_COST = 110.0

# Between two kernels of a stream a GPU rests for a moment, and none is shorter than its latency.
KERNEL_SECONDS = 1.5e-6
MINIMUM_SECONDS = 2.5e-6
