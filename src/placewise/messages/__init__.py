"""TensorFlow's protocol messages under its own names: `messages.ConfigProto`, `messages.DT_FLOAT`.

Same full names, fields and bytes as TensorFlow's, made from our own tables of fields (see
`tables.py`) in a descriptor pool of our own. Importing this loads no protobuf: the first name does.

    >>> from placewise import messages
    >>> options = messages.GPUOptions(allow_growth=True)
    >>> messages.ConfigProto(gpu_options=options).SerializeToString()
    b'2\\x02 \\x01'

Where two packages share a name (`VersionDef`), the one nearest to `tensorflow` is meant here;
`find` reaches the other by its full name.
"""

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from placewise.core.namespace import missing
from placewise.messages.modules import make_module, module_paths
from placewise.messages.tables import all_tables

if TYPE_CHECKING:
    from types import ModuleType

    from placewise.messages.build import Messages


# Two threads that come first at once would build two pools, and messages of one do not take those
# of the other for fields.
_first_use = threading.Lock()


@cache
def _places() -> dict[str, str | int]:
    """Return public name → full name of a message or enum, or number of an enum value."""
    files = sorted(all_tables().files.values(), key=lambda file: file.package.count("."))
    places: dict[str, str | int] = {}
    for file in files:
        for name in file.names:
            places.setdefault(name, f"{file.package}.{name}")
    for file in files:
        for name, number in file.values.items():
            places.setdefault(name, number)
    return places


def _messages() -> "Messages":
    with _first_use:
        return _built()


@cache
def _built() -> "Messages":
    from placewise.messages.build import Messages  # noqa: PLC0415 - keeps torch out

    return Messages(all_tables(), __name__, _new)


def _new(full_name: str) -> Any:
    return find(full_name)()


def __getattr__(name: str) -> Any:
    if name.startswith("__") or name not in _places():
        raise AttributeError(missing(__name__, name, [] if name.startswith("__") else __dir__()))
    place = _places()[name]
    value = globals()[name] = find(place) if isinstance(place, str) else place
    return value


def __dir__() -> list[str]:
    return sorted([*_places(), "find", "pb2", "pb2_modules", "pool"])


def find(full_name: str) -> Any:
    """Return the message class or enum called `full_name`, such as `tensorflow.GraphDef`."""
    return _messages().find(full_name)


def pool() -> Any:
    """Return the descriptor pool, for text or JSON that holds an `Any` of one of these messages."""
    return _messages().pool


def pb2(name: str) -> "ModuleType":
    """Return what TensorFlow programs import as `tensorflow.core.protobuf.config_pb2`."""
    return make_module(name, _messages())


def pb2_modules() -> list[str]:
    """Return the names `pb2` knows; loads no protobuf."""
    return sorted(module_paths(all_tables()))
