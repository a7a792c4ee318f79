"""How copies of a variable on several devices are kept together."""

from __future__ import annotations

import enum


class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class _Aggregation(enum.Enum):
    """Members of TensorFlow 1's enumeration and of TensorFlow 2's are equal, number by number."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Aggregation) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class VariableAggregationV2(_Aggregation):
    """How values for copies of a variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class VariableAggregation(_Aggregation):
    """How values for copies of a variable are combined, as TensorFlow 1 calls it."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # its name before 1.12


for _enum in (VariableSynchronization, VariableAggregation, VariableAggregationV2):
    _enum.__module__ = "tensorflow.python.ops.variables"
