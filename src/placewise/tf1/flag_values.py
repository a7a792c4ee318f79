"""Command-line flags as TensorFlow 1 programs use them: absl's, read when first asked for."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import absl.app  # noqa: F401 - defines flags of its own, which are to be there first
from absl import flags

from placewise.core.log import get_logger

_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class ParsedOnUse:
    """absl's flags; asking for one before the command line was read reads it."""

    def __init__(self, wrapped: flags.FlagValues) -> None:
        self.__dict__["__wrapped"] = wrapped

    def __getattr__(self, name: str) -> Any:
        wrapped = self.__dict__["__wrapped"]
        # What Python itself asks for (`__wrapped__`, `_partialmethod`) is no flag.
        is_inner = name[0] == "_" and name not in wrapped
        is_inner = is_inner or hasattr(type(wrapped), name)
        if not wrapped.is_parsed() and not is_inner:
            wrapped(sys.argv)
        return getattr(wrapped, name)

    def _parse_flags(self) -> None:
        """Read the command line now, as programs before TensorFlow 1.5 ask for."""
        self.__dict__["__wrapped"](sys.argv)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["__wrapped"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["__wrapped"], name)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["__wrapped"])

    def __getitem__(self, name: str) -> Any:
        return self.__dict__["__wrapped"][name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self.__dict__["__wrapped"][name] = flag

    def __len__(self) -> int:
        return len(self.__dict__["__wrapped"])

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__["__wrapped"])

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__["__wrapped"]

    def __str__(self) -> str:
        return str(self.__dict__["__wrapped"])

    def __call__(self, *args: Any, **kwargs: Any) -> list[str]:
        arguments: list[str] = self.__dict__["__wrapped"](*args, **kwargs)
        return arguments


FLAGS = ParsedOnUse(flags.FLAGS)

# Programs call flags as they like, also as absl's own: --log_dir, --v, --profile_file.
for _flag in [each for own in flags.FLAGS.flags_by_module_dict().values() for each in own]:
    _flag.allow_override = True


def with_tf1_names(define: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `DEFINE_` function that also knows `flag_name`, `default_value`, `docstring`."""

    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        if _OLD_NAMES.keys() & kwargs.keys():
            get_logger().warning(
                "Use of the keyword argument names (flag_name, default_value, docstring) is "
                "deprecated, please use (name, default, help) instead."
            )
            kwargs = {_OLD_NAMES.get(name, name): value for name, value in kwargs.items()}
        return define(*args, **kwargs)

    return defined


# absl lists a flag under the module that defines it, which is not this one.
flags.disclaim_key_flags()


DEFINE_string = with_tf1_names(flags.DEFINE_string)
DEFINE_boolean = with_tf1_names(flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = with_tf1_names(flags.DEFINE_float)
DEFINE_integer = with_tf1_names(flags.DEFINE_integer)
