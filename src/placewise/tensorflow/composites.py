"""`tensorflow.python.framework.composite_tensor` and `variable_utils`: values made of tensors."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.ops.composite_tensor import CompositeTensor
from placewise.ops.convert import convert_to_tensor


def is_composite_tensor(value: Any) -> bool:
    """Return whether a value is made of several tensors."""
    return isinstance(value, CompositeTensor)


def replace_composites_with_components(structure: Any) -> Any:
    """Return a structure with a list of tensors in place of each composite."""
    return nest.map_structure(
        lambda value: (
            nest.flatten(value, expand_composites=True)
            if isinstance(value, CompositeTensor)
            else value
        ),
        structure,
    )


def convert_variables_to_tensors(values: Any) -> Any:
    """Return a structure with the value of each variable in its place."""
    return nest.map_structure(
        lambda value: convert_to_tensor(value) if hasattr(value, "assign") else value, values
    )


def replace_variables_with_atoms(values: Any) -> Any:
    """Return a structure with a 0 in place of each variable, for comparing structures."""
    return nest.map_structure(lambda value: 0 if hasattr(value, "assign") else value, values)
