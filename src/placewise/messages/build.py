"""From field tables to message classes, in a descriptor pool of our own.

A private pool lets TensorFlow, TensorBoard and placewise, which all speak of
`tensorflow.ConfigProto`, live in one process. The pool asks `Database` for a file the first time
one of its names is wanted, so only what is used is built.
"""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Callable
from typing import Any

# protobuf ships no types.
from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    message_factory,
)
from google.protobuf.internal.enum_type_wrapper import (
    EnumTypeWrapper,
)

from placewise.messages.descriptions import DESCRIPTIONS
from placewise.messages.tables import Source, Tables, enum_values

FieldProto = descriptor_pb2.FieldDescriptorProto

SCALARS = {
    name: FieldProto.Type.Value(f"TYPE_{name.upper()}")
    for name in [
        *["bool", "bytes", "string", "float", "double"],
        *["int32", "int64", "uint32", "uint64", "sint32", "sint64"],
        *["fixed32", "fixed64", "sfixed32", "sfixed64"],
    ]
}


# protobuf's own messages that the tables use.
GOOGLE_FILES = {
    "google.protobuf.Any": "google/protobuf/any.proto",
    "google.protobuf.BoolValue": "google/protobuf/wrappers.proto",
    "google.protobuf.DoubleValue": "google/protobuf/wrappers.proto",
}


class Oneof:
    """The open `oneof` of a message while its fields are read."""

    def __init__(self, message: Any, name: str) -> None:
        self.message = message
        self.index = len(message.oneof_decl)
        message.oneof_decl.add(name=name)


class FileBuilder:
    """One `FileDescriptorProto`, filled line by line from a table."""

    def __init__(self, source: Source, tables: Tables) -> None:
        self.tables = tables
        self.path = source.path
        self.proto: Any = descriptor_pb2.FileDescriptorProto(
            name=source.path,
            package=source.package,
            syntax=source.syntax,
            dependency=source.public,
            public_dependency=range(len(source.public)),
        )
        scopes = {0: source.package}
        parents: dict[int, Any] = {0: self.proto}
        for depth, words in source.lines:
            parent, scope = parents[depth - 1], scopes[depth - 1]
            match words:
                case [name]:
                    group = parent.message_type if depth == 1 else parent.nested_type
                    parents[depth], scopes[depth] = group.add(name=name), f"{scope}.{name}"
                case ["enum", name]:
                    parents[depth] = parent.enum_type.add(name=name)
                    scopes[depth] = scope
                case ["oneof", name]:
                    parents[depth], scopes[depth] = Oneof(parent, name), scope
                case _ if isinstance(parent, descriptor_pb2.EnumDescriptorProto):
                    for name, number in enum_values(words):
                        parent.value.add(name=name, number=number)
                case [name, number, *described]:
                    self.add_field(parent, scope, name, int(number), described)

    def add_field(
        self, parent: Any, scope: str, name: str, number: int, described: list[str]
    ) -> None:
        """Add one field, `described` by the words after its number, to `parent`."""
        *modifiers, kind = described
        message = parent.message if isinstance(parent, Oneof) else parent
        added = message.field.add(name=name, number=number, label=FieldProto.LABEL_OPTIONAL)
        if isinstance(parent, Oneof):
            added.oneof_index = parent.index
        if kind.startswith("map<"):
            key, value = kind.removeprefix("map<").removesuffix(">").split(",")
            entry = message.nested_type.add(name=entry_name(name))
            entry.options.map_entry = True
            self.add_field(entry, scope, "key", 1, [key])
            self.add_field(entry, scope, "value", 2, [value])
            added.type, added.type_name = FieldProto.TYPE_MESSAGE, f".{scope}.{entry.name}"
            modifiers = ["repeated"]
        elif kind in SCALARS:
            added.type = SCALARS[kind]
        else:
            full_name = self.tables.resolve(kind, scope)
            is_enum = full_name in self.tables.enums
            added.type = FieldProto.TYPE_ENUM if is_enum else FieldProto.TYPE_MESSAGE
            added.type_name = f".{full_name}"
            self.depend_on(full_name)
        if "repeated" in modifiers:
            added.label = FieldProto.LABEL_REPEATED
        if "packed" in modifiers:
            added.options.packed = True

    def depend_on(self, full_name: str) -> None:
        """Name the file that declares `full_name` among those this one needs."""
        home = self.tables.home(full_name)
        path = home.path if home else GOOGLE_FILES[full_name]
        if path != self.path and path not in self.proto.dependency:
            self.proto.dependency.append(path)


def entry_name(field_name: str) -> str:
    """Return the name of a map's hidden message: `DeviceCountEntry` for `device_count`."""
    return "".join(part[:1].upper() + part[1:] for part in field_name.split("_")) + "Entry"


class Database:
    """What a descriptor pool asks for files it does not hold yet (protobuf names the methods)."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def FindFileByName(self, name: str) -> Any:  # noqa: N802 - protobuf's protocol
        """Return the file called `name`; protobuf's own files come from protobuf."""
        if name in GOOGLE_FILES.values():
            module = importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
            proto = descriptor_pb2.FileDescriptorProto()
            module.DESCRIPTOR.CopyToProto(proto)
            return proto
        return FileBuilder(self.tables.files[name], self.tables).proto

    def FindFileContainingSymbol(self, symbol: str) -> Any:  # noqa: N802 - protobuf's protocol
        """Return the file that declares `symbol`."""
        home = self.tables.home(symbol)
        return self.FindFileByName(home.path if home else GOOGLE_FILES[symbol])


class Messages:
    """The message classes and enums of some tables, each built when first asked for.

    `module` is the name of the module that shows them; `new` makes an empty message of a full name
    there, for pickle: protobuf's own way looks into the process-wide pool.
    """

    def __init__(self, tables: Tables, module: str, new: Callable[[str], Any]) -> None:
        self.tables = tables
        self.module = module
        self._reduce = lambda message: (
            new,
            (message.DESCRIPTOR.full_name,),
            message.__getstate__(),
        )
        self.pool: Any = descriptor_pool.DescriptorPool(Database(tables))
        self._found: dict[str, Any] = {}  # kept, or protobuf would drop and remake them
        self._files: set[str] = set()
        self._lock = threading.RLock()

    def find(self, full_name: str) -> Any:
        """Return the message class or enum called `full_name`, such as `tensorflow.GraphDef`."""
        with self._lock:
            if full_name not in self._found:
                if full_name in self.tables.enums:
                    enum = EnumTypeWrapper(self.pool.FindEnumTypeByName(full_name))
                    self._found[full_name] = enum
                else:
                    self._name_classes(self.pool.FindMessageTypeByName(full_name).file)
            return self._found[full_name]

    def _name_classes(self, file: Any) -> None:
        """Tell the classes of `file`, and of the files it needs, where they are shown.

        All at once, because a class may next be met as the type of a field, not through `find`.
        """
        if file.name in self._files:
            return
        self._files.add(file.name)
        for descriptor in file.message_types_by_name.values():
            self._name_class(descriptor, descriptor.name)
        for needed in file.dependencies:
            self._name_classes(needed)

    def _name_class(self, descriptor: Any, place: str) -> None:
        message = message_factory.GetMessageClass(descriptor)
        message.__module__, message.__qualname__ = self.module, place
        message.__reduce__ = self._reduce
        if descriptor.full_name in DESCRIPTIONS:
            message.__doc__ = inspect.cleandoc(DESCRIPTIONS[descriptor.full_name])
        self._found[descriptor.full_name] = message
        for nested in descriptor.nested_types:
            self._name_class(nested, f"{place}.{nested.name}")
            if not hasattr(message, nested.name):  # protobuf's pure-Python implementation
                setattr(message, nested.name, self._found[nested.full_name])
