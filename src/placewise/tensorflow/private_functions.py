"""Small functions that only TensorFlow's inner modules have, for programs that import those."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from placewise.api import v1
from placewise.core.scope import watch
from placewise.devices.inventory import inventory


def num_gpus() -> int:
    """Return how many GPUs there are, as `tensorflow.python.eager.context.num_gpus` does."""
    watch.note_listing()
    return len(inventory().of_kind("GPU"))


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """Return `output_tensor`, to be had only after all `dependencies` ran."""
    with v1.control_dependencies(dependencies):
        return v1.identity(output_tensor, name=name)


def run_deprecated_v1(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test that runs in a graph, as TensorFlow 1 ran it: the current one or a new."""

    @functools.wraps(func)
    def in_a_graph(*args: Any, **kwargs: Any) -> Any:
        if not v1.executing_eagerly():
            return func(*args, **kwargs)
        with v1.Graph().as_default():
            return func(*args, **kwargs)

    return in_a_graph


def assert_no_garbage_created(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the test itself: the collector's account of it is not kept."""
    return func


def scalar() -> Any:
    """Return the shape of a single number, as `tensor_shape.scalar` did."""
    from placewise.core.shapes import TensorShape  # noqa: PLC0415 - keeps torch out

    return TensorShape([])


def vector(length: Any) -> Any:
    """Return the shape of a vector, as `tensor_shape.vector` did."""
    from placewise.core.shapes import TensorShape  # noqa: PLC0415 - keeps torch out

    return TensorShape([length])


def bucketize(input: Any, boundaries: Any, name: str | None = None) -> Any:
    """Return the number of boundaries that are not above each element."""
    from placewise.ops.raw_ops import raw_op  # noqa: PLC0415 - keeps torch out

    return raw_op("Bucketize")(input=input, boundaries=boundaries, name=name)


def disable_cudnn_autotune(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test that runs while cuDNN does not time its algorithms to choose one."""

    @functools.wraps(func)
    def without_choice(*args: Any, **kwargs: Any) -> Any:
        import torch  # noqa: PLC0415 - keeps torch out

        before = torch.backends.cudnn.benchmark
        torch.backends.cudnn.benchmark = False
        try:
            return func(*args, **kwargs)
        finally:
            torch.backends.cudnn.benchmark = before

    return without_choice
