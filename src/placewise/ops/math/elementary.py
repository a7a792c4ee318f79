"""Elementary functions of large float32 tensors by the native module.

torch takes them from a library that is two to six times slower on some processors. Small tensors
stay with torch, where the call itself is the cost; scripts of plans are made of those only.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import torch

from placewise import native
from placewise.ops.host_array import host_array

# A tensor of more elements is large. Plans make scripts, which call torch's functions, of steps on
# at most as many: results do not depend on whether a step is part of a script.
MOST_SMALL = 1 << 16
_EACH = 1 << 18  # elements of one thread: starting it takes as long as a quarter of them


def by_size(function: Callable[..., Any], in_place: bool = False) -> Callable[..., Any]:
    """Return a kernel that is torch's function of small tensors and native code for large ones.

    `function` is a built-in of torch (`torch.tanh`), or with `in_place` the one that writes over
    its input (`torch.tanh_`). Results are within 2 units in the last place; they depend on the
    size of the tensor but not on the number of threads.
    """
    name = function.__name__.rstrip("_")

    def kernel(x: torch.Tensor) -> Any:
        # Tensors of other types stand in for values while torch's compiler records the kernel.
        if type(x) is torch.Tensor and x.numel() > MOST_SMALL:
            array = host_array(x, torch.float32) if native.code is not None else None
            if array is not None:
                result = x if in_place else torch.empty_like(x)
                if _fill(name, array.reshape(-1), result.numpy().reshape(-1)):
                    return result
        return function(x)

    # `__wrapped__` tells plans what it is of small tensors.
    return functools.wraps(function)(kernel)


def _fill(name: str, array: Any, result: Any) -> bool:
    """Fill an array with a function of another, in parts if torch has several threads."""
    threads = min(torch.get_num_threads(), array.size // _EACH)
    if threads < 2:
        return native.code.elementary(name, array, result)
    size = -(-array.size // threads)
    parts = [(name, array[i : i + size], result[i : i + size]) for i in range(0, array.size, size)]
    # Made for the call: threads that stay would be missing after a fork.
    others = [threading.Thread(target=native.code.elementary, args=part) for part in parts[1:]]
    for thread in others:
        thread.start()
    is_done = native.code.elementary(*parts[0])
    for thread in others:
        thread.join()
    return is_done
