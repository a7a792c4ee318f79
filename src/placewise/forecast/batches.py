"""How many samples a step takes, as far as what the program passes to devices tells."""

from __future__ import annotations

from collections import Counter
from typing import Any

from placewise.eager.log import Copy, Entry, Executed
from placewise.forecast.names import short
from placewise.ops.work import Work

_PRODUCTS = ("matmul", "conv")  # kinds of work


class Batches:
    """Adds up the bytes that come with each leading dimension in one step.

    Samples are most of what a program passes to devices; seeds, weights of a loss and class tables
    are small beside them.
    """

    def __init__(self) -> None:
        self._fed: Counter[int] = Counter()  # by a session
        self._elements: list[int] = []  # of each call of an iterator
        self._moved: dict[str, Counter[int]] = {}  # to each GPU
        self._products: dict[str, int] = {}  # of the first product on each device

    def fed(self, contents: tuple[Any, ...]) -> None:
        """Take down what a session is fed."""
        for content in contents:
            if size := _leading(content):
                self._fed[size] += content.nbytes

    def ran(self, entry: Entry, executed: Executed, work: Work) -> None:
        """Take down what an op shows of the batch."""
        device = short(entry.device)
        if entry.op.startswith("IteratorGetNext"):
            sizes = [size for content in executed.outputs if (size := _leading(content))]
            if sizes:
                self._elements.append(sizes[0])
        elif work.kind in _PRODUCTS and device not in self._products and executed.inputs:
            size = _leading(executed.inputs[0])
            if size:
                self._products[device] = size

    def moved(self, copy: Copy, content: Any) -> None:
        """Take down what goes from the host to a GPU."""
        source, target = short(copy.source), short(copy.target)
        size = _leading(content)
        is_data = copy.kind in ("feed", "copy") and source.startswith("CPU")
        if size and is_data and target.startswith("GPU"):
            self._moved.setdefault(target, Counter())[size] += copy.bytes

    def size(self) -> int | None:
        """Return the samples of all devices together; None if nothing tells."""
        if self._fed:
            return _largest(self._fed)
        if self._elements:
            return sum(self._elements)
        if self._moved:
            return sum(map(_largest, self._moved.values()))
        gpus = [size for device, size in self._products.items() if device.startswith("GPU")]
        return sum(gpus) or sum(self._products.values()) or None

    def is_split(self) -> bool:
        """Return whether devices have parts of the batch; parts of a model have all of it each."""
        size = self.size()
        return size is not None and size not in self._products.values()


def _leading(content: Any) -> int:
    """Return the size of the first dimension of a content; 0 if it has none."""
    shape = getattr(content, "shape", None)
    return int(shape[0]) if isinstance(shape, tuple) and len(shape) else 0


def _largest(counts: Counter[int]) -> int:
    return max(counts, key=lambda size: (counts[size], size))
