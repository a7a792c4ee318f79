"""`tf.distribute.OneDeviceStrategy` and `CentralStorageStrategy`: variables kept once."""

from __future__ import annotations

from typing import Any

from placewise.devices.inventory import inventory
from placewise.devices.names import merge_eager
from placewise.distribute.reduce_op import ReduceOp
from placewise.distribute.replica_context import OneDeviceReplicaContext
from placewise.distribute.strategy import Strategy, StrategyExtended
from placewise.distribute.variables import AggregatingVariable, checked_aggregation
from placewise.eager.device_scope import device


class OneDeviceExtended(StrategyExtended):
    """One replica on one device."""

    is_alone = True
    lifts_functions = False
    replica_kind = OneDeviceReplicaContext

    def make_variable(self, next_creator: Any, options: Any) -> Any:
        """Make an ordinary variable, on the device."""
        with device(self._devices[0]):
            made = next_creator(**options)
        made._distribute_strategy = self._strategy
        return made

    def reduced(self, reduce_op: ReduceOp, value: Any) -> Any:
        """Return the value of the only replica, where it is."""
        return value


class OneDeviceStrategy(Strategy):
    """Everything on one device: for trying out what later runs on several."""

    def __init__(self, device: Any) -> None:
        super().__init__(OneDeviceExtended((merge_eager("", device),)))


class CentralStorageExtended(StrategyExtended):
    """A replica on each device, variables on one."""

    def __init__(self, devices: tuple[str, ...], home: str) -> None:
        super().__init__(devices)
        self._home = home
        self.is_alone = len(devices) == 1

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Where the variables are."""
        return (self._home,)

    def make_variable(self, next_creator: Any, options: Any) -> Any:
        """Make a variable that all replicas read and change together."""
        aggregation = checked_aggregation(options)
        with device(self._home):
            made = next_creator(**options)
        if self.is_alone:
            made._distribute_strategy = self._strategy
            return made
        return AggregatingVariable(self._strategy, [made], aggregation)


class CentralStorageStrategy(Strategy):
    """Variables on the CPU (or on the only GPU), replicas on the GPUs."""

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        found = inventory()
        gpus = [each.name for each in found.own_of_kind("GPU")]
        devices = tuple(
            gpus or [found.cpu.name]
            if compute_devices is None
            else [merge_eager("", each) for each in compute_devices]
        )
        home = devices[0] if len(devices) == 1 else found.cpu.name
        if parameter_device is not None:
            home = merge_eager("", parameter_device)
        super().__init__(CentralStorageExtended(devices, home))


OneDeviceStrategy.__module__ = "tensorflow.python.distribute.one_device_strategy"
CentralStorageStrategy.__module__ = "tensorflow.python.distribute.central_storage_strategy"
