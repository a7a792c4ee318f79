"""`tf.distribute.MirroredStrategy`: one replica on each device, variables copied to all."""

from __future__ import annotations

import logging
from typing import Any

from placewise.core.errors import hint
from placewise.devices.inventory import inventory
from placewise.devices.names import merge_eager
from placewise.distribute.strategy import Strategy, StrategyExtended


class MirroredExtended(StrategyExtended):
    """Replicas on the devices of one machine."""

    experimental_enable_get_next_as_optional = True  # a replica may get a batch without rows

    def __init__(self, devices: tuple[str, ...], cross_device_ops: Any = None) -> None:
        super().__init__(devices, cross_device_ops)
        self.is_alone = len(devices) == 1


class MirroredStrategy(Strategy):
    """Synchronous training on several devices of one machine, with a copy of each variable on each.

    `devices`: names of devices; by default all visible GPUs, or all logical CPUs if there is none.
    `cross_device_ops`: how to add up values of replicas, such as
        `tf.distribute.ReductionToOneDevice()`.

    Variables made in `scope()` are mirrored. `run(fn, args)` calls `fn` once for each replica; an
    optimizer in it applies the sum of all gradients to all copies.
    `experimental_distribute_dataset` splits batches, and Keras's `fit` does all of that by itself.
    Raises ValueError for a device that does not exist or is named twice.

    >>> import placewise as tf
    >>> with tf.simulate("2xV100"):
    ...     strategy = MirroredStrategy()
    ...     with strategy.scope():
    ...         v = tf.Variable(1.0)
    ...     total = strategy.reduce("SUM", strategy.run(lambda: v * 2), axis=None)
    >>> strategy.num_replicas_in_sync, float(total)
    (2, 4.0)
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        names = _resolved(devices)
        super().__init__(MirroredExtended(names, cross_device_ops))
        logger = logging.getLogger("tensorflow")
        if any("GPU" not in name for name in names):
            logger.warning(
                "There are non-GPU devices in `tf.distribute.Strategy`, not using nccl allreduce."
            )
        logger.info("Using MirroredStrategy with devices %r", names)


def _resolved(devices: list[Any] | None) -> tuple[str, ...]:
    found = inventory()
    if devices is None or len(devices) == 0:
        own = found.own_of_kind("GPU") or found.own_of_kind("CPU")
        return tuple(device.name for device in own)
    if isinstance(devices, str):
        devices = [devices]
    names = [merge_eager("", each) for each in devices]
    if len(set(names)) != len(names):
        raise ValueError(f"No duplicates allowed in `devices` argument: {devices}")
    known = [device.name for device in found.devices]
    for name, given in zip(names, devices, strict=True):
        if name not in known:
            raise ValueError(
                hint(
                    f"MirroredStrategy was given the device {given!r}, which does not exist here; "
                    f"there are: {', '.join(n.rpartition('/device:')[2] for n in known)}",
                    "leave `devices` out for all GPUs, or pretend more with placewise run "
                    "--simulate",
                )
            )
    return tuple(names)


MirroredStrategy.__module__ = "tensorflow.python.distribute.mirrored_strategy"
MirroredExtended.__module__ = "tensorflow.python.distribute.mirrored_strategy"
