"""A number for how a dataset is made: the same for the same pipeline over the same data.

Snapshots are kept by it, so that a changed pipeline does not read what another one wrote. Seeds do
not count, as in TensorFlow. Of Python functions, which nobody can look into, the name counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from placewise.data.engine.random_words import Seeds
from placewise.data.engine.source import Rows, Source

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def fingerprint(source: Source) -> int:
    """Return the number of a pipeline, of 64 bits."""
    digest = hashlib.blake2b(digest_size=8)
    for piece in _pieces(source, set()):
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)
    return int.from_bytes(digest.digest(), "little")


def _pieces(value: Any, seen: set[int]) -> Iterator[bytes]:
    """Yield what a value consists of, as bytes, in a fixed order."""
    if isinstance(value, Seeds):
        return
    yield type(value).__name__.encode()
    if isinstance(value, _PLAIN):
        yield repr(value).encode()
    elif isinstance(value, torch.Tensor):
        yield from _pieces((str(value.dtype), tuple(value.shape)), seen)
        yield (
            value.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
            if value.numel()
            else b""
        )
    elif isinstance(value, np.ndarray):
        yield repr(value.tolist()).encode() if value.dtype == object else value.tobytes()
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _pieces(part, seen)
    elif isinstance(value, Mapping):
        for key in sorted(value, key=repr):
            yield from _pieces((key, value[key]), seen)
    elif id(value) in seen:
        return
    elif isinstance(value, (Source, Rows)):
        seen.add(id(value))
        yield from _pieces(vars(value), seen)
    elif hasattr(value, "graph"):  # a traced function
        yield value.graph.as_graph_def().SerializeToString(deterministic=True)
    elif hasattr(value, "spec"):
        yield repr(value.spec).encode()
    elif callable(value):
        yield getattr(value, "__qualname__", "").encode()
    else:  # ranges, dtypes, shapes; without the addresses of objects that show no more
        yield re.sub(r" at 0x[0-9a-f]+", "", repr(value)).encode()
