"""Torch's modes are left, whatever happens."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from placewise.planning.torch_modes import under


class Refusing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise AssertionError("the mode is still there")


class Interrupted(Refusing):
    def __enter__(self):
        super().__enter__()
        raise KeyboardInterrupt  # torch has it on its stack, `with` does not know it


def test_a_mode_that_was_interrupted_on_the_way_in_is_left():
    with pytest.raises(KeyboardInterrupt), under(Refusing(), Interrupted()):
        pass
    assert torch.ones(2).sum().item() == 2


def test_a_mode_holds_for_the_block():
    with under(Refusing()), pytest.raises(AssertionError, match="still there"):
        torch.ones(2)
    assert torch.ones(2).sum().item() == 2
