"""Functions that share their variables between calls: `tf.make_template` of TensorFlow 1."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from placewise.graph.collections import GraphKeys
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable_scope import variable_scope


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Return `func_` as a function that makes its variables once and uses them ever after."""
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function with a variable scope of its own."""

    def __init__(
        self,
        name: str,
        func: Any,
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func, self._name, self._unique_name = func, name, unique_name
        self._getter = custom_getter
        self._lock = threading.RLock()
        self._scope: Any = None
        self._is_made = False
        if create_scope_now:
            with self._opened() as scope:
                self._scope = scope

    def _opened(self) -> Any:
        if self._unique_name is not None:
            return variable_scope(self._unique_name, custom_getter=self._getter)
        return variable_scope(None, default_name=self._name, custom_getter=self._getter)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function in its scope; from the second call on, with the same variables."""
        with self._lock:
            if self._is_made:
                with variable_scope(self._scope, reuse=True):
                    return self._func(*args, **kwargs)
            if self._scope is None:
                with self._opened() as scope:
                    self._scope = scope
                    return self._first(args, kwargs)
            with variable_scope(self._scope):
                return self._first(args, kwargs)

    def _first(self, args: Any, kwargs: Any) -> Any:
        graph = get_default_graph()
        known = set(map(id, graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)))
        result = self._func(*args, **kwargs)
        prefix = f"{self._scope.name}/"
        strangers = [
            item.name
            for item in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
            if id(item) not in known and not item.name.startswith(prefix)
        ]
        # What `tf.Variable` makes would be made anew by every call.
        if strangers:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps "
                f"you used tf.Variable when you meant tf.get_variable: {strangers}"
            )
        self._is_made = True
        return result

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def variable_scope(self) -> Any:
        """The scope of the function's variables, once there is one."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of that scope."""
        return None if self._scope is None else self._scope.name

    @property
    def variables(self) -> list[Any]:
        """The function's variables."""
        return self.global_variables + self.local_variables

    @property
    def global_variables(self) -> list[Any]:
        """The function's global variables."""
        return [] if self._scope is None else self._scope.global_variables()

    @property
    def local_variables(self) -> list[Any]:
        """The function's local variables."""
        return [] if self._scope is None else self._scope.local_variables()

    @property
    def trainable_variables(self) -> list[Any]:
        """The function's variables that optimizers change."""
        return [] if self._scope is None else self._scope.trainable_variables()

    weights, trainable_weights = variables, trainable_variables
