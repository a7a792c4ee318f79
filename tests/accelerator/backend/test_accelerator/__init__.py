"""A torch device that is not the host, for tests: `accel`, four cards that torch finds by itself.

With the folder above this one on sys.path, `import torch` calls `autoload`. Environment variables:
TEST_ACCELERATOR_CARDS (4), TEST_ACCELERATOR_MEMORY (bytes of each card, 16 GiB),
TEST_ACCELERATOR_DRIVER (bytes of these that the driver has, 0), and for programs that speak of
their cards TEST_ACCELERATOR_NAMES and TEST_ACCELERATOR_BUSES (one a card, commas between); with
TEST_ACCELERATOR_MASK=1 the driver obeys CUDA_VISIBLE_DEVICES.
"""

import atexit
import importlib.util
import sys
import time
import warnings
from types import ModuleType

from test_accelerator import cards
from test_accelerator.build import NAME, NotBuiltError, build

__all__ = ["NotBuiltError", "autoload", "counted", "load"]
TYPE = "accel"


def autoload() -> None:
    """Load the device, on; torch calls this when it is imported. Without a compiler, warn."""
    try:
        load()
    except NotBuiltError as error:
        warnings.warn(f"the device {TYPE!r} is not there: {error}", stacklevel=2)


def load(on: bool = True) -> ModuleType:
    """Return torch.accel, after registering the device in this process.

    Once registered it stays; off, torch.accelerator says that there is none.
    """
    import torch

    if TYPE in torch.__dict__:
        return torch.__dict__[TYPE]
    path = build()
    cards.mask()
    spec = importlib.util.spec_from_file_location(NAME, path)
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    sys.modules[NAME] = native
    native.switch(on)
    # A thread of autograd drops its Python objects a moment after `backward` has returned; torch
    # aborts when Python has ended by then.
    atexit.register(time.sleep, 0.05)
    torch.utils.rename_privateuse1_backend(TYPE)
    from test_accelerator import device_module

    torch._register_device_module(TYPE, device_module)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    return device_module


def counted(stacks: bool = False):
    """Return a context in which what crosses between host and cards is counted, from zero."""
    from test_accelerator.counting import Counted

    return Counted(stacks)
