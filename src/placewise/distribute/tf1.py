"""TensorFlow 1's strategies: the same ones, with the calls that TensorFlow 2 renamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placewise.data.dataset_v1 import DatasetV1
from placewise.distribute import mirrored, multi_worker_experimental, one_device, strategy
from placewise.distribute.reduce_op import ReduceOp
from placewise.training.loss_parts import is_shared_mean


class Strategy(strategy.Strategy):
    """A strategy as TensorFlow 1 calls it."""

    def experimental_run_v2(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Call `fn` once for every replica; the old name of `run`."""
        return self.run(fn, args, kwargs)

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Return the sum or mean of the replicas' values, and over an axis of each."""
        return super().reduce(reduce_op, value, axis)

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Any:
        """Return a dataset of the rows of arrays."""
        return DatasetV1.from_tensor_slices(numpy_input)

    def experimental_initialize(self) -> list[Any]:
        """Return the ops that make the strategy ready: none."""
        return []

    def experimental_finalize(self) -> list[Any]:
        """Return the ops that end it: none."""
        return []


class MirroredStrategy(Strategy, mirrored.MirroredStrategy):
    """MirroredStrategy as TensorFlow 1 calls it."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(devices, cross_device_ops)
        self.extended.experimental_enable_get_next_as_optional = False


class OneDeviceStrategy(Strategy, one_device.OneDeviceStrategy):
    """OneDeviceStrategy as TensorFlow 1 calls it."""


class CentralStorageStrategy(Strategy, one_device.CentralStorageStrategy):
    """CentralStorageStrategy as TensorFlow 1 calls it."""


class MultiWorkerMirroredStrategy(Strategy, multi_worker_experimental.MultiWorkerMirroredStrategy):
    """MultiWorkerMirroredStrategy as TensorFlow 1 calls it: with the way machines talk."""


def get_loss_reduction() -> Any:
    """Return how losses of replicas come together: by their sum, or in an Estimator by their mean.

    An Estimator's loss that `tf.losses` summed up is summed there too.
    """
    return ReduceOp.MEAN if is_shared_mean() else ReduceOp.SUM


_HERE = "tensorflow.python.distribute."
for _kind, _file in (
    (Strategy, "distribute_lib"),
    (MirroredStrategy, "mirrored_strategy"),
    (OneDeviceStrategy, "one_device_strategy"),
    (CentralStorageStrategy, "central_storage_strategy"),
    (MultiWorkerMirroredStrategy, "collective_all_reduce_strategy"),
):
    _kind.__module__ = _HERE + _file
    _kind.__name__ = _kind.__qualname__ = f"{_kind.__name__}V1"
