"""Which TensorFlow a program is of: `tf.disable_v2_behavior` and its kin."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import era
from placewise.devices import configuration
from placewise.graph import defaults
from placewise.graph.variable_scope import disable_resource_variables, enable_resource_variables


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Let ops run at once from now on.

    `config`: a ConfigProto: soft placement, placement log, growth and fraction of GPU memory are
        read.
    `device_policy`: what happens when an op reads a tensor of another device, such as
    `tf.contrib.eager.DEVICE_PLACEMENT_EXPLICIT`; by default it is copied.
    `execution_mode`: accepted; ops run in the order of the program.

    Call it first. Raises TypeError if `config` is no ConfigProto.

    >>> tf.compat.v1.enable_eager_execution()
    >>> tf.executing_eagerly()
    True
    """
    if config is not None and type(config).__name__ != "ConfigProto":
        raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
    if config is not None:
        configuration.set_soft_device_placement(config.allow_soft_placement)
        configuration.set_log_device_placement(config.log_device_placement)
        if config.gpu_options.allow_growth:
            configuration.set_per_process_memory_growth(True)
        if config.gpu_options.per_process_gpu_memory_fraction:
            configuration.set_per_process_memory_fraction(
                config.gpu_options.per_process_gpu_memory_fraction
            )
    if device_policy is not None:
        configuration.set_device_policy(device_policy)
    defaults.enable_eager_execution()


def disable_v2_behavior() -> None:
    """Let a program be one of TensorFlow 1: graphs, reference variables, dimensions as objects.

    Call it first: what was made before stays as it is.

    >>> tf.compat.v1.disable_v2_behavior()
    >>> tf.executing_eagerly()
    False
    """
    defaults.disable_eager_execution()
    disable_v2_tensorshape()
    disable_resource_variables()


def enable_v2_behavior() -> None:
    """Let a program be one of TensorFlow 2: ops run at once, variables have handles."""
    defaults.enable_eager_execution()
    enable_v2_tensorshape()
    enable_resource_variables()


def enable_v2_tensorshape() -> None:
    """Let indexing a TensorShape give numbers."""
    era.dimensions_are_objects = False


def disable_v2_tensorshape() -> None:
    """Let indexing a TensorShape give Dimension objects."""
    era.dimensions_are_objects = True


def control_flow_v2_enabled() -> bool:
    """Return True: branches and loops are always functions of their own here.

    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    return True


def enable_control_flow_v2() -> None:
    """Let branches and loops be functions of their own, which they always are here.

    There is no `disable_control_flow_v2`: graphs with Switch and Merge can be read, not written.
    """
