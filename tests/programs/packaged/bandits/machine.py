"""The machine: levers that pay with different chances."""

import numpy as np


class Machine:
    """Pays 1 or -1."""

    def __init__(self, chances, seed):
        self.chances = chances
        self.rng = np.random.RandomState(seed)

    def pull(self, lever):
        return 1.0 if self.rng.rand() < self.chances[lever] else -1.0
