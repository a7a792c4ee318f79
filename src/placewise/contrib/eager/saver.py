"""`tfe.Saver`: variables of eager programs in checkpoints by their names."""

from __future__ import annotations

from typing import Any

from placewise.saving import saver


class Saver:
    """Saves and restores a list of variables, or a dict of them by the names to use."""

    def __init__(self, var_list: Any) -> None:
        self._saver: Any = saver.Saver(var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> str:
        """Write a checkpoint and return its prefix, with the step if there is one."""
        saved: str = self._saver.save(None, file_prefix, global_step=global_step)
        return saved

    def restore(self, file_prefix: str) -> None:
        """Assign what `save` wrote."""
        self._saver.restore(None, file_prefix)


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """Return the variables that an optimizer made."""
    made: list[Any] = optimizer.variables()
    return made


Saver.__module__ = "tensorflow.contrib.eager.python.saver"
