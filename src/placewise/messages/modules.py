"""The `_pb2` modules TensorFlow programs import messages from, made of our messages.

Called by compat, for `from tensorflow.core.protobuf import config_pb2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from placewise.core.namespace import missing
from placewise.messages.tables import Source, Tables

if TYPE_CHECKING:
    from placewise.messages.build import Messages

# Files that are no part of TensorFlow's own tree, and where its package keeps them.
MOVED = {"xla/": "tensorflow/compiler/xla/", "tsl/": "tensorflow/tsl/"}


def module_paths(tables: Tables) -> dict[str, str]:
    """Return module name → path of the file it stands for."""
    paths = {}
    for path in tables.files:
        root = next((root for root in MOVED if path.startswith(root)), "")
        moved = MOVED.get(root, "") + path.removeprefix(root)
        paths[moved.removesuffix(".proto").replace("/", ".") + "_pb2"] = path
    return paths


def seen_from(source: Source, tables: Tables) -> Iterator[Source]:
    """Return `source` and the files whose names it passes on."""
    yield source
    for path in source.public:
        yield from seen_from(tables.files[path], tables)


def make_module(name: str, messages: Messages) -> ModuleType:
    """Return the module called `name`; its messages are built as they are used."""
    tables = messages.tables
    try:
        source = tables.files[module_paths(tables)[name]]
    except KeyError:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name) from None
    places: dict[str, str | int] = {}
    for file in seen_from(source, tables):
        places |= file.values
        places |= {message: f"{file.package}.{message}" for message in file.names}
    module = ModuleType(name, f"The messages of {source.path}.")

    def __getattr__(attribute: str) -> Any:  # noqa: N807 - the module protocol's own name
        if attribute == "DESCRIPTOR":
            value = messages.pool.FindFileByName(source.path)
        elif attribute in places:
            place = places[attribute]
            value = messages.find(place) if isinstance(place, str) else place
        else:
            raise AttributeError(missing(name, attribute, list(places)))
        setattr(module, attribute, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 - the module protocol's own name
        return ["DESCRIPTOR", *sorted(places)]

    vars(module).update(__getattr__=__getattr__, __dir__=__dir__)
    return module
