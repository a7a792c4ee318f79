"""Where the operations of a SavedModel's functions were made: `debug/saved_model_debug_info.pb`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from placewise import messages
from placewise.devices.origin import Origin
from placewise.ops.io import paths
from placewise.saving import saved_model_names as names


def debug_info(functions: Mapping[str, Any]) -> Any:
    """Return the line of the program for each operation of functions, given by name.

    A trace has one frame: the innermost line of the program.
    """
    info = messages.GraphDebugInfo()
    numbers: dict[Origin, int] = {}
    files: dict[str, int] = {}
    for name, function in functions.items():
        for op in function.graph.get_operations():
            if op.origin is None:
                continue
            if op.origin not in numbers:
                number = numbers[op.origin] = len(numbers) + 1
                frame = info.frames_by_id[number]
                frame.file_index = files.setdefault(op.origin.file, len(files))
                frame.line = op.origin.line
                info.traces_by_id[number].frame_id.append(number)
            info.name_to_trace_id[f"{op.name}@{name}"] = numbers[op.origin]
    info.files.extend(files)
    return info


def write_debug_info(functions: Mapping[str, Any], folder: str) -> None:
    """Write the lines of functions below the folder of a model."""
    directory = os.path.join(folder, names.DEBUG_DIRECTORY)
    with paths.told(directory):
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, names.DEBUG_INFO_FILENAME_PB), "wb") as file:
            file.write(debug_info(functions).SerializeToString(deterministic=True))
