"""Ops of torch whose result depends on contents, and what they return on planned GPUs.

What is known is computed. Else a selection is as large as it can be, a value that the host reads is
assumed (`KnownContents.read`), and each kind of assumption is taken down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch

from placewise.ops.contentless import assumptions

aten = torch.ops.aten
_META = torch.device("meta")
SMALL = 4096  # elements: what is larger is not computed on the side


class Contents(Protocol):
    """What is known of tensors without contents: `KnownContents`."""

    def read(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the contents of a tensor on the host: known, or assumed."""
        ...

    def content(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return what is known of a tensor."""
        ...

    def number(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return the number that all elements of a tensor are."""
        ...

    def is_kept(self, tensor: torch.Tensor) -> bool:
        """Return whether each element of a tensor is known by itself."""
        ...

    def learn(self, tensor: torch.Tensor, content: torch.Tensor) -> None:
        """Keep the content of a tensor."""
        ...


def _to_copy(mode: Contents, args: Any, kwargs: Any) -> Any:
    device = kwargs.get("device")
    if device is None or torch.device(device).type == "meta":
        return NotImplemented
    return mode.read(args[0]).to(kwargs.get("dtype") or args[0].dtype)


def _scalar(mode: Contents, args: Any, kwargs: Any) -> Any:
    return mode.read(args[0]).item()


def _copy_(mode: Contents, args: Any, kwargs: Any) -> Any:
    target, source = args[:2]
    if target.is_meta:
        return NotImplemented
    return target.copy_(mode.read(source))


def _equal(mode: Contents, args: Any, kwargs: Any) -> Any:
    known = [mode.content(tensor) for tensor in args[:2]]
    if None in [type(one) is torch.Tensor or None for one in known]:
        assumptions.add("two tensors that only the GPU would know were taken as equal")
        return args[0].shape == args[1].shape
    return torch.equal(known[0], known[1])  # type: ignore[arg-type]


def _bounded(what: str) -> None:
    assumptions.add(f"{what}: its result was taken to be as large as it can be")


def _is_known(mode: Contents, *tensors: torch.Tensor) -> bool:
    return all(mode.is_kept(tensor) for tensor in tensors)


def _on_gpu(mode: Contents, content: torch.Tensor) -> torch.Tensor:
    """Return a known content as a tensor without contents."""
    result = torch.empty_like(content, device=_META)
    if content.numel() <= SMALL:
        mode.learn(result, content)
    return result


def _nonzero(mode: Contents, args: Any, kwargs: Any) -> Any:
    tensor = args[0]
    content, number = mode.content(tensor), mode.number(tensor)
    if content is not None and mode.is_kept(tensor):
        return _on_gpu(mode, torch.nonzero(content))
    count = tensor.numel()
    if number is not None:
        count = count if number.item() else 0
    else:
        _bounded("tf.where")
    return torch.empty((count, tensor.dim()), dtype=torch.int64, device=_META)


def _masked_select(mode: Contents, args: Any, kwargs: Any) -> Any:
    tensor, mask = args[:2]
    if _is_known(mode, tensor, mask):
        return _on_gpu(mode, torch.masked_select(mode.content(tensor), mode.content(mask)))  # type: ignore[arg-type]
    _bounded("a selection by a mask")
    shape = torch.broadcast_shapes(tensor.shape, mask.shape)
    return torch.empty((shape.numel(),), dtype=tensor.dtype, device=_META)


def _unique(mode: Contents, args: Any, kwargs: Any) -> Any:
    tensor = args[0]
    _bounded("tf.unique")
    count = tensor.numel()
    return (
        torch.empty((count,), dtype=tensor.dtype, device=_META),
        torch.empty(tensor.shape, dtype=torch.int64, device=_META),
        torch.empty((count,), dtype=torch.int64, device=_META),
    )


def _unique_dim(mode: Contents, args: Any, kwargs: Any) -> Any:
    tensor, dim = args[:2]
    _bounded("tf.unique")
    count = tensor.shape[dim]
    numbers = [torch.empty((count,), dtype=torch.int64, device=_META) for _ in range(2)]
    return torch.empty(tensor.shape, dtype=tensor.dtype, device=_META), *numbers


def _index(mode: Contents, args: Any, kwargs: Any) -> Any:
    """Let masks among the indices be the positions of all elements."""
    tensor, indices = args[:2]
    if not any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in indices):
        return NotImplemented
    _bounded("a selection by a mask")
    positions: list[Any] = []
    for one in indices:
        if one is None or one.dtype not in (torch.bool, torch.uint8):
            positions.append(one)
        else:
            count = one.numel()
            positions += [torch.empty((count,), dtype=torch.int64, device=_META)] * one.dim()
    return aten.index.Tensor(tensor, positions)


def _repeat_interleave(mode: Contents, args: Any, kwargs: Any) -> Any:
    repeats = args[0]
    size = kwargs.get("output_size")
    if size is None:
        known = mode.content(repeats)
        if known is None:
            assumptions.add("repetitions that only the GPU would know were taken as one each")
        size = repeats.numel() if known is None else int(known.sum())
    return torch.empty((size,), dtype=repeats.dtype, device=_META)


CONTENT_OPS: dict[Any, Callable[..., Any]] = {
    aten._to_copy.default: _to_copy,
    aten._local_scalar_dense.default: _scalar,
    aten.copy_.default: _copy_,
    aten.equal.default: _equal,
    aten.nonzero.default: _nonzero,
    aten.masked_select.default: _masked_select,
    aten._unique2.default: _unique,
    aten.unique_consecutive.default: _unique,
    aten.unique_dim.default: _unique_dim,
    aten.unique_dim_consecutive.default: _unique_dim,
    aten.index.Tensor: _index,
    aten.repeat_interleave.Tensor: _repeat_interleave,
}
