"""Gradients of functions, and iterators, as the first eager execution had them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.autodiff.gradient_tape import GradientTape
from placewise.core.arguments import TensorLike


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that gives what `f` gives, and gradients with their variables."""

    def both(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError(
                "Cannot differentiate a function that returns None; did you forget to return a "
                "value from f?"
            )
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed."
            )
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return both


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that gives gradients of what `f` gives, with their variables."""
    both = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def value_and_gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., Any]:
    """Return a function that gives what `f` gives, and the gradients by its arguments."""

    def both(*args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        given = [tf.convert_to_tensor(each) for each in args]
        chosen = range(len(given)) if params is None else params
        with GradientTape() as tape:
            watched = [given[place] for place in chosen]
            tape.watch(watched)
            value = f(*given, **kwargs)
        return value, tape.gradient(value, watched)

    return both


def gradients_function(
    f: Callable[..., Any], params: TensorLike | None = None
) -> Callable[..., Any]:
    """Return a function that gives the gradients of `f` by its arguments."""
    both = value_and_gradients_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


class Iterator:
    """Goes over the elements of a dataset."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def next(self) -> Any:
        """Return the next element."""
        return next(self._iterator)

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element."""
        return self._iterator.get_next()


def num_gpus() -> int:
    """Return the number of GPUs."""
    return len(tf.config.list_logical_devices("GPU"))


def list_devices() -> list[str]:
    """Return the names of all devices."""
    return [each.name for each in tf.config.list_logical_devices()]


def in_eager_mode() -> bool:
    """Return whether ops run at once."""
    return tf.executing_eagerly()
