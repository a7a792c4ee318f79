"""`tf.saved_model.experimental.VariablePolicy`."""

from __future__ import annotations

import enum
from typing import Any


class VariablePolicy(enum.Enum):
    """What a SavedModel keeps of where variables are.

    With `SAVE_VARIABLE_DEVICES` each variable's device is saved; a load with the same policy in its
    `LoadOptions` puts the variable there.
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """Return the policy that a policy, its name or None means."""
        for policy in VariablePolicy:
            if obj is policy or obj == policy.value or str(obj).lower() == policy.value:
                return policy
        names = ", ".join(repr(policy.value) for policy in VariablePolicy)
        raise ValueError(f"Received invalid VariablePolicy value: {obj}. It is one of {names}")
