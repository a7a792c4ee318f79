"""`Dataset.list_files`."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError, hint
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import identity
from placewise.ops.array.shape import shape as shape_op
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import Assert
from placewise.ops.flow.context import control_dependencies
from placewise.ops.io.files import matching_files
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.comparison import greater


def list_files(base: type[Any], pattern: str, shuffle: bool, seed: int | None, name: Any) -> Any:
    """Return a dataset of the names of files that match one or several patterns."""
    if not isinstance(pattern, (Tensor, list, tuple, str, bytes)):
        pattern = str(pattern)
    given = convert_to_tensor(pattern, dtypes.string)
    found = matching_files(given)
    if current.interpreter is Scope.eager and not found.shape[0]:
        asked = ", ".join(each.decode() for each in np.atleast_1d(given.numpy()).tolist())
        raise InvalidArgumentError(
            None,
            None,
            hint(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"b'No files matched pattern: {asked}'",
                "check the pattern with tf.io.gfile.glob(pattern); ** and relative paths start at "
                "the working folder",
            ),
        )
    if current.interpreter is not Scope.eager:  # found when the graph runs
        some = greater(shape_op(found)[0], 0)
        with control_dependencies([Assert(some, ["No files matched pattern: ", given])]):
            found = identity(found)
    names = base.from_tensor_slices(found, name=name)
    if not shuffle:
        return names

    count = shape_op(found, out_type=dtypes.int64)[0]
    return names.shuffle(maximum(count, 1), seed=seed, name=name)
