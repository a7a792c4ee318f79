"""Memory that the process has freed: some of it stays with the process, to be used again.

The C library gives memory at the end of its heap back to the system as soon as there is a little.
A program of tensors takes it again at once, and the system clears each page anew: in a virtual
machine that takes longer than most kernels take on it.
"""

from __future__ import annotations

import sys

from placewise.core import environment

# Any of these says what becomes of freed memory: then the user has chosen.
CHOICES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES")
KEPT_BYTES = 128 << 20  # at most so much freed memory stays at the end of the heap
_LARGEST_IN_HEAP = 32 << 20  # what is larger goes back at once; glibc allows no more
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names of the settings, in <malloc.h>


def keep_freed_memory() -> bool:
    """Let some freed memory stay; return False where the user chose, or there is no glibc."""
    variables = environment.variables()
    if any(name in variables for name in CHOICES):
        return False
    import ctypes  # noqa: PLC0415 - `import placewise` stays quick without it

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is None:
        return False
    kept = set_option(_TRIM_THRESHOLD, KEPT_BYTES)
    return bool(kept and set_option(_MMAP_THRESHOLD, _LARGEST_IN_HEAP))


def use_huge_pages() -> None:
    """Let large tensors lie in pages of 2 MiB, unless the user chose or torch is loaded already.

    The system clears one of them as quickly as a few of its usual 4 KiB. torch asks for them only
    if this variable says so; of a tensor's last part, which fills none, it asks for no more.
    """
    if "torch" not in sys.modules:
        environment.put_default("THP_MEM_ALLOC_ENABLE", "1")
