"""Large tensors between processes of one host: through memory that both map, without the network.

Who sends writes the bytes into an anonymous file in memory and seals it; who receives opens it by
process and number, and maps it. No name is left behind when a process is killed. A sealed file can
be neither changed nor cut off, so that reading it is safe whoever made it. The mapping is private:
writing into the tensor changes nobody else's.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
import secrets
import stat
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from placewise.cluster.tensors import header_of, number_type, raw_bytes, shape_in
from placewise.cluster.wire import message
from placewise.core.errors import InternalError, InvalidArgumentError
from placewise.ops.values import OBJECT, TORCH, Handle

LEAST_BYTES = 1 << 18  # smaller ones are sent in less time than a mapping takes
_NAME = "placewise-tensors"
_ALIGNMENT = 64
_WRITE_BYTES = 1 << 24
_SEALS = 0x1 | 0x2 | 0x4 | 0x8  # F_SEAL_SEAL, _SHRINK, _GROW, _WRITE
_ADD_SEALS, _GET_SEALS = 1033, 1034
_NONCE_BYTES = 16
_PLAIN = frozenset({"float32", "float64", "int32", "int64", "uint8"})


class Shared:
    """Tensors in memory that another process may map; `close` when it has."""

    def __init__(self, contents: Iterable[Any]) -> None:
        self._descriptor = os.memfd_create(_NAME, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            self.message = self._write(list(contents))
        except BaseException:
            self.close()
            raise

    def _write(self, contents: list[Any]) -> Any:
        described = message("Shared")(process=os.getpid(), descriptor=self._descriptor)
        described.nonce = secrets.token_bytes(_NONCE_BYTES)
        position = 0
        for content in contents:
            raw = raw_bytes(content)
            header = header_of(content, 0)
            header.following_bytes = len(raw)
            described.tensors.append(header)
            self._put(raw, position)
            position += _aligned(len(raw))
        self._put(memoryview(described.nonce), position)
        fcntl.fcntl(self._descriptor, _ADD_SEALS, _SEALS)
        return described

    def _put(self, raw: memoryview, position: int) -> None:
        start = 0
        while start < len(raw):
            piece = raw[start : start + _WRITE_BYTES]
            start += os.pwrite(self._descriptor, piece, position + start)

    def close(self) -> None:
        """Let the memory go, once nobody maps it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def can_share(contents: Iterable[Any]) -> bool:
    """Return whether contents are numbers, which alone can be mapped."""
    return all(
        not isinstance(content, Handle) and getattr(content, "dtype", OBJECT) != OBJECT
        for content in contents
    )


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def mapped(described: Any) -> list[Any]:
    """Return the tensors that another process shares; raises if they are not what it says."""
    sizes = [header.following_bytes for header in described.tensors]
    if any(size < 0 for size in sizes) or len(described.nonce) != _NONCE_BYTES:
        raise _wrong("malformed")
    total = sum(map(_aligned, sizes))
    descriptor = _open(described)
    try:
        if os.fstat(descriptor).st_size != total + _NONCE_BYTES:
            raise _wrong("of another size")
        if fcntl.fcntl(descriptor, _GET_SEALS) & _SEALS != _SEALS:
            raise _wrong("not sealed")
        if os.pread(descriptor, _NONCE_BYTES, total) != described.nonce:
            raise _wrong("another's")
        memory: Any = b""
        if total:
            protection = mmap.PROT_READ | mmap.PROT_WRITE
            memory = mmap.mmap(descriptor, total, flags=mmap.MAP_PRIVATE, prot=protection)
    except OSError as problem:
        raise _wrong(str(problem.strerror)) from None
    finally:
        os.close(descriptor)
    tensors, position = [], 0
    for header, size in zip(described.tensors, sizes, strict=True):
        tensors.append(_tensor(header, memory, position, size))
        position += _aligned(size)
    return tensors


def _open(described: Any) -> int:
    path = f"/proc/{described.process}/fd/{described.descriptor}"
    try:
        # Looked at before it is opened: opening a device or a pipe may do something.
        is_ours = os.readlink(path).startswith(f"/memfd:{_NAME}")
        if not is_ours or not stat.S_ISREG(os.stat(path).st_mode):
            raise _wrong("another file")
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as problem:
        raise InternalError(
            None, None, f"Memory of process {described.process}: {problem.strerror}"
        ) from None


def _tensor(header: Any, memory: Any, position: int, size: int) -> Any:
    shape, dtype = shape_in(header), number_type(header)
    count = math.prod(shape)
    if size != count * dtype.size:
        raise _wrong(f"{size} bytes for shape {list(shape)[:8]} of {dtype.name}")
    if not count:
        return torch.empty(shape, dtype=TORCH[dtype])
    if dtype.name in _PLAIN:
        numbers = np.frombuffer(memory, dtype.as_numpy_dtype, count, position)
        return torch.from_numpy(numbers.reshape(shape))
    raw = torch.from_numpy(np.frombuffer(memory, np.uint8, size, position))
    if TORCH[dtype] is torch.bool:
        return (raw != 0).reshape(shape)  # any byte but 0 and 1 is undefined for torch
    return raw.view(TORCH[dtype]).reshape(shape)


def _wrong(what: str) -> Exception:
    return InvalidArgumentError(None, None, f"The shared memory that was named is {what}.")


def probe() -> Shared | None:
    """Return some shared memory, by which another process finds out whether it can map ours."""
    try:
        return Shared([])
    except (OSError, AttributeError):  # no such files on this system
        return None


def is_within_reach(described: Any) -> bool:
    """Return whether this process can map what another one shares."""
    try:
        mapped(described)
    except (InternalError, InvalidArgumentError):
        return False
    return True
