"""`tensorflow.python.framework.c_api_util`: what the ops are, for libraries that ask by name."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format

from placewise import messages
from placewise.graph.op_def import op_def
from placewise.ops.declare import REGISTRY
from placewise.ops.registry import load_all


class ApiDefMap:
    """The declarations of all ops, and the public faces that a library adds to them."""

    def __init__(self) -> None:
        load_all()
        self._given = messages.ApiDefs()

    def put_api_def(self, text: str) -> None:
        """Take over the `op { ... }` entries of a text; they are merged into `get_api_def`."""
        text_format.Merge(text, self._given)

    def op_names(self) -> list[str]:
        """Return the names of all ops."""
        return sorted(name for name in REGISTRY if not name.startswith("_"))

    def get_op_def(self, op_name: str) -> Any:
        """Return the OpDef of an op; raises ValueError if there is no such op."""
        if op_name not in REGISTRY:
            raise ValueError(f"No entry found for {op_name}.")
        return op_def(REGISTRY[op_name])

    def get_api_def(self, op_name: str) -> Any:
        """Return the ApiDef of an op: its own names, with what was put over them."""
        declared = self.get_op_def(op_name)
        made = messages.ApiDef(graph_op_name=op_name, visibility=messages.ApiDef.VISIBLE)
        made.endpoint.add(name=op_name)
        for args, field in ((declared.input_arg, made.in_arg), (declared.output_arg, made.out_arg)):
            for arg in args:
                field.add(name=arg.name, rename_to=arg.name)
        made.arg_order.extend(arg.name for arg in declared.input_arg)
        for attr in declared.attr:
            entry = made.attr.add(name=attr.name, rename_to=attr.name)
            if attr.HasField("default_value"):
                entry.default_value.CopyFrom(attr.default_value)
        for given in self._given.op:
            if given.graph_op_name == op_name:
                _merge(made, given)
        return made


def _merge(made: Any, given: Any) -> None:
    """Let the fields of `given` replace those of `made`; arguments and attributes by name."""
    for field, value in given.ListFields():
        if field.name not in ("in_arg", "out_arg", "attr"):
            made.ClearField(field.name)
            made.MergeFrom(type(made)(**{field.name: value}))
            continue
        by_name = {entry.name: entry for entry in getattr(made, field.name)}
        for entry in value:
            if entry.name not in by_name:
                raise ValueError(f"{given.graph_op_name} has no {field.name} named {entry.name}")
            by_name[entry.name].MergeFrom(entry)
