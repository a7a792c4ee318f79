"""`tf.train.replica_device_setter`: variables on parameter servers, all else on the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.devices.names import merge, parse

_STATE_OPS = (
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable",
    "MutableDenseHashTableV2", "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp", "ResourceConditionalAccumulator",
    "DecisionTreeResource",
)  # fmt: skip
