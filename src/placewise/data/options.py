"""`tf.data.Options` and its parts: how a pipeline may run. Elements are the same whatever they say.

Fields are declared in tables, one row a field: what it may be, and what TensorFlow calls it.
"""

from __future__ import annotations

import enum
from typing import Any, ClassVar

from placewise.core.arguments import TensorLike


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What to do with state outside of a pipeline when it is written down."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How the sizes of buffers and the like are chosen."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class OptionsBase:
    """A set of fields that are checked when set; unknown names are refused."""

    _fields: ClassVar[dict[str, tuple[Any, Any]]] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_mutable", True)

    def __getattr__(self, name: str) -> Any:
        fields = type(self)._fields
        if name not in fields:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        values = self.__dict__["_values"]
        if name not in values:
            _, default = fields[name]
            if isinstance(default, type):
                values[name] = default()
            else:
                return default
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        if not self._mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no "
                "effect. Use `tf.data.Dataset.with_options(options)` to set or update dataset "
                "options."
            )
        if not isinstance(getattr(type(self), name, None), property):
            if name not in type(self)._fields:
                raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
            kind = type(self)._fields[name][0]
            if value is not None and not isinstance(value, kind):
                raise TypeError(
                    f'Property "{name}" must be of type {kind}, got: {value!r} (type: '
                    f"{type(value)!r})"
                )
            self._values[name] = value
            return
        object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self)._fields]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self)._fields)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def _set_mutability(self, mutable: bool) -> None:
        object.__setattr__(self, "_mutable", mutable)

    def _merged(self, other: OptionsBase) -> Any:
        """Return these options with those set in `other` over them."""
        made = type(self)()
        for options in (self, other):
            for name, value in options._values.items():
                before = made._values.get(name)
                if isinstance(value, OptionsBase) and before is not None:
                    value = before._merged(value)
                made._values[name] = value
        return made


class AutotuneOptions(OptionsBase):
    """How the runtime may tune itself."""

    _fields: ClassVar = {
        "enabled": (bool, None),
        "cpu_budget": (int, None),
        "ram_budget": (int, None),
        "autotune_algorithm": (AutotuneAlgorithm, None),
        "initial_parallelism": (int, None),
        "min_parallelism": (int, None),
    }


class DistributeOptions(OptionsBase):
    """How a dataset is divided among workers."""

    _fields: ClassVar = {
        "auto_shard_policy": (AutoShardPolicy, AutoShardPolicy.AUTO),
        "num_devices": (int, None),
    }


_REWRITINGS = """
apply_default_optimizations filter_fusion filter_parallelization inject_prefetch
map_and_batch_fusion map_and_filter_fusion map_fusion map_parallelization noop_elimination
parallel_batch seq_interleave_prefetch shuffle_and_repeat_fusion
"""


class OptimizationOptions(OptionsBase):
    """Which rewritings of a pipeline are allowed."""

    _fields: ClassVar = dict.fromkeys(_REWRITINGS.split(), (bool, None))


class ServiceOptions(OptionsBase):
    """How a pipeline may run in a service."""

    _fields: ClassVar = {"pinned": (bool, None)}


class ThreadingOptions(OptionsBase):
    """How many threads a pipeline may use."""

    _fields: ClassVar = {
        "max_intra_op_parallelism": (int, None),
        "private_threadpool_size": (int, None),
    }


class Options(OptionsBase):
    """How a dataset runs; `Dataset.with_options` takes it.

    `deterministic`, `experimental_distribute.auto_shard_policy`, `threading`, `autotune` and other
    attributes are set one by one. Elements come in a fixed order here, whatever they say; the shard
    policy decides how a strategy divides the data among workers. Raises TypeError for a value of
    another type, AttributeError for an unknown name.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _fields: ClassVar = {
        "autotune": (AutotuneOptions, AutotuneOptions),
        "dataset_name": (str, None),
        "deterministic": (bool, None),
        "framework_type": (list, None),
        "experimental_distribute": (DistributeOptions, DistributeOptions),
        "experimental_external_state_policy": (ExternalStatePolicy, None),
        "experimental_optimization": (OptimizationOptions, OptimizationOptions),
        "experimental_service": (ServiceOptions, ServiceOptions),
        "experimental_slack": (bool, None),
        "experimental_symbolic_checkpoint": (bool, None),
        "experimental_warm_start": (bool, None),
        "threading": (ThreadingOptions, ThreadingOptions),
    }

    @property
    def experimental_deterministic(self) -> Any:
        """The older name of `deterministic`."""
        return self.deterministic

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: TensorLike) -> None:
        self.deterministic = value

    @property
    def experimental_threading(self) -> Any:
        """The older name of `threading`."""
        return self.threading

    @experimental_threading.setter
    def experimental_threading(self, value: TensorLike) -> None:
        self.threading = value

    def merge(self, options: Options) -> Options:
        """Return these options with those of `options` over them."""
        made: Options = self._merged(options)
        if self.framework_type and options.framework_type:
            made.framework_type = [*self.framework_type, *options.framework_type]
        return made

    def _set_mutability(self, mutable: bool) -> None:
        for name, (_, default) in type(self)._fields.items():
            if isinstance(default, type):
                getattr(self, name)._set_mutability(mutable)
        super()._set_mutability(mutable)


for _each in (
    OptionsBase,
    AutotuneOptions,
    DistributeOptions,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
    Options,
    AutoShardPolicy,
    ExternalStatePolicy,
    AutotuneAlgorithm,
):
    _each.__module__ = "tensorflow.python.data.ops.options"
