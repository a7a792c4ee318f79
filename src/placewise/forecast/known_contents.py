"""What little of the contents of planned GPUs is known: small values computed on the side.

Tensors of planned GPUs have no contents. A program still reads some of them: a step counter, a
condition, a size. A torch mode runs each op on the shape alone and, where all its inputs are known
and small, once more on the host. Of tensors whose elements are all the same, of any size, that one
number is kept. What is read and not known is assumed, and each kind of assumption is taken down.
Ops that need contents have answers of their own (`content_ops.py`).
The host's own tensors pass through as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from placewise.devices.origin import user_line
from placewise.forecast.call_forms import WRITTEN, call_key, collect, is_meta, is_plain
from placewise.forecast.content_ops import CONTENT_OPS, SMALL
from placewise.ops.contentless import assumptions, loop_test

aten = torch.ops.aten
_META = torch.device("meta")
_HOST = torch.device("cpu")
_LARGE = 1 << 24  # elements that are made up on the host at most, for an op without a shape rule
# How often an unknown condition is True before it is False once: a loop on it must end.
_TRUE_IN_A_ROW = 32
# Numbers that the GPU computes are taken to be finite, and no two of them to be equal: what
# programs do otherwise is for exceptions (NaN in a loss, a division by zero).
_USUAL: dict[Any, bool] = {
    aten.isnan.default: False,
    aten.isinf.default: False,
    aten.isfinite.default: True,
    aten.eq.Tensor: False,
    aten.eq.Scalar: False,
    aten.ne.Tensor: True,
    aten.ne.Scalar: True,
}
# What these return is no value to know.
_MEMORY_AS_IT_IS = frozenset(
    {aten.empty, aten.empty_like, aten.empty_strided, aten.new_empty, aten.new_empty_strided}
)
_DRAWS = torch.Tag.nondeterministic_seeded
# Their last result says what went wrong: nothing, as with most matrices.
_FACTORIZATIONS = frozenset(
    {
        aten.linalg_cholesky_ex,
        aten.linalg_inv_ex,
        aten.linalg_ldl_factor_ex,
        aten.linalg_lu_factor_ex,
        aten._linalg_solve_ex,
    }
)
_FILLING: dict[Any, Callable[..., Any]] = {
    aten.zeros.default: lambda *_: 0,
    aten.zeros_like.default: lambda *_: 0,
    aten.new_zeros.default: lambda *_: 0,
    aten.ones.default: lambda *_: 1,
    aten.ones_like.default: lambda *_: 1,
    aten.new_ones.default: lambda *_: 1,
    aten.full.default: lambda size, value: value,
    aten.full_like.default: lambda like, value: value,
    aten.new_full.default: lambda like, size, value: value,
    aten.fill_.Scalar: lambda tensor, value: value,
    aten.zero_.default: lambda *_: 0,
}
# Of elements that are all the same, these make that number again.
_SAME = frozenset(
    {
        aten.any.default,
        aten.any.dim,
        aten.any.dims,
        aten.all.default,
        aten.all.dim,
        aten.all.dims,
        aten.amax.default,
        aten.amin.default,
        aten.mean.default,
        aten.mean.dim,
        aten.clone.default,
        aten.index_select.default,
        aten.gather.default,
    }
)


class KnownContents(TorchDispatchMode):
    """Runs ops on tensors without contents, and keeps the contents that are known.

    Known contents are kept by storage: views of it are known with it, and a write of something
    unknown makes all of them unknown. A mode is of one thread: each has its own, and those of a dry
    run share what is known (`for_thread`).
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's own
        self._known: dict[int, tuple[StorageWeakRef, torch.Tensor]] = {}
        self._uniform: dict[int, tuple[StorageWeakRef, torch.Tensor]] = {}
        self._forms: dict[Any, Any] = {}
        self._next_sweep = 1024
        self._reads: dict[Any, int] = {}  # of unknown conditions, by place in the program

    @contextmanager
    def for_thread(self) -> Iterator[None]:
        """Let this thread run ops on tensors without contents while the block lasts."""
        mode = KnownContents()
        mode._known, mode._uniform, mode._reads = self._known, self._uniform, self._reads
        mode._forms = self._forms
        with mode:
            yield

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return that torch's compiler need not be kept away: it would be loaded for that."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run one op of torch."""
        kwargs = kwargs or {}
        tensors: list[torch.Tensor] = []
        collect(args, tensors)
        collect(tuple(kwargs.values()), tensors)
        if not any(tensor.is_meta for tensor in tensors) and not is_meta(kwargs.get("device")):
            return func(*args, **kwargs)
        special = CONTENT_OPS.get(func)
        if special is not None:
            answer = special(self, args, kwargs)
            if answer is not NotImplemented:
                return answer
        result = self._without_contents(func, args, kwargs, tensors)
        if func.overloadpacket in _MEMORY_AS_IT_IS or _DRAWS in func.tags:
            self._forget(func, args, kwargs)
            return result
        if func.overloadpacket in _FACTORIZATIONS:
            self._learn_number(result[-1], torch.zeros((), dtype=result[-1].dtype))
            return result
        self._follow(func, args, kwargs, tensors, result)
        return result

    def _without_contents(self, func: Any, args: Any, kwargs: Any, tensors: Any) -> Any:
        """Return the result of an op on shapes; where torch has no way, on made-up contents."""
        key = call_key(func, args, kwargs)
        forms = self._forms.get(key) if key is not None else None
        if forms is WRITTEN:
            return args[0]
        if forms is not None:
            results = [
                torch.empty_strided(size, stride, dtype=dtype, device=_META)
                for size, stride, dtype in forms
            ]
            return results[0] if len(results) == 1 else tuple(results)
        try:
            result = func(*args, **kwargs)
            if key is not None:
                self._keep_form(key, result)
            return result
        except NotImplementedError:
            if func._schema.is_mutable or sum(t.numel() for t in tensors) > _LARGE:
                raise
        assumptions.add(f"{func}: the shape of its result was found with contents of zero")
        result = self._on_host(func, args, kwargs, lambda tensor: _assumed(tensor).contiguous())
        return tree_map_only(
            torch.Tensor, lambda tensor: torch.empty_like(tensor, device=_META), result
        )

    def _keep_form(self, key: Any, result: Any) -> None:
        """Keep the form of results: torch takes 100 µs and more to find it, in Python."""
        results = result if isinstance(result, tuple) else (result,)
        if is_plain(key[0]) is WRITTEN:
            self._forms[key] = WRITTEN
        elif all(type(one) is torch.Tensor and not one.storage_offset() for one in results):
            self._forms[key] = [(one.size(), one.stride(), one.dtype) for one in results]

    # What is known.

    def content(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return what is known of a tensor, on the host; None if nothing is. It is not a copy."""
        if not tensor.is_meta:
            return tensor
        key = tensor.untyped_storage()._cdata
        entry = self._known.get(key)
        if entry is not None:
            return _like(tensor, entry[1])
        entry = self._uniform.get(key)
        return None if entry is None else entry[1].to(tensor.dtype).expand(tensor.shape)

    def number(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """Return the number that all elements of a tensor are; None if that is not known."""
        if tensor.dim() == 0:
            return self.content(tensor)
        entry = self._uniform.get(tensor.untyped_storage()._cdata) if tensor.is_meta else None
        return None if entry is None else entry[1].to(tensor.dtype)

    def learn(self, tensor: torch.Tensor, content: torch.Tensor) -> None:
        """Keep the content of a tensor."""
        storage = tensor.untyped_storage()
        own = torch.empty(storage.nbytes(), dtype=torch.uint8)
        _like(tensor, own).copy_(content)
        self._known[storage._cdata] = (StorageWeakRef(storage), own)
        self._sweep()

    def _learn_number(self, tensor: torch.Tensor, number: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        self._uniform[storage._cdata] = (StorageWeakRef(storage), number)
        self._sweep()

    def _sweep(self) -> None:
        """Drop what is known of storages that have ended."""
        if len(self._known) + len(self._uniform) > self._next_sweep:
            for table in (self._known, self._uniform):
                for key, (weak, _) in list(table.items()):
                    if weak.expired():
                        del table[key]
            self._next_sweep = 2 * (len(self._known) + len(self._uniform)) + 1024

    def _follow(
        self, func: Any, args: Any, kwargs: Any, tensors: list[torch.Tensor], result: Any
    ) -> None:
        """Learn the results of an op whose inputs are known; forget what it has overwritten."""
        contents = [self.content(tensor) for tensor in tensors]
        results: list[torch.Tensor] = []
        collect((result,), results)
        is_known = all(content is not None for content in contents) and all(
            tensor.numel() <= SMALL for tensor in (*tensors, *results)
        )
        if func._schema.is_mutable:
            # On the host it writes into the contents that are kept.
            is_kept = all(self.is_kept(tensor) for tensor in tensors)
            if not is_known or not is_kept or self._computed(func, args, kwargs) is None:
                self._forget(func, args, kwargs)
                self._follow_number(func, args, kwargs, tensors, results)
            return
        if not is_known:
            self._follow_number(func, args, kwargs, tensors, results)
            return
        new = [one for one in results if one.is_meta and self.content(one) is None]
        if not new:
            return
        computed: list[torch.Tensor] = []
        collect((self._computed(func, args, kwargs),), computed)
        if len(computed) == len(results):
            for tensor, content in zip(results, computed, strict=True):
                if tensor.is_meta and tensor.shape == content.shape:
                    self.learn(tensor, content)

    def is_kept(self, tensor: torch.Tensor) -> bool:
        """Return whether the content of a tensor is kept, so that a write on the host stays."""
        return not tensor.is_meta or tensor.untyped_storage()._cdata in self._known

    def _follow_number(
        self, func: Any, args: Any, kwargs: Any, tensors: list[torch.Tensor], results: Any
    ) -> None:
        """Learn of results whose elements are all the same number."""
        new = [one for one in results if one.is_meta and not self.is_kept(one)]
        if not new:
            return
        fill = _FILLING.get(func)
        if fill is not None:
            number = torch.full((), fill(*args), dtype=new[0].dtype)
        elif func in _USUAL and any(tensor.dtype.is_floating_point for tensor in tensors):
            number = torch.full((), _USUAL[func], dtype=torch.bool)
            if len(tensors) == 2 and _is_same(*tensors):
                number = ~number  # how torch asks for NaN
            assumptions.add("numbers on the GPU were taken to be finite, and different")
        else:
            found = self._number(func, args, kwargs, tensors)
            if found is None:
                return
            number = found
        for tensor in new:
            self._learn_number(tensor, number)

    def _number(self, func: Any, args: Any, kwargs: Any, tensors: Any) -> torch.Tensor | None:
        """Return what an op makes of tensors that are one number each; None if that is unknown."""
        is_elementwise = torch.Tag.pointwise in func.tags or func is aten._to_copy.default
        if not tensors or func._schema.is_mutable or not (is_elementwise or func in _SAME):
            return None
        numbers = [self.number(tensor) for tensor in tensors[: 1 if func in _SAME else None]]
        if any(number is None for number in numbers):
            return None
        if func in _SAME:
            return numbers[0]
        try:
            computed = self._on_host(func, args, kwargs, self.number)
        except (RuntimeError, IndexError, NotImplementedError):
            return None
        return computed if isinstance(computed, torch.Tensor) else None

    def _computed(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            return self._on_host(func, args, kwargs, self.content)
        except (RuntimeError, IndexError, NotImplementedError):
            return None  # then it is not known

    def _on_host(self, func: Any, args: Any, kwargs: Any, content: Callable[..., Any]) -> Any:
        args, kwargs = tree_map_only(torch.Tensor, content, (args, kwargs))
        if is_meta(kwargs.get("device")):
            kwargs = {**kwargs, "device": _HOST}
        return func(*args, **kwargs)

    def _forget(self, func: Any, args: Any, kwargs: Any) -> None:
        written: list[torch.Tensor] = []
        for place, declared in enumerate(func._schema.arguments):
            if declared.alias_info is not None and declared.alias_info.is_write:
                value = args[place] if place < len(args) else kwargs.get(declared.name)
                collect((value,), written)
        for tensor in written:
            if tensor.is_meta:
                self._known.pop(tensor.untyped_storage()._cdata, None)
                self._uniform.pop(tensor.untyped_storage()._cdata, None)

    # What the host reads.

    def read(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the contents of a tensor on the host: known, or assumed."""
        content = self.content(tensor)
        if content is not None:
            # What is all one number takes no memory, however large it is.
            return content.clone() if self.is_kept(tensor) else content
        assumed = _assumed(tensor)
        what = "ones" if tensor.dtype.is_floating_point else "zeros"
        if tensor.dtype is torch.bool and tensor.dim() == 0:
            place = _reader()
            self._reads[place] = count = self._reads.get(place, 0) + 1
            if not count % (_TRUE_IN_A_ROW + 1) and _may_be_loop(place):
                return torch.zeros((), dtype=torch.bool)
            what = "True"
        elif tensor.dim() == 0:
            what = "1"
        line = user_line()
        assumptions.add(
            f"{_text(tensor)} that only the GPU would know was read as {what}"
            + (f" at {line}" if line else "")
        )
        return assumed


def _reader() -> Any:
    """Return the place in Python from which a value is read, torch's own calls left out."""
    frame: Any = sys._getframe(2)
    while frame is not None and "/torch/" in frame.f_code.co_filename:
        frame = frame.f_back
    places: list[Any] = []
    while frame is not None and len(places) < 8:
        places.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(places)


def _may_be_loop(place: Any) -> bool:
    """Return whether a loop may depend on a condition: a graph's, or a `while` of the program.

    Other conditions stay True however often they are read: an assertion expects that.
    """
    names = {code.co_name for code, _ in place}
    return loop_test.__name__ in names or "__bool__" in names


def _is_same(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether two tensors are the same elements of the same memory."""
    return left is right or (
        left.untyped_storage()._cdata == right.untyped_storage()._cdata
        and (left.storage_offset(), left.shape, left.stride())
        == (right.storage_offset(), right.shape, right.stride())
    )


def _like(tensor: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """Return bytes as a tensor of the same dtype, shape, strides and offset as another."""
    view = torch.empty(0, dtype=tensor.dtype)
    offset, size, stride = tensor.storage_offset(), tensor.size(), tensor.stride()
    view.set_(own.untyped_storage(), offset, size, stride)
    return view


def _assumed(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the host like one without contents; however large it is, it takes nothing.

    Numbers are one, for they may be divided by; but integers in arrays are zero, which is a valid
    index nearly everywhere.
    """
    value = (
        0 if tensor.dim() and not (tensor.dtype.is_floating_point or tensor.dtype.is_complex) else 1
    )
    return torch.full((), value, dtype=tensor.dtype).expand(tensor.shape)


def _text(tensor: torch.Tensor) -> str:
    kind = str(tensor.dtype).removeprefix("torch.")
    return f"{kind}{list(tensor.shape)}" if tensor.dim() else f"one {kind}"
