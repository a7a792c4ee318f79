"""`tensorflow.python.tools.inspect_checkpoint`: the tensors of a checkpoint, printed."""

from __future__ import annotations

import re
import sys
from typing import Any

from placewise.api import v1


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Print one tensor of a checkpoint, all, their names, or only their shapes and dtypes."""
    reader = v1.train.NewCheckpointReader(file_name)
    say = sys.stdout.write
    if all_tensors or all_tensor_names:
        for key in sorted(reader.get_variable_to_shape_map()):
            say(f"tensor_name:  {key}\n")
            if all_tensors:
                say(f"{reader.get_tensor(key)}\n")
    elif not tensor_name:
        say(f"{_text(reader.debug_string())}\n")
    else:
        say(f"tensor_name:  {tensor_name}\n{reader.get_tensor(tensor_name)}\n")
    counted = {
        key: shape
        for key, shape in reader.get_variable_to_shape_map().items()
        if not count_exclude_pattern or not re.search(count_exclude_pattern, key)
    }
    total = 0
    for shape in counted.values():
        size = 1
        for each in shape:
            size *= each
        total += size
    say(f"# Total number of params: {total}\n")


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
