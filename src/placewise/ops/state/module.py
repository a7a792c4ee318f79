"""`tf.Module`: a named object that knows the variables and modules it holds."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from placewise.core import nest
from placewise.core.names import name_scope
from placewise.core.trackable import AutoTrackable
from placewise.ops.state.variable import Variable

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME = re.compile(r"^[A-Za-z_]\w*$")


class Module(AutoTrackable):
    """Base of objects that hold variables: attributes, also in lists and dicts, are found.

    `name`: the module's name, by default that of the class in snake case.

    `variables`, `trainable_variables` and `submodules` are tuples of what the attributes hold, in
    the order of their names. `with_name_scope` decorates methods whose ops are named after the
    module. Checkpoints and SavedModels save what it holds. Raises ValueError for a name that is no
    identifier.

    >>> import placewise as tf
    >>> class Line(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = tf.Variable(2.0, name="slope")
    >>> [v.name for v in Line().trainable_variables]
    ['slope:0']
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORD.sub("_", type(self).__name__).lower()
        if not _NAME.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope
        self._name_scope = name_scope(self._scope_name)

    @property
    def name(self) -> str:
        """The name given, or the class's in lower case."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A `tf.name_scope` of this module's name."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """Every variable of this module and those it holds."""
        return tuple(self._flatten(_is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training changes."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training leaves alone."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """Every module that this one holds, directly or through others."""
        return tuple(self._flatten(lambda value: isinstance(value, Module)))

    def _flatten(
        self, predicate: Any = None, recursive: bool = True, with_path: bool = False
    ) -> Iterator[Any]:
        seen = {id(self)}
        queue: list[tuple[Module, tuple[Any, ...]]] = [(self, ())]
        while queue:
            module, path = queue.pop(0)
            for key, leaf in _leaves(module):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if predicate is None or predicate(leaf):
                    yield ((*path, *key), leaf) if with_path else leaf
                if recursive and isinstance(leaf, Module):
                    queue.append((leaf, (*path, *key)))

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        """Run a method inside the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _leaves(module: Module) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Return what a module's attributes hold, by sorted name, structures opened."""
    ignored = type(module)._TF_MODULE_IGNORED_PROPERTIES
    for name in sorted(vars(module)):
        if name not in ignored and not name.startswith("_self_"):
            yield from _inside(getattr(module, name), (name,))


def _inside(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    parts = nest.children(value)
    if parts is None:
        yield path, value
    else:
        for key, part in parts:
            yield from _inside(part, (*path, key))


Module.__module__ = "tensorflow.python.module.module"
