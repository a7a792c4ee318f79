"""`decay=` of Keras 2's optimizers: the learning rate falls with the number of steps.

`optimizer.lr` stays the rate it begins with, which callbacks read and set.
"""

from __future__ import annotations

import functools
from typing import Any


def install(keras: Any) -> None:
    """Let Keras's optimizers, once loaded, apply their `decay`."""
    optimizer = keras.optimizers.Optimizer
    update, plain_config = optimizer._backend_update_step, optimizer.get_config

    @functools.wraps(update)
    def update_step(self: Any, grads: Any, trainable_variables: Any, learning_rate: Any) -> None:
        if self.decay:
            steps = keras.ops.cast(self.iterations, learning_rate.dtype)
            learning_rate = learning_rate / (1.0 + self.decay * steps)
        update(self, grads, trainable_variables, learning_rate)

    @functools.wraps(plain_config)
    def get_config(self: Any) -> Any:
        config = plain_config(self)
        return {**config, "decay": self.decay} if self.decay else config

    optimizer.decay = 0.0
    optimizer._backend_update_step = update_step
    optimizer.get_config = get_config
    optimizer.lr = optimizer.learning_rate  # a property
