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
            raise ReferenceError(
                f"the object whose method {self.__func__.__name__!r} this is does not exist any "
                "more: keep it in a variable as long as the function is used"
            )
        return result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)
