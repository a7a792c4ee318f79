"""A method as a function of its other arguments, that does not keep its object alive."""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any


class Method:
    """Calls a function with an object first; once the object is gone, calling raises."""

    def __init__(self, function: Any, instance: Any) -> None:
        self.__func__ = function
        try:
            self._instance: Any = weakref.ref(instance)
        except TypeError:
            self._instance = lambda: instance
        functools.update_wrapper(self, function, updated=())
        signature = inspect.signature(function)
        self.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    @property
    def __self__(self) -> Any:
        result = self._instance()
        if result is None:
            raise self._gone()
        return result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        instance = self._instance()
        if instance is not None:
            return self.__func__(instance, *args, **kwargs)
        try:  # as in TensorFlow, a method that does not use its object can still be called
            return self.__func__(None, *args, **kwargs)
        except AttributeError as problem:
            raise self._gone() from problem

    def calling(self, function: Any) -> Method:
        """Return the same method with another function."""
        result = Method.__new__(Method)
        result.__dict__.update(self.__dict__)
        result.__func__ = function
        return result

    def _gone(self) -> ReferenceError:
        return ReferenceError(
            f"the object whose method {self.__func__.__name__!r} this is does not exist any "
            "more: keep it in a variable as long as the function is used"
        )
