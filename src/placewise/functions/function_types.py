"""The kinds of functions there are, for `isinstance`: `tf.types.experimental`."""

from __future__ import annotations

from abc import ABCMeta


class Callable(metaclass=ABCMeta):  # noqa: B024 - a name for isinstance, nothing to write
    """Something TensorFlow made that can be called."""

    __slots__ = ()


class ConcreteFunction(Callable):
    """A function traced for one kind of arguments."""

    __slots__ = ()


class PolymorphicFunction(Callable):
    """A function that is traced for every kind of arguments it is called with."""

    __slots__ = ()


GenericFunction = PolymorphicFunction
